"""Fingerprints of values, to see whether one has changed (semantics, "Complete"; the audit of
changesets): numbers and texts by value, tensors and arrays by a sample of their elements, plain
data, instances of the program's classes, its functions and these classes themselves down to a
bounded depth and number of parts: a cheap one looks at little of a value, a thorough one at as much
of all values together as some 50 ms allow. Of what libraries keep to themselves nothing is looked
at, only which object it is.

Two different fingerprints prove a change. Two equal ones do not prove its absence.
"""

import argparse
import array
import collections
import ctypes
import itertools
import struct
import sys
import types
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Set

from .attributes import slot_values
from .unseen import unseen_work

# Elements of a tensor that is too large to be looked at whole, and characters of a text.
_ELEMENTS_MAX = 1024
_TEXT_MAX = 4096
_COLLECTIONS: Any = (set, frozenset, collections.deque)
_SPACES = (types.SimpleNamespace, argparse.Namespace)


class Bounds(NamedTuple):
    """How much of a value is looked at. Two fingerprints are comparable if these are the same."""

    # How far plain data is followed, and how many values are looked at in all.
    depth: int
    parts: int
    # Of one list, dict or object.
    items: int
    # Of tensors and arrays that are looked at whole.
    element_bytes: int
    # Functions too: what they hold, and what was put on them.
    functions: bool


CHEAP = Bounds(depth=4, parts=512, items=128, element_bytes=0, functions=False)
# For all values together.
THOROUGH = Bounds(64, 50_000, 50_000, element_bytes=4 << 20, functions=True)


