"""PyTorch: tensors with their memory, flags and gradients; modules; generators.

Everything else of it (optimizers, schedulers, scalers) is plain Python, and is captured by its
attributes. A module is written without the empty dictionaries that every module has.
"""

import base64
import ctypes
import functools
import sys
from typing import TYPE_CHECKING, AbstractSet, Any, Dict, Iterable, List, Sequence, Tuple

from ..materialize.device_copy import elements_of
from ..materialize.slots import Slot
from .cudnn import note_module
from .kinds import Kind, Node, cached, class_name
from .made_functions import made_again
from .object_identity import HeldInDicts, Known
from .objects import InstanceKind
from .question_hooks import of_run
from .tensor_registry import Geometry, TensorPart, byte_range, has_overlaps, row_major
from .torch_history import forget_history, gradient_of, history_name, lose_history
from .torch_memo import TensorMemo, gradients_of
from .torch_memory import fill_memory, has_names, name_dimensions, raw_view, storage_of

if TYPE_CHECKING:
    from .restore import Restoration
    from .walk import Walk

torch = sys.modules["torch"]

_HISTORY = "what it was computed from, and backward() needs it"

# Element types by their name in torch: safetensors' word, and how many of these one element is.
DTYPES = {
    "float64": ("F64", 1), "float32": ("F32", 1), "float16": ("F16", 1), "bfloat16": ("BF16", 1),
    "int64": ("I64", 1), "int32": ("I32", 1), "int16": ("I16", 1), "int8": ("I8", 1),
    "uint64": ("U64", 1), "uint32": ("U32", 1), "uint16": ("U16", 1), "uint8": ("U8", 1),
    "bool": ("BOOL", 1), "complex128": ("F64", 2), "complex64": ("F32", 2), "complex32": ("F16", 2),
    "float8_e4m3fn": ("U8", 1), "float8_e5m2": ("U8", 1),
    "float8_e4m3fnuz": ("U8", 1), "float8_e5m2fnuz": ("U8", 1), "float8_e8m0fnu": ("U8", 1),
}  # fmt: skip


