"""NumPy: arrays with their memory, scalars, element types and generators."""

import array
import base64
import ctypes
import mmap
import sys
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..materialize.slots import Slot
from .attributes import fill_attributes, has_attributes, write_attributes
from .kinds import Kind, Node, class_name
from .object_identity import Known
from .tensor_registry import Geometry, TensorPart, byte_range, has_overlaps, row_major

if TYPE_CHECKING:
    from .restore import Restoration
    from .walk import Walk

numpy = sys.modules["numpy"]

_WORDS = {
    "f8": "F64", "f4": "F32", "f2": "F16", "i8": "I64", "i4": "I32", "i2": "I16", "i1": "I8",
    "u8": "U64", "u4": "U32", "u2": "U16", "u1": "U8", "b1": "BOOL",
}  # fmt: skip


def word_of(dtype: Any) -> Tuple[str, int]:
    """Safetensors' word for an element type, and how many of these one element is."""
    text = dtype.str
    if text[0] in "<|=" and text[1:] in _WORDS:
        return _WORDS[text[1:]], 1
    if text in ("<c8", "<c16"):
        return ("F32", 2) if text == "<c8" else ("F64", 2)
    return "U8", dtype.itemsize


def memory_of(array: Any) -> Any:
    """The array that owns the memory."""
    while isinstance(array.base, numpy.ndarray):
        array = array.base
    return array


# What is no array, and can be written to in other ways.
_BUFFERS = (bytearray, memoryview, array.array, mmap.mmap, ctypes.Array, ctypes._SimpleCData)


def _is_of_buffer(value: Any) -> bool:
    """Whether it would come back as a copy of what it was a part of."""
    return isinstance(memory_of(value).base, _BUFFERS)


def _array_form(array: Any) -> Any:
    """All of it but its elements."""
    place = array.__array_interface__["data"][0]
    return place, array.shape, array.strides, array.dtype, array.flags.writeable


def _may_have_attributes(array: Any) -> bool:
    """One over a file holds how that was opened, and nothing more."""
    return type(array) is not numpy.ndarray and not isinstance(array, numpy.memmap)


def _with_attributes(node: Node, array: Any, walk: "Walk") -> Node:
    return write_attributes(node, array, walk) if _may_have_attributes(array) else node


