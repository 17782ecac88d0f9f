"""Which tensors of a slot a file is to hold, where in the slot they are, and what the file says of
them: all that is the same for the next checkpoint, if the same tensors have changed."""

import array
from typing import Dict, List, NamedTuple, Sequence, Tuple

from ..format.header_template import HeaderTemplate
from ..format.safetensors import CRC_CHUNK_BYTES, TensorSpec, align_page
from .slots import Layout

# Loops have different states, and take turns.
_KNOWN_MAX = 8


class Range(NamedTuple):
    """Bytes of a slot."""

    start: int
    stop: int


class Chunks(NamedTuple):
    """What checksums are taken of."""

    ranges: List[Range]
    # The same, as offset and size of each.
    words: bytes


class FileLayout:
    """What is written of a slot."""

    def __init__(self, layout: Layout, held: Sequence[int]) -> None:
        """`held`: by their numbers in the layout, large tensors that stand in another file."""
        self.layout = layout
        others = set(held)
        large = [number for number in layout.large if number not in others]
        units = set(layout.large)
        small = [number for number in range(len(layout.signature)) if number not in units]
        # The tensors, as they follow each other in the file.
        self.own = large + small
        self.ranges = _slot_ranges(layout, large)
        own = _file_offsets(layout, self.own, self.ranges)
        size = sum(stop - start for start, stop in self.ranges)
        self.form = HeaderTemplate(own, size, [layout.signature[number] for number in held])
        ranges: List[Range] = []
        # Of each tensor, where its checksums are among all.
        self._digits: List[slice] = []
        for number in self.own:
            before = len(ranges)
            start = layout.offsets[number]
            stop = start + layout.signature[number].bytes
            for at in range(start, stop, CRC_CHUNK_BYTES):
                ranges.append(Range(at, min(at + CRC_CHUNK_BYTES, stop)))
            self._digits.append(slice(8 * before, 8 * len(ranges)))
        words = [word for start, stop in ranges for word in (start, stop - start)]
        self.chunks = Chunks(ranges, array.array("Q", words).tobytes())

    def sums(self, digits: str) -> List[str]:
        """The checksums of each tensor, from those of all chunks."""
        return [digits[part] for part in self._digits]


def _slot_ranges(layout: Layout, large: Sequence[int]) -> List[Range]:
    """The memory of the large tensors, in one where they follow each other, and of the small."""
    found: List[Range] = []
    for number in large:
        start = layout.offsets[number]
        stop = start + align_page(layout.signature[number].bytes)
        if found and found[-1].stop == start:
            start = found.pop().start
        found.append(Range(start, stop))
    if len(layout.large) < len(layout.signature):
        start = layout.small_offset
        found.append(Range(start, start + align_page(layout.small_bytes)))
    return found


def _file_offsets(
    layout: Layout, numbers: Sequence[int], ranges: Sequence[Range]
) -> List[Tuple[TensorSpec, int]]:
    """The tensors with their offsets in the file's data; in the order of the ranges."""
    found: List[Tuple[TensorSpec, int]] = []
    behind = iter(ranges)
    now, before = Range(0, 0), 0
    for number in numbers:
        start = layout.offsets[number]
        spec = layout.signature[number]
        while not now.start <= start <= start + spec.bytes <= now.stop:
            before += now.stop - now.start
            now = next(behind)
        found.append((spec, before + start - now.start))
    return found


class FileLayouts:
    """Keeps them, as long as they may be wanted again."""

    def __init__(self) -> None:
        # By where the layout is in memory, which the parts keep there.
        self._known: Dict[Tuple[int, Tuple[int, ...]], FileLayout] = {}

    def of(self, layout: Layout, held: Sequence[int]) -> FileLayout:
        key = (id(layout), tuple(held))
        parts = self._known.get(key)
        if parts is None:
            while len(self._known) >= _KNOWN_MAX:
                del self._known[next(iter(self._known))]
            parts = self._known[key] = FileLayout(layout, held)
        return parts
