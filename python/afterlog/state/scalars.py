"""Values of the graph that are not nodes: JSON scalars, what JSON lacks, and names of what can be
imported."""

import array
import enum
import io
import math
import os
import struct
import sys
import types
from typing import Any, List, Optional, Set

from ..format.values import SAFE_INTEGER_MAX, decode_utf16, encode_utf16, is_unicode

# Begins the key of a symbol: `py:module:qualname` is what that module calls so.
_IMPORTED = "py:"
_DEVICE = "torch.device:"
# Of several members of a flag at once: `flag:module:qualname:number`.
_FLAGS = "flag:"
# Of a text that begins with the project's root: a replay has another one.
_IN_ROOT = "root:"

NOT_A_SCALAR = object()

# Of an object that no checkpoint holds: which place leads to it.
_LEFT = "left:"
_root = "\0"


def tell_root(root: str) -> None:
    """Where the project lies, from now on."""
    global _root
    _root = root


# Types whose values are nodes, found out once for each.
_of_nodes: Set[type] = set()


def encode_scalar(value: Any) -> Any:
    """The encoded value, or `NOT_A_SCALAR`."""
    kind = type(value)
    if kind in _of_nodes:
        return NOT_A_SCALAR
    if value is None or kind is bool:
        return value
    if kind is int:
        inside = -SAFE_INTEGER_MAX <= value <= SAFE_INTEGER_MAX
        return value if inside else ["bigint", str(value)]
    if kind is float:
        return _encode_float(value)
    if kind is str:
        if value.startswith(_root) and value[len(_root) : len(_root) + 1] in ("", os.sep):
            return ["symbol", f"{_IN_ROOT}{value[len(_root) :]}"]
        return value if is_unicode(value) else ["utf16", encode_utf16(value)]
    if not _may_have_name(kind):
        _of_nodes.add(kind)
        return NOT_A_SCALAR
    key = _imported_name(value)
    return NOT_A_SCALAR if key is None else ["symbol", key]


# Fewer are encoded one by one as quickly.
_MANY = 64
# Minus zero as it lies in memory.
_MINUS_ZERO = struct.pack("d", -0.0)


def are_plain_numbers(items: List[Any]) -> bool:
    """Whether all of many values are numbers that are their own encoding: asked of all at once, for
    one by one a million of them would block the training for half a second."""
    if len(items) < _MANY:
        return False
    kinds = set(map(type, items))
    if kinds == {int}:
        return -SAFE_INTEGER_MAX <= min(items) and max(items) <= SAFE_INTEGER_MAX
    if kinds == {float}:
        # What is not finite makes the sum so; a sum that overflows only costs the time.
        return math.isfinite(sum(items)) and _MINUS_ZERO not in array.array("d", items).tobytes()
    return False


def _encode_float(value: float) -> Any:
    if not math.isfinite(value):
        name = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
        return ["float", name]
    return ["float", "-0"] if value == 0 and math.copysign(1, value) < 0 else value


def encode_left(key: str) -> Any:
    """An object that is left as it is."""
    return ["symbol", f"{_LEFT}{key}"]


def left_key(encoded: Any) -> Optional[str]:
    """The place of one; None: it is something else."""
    is_symbol = isinstance(encoded, list) and encoded[0] == "symbol"
    return encoded[1][len(_LEFT) :] if is_symbol and encoded[1].startswith(_LEFT) else None


def decode_scalar(encoded: Any) -> Any:
    """The value; LookupError if a name is not known here."""
    if not isinstance(encoded, list):
        return encoded
    kind, text = encoded[0], encoded[1] if len(encoded) > 1 else None
    if kind == "float":
        return -0.0 if text == "-0" else float(text.replace("Infinity", "inf"))
    if kind == "bigint":
        return int(text)
    if kind == "utf16":
        return decode_utf16(text)
    if kind == "symbol" and text.startswith(_IMPORTED):
        module, _, name = text[len(_IMPORTED) :].partition(":")
        return find_imported(module, name)
    if kind == "symbol" and text.startswith(_FLAGS):
        named, _, number = text[len(_FLAGS) :].rpartition(":")
        return find_imported(*named.split(":"))(int(number))
    if kind == "symbol" and text.startswith(_IN_ROOT):
        return _root + text[len(_IN_ROOT) :]
    if kind == "symbol" and text.startswith(_DEVICE):
        return sys.modules["torch"].device(text[len(_DEVICE) :])
    if kind == "undefined":
        return None
    raise LookupError(f"a value of kind {kind} is not known in Python")


def find_imported(module: str, name: str) -> Any:
    """What a loaded module calls so; LookupError if there is no such thing."""
    found: Any = sys.modules.get(module)
    if found is None:
        raise LookupError(f"module {module} is not loaded")
    for part in name.split(".") if name else []:
        found = getattr(found, part, None)
    if found is None:
        raise LookupError(f"{module} has no {name}")
    return found


_NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
_SINGLE = (type(Ellipsis), type(NotImplemented))
# Where a program prints to.
_STREAMS = ("stdout", "stderr")
_OF_TORCH = ("dtype", "layout", "memory_format", "device")


def _may_have_name(kind: type) -> bool:
    if issubclass(kind, (*_NAMED, *_SINGLE, enum.Enum, io.TextIOBase)):
        return True
    return kind.__module__ == "torch" and kind.__name__ in _OF_TORCH


def _imported_name(value: Any) -> Optional[str]:
    """The name under which a module has exactly this object: such a thing is no state."""
    if isinstance(value, types.ModuleType):
        return _checked_import_name(value, value.__name__, "")
    if isinstance(value, _NAMED):
        module = getattr(value, "__module__", None)
        return _checked_import_name(value, module, value.__qualname__) if module else None
    if isinstance(value, enum.Enum):
        kind = type(value)
        name = _checked_import_name(value, kind.__module__, f"{kind.__qualname__}.{value.name}")
        own = _checked_import_name(kind, kind.__module__, kind.__qualname__)
        if name is None and own is not None and isinstance(value, enum.Flag):
            return f"{_FLAGS}{own[len(_IMPORTED) :]}:{value.value}"
        return name
    if isinstance(value, io.TextIOBase):
        found = (one for one in _STREAMS if getattr(sys, one) is value)
        return next((f"{_IMPORTED}sys:{one}" for one in found), None)
    if value is Ellipsis or value is NotImplemented:
        return f"{_IMPORTED}builtins:{value!r}"
    if type(value).__module__ == "torch":
        if type(value).__name__ in ("dtype", "layout", "memory_format"):
            return _checked_import_name(value, "torch", str(value).rpartition(".")[2])
        if type(value).__name__ == "device":
            return f"{_DEVICE}{value}"
    return None


def _checked_import_name(value: Any, module: str, name: str) -> Optional[str]:
    if "<locals>" in name:
        return None
    try:
        return f"{_IMPORTED}{module}:{name}" if find_imported(module, name) is value else None
    except LookupError:
        return None