class ArrayKind(Kind):
    types = (numpy.ndarray,)
    node_types = ("tensor numpy",)

    def write(self, value: Any, walk: "Walk") -> Node:
        if walk.identifying:
            return _with_attributes({}, value, walk)
        if value.dtype.hasobject or value.dtype.fields is not None:
            help = "keep a list, or one array for each field"
            raise walk.refuse(f"an array of {value.dtype}", help)
        if value.dtype.metadata:
            raise walk.refuse("an array whose type has metadata", "keep these in a dict beside it")
        if value.flags.writeable and not walk.knows(value) and _is_of_buffer(value):
            what = "an array in the memory of something else, made after the loop began"
            raise walk.refuse(what, "make it before the loop, or keep a copy")
        shape, item = tuple(value.shape), max(value.dtype.itemsize, 1)
        node: Node = {
            "t": "tensor",
            "framework": "numpy",
            "dtype": value.dtype.str,
            "shape": list(shape),
            "flags": {"writeable": bool(value.flags.writeable)},
        }
        if not value.flags.c_contiguous:
            node["strides"] = [step // item for step in value.strides]
        if type(value) is not numpy.ndarray:
            node["class"] = class_name(type(value))
        walk.tensors.add(_array_part(value, walk.current, node))
        return _with_attributes(node, value, walk)

    def memo(self, values: Sequence[Any], known: Known) -> Any:
        return list(map(_array_form, values))

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        return [
            index
            for index, value in enumerate(values)
            if _array_form(value) != memo[index]
            or (_may_have_attributes(value) and has_attributes(value))
        ]

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        if "numpy" not in reader.memo:
            reader.memo["numpy"] = _plan_memory(reader)
        shared = reader.memo["numpy"][node["tensor"]]
        made_of = reader.class_of(node, numpy.ndarray)
        if shared is None:
            if _array_fits(live, made_of, node):
                return live
            shared = _new_memory([node])
        elif type(live) is made_of and _base_address(node, live) == shared.base:
            return live
        made = _array_over(shared, node)
        return made if made_of is numpy.ndarray else made.view(made_of)

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        filled = reader.memo.setdefault("numpy filled", set())
        if node["tensor"] not in filled:
            filled.add(node["tensor"])
            data = reader.bytes(node["tensor"])
            if node.get("raw"):
                address = value.__array_interface__["data"][0] - node["offset"]
                ctypes.memmove(address, (ctypes.c_char * len(data)).from_buffer(data), len(data))
            else:
                value[...] = numpy.frombuffer(data, numpy.dtype(node["dtype"])).reshape(value.shape)
        if not node["flags"]["writeable"]:
            value.flags.writeable = False
        fill_attributes(node, value, reader)


def _array_fits(live: Any, made_of: Any, node: Node) -> bool:
    same = type(live) is made_of and live.dtype == numpy.dtype(node["dtype"])
    return same and list(live.shape) == node["shape"] and bool(live.flags.writeable)


class _SharedMemory(NamedTuple):
    """Memory for all arrays of a leaf."""

    # All of its bytes, and which of them is the leaf's first.
    flat: Any
    at: int

    @property
    def base(self) -> int:
        return int(self.flat.__array_interface__["data"][0]) + self.at


def _plan_memory(reader: "Restoration") -> Dict[str, Optional[_SharedMemory]]:
    """The memory for each leaf that several arrays share; None for one that an array has alone."""
    groups: Dict[str, List[int]] = {}
    for number, node in enumerate(reader.nodes):
        if node["t"] == "tensor" and node["framework"] == "numpy":
            groups.setdefault(node["tensor"], []).append(number)
    plan: Dict[str, Optional[_SharedMemory]] = {}
    for name, numbers in groups.items():
        nodes = [reader.node(number) for number in numbers]
        if len(nodes) == 1 and not nodes[0].get("raw"):
            plan[name] = None
        else:
            live = [reader.peek_live(number) for number in numbers]
            plan[name] = _live_memory(nodes, live) or _new_memory(nodes)
    return plan


def _live_memory(nodes: List[Node], live: List[Any]) -> Optional[_SharedMemory]:
    """The memory that those of the arrays share which are there already: others may be made over
    it, and whoever else holds it keeps sharing it with them."""
    known = {_base_address(node, one): one for node, one in zip(nodes, live)}
    known.pop(None, None)
    if len(known) != 1:
        return None
    [(base, array)] = known.items()
    flat = _flat_bytes(memory_of(array))
    if flat is None:
        return None
    start, end = _leaf_range(nodes)
    at = base - flat.__array_interface__["data"][0]
    return _SharedMemory(flat, at) if 0 <= at + start and at + end <= flat.size else None


def _flat_bytes(array: Any) -> Any:
    """The bytes of an array in the order in which they lie in memory, if there are no gaps."""
    plain = numpy.asarray(array)
    axes = sorted(range(plain.ndim), key=lambda axis: -plain.strides[axis])
    rows = plain.transpose(axes)
    if not rows.flags.c_contiguous or not rows.flags.writeable or rows.nbytes == 0:
        return None
    return rows.reshape(-1).view(numpy.uint8)


def _new_memory(nodes: List[Node]) -> _SharedMemory:
    start, end = _leaf_range(nodes)
    return _SharedMemory(numpy.empty(end - start, numpy.uint8), -start)


def _leaf_range(nodes: List[Node]) -> Tuple[int, int]:
    """First and last byte that any of the arrays of a leaf sees."""
    ranges = [
        byte_range(
            node.get("offset", 0),
            tuple(node["shape"]),
            _byte_strides(node),
            numpy.dtype(node["dtype"]).itemsize,
        )
        for node in nodes
    ]
    return min(start for start, _ in ranges), max(end for _, end in ranges)


def _byte_strides(node: Node) -> Tuple[int, ...]:
    item = numpy.dtype(node["dtype"]).itemsize
    steps = node.get("strides") or row_major(tuple(node["shape"]))
    return tuple(step * item for step in steps)


def _base_address(node: Node, live: Any) -> Any:
    """Where the memory of a leaf begins, if the live array still is that part of it."""
    if not isinstance(live, numpy.ndarray) or live.dtype.str != node["dtype"]:
        return None
    if list(live.shape) != node["shape"] or not live.flags.writeable:
        return None
    if tuple(live.strides) != _byte_strides(node):
        return None
    return live.__array_interface__["data"][0] - node.get("offset", 0)


def _array_over(memory: _SharedMemory, node: Node) -> Any:
    at = memory.at + node.get("offset", 0)
    dtype = numpy.dtype(node["dtype"])
    return numpy.ndarray(tuple(node["shape"]), dtype, memory.flat, at, _byte_strides(node))


def _array_part(value: Any, number: int, node: Node) -> TensorPart:
    owner = memory_of(value)
    shape = tuple(value.shape)
    base = owner.__array_interface__["data"][0]
    word, per = word_of(value.dtype)
    memory = ("numpy", base) if value.size else ("empty", number)

    def geometry() -> Geometry:
        item = max(value.dtype.itemsize, 1)
        strides = tuple(value.strides)
        at = value.__array_interface__["data"][0] - base
        start, end = byte_range(at, shape, strides, item)
        elements = tuple(step // item for step in strides)
        return Geometry(at, start, end, elements, (at, shape, strides, value.dtype.str))

    def copy(value: Any, slot: Slot, offset: int) -> None:
        if value.size:
            numpy.ndarray(shape, value.dtype, slot.memory, offset)[...] = value

    def copy_raw(_: Any, slot: Slot, offset: int, first: int, size: int) -> None:
        ctypes.memmove(slot.address + offset, base + first, size)

    return TensorPart(
        number=number,
        node=node,
        memory=memory,
        dtype=word,
        shape=shape if per == 1 else (*shape, per),
        overlaps=has_overlaps(shape, tuple(value.strides)),
        geometry=geometry,
        copy=copy,
        copy_raw=copy_raw,
    )


class ScalarKind(Kind):
    """A number of NumPy, or an element type. They do not change; a record would."""

    types = (numpy.generic, numpy.dtype)
    node_types = ("adapted numpy-dtype", "adapted numpy-scalar")

    def write(self, value: Any, walk: "Walk") -> Node:
        if isinstance(value, numpy.dtype):
            if value.hasobject or value.fields is not None or value.metadata:
                raise walk.refuse(f"the element type {value}")
            return {"t": "adapted", "adapter": "numpy-dtype", "state": value.str}
        if isinstance(value, numpy.void):
            raise walk.refuse(
                f"a record of {value.dtype}", "keep a dict, or one number for each field"
            )
        state = base64.b64encode(value.tobytes()).decode()
        node = {"t": "adapted", "adapter": "numpy-scalar", "dtype": value.dtype.str}
        return {**node, "state": state}

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        if node["adapter"] == "numpy-dtype":
            return numpy.dtype(node["state"])
        made = numpy.frombuffer(base64.b64decode(node["state"]), numpy.dtype(node["dtype"]))[0]
        same = type(live) is type(made) and live.tobytes() == made.tobytes()
        return live if same else made


class GeneratorKind(Kind):
    """`numpy.random.Generator`, `RandomState`, and the bit generators under them."""

    types = (numpy.random.Generator, numpy.random.RandomState, numpy.random.BitGenerator)
    node_types = ("adapted numpy-generator",)

    def write(self, value: Any, walk: "Walk") -> Node:
        node = {"t": "adapted", "adapter": "numpy-generator", "class": class_name(type(value))}
        state = None if walk.identifying else walk.value(_get_state(value), "")
        return {**node, "state": state}

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        made_of = reader.class_of(node, numpy.random.Generator)
        if type(live) is made_of:
            return live
        if made_of is numpy.random.Generator:
            return numpy.random.default_rng()
        return made_of()

    def load(self, node: Node, value: Any, reader: "Restoration") -> None:
        state = reader.value(node["state"])
        if isinstance(value, numpy.random.RandomState):
            value.set_state(_plain_state(state))
        elif isinstance(value, numpy.random.Generator):
            if value.bit_generator.state["bit_generator"] != state["bit_generator"]:
                raise reader.mismatch("its bit generator is another one")
            value.bit_generator.state = _plain_state(state)
        else:
            value.state = _plain_state(state)


def _get_state(value: Any) -> Any:
    if isinstance(value, numpy.random.RandomState):
        return value.get_state(legacy=False)
    source = value.bit_generator if isinstance(value, numpy.random.Generator) else value
    return source.state


def _plain_state(state: Any) -> Any:
    """A copy that NumPy may keep."""
    if isinstance(state, dict):
        return {key: _plain_state(item) for key, item in state.items()}
    return state


KINDS: List[Kind] = [ArrayKind(), ScalarKind(), GeneratorKind()]
