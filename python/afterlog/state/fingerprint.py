"""Cheap fingerprints of values, to see whether one has changed (semantics, "Complete"; the audit of
changesets): numbers and texts by value, tensors and arrays by a sample of their elements, plain
data, instances of the program's classes and these classes themselves down to a bounded depth and
number of parts. Of what libraries keep to themselves nothing is looked at, only which object it is.

Two different fingerprints prove a change. Two equal ones do not prove its absence.
"""

import argparse
import array
import collections
import itertools
import struct
import sys
import types
from typing import Any, Callable, Iterable, List

from .attributes import slot_values

# How far plain data is followed, and how many values are looked at in one.
_DEPTH_MAX = 4
_PARTS_MAX = 512
# Of one list, dict or object.
_ITEMS_MAX = 128
# Elements of a tensor, and characters of a text.
_ELEMENTS_MAX = 1024
_TEXT_MAX = 4096
_COLLECTIONS: Any = (set, frozenset, collections.deque)
_SPACES = (types.SimpleNamespace, argparse.Namespace)


class Fingerprints:
    """`is_own`: whether the attributes of a class's instances may be looked at. `is_captured`:
    whether an object is in the checkpoints anyway; its content does not count."""

    def __init__(
        self, is_own: Callable[[type], bool], is_captured: Callable[[Any], bool], elements: bool
    ) -> None:
        self._is_own = is_own
        self._is_captured = is_captured
        # Not those of a variable that may share memory with what is captured.
        self._elements = elements
        self._parts: List[Any] = []

    def of(self, value: Any) -> int:
        """Calls nothing of the program's."""
        self._parts = []
        self._add_value(value, 0)
        return hash(tuple(self._parts))

    def _add_value(self, value: Any, depth: int) -> None:
        parts, kind = self._parts, type(value)
        if len(parts) > _PARTS_MAX:
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
            if not self._is_captured(value):
                self._add_object(value, depth)

    def _add_object(self, value: Any, depth: int) -> None:
        if self._is_array(value) or depth >= _DEPTH_MAX:
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
        elif isinstance(value, _SPACES) or self._is_own(type(value)):
            self._add_attributes(value, depth)

    def _add_items(self, count: int, items: Iterable[Any], depth: int) -> None:
        self._parts.append(count)
        for item in itertools.islice(items, _ITEMS_MAX):
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
            if self._elements:
                step = max(1, value.size // _ELEMENTS_MAX)
                steady = step == 1 or value.flags.c_contiguous
                self._parts += (value.shape, value.reshape(-1)[::step].tobytes() if steady else 0)
            return True
        return False

    def _add_tensor_elements(self, torch: Any, value: Any) -> None:
        self._parts += (tuple(value.shape), value.dtype)
        if value.layout is not torch.strided or value.is_quantized or value.device.type != "cpu":
            # The program would have to wait for what a device computes.
            self._parts.append(value._version)
            return
        step = max(1, value.numel() // _ELEMENTS_MAX)
        if step > 1 and not value.is_contiguous():
            self._parts.append(value._version)
            return
        if value.has_names():
            self._parts.append(value.names)
            value = value.rename(None)
        elements = value.detach().reshape(-1)[::step].tolist()
        try:
            self._parts.append(array.array("d", elements).tobytes())
        except TypeError:  # complex ones
            self._parts.append(repr(elements))
