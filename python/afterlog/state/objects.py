"""Instances of classes: by their attributes where they are plain Python, by what they say of
themselves (`__reduce_ex__`) where they are not; and objects that are known only by identity."""

import copyreg
import csv
import functools
import inspect
import io
import itertools
import logging
import random
import struct
import threading
import types
import weakref
from typing import TYPE_CHECKING, Any, Iterable, Sequence, Set

from .attributes import attributes, fill_attributes, write_attributes
from .kinds import Kind, Node, cached, class_name
from .made_functions import MADE_FUNCTION
from .object_identity import Known

if TYPE_CHECKING:
    from .restore import Restoration
    from .walk import Walk

# Nothing in them changes, or nothing that a training reads.
_OPAQUE = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    functools.partial,
    weakref.ReferenceType,
    weakref.ProxyType,
    weakref.CallableProxyType,
    logging.Logger,
    type(threading.Lock()),
    type(threading.RLock()),
    property,
    staticmethod,
    classmethod,
    type,
    types.ModuleType,
    inspect.Signature,
    # It has a file, and nothing else that changes.
    type(csv.writer(io.StringIO())),
)

# What holds a place in running code, something of the system, or what others keep of it.
_REFUSED = (
    types.GeneratorType,
    types.CoroutineType,
    types.AsyncGeneratorType,
    types.FrameType,
    threading.Thread,
    weakref.finalize,
)


# Classes of loggers of experiments, by module and name: a training reads nothing of what they keep.
_loggers: Set[str] = set()


def know_loggers(classes: Iterable[str]) -> None:
    """Before anything is captured."""
    _loggers.update(classes)


def _is_logger(kind: type) -> bool:
    return any(f"{one.__module__}.{one.__qualname__}" in _loggers for one in kind.__mro__)


class OpaqueKind(Kind):
    types = _OPAQUE

    is_opaque = True

    def matches(self, value: Any) -> bool:
        return isinstance(value, self.types) or (bool(_loggers) and _is_logger(type(value)))

    def write(self, value: Any, walk: "Walk") -> Node:
        return {}

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        return ()

    def describe(self, value: Any) -> str:
        name = getattr(value, "__qualname__", "")
        return f"the {type(value).__name__} {name}".rstrip()


class RandomKind(Kind):
    """A generator of random numbers that the program made for itself."""

    node_types = ("adapted random",)

    def matches(self, value: Any) -> bool:
        return isinstance(value, random.Random) and not isinstance(value, random.SystemRandom)

    def write(self, value: random.Random, walk: "Walk") -> Node:
        state = None if walk.identifying else walk.value(value.getstate(), "")
        node = {"t": "adapted", "adapter": "random", "class": class_name(type(value))}
        return write_attributes({**node, "state": state}, value, walk)

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        return live if isinstance(live, random.Random) else reader.class_of(node, random.Random)()

    def fill(self, node: Node, value: random.Random, reader: "Restoration") -> None:
        fill_attributes(node, value, reader)

    def load(self, node: Node, value: random.Random, reader: "Restoration") -> None:
        value.setstate(reader.value(node["state"]))


class InstanceKind(Kind):
    """An instance of a class of plain Python: its attributes are all that it is."""

    node_types = ("object",)

    def matches(self, value: Any) -> bool:
        return not isinstance(value, _REFUSED) and _is_plain(type(value))

    def write(self, value: Any, walk: "Walk") -> Node:
        props = [[name, walk.value(item, name)] for name, item in attributes(value)]
        return {"t": "object", "class": class_name(type(value)), "props": props}

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        return reader.live_or_new(node, live, object)

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        fill_attributes(node, value, reader)


_HEAP_TYPE = 1 << 9
_IMMUTABLE_TYPE = 1 << 8
_POINTER_BYTES = struct.calcsize("P")


@cached
def _is_plain(kind: type) -> bool:
    """Whether no base of it is written in C, where state would not be seen."""
    return all(base is object or _is_python(base) for base in kind.__mro__)


def _is_python(kind: type) -> bool:
    """Whether an instance has no more room than slots, a dict and weak references need. That a
    class was made at run time says little: ever more classes of C are (arrays, queues, hashes, in
    newer versions of Python decimals too, and all of pybind11)."""
    if not kind.__flags__ & _HEAP_TYPE or kind.__flags__ & _IMMUTABLE_TYPE or kind.__itemsize__:
        return False
    own = [*kind.__dict__.values()]
    places = sum(isinstance(one, types.MemberDescriptorType) for one in own)
    places += sum(name in kind.__dict__ for name in ("__dict__", "__weakref__"))
    before = kind.__base__.__basicsize__ if kind.__base__ else 0
    return kind.__basicsize__ <= before + places * _POINTER_BYTES


