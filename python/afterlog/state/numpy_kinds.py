"""NumPy: arrays with their memory, scalars, element types and generators."""

import base64
import ctypes
import sys
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Sequence, Tuple

from ..materialize.slots import Slot
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


def _array_form(array: Any) -> Any:
    """All of it but its elements."""
    place = array.__array_interface__["data"][0]
    return place, array.shape, array.strides, array.dtype, array.flags.writeable


class ArrayKind(Kind):
    types = (numpy.ndarray,)
    node_types = ("tensor numpy",)

    def write(self, value: Any, walk: "Walk") -> Node:
        if walk.identifying:
            return {}
        if value.dtype.hasobject or value.dtype.fields is not None:
            help = "keep a list, or one array for each field"
            raise walk.refuse(f"an array of {value.dtype}", help)
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
        return node

    def memo(self, values: Sequence[Any], known: Known) -> Any:
        return list(map(_array_form, values))

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        return [index for index, value in enumerate(values) if _array_form(value) != memo[index]]

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        if "numpy" not in reader.memo:
            reader.memo["numpy"] = _plan_memory(reader)
        way = reader.memo["numpy"][node["tensor"]]
        shape, dtype = tuple(node["shape"]), numpy.dtype(node["dtype"])
        made_of = reader.class_of(node, numpy.ndarray)
        if way == "in place" or (way == "alone" and _array_fits(live, made_of, shape, dtype)):
            return live
        if way == "alone" and not node.get("raw"):
            made = numpy.empty(shape, dtype)
        else:
            made = _over_shared(node, reader, shape, dtype)
        return made if made_of is numpy.ndarray else made.view(made_of)

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        way = reader.memo["numpy"][node["tensor"]]
        if way == "new":
            return
        data = reader.bytes(node["tensor"])
        if node.get("raw"):
            # Each of them fills all of the memory, with the same bytes.
            address = value.__array_interface__["data"][0] - node["offset"]
            ctypes.memmove(address, (ctypes.c_char * len(data)).from_buffer(data), len(data))
        else:
            value[...] = numpy.frombuffer(data, numpy.dtype(node["dtype"])).reshape(value.shape)


def _array_fits(live: Any, made_of: Any, shape: Tuple[int, ...], dtype: Any) -> bool:
    same = type(live) is made_of and live.dtype == dtype and tuple(live.shape) == shape
    return same and bool(live.flags.writeable)


def _plan_memory(reader: "Restoration") -> Dict[str, str]:
    """For each leaf: `alone`: one array has it. `in place`: several do, and still share it as they
    did. `new`: they do not, and are made anew over memory of their own."""
    groups: Dict[str, List[Tuple[Node, Any]]] = {}
    for number, node in enumerate(reader.nodes):
        if node["t"] == "tensor" and node["framework"] == "numpy":
            groups.setdefault(node["tensor"], []).append((node, reader.peek_live(number)))
    plan = {}
    for name, members in groups.items():
        if len(members) == 1 and not members[0][0].get("raw"):
            plan[name] = "alone"
        else:
            bases = {_base_address(node, live) for node, live in members}
            plan[name] = "in place" if len(bases) == 1 and None not in bases else "new"
    return plan


def _base_address(node: Node, live: Any) -> Any:
    """Where the memory of a leaf begins, if the live array still is that part of it."""
    if not isinstance(live, numpy.ndarray) or live.dtype.str != node["dtype"]:
        return None
    shape, item = tuple(node["shape"]), live.dtype.itemsize
    strides = tuple(step * item for step in node.get("strides") or row_major(shape))
    if tuple(live.shape) != shape or tuple(live.strides) != strides or not live.flags.writeable:
        return None
    return live.__array_interface__["data"][0] - node.get("offset", 0)


def _over_shared(node: Node, reader: "Restoration", shape: Any, dtype: Any) -> Any:
    buffers = reader.memo.setdefault("numpy buffers", {})
    if node["tensor"] not in buffers:
        buffers[node["tensor"]] = bytearray(reader.bytes(node["tensor"]))
    strides = [step * dtype.itemsize for step in node.get("strides") or row_major(shape)]
    return numpy.ndarray(shape, dtype, buffers[node["tensor"]], node.get("offset", 0), strides)


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
    """A number of NumPy, or an element type. They do not change."""

    types = (numpy.generic, numpy.dtype)
    node_types = ("adapted numpy-dtype", "adapted numpy-scalar")

    def write(self, value: Any, walk: "Walk") -> Node:
        if isinstance(value, numpy.dtype):
            if value.hasobject or value.fields is not None:
                raise walk.refuse(f"the element type {value}")
            return {"t": "adapted", "adapter": "numpy-dtype", "state": value.str}
        state = base64.b64encode(value.tobytes()).decode()
        node = {"t": "adapted", "adapter": "numpy-scalar", "dtype": value.dtype.str}
        return {**node, "state": state}

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        if node["adapter"] == "numpy-dtype":
            return numpy.dtype(node["state"])
        data = base64.b64decode(node["state"])
        return numpy.frombuffer(data, numpy.dtype(node["dtype"]))[0]


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