class Fingerprints:
    """`is_own`: whether a function, or the attributes of a class's instances, may be looked at.
    `is_captured`: whether an object is in the checkpoints anyway; its content does not count."""

    def __init__(
        self,
        is_own: Callable[[Any], bool],
        is_captured: Callable[[Any], bool],
        elements: bool,
        bounds: Bounds = CHEAP,
    ) -> None:
        self._bounds = bounds
        self._element_bytes = 0
        # Objects that were looked at.
        self._seen: Set[int] = set()
        self._is_own = is_own
        self._is_captured = is_captured
        # Not those of a variable that may share memory with what is captured.
        self._elements = elements
        self._parts: List[Any] = []

    @unseen_work
    def of(self, value: Any) -> int:
        """Calls nothing of the program's."""
        self._parts, self._element_bytes, self._seen = [], 0, set()
        self._add_value(value, 0)
        return hash(tuple(self._parts))

    @property
    def left(self) -> Bounds:
        """What the last look has left of its bounds for another value."""
        parts, used = self._bounds.parts - len(self._parts), self._element_bytes
        return self._bounds._replace(
            parts=max(0, parts), element_bytes=self._bounds.element_bytes - used
        )

    def _add_value(self, value: Any, depth: int) -> None:
        parts, kind = self._parts, type(value)
        if len(parts) > self._bounds.parts:
            return
        if kind is float:
            # Not by comparing: a NaN is itself.
            parts.append(struct.pack("d", value))
        elif kind in (int, bool, complex, type(None)):
            parts.append((kind.__name__, value if kind is not complex else repr(value)))
        elif kind in (str, bytes, bytearray):
            text = bytes(value) if kind is bytearray else value
            parts += (len(text), text[:_TEXT_MAX], text[-1:])
        else:
            parts.append(id(value))
            if id(value) not in self._seen and not self._is_captured(value):
                self._seen.add(id(value))
                self._add_object(value, depth)

    def _add_object(self, value: Any, depth: int) -> None:
        if self._is_array(value) or depth >= self._bounds.depth:
            return
        if isinstance(value, (list, tuple)):
            base: Any = list if isinstance(value, list) else tuple
            self._add_items(base.__len__(value), base.__iter__(value), depth)
        elif isinstance(value, dict):
            pairs = itertools.chain.from_iterable(dict.items(value))
            self._add_items(2 * dict.__len__(value), pairs, depth)
        elif isinstance(value, _COLLECTIONS):
            base = next(one for one in _COLLECTIONS if isinstance(value, one))
            self._add_items(base.__len__(value), base.__iter__(value), depth)
        elif isinstance(value, type):
            # Of one that is only mentioned somewhere nothing is looked at.
            if depth == 0 and self._is_own(value):
                self._add_class(value, depth)
        elif isinstance(value, types.FunctionType):
            if self._bounds.functions and self._is_own(value):
                self._add_function(value, depth)
        elif isinstance(value, _SPACES) or self._is_own(type(value)):
            self._add_attributes(value, depth)

    def _add_items(self, count: int, items: Iterable[Any], depth: int) -> None:
        self._parts.append(count)
        for item in itertools.islice(items, self._bounds.items):
            self._add_value(item, depth + 1)

    def _add_attributes(self, value: Any, depth: int) -> None:
        for name, held in slot_values(value):
            self._parts.append(name)
            self._add_value(held, depth + 1)
        try:
            own = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return
        self._add_object(own, depth)

    def _add_function(self, value: types.FunctionType, depth: int) -> None:
        """What was put on it, its defaults, and variables of a call that is over: those of one that
        is under way are variables of the program as others are."""
        self._add_value(value.__dict__, depth + 1)
        self._add_value(value.__defaults__, depth + 1)
        self._add_value(value.__kwdefaults__, depth + 1)
        if value.__closure__ and not _is_under_way(value):
            for cell in value.__closure__:
                try:
                    self._add_value(cell.cell_contents, depth + 1)
                except ValueError:  # empty
                    self._parts.append(None)

    def _add_class(self, value: type, depth: int) -> None:
        for name, attribute in list(type.__getattribute__(value, "__dict__").items()):
            if name.startswith("__"):
                continue
            self._parts.append(name)
            self._add_value(attribute, depth + 1)
            if type(attribute) is type and attribute.__qualname__ == f"{value.__qualname__}.{name}":
                # It stands in its body.
                self._add_class(attribute, depth + 1)

    def _is_array(self, value: Any) -> bool:
        """Looks at the elements if it is a tensor or an array."""
        torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
        if torch is not None and isinstance(value, torch.Tensor):
            if self._elements and type(value) in (torch.Tensor, torch.nn.Parameter):
                self._add_tensor_elements(torch, value)
            return True
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
            if self._elements and self._has_bytes_for(value.nbytes):
                self._parts += (value.shape, hash(value.tobytes()))
            elif self._elements:
                step = max(1, value.size // _ELEMENTS_MAX)
                steady = step == 1 or value.flags.c_contiguous
                self._parts += (value.shape, value.reshape(-1)[::step].tobytes() if steady else 0)
            return True
        return False

    def _has_bytes_for(self, count: int) -> bool:
        """Whether so many are looked at whole."""
        if self._element_bytes + count > self._bounds.element_bytes:
            return False
        self._element_bytes += count
        return True

    def _add_tensor_elements(self, torch: Any, value: Any) -> None:
        self._parts += (tuple(value.shape), value.dtype)
        if value.layout is not torch.strided or value.is_quantized or value.device.type != "cpu":
            # The program would have to wait for what a device computes.
            self._parts.append(value._version)
            return
        bytes_ = value.numel() * value.element_size()
        if value.is_contiguous() and bytes_ and self._has_bytes_for(bytes_):
            self._parts.append(hash(ctypes.string_at(value.data_ptr(), bytes_)))
            return
        step = max(1, value.numel() // _ELEMENTS_MAX)
        if step > 1 and not value.is_contiguous():
            self._parts.append(value._version)
            return
        if getattr(value, "has_names", bool)():
            self._parts.append(value.names)
            value = value.rename(None)
        elements = value.detach().reshape(-1)[::step].tolist()
        try:
            self._parts.append(array.array("d", elements).tobytes())
        except TypeError:  # complex ones
            self._parts.append(repr(elements))


def _is_under_way(function: types.FunctionType) -> bool:
    """Whether a call of the function around it may be the one that made it."""
    outer = function.__qualname__.rpartition(".<locals>.")[0].rpartition(".")[2]
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_name == outer and code.co_filename == function.__code__.co_filename:
            return True
        frame = frame.f_back
    return False