@cached
def dtype_name(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


@cached
def _device_name(device: Any) -> str:
    return str(device)


# Larger ones are copied by torch, on all its threads; for smaller ones waking these takes longer
# than copying (2 ms for half a megabyte on 16 cores).
_MOVED_BYTES_MAX = 8 << 20


def copy_to_slot(tensor: Any, slot: Slot, offset: int) -> None:
    """Copies the elements row by row."""
    count = tensor.numel()
    if count == 0:
        return
    size = tensor.element_size()
    is_plain = not (tensor.is_neg() or tensor.is_conj()) and tensor.is_contiguous()
    if is_plain and count * size <= _MOVED_BYTES_MAX and tensor.device.type == "cpu":
        ctypes.memmove(slot.address + offset, tensor.data_ptr(), count * size)
        return
    target = torch.frombuffer(slot.memory, dtype=torch.uint8, count=count * size, offset=offset)
    with torch.no_grad():
        source = tensor.detach()
        if has_names(source):
            source = source.rename(None)
        if source.is_conj():
            source = source.resolve_conj()
        if source.is_neg():
            source = source.resolve_neg()
        if source.is_contiguous():
            flat = source.reshape(-1)
        else:
            flat = source.contiguous().reshape(-1)
        target.copy_(flat.view(torch.uint8))


def has_memory(tensor: Any) -> bool:
    """One on the device `meta` has none, nor has one that a program's class makes of others."""
    try:
        return tensor.device.type != "meta" and (not tensor.numel() or tensor.data_ptr() != 0)
    except RuntimeError:
        return False


class TensorKind(Kind):
    types = (torch.Tensor,)
    node_types = ("tensor torch",)

    has_parts = True

    def write(self, value: Any, walk: "Walk") -> Node:
        props = self._props(value, walk)
        if walk.identifying:
            return {"props": props} if props else {}
        self._check(value, walk)
        name, shape = dtype_name(value.dtype), tuple(value.shape)
        flags: Dict[str, Any] = {"requires_grad": bool(value.requires_grad and value.is_leaf)}
        if not value.is_leaf:
            # What led to a value is not captured; that it is missing must be known.
            flags["history"] = history_name(value)
        node: Node = {
            "t": "tensor",
            "framework": "torch",
            "dtype": name,
            "shape": list(shape),
            "device": _device_name(value.device),
            "flags": flags,
        }
        if not value.is_contiguous():
            node["strides"] = list(value.stride())
        for word, is_so in (("conj", value.is_conj()), ("neg", value.is_neg())):
            if is_so:
                node[word] = True
        if has_names(value):
            node["names"] = list(value.names)
        if type(value) is not torch.Tensor:
            node["class"] = class_name(type(value))
        if props:
            node["props"] = props
        walk.tensors.add(_tensor_part(value, walk.current, node, shape))
        return node

    def _check(self, value: Any, walk: "Walk") -> None:
        if value.is_quantized:
            help = "keep its int_repr(), scale and zero point instead"
            raise walk.refuse("a quantised tensor", help)
        if value.layout is not torch.strided:
            raise walk.refuse(f"a tensor of layout {value.layout}", "keep its indices and values")
        if not has_memory(value):
            raise walk.refuse("a tensor without memory of its own")
        if dtype_name(value.dtype) not in DTYPES:
            raise walk.refuse(f"a tensor of {value.dtype}", "convert it to another type first")

    def _props(self, value: Any, walk: "Walk") -> List[Any]:
        props = []
        gradient = gradient_of(value)
        if gradient is not None:
            props.append(["grad", walk.value(gradient, "grad")])
        for name, item in getattr(value, "__dict__", {}).items():
            props.append([f".{name}", walk.value(item, name)])
        return props

    def memo(self, values: Sequence[Any], known: Known) -> Any:
        return TensorMemo(values)

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        # Which ones does not matter: that is for a walk.
        return () if memo.forms_of(values) and memo.places_of(values) else range(len(values))

    def parts(self, values: Sequence[Any]) -> Tuple[Any, ...]:
        return gradients_of(values)

    def are_like(self, values: Sequence[Any], memo: Any, taken: AbstractSet[int]) -> bool:
        return memo.forms_of(values) and memo.are_alone(values, taken)

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        dtype, device = getattr(torch, node["dtype"]), _tensor_device(node, reader)
        shape = tuple(node["shape"])
        made_of = reader.class_of(node, torch.Tensor)
        if live is not None and type(live) is made_of and live.dtype is dtype:
            if tuple(live.shape) == shape and live.device == device:
                return live
            if live.is_leaf and live.device == device:
                # It has another shape now, and keeps being the same object.
                return live
        strides = tuple(node.get("strides") or row_major(shape))
        if node.get("raw"):
            fresh = torch.empty(0, dtype=dtype, device=device)
        else:
            fresh = torch.empty_strided(shape, strides, dtype=dtype, device=device)
        if made_of is torch.Tensor:
            return fresh
        if issubclass(made_of, torch.nn.Parameter):
            made = torch.nn.Parameter(fresh, requires_grad=False)
            return made if made_of is torch.nn.Parameter else made.as_subclass(made_of)
        return fresh.as_subclass(made_of)

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        groups = reader.memo.get("torch") or fill_memory(reader)
        reader.memo["torch"] = groups
        if "names" in node:
            name_dimensions(value, node["names"])
        self._give_history(node["flags"], value, reader)
        props = {name: reader.value(item) for name, item in node.get("props", [])}
        wanted = props.pop("grad", None)
        if wanted is not None and not value.is_leaf:
            value.retain_grad()
        if gradient_of(value) is not wanted:
            value.grad = wanted
        if props or getattr(value, "__dict__", None):
            value.__dict__.clear()
            value.__dict__.update({name[1:]: item for name, item in props.items()})

    def _give_history(self, flags: Dict[str, Any], value: Any, reader: "Restoration") -> None:
        name = flags.get("history")
        try:
            if name is None:
                forget_history(value)
            else:
                lose_history(value, name, reader.lacking(_HISTORY))
        except RuntimeError as error:
            raise reader.mismatch(f"it came from a computation: {error}") from error
        wants_grad = flags["requires_grad"]
        if value.is_leaf and value.requires_grad != wants_grad:
            value.requires_grad_(wants_grad)


def _tensor_device(node: Node, reader: "Restoration") -> Any:
    device = torch.device(node["device"])
    if device.type == "cuda" and not torch.cuda.is_available():
        raise reader.mismatch(f"it was on {device}, and there is no such device here")
    return device


def _tensor_part(value: Any, number: int, node: Node, shape: Tuple[int, ...]) -> TensorPart:
    word, per = DTYPES[node["dtype"]]
    item = value.element_size()
    # Memory of no bytes is nobody's.
    base = value.data_ptr() - value.storage_offset() * item
    memory = (node["device"], base) if value.numel() else ("empty", number)
    strides = node.get("strides")
    return TensorPart(
        number=number,
        node=node,
        memory=memory,
        dtype=word,
        shape=shape if per == 1 else (*shape, per),
        overlaps=strides is not None and has_overlaps(shape, strides),
        geometry=functools.partial(_tensor_geometry, value),
        copy=copy_to_slot,
        copy_raw=_copy_raw_memory,
        elements=elements_of if value.is_cuda else None,
        raw_elements=_raw_elements if value.is_cuda else None,
    )


def _raw_elements(value: Any, start: int, size: int) -> Any:
    return raw_view(storage_of(value), value.device, start, size)


def _tensor_geometry(value: Any) -> Geometry:
    item = value.element_size()
    shape, strides = tuple(value.shape), tuple(value.stride())
    at = value.storage_offset() * item
    start, end = byte_range(at, shape, tuple(step * item for step in strides), item)
    view = (at, shape, strides, value.dtype, value.is_conj(), value.is_neg())
    return Geometry(at, start, end, strides, view)


def _copy_raw_memory(value: Any, slot: Slot, offset: int, first: int, size: int) -> None:
    copy_to_slot(raw_view(storage_of(value), value.device, first, size), slot, offset)


# Dictionaries that every module has, and that are almost always empty.
_PARTS = ("_parameters", "_buffers", "_modules")


# Of which kind the hooks of `backward` are; None without any.
_WHICH_BACKWARD = "_is_full_backward_hook"


def _is_hooks(key: str, item: Any) -> bool:
    return "_hooks" in key and isinstance(item, dict)


def _is_all_of_question(held: Dict[str, Any]) -> bool:
    """Whether a question has registered all hooks of `backward` that a module has."""
    hooks = held.get("_backward_hooks") or {}
    return bool(hooks) and not of_run(hooks)


class ScalerKind(InstanceKind):
    """A GradScaler between two steps keeps what it knows by where an optimizer lies in memory."""

    def matches(self, value: Any) -> bool:
        return any(kind.__name__ == "GradScaler" for kind in type(value).__mro__)

    def write(self, value: Any, walk: "Walk") -> Node:
        # One that is not enabled has none.
        if getattr(value, "_per_optimizer_states", None) and not walk.identifying:
            help = "call its update() before the iteration ends"
            raise walk.refuse("a GradScaler in the middle of a step", help)
        return super().write(value, walk)


class ScriptKind(Kind):
    """A module that torch.jit has compiled: what it holds lies in C++, also what is no tensor."""

    types = (torch.jit.ScriptModule,)

    def write(self, value: Any, walk: "Walk") -> Node:
        if walk.identifying:
            return {}
        raise walk.refuse("a compiled module (torch.jit)", "train the module it was compiled from")


class ModuleKind(Kind):
    types = (torch.nn.Module,)
    node_types = ("adapted torch-module",)

    def write(self, value: Any, walk: "Walk") -> Node:
        note_module(value)
        held = value.__dict__
        node: Node = {
            "t": "adapted",
            "adapter": "torch-module",
            "class": class_name(type(value)),
            "state": None,
        }
        for part in _PARTS:
            node[part[1:]] = [[key, walk.value(item, key)] for key, item in held[part].items()]
        props = []
        renewed = made_again(value)
        if renewed:
            node["madeAgain"] = sorted(renewed)
        for key, item in held.items():
            if key in renewed:
                continue
            is_hooks = _is_hooks(key, item)
            own = of_run(item) if is_hooks else item
            if key == _WHICH_BACKWARD and _is_all_of_question(held):
                own = None
            if key not in _PARTS and (not is_hooks or own):
                props.append([key, walk.value(own, key)])
        node["props"] = props
        return node

    def memo(self, values: Sequence[Any], known: Known) -> Any:
        own: List[Any] = list(map(vars, values))
        # These are among what the modules hold: others in their place would be noticed.
        inner = [held[part] for held in own for part in _PARTS]
        hooks = [
            item for held in own for key, item in held.items() if _is_hooks(key, item) and not item
        ]
        return inner, hooks, HeldInDicts([*own, *inner], known)

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        inner, hooks, held = memo
        if held.are_in([*map(vars, values), *inner]) and not any(hooks):
            return ()
        # Which ones is of little use: they are switched to evaluation, or back, all at once.
        return range(len(values))

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        made_of = reader.class_of(node, torch.nn.Module)
        if type(live) is made_of:
            return live
        made = made_of.__new__(made_of)
        # The dictionaries that the constructor would have made.
        made.__dict__.update(torch.nn.Module().__dict__)
        return made

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        held = value.__dict__
        for part in _PARTS:
            wanted = {key: reader.value(item) for key, item in node[part[1:]]}
            held[part].clear()
            held[part].update(wanted)
        wanted = {key: reader.value(item) for key, item in node["props"]}
        renewed = node.get("madeAgain", ())
        for key in list(held):
            if key == _WHICH_BACKWARD and _is_all_of_question(held):
                wanted[key] = held[key]
            if key in _PARTS or key in wanted or key in renewed:
                continue
            if _is_hooks(key, held[key]):
                for number in of_run(held[key]).copy():
                    del held[key][number]
            else:
                del held[key]
        held.update(wanted)

    def load(self, node: Node, value: Any, reader: "Restoration") -> None:
        if any(key not in value.__dict__ for key in node.get("madeAgain", ())):
            value.__setstate__(dict(value.__dict__))


class GeneratorKind(Kind):
    types = (torch.Generator,)
    node_types = ("adapted torch-generator",)

    def write(self, value: Any, walk: "Walk") -> Node:
        node = {"t": "adapted", "adapter": "torch-generator", "device": str(value.device)}
        return {**node, "state": None if walk.identifying else encode_state(value)}

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        if isinstance(live, torch.Generator) and str(live.device) == node["device"]:
            return live
        return torch.Generator(node["device"])

    def load(self, node: Node, value: Any, reader: "Restoration") -> None:
        set_state(value, node["state"])


def encode_state(generator: Any) -> str:
    """The state of a generator, base64."""
    return base64.b64encode(state_bytes(generator)).decode()


def state_bytes(generator: Any) -> bytes:
    state = generator.get_state()
    return ctypes.string_at(state.data_ptr(), state.numel())


def set_state(generator: Any, text: str) -> None:
    data = bytearray(base64.b64decode(text))
    generator.set_state(torch.frombuffer(data, dtype=torch.uint8))


KINDS = [TensorKind(), ScriptKind(), ModuleKind(), GeneratorKind(), ScalerKind()]
