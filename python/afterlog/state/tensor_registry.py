"""Which bytes of which memory the captured tensors are, so that those that share memory share it
again when restored.

A tensor that shares with nobody is written row by row in its own shape and type, as other tools
expect it. Tensors that share are written once: under the first one's shape if all see the same
elements, else as the raw memory from the first to the last byte that any of them sees; each node
then says where in it its elements are (`offset`, `strides`).
"""

import bisect
import functools
import itertools
from typing import Any, Callable, Dict, Hashable, Iterable, List, NamedTuple, Optional, Sequence
from typing import Tuple

from ..format.safetensors import DTYPE_BYTES, TensorSpec
from ..materialize.slots import Leaf, Slot
from .places import LeafNames

Copy = Callable[[Any, Slot, int], None]


class Geometry(NamedTuple):
    """Which bytes of its memory a tensor is."""

    # Of its first element, and of the first and behind the last that it sees.
    at: int
    start: int
    end: int
    strides: Tuple[int, ...]
    # Equal for tensors that see the same elements in the same way.
    view: Hashable


class TensorPart(NamedTuple):
    """A tensor as the walk met it."""

    number: int
    node: Dict[str, Any]
    # The memory that it is part of.
    memory: Hashable
    # As other tools see it.
    dtype: str
    shape: Tuple[int, ...]
    # Several of its elements are one, as after `expand`.
    overlaps: bool
    # Asked only of tensors that share.
    geometry: Callable[[], Geometry]
    copy: Copy
    # Copies so many bytes of the memory from a certain one on.
    copy_raw: Callable[[Any, Slot, int, int, int], None]
    # The same for a tensor on a device: its elements, and bytes of its memory, as tensors there.
    elements: Optional[Callable[[Any], Any]] = None
    raw_elements: Optional[Callable[[Any, int, int], Any]] = None


class TensorRegistry:
    """The tensors of one walk."""

    def __init__(self) -> None:
        self._groups: Dict[Hashable, List[TensorPart]] = {}
        self._plain: List[Tuple[int, Dict[str, Any], int, Copy]] = []

    def __len__(self) -> int:
        return len(self._groups) + len(self._plain)

    def add(self, part: TensorPart) -> None:
        self._groups.setdefault(part.memory, []).append(part)

    def add_plain(self, number: int, node: Dict[str, Any], size: int, copy: Copy) -> None:
        """Bytes that share with nobody."""
        self._plain.append((number, node, size, copy))

    def sharing_with(
        self, objects: Callable[[int], Any], spans: Callable[[], Sequence["Spans"]]
    ) -> List[TensorPart]:
        """Those of its tensors (objects by number) that see the same memory as others."""
        others = spans() if self._groups else []
        found = []
        for parts in self._groups.values():
            for part in parts:
                start, size = _memory_span(objects(part.number))
                if size and any(one.meet(start, start + size) for one in others):
                    found.append(part)
        return found

    def finish(self, names: LeafNames, path_of: Callable[[int], str]) -> List[Leaf]:
        """The leaves, in the order of their nodes; gives each node the name of its leaf."""
        leaves: List[Tuple[int, Leaf]] = []
        for number, node, size, copy in self._plain:
            spec = _leaf_spec(names.take(path_of(number)), "U8", (size,))
            node["tensor"] = spec.name
            leaves.append((number, Leaf(spec, number, copy)))
        for parts in self._groups.values():
            first = parts[0]
            name = names.take(path_of(first.number))
            leaf = _logical_leaf(name, parts) if _is_one_view(parts) else _raw_leaf(name, parts)
            leaves.append((first.number, leaf))
        leaves.sort(key=lambda pair: pair[0])
        return [leaf for _, leaf in leaves]


class Spans:
    """Memory that tensors see."""

    def __init__(self, values: Iterable[Any]) -> None:
        known: List[Tuple[int, int]] = sorted(
            (start, start + size) for start, size in map(_memory_span, values) if size
        )
        self.starts = [start for start, _ in known]
        # Of the spans up to each: how far any of them reaches.
        self._ends: List[int] = list(itertools.accumulate((end for _, end in known), max))

    def meet(self, start: int, end: int) -> bool:
        near = bisect.bisect_left(self.starts, end)
        return near > 0 and self._ends[near - 1] > start


def _memory_span(value: Any) -> Tuple[int, int]:
    """Where the memory of a tensor or an array begins that it sees, and how many bytes it is; views
    into the same memory may lie before."""
    try:
        if hasattr(value, "data_ptr"):
            storage = value.untyped_storage() if hasattr(value, "untyped_storage") else None
            if storage is not None:
                return storage.data_ptr(), storage.nbytes()
            raw = value._storage()
            return raw.data_ptr(), raw.nbytes()
        base = value
        while getattr(base, "base", None) is not None and hasattr(base.base, "nbytes"):
            base = base.base
        return base.__array_interface__["data"][0], base.nbytes
    except (AttributeError, KeyError, RuntimeError, NotImplementedError):
        return 0, 0


def _is_one_view(parts: List[TensorPart]) -> bool:
    """Whether all see the same elements in the same way, and none of them twice."""
    if parts[0].overlaps:
        return False
    if len(parts) == 1:
        return True
    return len({part.geometry().view for part in parts}) == 1


def _logical_leaf(name: str, parts: List[TensorPart]) -> Leaf:
    first = parts[0]
    for part in parts:
        part.node["tensor"] = name
    spec = _leaf_spec(name, first.dtype, first.shape)
    return Leaf(spec, first.number, first.copy, first.elements)


def _raw_leaf(name: str, parts: List[TensorPart]) -> Leaf:
    first = parts[0]
    places = [part.geometry() for part in parts]
    start = min(place.start for place in places)
    size = max(place.end for place in places) - start
    for part, place in zip(parts, places):
        # In bytes: views of different types may share.
        known = {"tensor": name, "raw": True, "offset": place.at - start}
        part.node.update(known, strides=list(place.strides))
    width = DTYPE_BYTES[first.dtype]
    uniform = all(part.dtype == first.dtype for part in parts) and size % width == 0
    dtype, count = (first.dtype, size // width) if uniform else ("U8", size)
    copy_raw, raw_elements = first.copy_raw, first.raw_elements

    def copy(value: Any, slot: Slot, offset: int) -> None:
        copy_raw(value, slot, offset, start, size)

    spec = _leaf_spec(name, dtype, (count,))
    if raw_elements is None:
        return Leaf(spec, first.number, copy)
    on_device = functools.partial(raw_elements, start=start, size=size)
    return Leaf(spec, first.number, copy, on_device)


def _leaf_spec(name: str, dtype: str, shape: Tuple[int, ...]) -> TensorSpec:
    count = 1
    for size in shape:
        count *= size
    return TensorSpec(name, dtype, tuple(shape), count * DTYPE_BYTES[dtype])


def row_major(shape: Tuple[int, ...]) -> Tuple[int, ...]:
    """Strides, in elements, of a tensor whose rows follow each other."""
    strides: List[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def byte_range(
    at: int, shape: Tuple[int, ...], strides: Tuple[int, ...], item_bytes: int
) -> Tuple[int, int]:
    """First and last byte of the elements that begin at byte `at`; strides in bytes."""
    if 0 in shape:
        return at, at
    low = at + sum((size - 1) * step for size, step in zip(shape, strides) if step < 0)
    high = at + sum((size - 1) * step for size, step in zip(shape, strides) if step > 0)
    return low, high + item_bytes


def has_overlaps(shape: Tuple[int, ...], strides: Tuple[int, ...]) -> bool:
    return any(size > 1 and step == 0 for size, step in zip(shape, strides))