# Nothing of them changes as long as they exist.
_CONSTANTS = frozenset(
    [("re", "Pattern"), ("decimal", "Decimal"), ("builtins", "slice"), ("fractions", "Fraction")]
    + [("datetime", name) for name in ("date", "time", "datetime", "timedelta", "timezone")]
    + [("pathlib", name) for name in ("PurePosixPath", "PureWindowsPath", "PosixPath")]
    + [("torch", name) for name in ("dtype", "device", "layout", "memory_format")]
)


@cached
def _is_constant(kind: type) -> bool:
    named = (kind.__module__, kind.__qualname__) in _CONSTANTS
    return named or issubclass(kind, (str, int, float))


class ReducedKind(Kind):
    """An object that says how it is made again: dates, decimals, paths, and much of C."""

    node_types = ("adapted reduce",)

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        return [
            index
            for index, value in enumerate(values)
            if not _is_constant(type(value)) or getattr(value, "__dict__", None)
        ]

    def matches(self, value: Any) -> bool:
        return True

    def can_refill(self, value: Any) -> bool:
        return _is_constant(type(value)) or hasattr(value, "__setstate__")

    def write(self, value: Any, walk: "Walk") -> Node:
        if walk.identifying:
            return {}
        if isinstance(value, _REFUSED):
            raise walk.refuse(self.describe(value))
        try:
            reduced = _reduced(value)
        except Exception as error:
            what = f"{self.describe(value)}, which cannot be copied ({error})"
            raise walk.refuse(what) from error
        if isinstance(reduced, str):
            raise walk.refuse(self.describe(value))
        make, args, state, items, pairs = (tuple(reduced) + (None,) * 5)[:5]
        if items is not None or pairs is not None:
            raise walk.refuse(f"{self.describe(value)}, a container of a kind that is not known")
        node = {"t": "adapted", "adapter": "reduce", "class": class_name(type(value))}
        parts = [make, args, state]
        return {**node, "state": walk.value(parts, "")}

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        parts = reader.node(node["state"][1])["items"]
        make, args = reader.value(parts[0]), reader.filled_value(parts[1])
        has_state = parts[2] is not None
        if type(live).__name__ == node["class"]["name"] and has_state:
            if hasattr(live, "__setstate__") and _is_made_of(live, make, args):
                return live
        made = make(*args)
        if type(live) is type(made) and not has_state and _equal_objects(live, made):
            return live
        return made

    def load(self, node: Node, value: Any, reader: "Restoration") -> None:
        state = reader.value(reader.node(node["state"][1])["items"][2])
        if state is None:
            return
        if hasattr(type(value), "__setstate__"):
            value.__setstate__(state)
        else:
            value.__dict__.update(state)


def _reduced(value: Any) -> Any:
    """What it says of how it is made; for some of Python's own, another says so."""
    reduce = copyreg.dispatch_table.get(type(value))
    return value.__reduce_ex__(4) if reduce is None else reduce(value)


def _is_made_of(live: Any, make: Any, args: Any) -> bool:
    """Whether all that a state does not give an object is the same: an iterator over another one
    (`accumulate`) cannot be given that other one anew."""
    try:
        reduced = _reduced(live)
    except Exception:
        return False
    return not isinstance(reduced, str) and _are_same(reduced[:2], (make, args))


def _are_same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return all(map(_are_same, a, b))
    return a is b or (isinstance(a, (str, bytes, int, float)) and type(a) is type(b) and a == b)


def _equal_objects(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:
        return False


class CycleKind(Kind):
    """`itertools.cycle`. In its first round it has an iterator, and the items that it has taken; in
    later ones where it is among the items, which it says in more than one way."""

    node_types = ("adapted cycle",)

    def matches(self, value: Any) -> bool:
        return type(value) is itertools.cycle

    def can_refill(self, value: Any) -> bool:
        return False

    def write(self, value: Any, walk: "Walk") -> Node:
        if walk.identifying:
            return {}
        try:
            _, (source,), (items, is_later) = value.__reduce_ex__(4)
        except TypeError as error:
            raise walk.refuse(f"a cycle, which cannot be copied ({error})") from error
        # In a later round the source goes through the items themselves.
        rest = source.__reduce_ex__(4)[2] % len(items) if is_later else source
        return {"t": "adapted", "adapter": "cycle", "state": walk.value([items, rest], "")}

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        items, rest = map(reader.value, reader.node(node["state"][1])["items"])
        return itertools.cycle(iter(items) if isinstance(rest, int) else rest)

    def load(self, node: Node, value: Any, reader: "Restoration") -> None:
        items, rest = map(reader.value, reader.node(node["state"][1])["items"])
        is_later = isinstance(rest, int)
        if is_later:
            _, (source,), _ = value.__reduce_ex__(4)
            source.__setstate__(rest)
        value.__setstate__((items, is_later))


KINDS = [OpaqueKind(), MADE_FUNCTION, RandomKind(), InstanceKind(), CycleKind(), ReducedKind()]
