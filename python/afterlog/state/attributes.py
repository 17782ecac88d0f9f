"""What an instance holds besides what its base class keeps in C: in its slots, and in its dict."""

import types
from typing import TYPE_CHECKING, Any, Dict, Iterator, Tuple

from .kinds import Node, cached

if TYPE_CHECKING:
    from .restore import Restoration
    from .walk import Walk


def slot_values(value: Any) -> Iterator[Tuple[str, Any]]:
    for name, slot in _class_slots(type(value)).items():
        try:
            yield name, slot.__get__(value)
        except AttributeError:
            continue


def attributes(value: Any) -> Iterator[Tuple[str, Any]]:
    yield from slot_values(value)
    yield from list(getattr(value, "__dict__", {}).items())


def has_attributes(value: Any) -> bool:
    """Whether it has some now."""
    return bool(getattr(value, "__dict__", None)) or (
        bool(_class_slots(type(value))) and any(True for _ in attributes(value))
    )


# Of exactly these none holds anything besides.
_BARE = frozenset([dict, list, tuple, set, frozenset, bytes, bytearray, complex, range])


def write_attributes(node: Node, value: Any, walk: "Walk") -> Node:
    """The node of an instance of a derived class, with what it holds besides its items."""
    if type(value) in _BARE:
        return node
    held = [[name, walk.value(item, name)] for name, item in attributes(value)]
    if held:
        node["props"] = held
    return node


def fill_attributes(node: Node, value: Any, reader: "Restoration") -> None:
    if "props" not in node:
        return
    wanted = {name: reader.value(item) for name, item, *_ in node["props"]}
    slots = _class_slots(type(value))
    for name, slot in slots.items():
        if name in wanted:
            slot.__set__(value, wanted[name])
        else:
            _empty_slot(slot, value)
    if hasattr(value, "__dict__"):
        value.__dict__.clear()
        value.__dict__.update({name: wanted[name] for name in wanted if name not in slots})


def _empty_slot(slot: Any, value: Any) -> None:
    try:
        slot.__delete__(value)
    except AttributeError:
        pass  # It was empty.


@cached
def _class_slots(kind: type) -> Dict[str, Any]:
    """The slots of a class by name. One that a derived class hides, by a property of the same name
    (as paths have it in Python 3.13) or by a slot of its own, has its class's name before it."""
    found: Dict[str, Any] = {}
    for base in kind.__mro__:
        own = base.__dict__.get("__slots__", ())
        for name in (own,) if isinstance(own, str) else own:
            mangled = name.startswith("__") and not name.endswith("__")
            name = f"_{base.__name__.lstrip('_')}{name}" if mangled else name
            slot = base.__dict__.get(name)
            if isinstance(slot, types.MemberDescriptorType):
                hidden = getattr(kind, name, None) is not slot
                found[f"{base.__qualname__}.{name}" if hidden else name] = slot
    return found
