"""What the files of checkpoints say of the same tensors, again and again: the header, and the lines
that the hash of a state is made of. Only the checksums in them are new each time, and joining what
is known takes a hundredth of the time of making it anew."""

import functools
import hashlib
from typing import List, Sequence, Tuple

from .safetensors import CRC_CHUNK_BYTES, STRUCTURE_NAME, TensorPlaces, TensorSpec, align_page
from .safetensors import compact_json, join_header


class TextTemplate:
    """A text with blanks."""

    def __init__(self, between: Sequence[str]) -> None:
        """`between`: the text before the first blank, between two of them, and after the last."""
        self._parts: List[str] = [""] * (2 * len(between) - 1)
        self._parts[0::2] = between

    def filled(self, texts: Sequence[str]) -> str:
        """The text with these in its blanks; as many as there are blanks."""
        parts = self._parts.copy()
        # Python refuses another number of them.
        parts[1::2] = texts
        return "".join(parts)


class HeaderTemplate:
    """A file that holds these tensors, the structure behind them, and names those of others."""

    def __init__(
        self, own: Sequence[Tuple[TensorSpec, int]], data_bytes: int, held: Sequence[TensorSpec]
    ) -> None:
        """`own`: with their offsets in the data, which take so many bytes, all padding included."""
        self._data_bytes = data_bytes
        self._places = TensorPlaces().then(own)
        self._sums = _sums_form([spec.name for spec, _ in own] + [STRUCTURE_NAME])
        lines = [_begun_line(spec) for spec in [spec for spec, _ in own] + list(held)]
        # No name is there twice, so what comes behind it has no part in the order.
        self._order = sorted(range(len(lines)), key=lambda at: lines[at][0])
        self._lines = _lines_form([lines[at][1] for at in self._order])
        self._no_sums = [_no_digits(spec.bytes) for spec, _ in own]

    def header(self, metadata: str, structure: TensorSpec, sums: Sequence[str]) -> bytes:
        """`sums`: of the tensors, then of the structure."""
        end = self._data_bytes + align_page(structure.bytes)
        where = self._places.then([(structure, self._data_bytes)]).until(end)
        return join_header(metadata, self._sums.filled(sums), where)

    def data_start(self, metadata: str, structure: TensorSpec) -> int:
        """How long the header will be: that depends on no checksum."""
        no_sums = self._no_sums + [_no_digits(structure.bytes)]
        return len(self.header(metadata, structure, no_sums))

    def state_hash(self, graph_json: bytes, sums: Sequence[str]) -> str:
        """The hash that record and replay compare: the graph, and every tensor by its checksums.
        `sums`: of the tensors, then of those that other files hold."""
        state = hashlib.sha256(graph_json)
        state.update(b"\n")
        state.update(self._lines.filled([sums[at] for at in self._order]).encode())
        return state.hexdigest()


def _sums_form(names: Sequence[str]) -> TextTemplate:
    """An object of texts, as a text in a text; there is at least one name."""
    keys = [compact_json(f"{compact_json(name)}:")[1:-1] for name in names]
    before = ['"{', *['\\",'] * (len(keys) - 1)]
    return TextTemplate([f'{start}{key}\\"' for start, key in zip(before, keys)] + ['\\"}"'])


def _lines_form(begun: Sequence[str]) -> TextTemplate:
    if not begun:
        return TextTemplate([""])
    before = ["", *['"]\n'] * (len(begun) - 1)]
    return TextTemplate([f'{start}{line}"' for start, line in zip(before, begun)] + ['"]'])


@functools.lru_cache(maxsize=1 << 12)
def _no_digits(size: int) -> str:
    """As many as there will be for so many bytes."""
    return "00000000" * -(-size // CRC_CHUNK_BYTES)


@functools.lru_cache(maxsize=1 << 16)
def _begun_line(spec: TensorSpec) -> Tuple[bytes, str]:
    """The line of a tensor up to its checksums, and before it what lines are ordered by: UTF-16
    code units, as the other implementation sorts."""
    begun = f"{compact_json([spec.name, spec.dtype, list(spec.shape)])[:-1]},"
    return begun.encode("utf-16-be"), begun
