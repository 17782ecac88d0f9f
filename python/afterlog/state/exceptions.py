"""Exceptions: what they say, what led to them, and what their classes put on them. Where one was
raised is a place in running code, which no checkpoint holds."""

import builtins
import types
from typing import TYPE_CHECKING, Any, Dict

from .attributes import fill_attributes, write_attributes
from .kinds import Kind, Node, cached, class_name

if TYPE_CHECKING:
    from .restore import Restoration
    from .walk import Walk

_GROUPS: Any = getattr(builtins, "BaseExceptionGroup", ())
# The last one follows from the others until it is set.
_NAMES = ("args", "__cause__", "__context__", "__suppress_context__")
_COMMON: Dict[str, Any] = {name: BaseException.__dict__[name] for name in _NAMES}


@cached
def _members_of(kind: type) -> Dict[str, Any]:
    """What Python's own classes keep besides the arguments: `OSError.errno`, `StopIteration.value`.
    One that cannot be set follows from the arguments."""
    return {
        name: own
        for base in kind.__mro__
        if "__slots__" not in base.__dict__
        for name, own in base.__dict__.items()
        if isinstance(own, types.MemberDescriptorType)
    }


def _makes_instances(kind: type) -> bool:
    return isinstance(kind.__dict__.get("__new__"), types.BuiltinFunctionType)


class ExceptionKind(Kind):
    types = (BaseException,)
    node_types = ("adapted exception",)

    def write(self, value: Any, walk: "Walk") -> Node:
        if not walk.identifying and value.__traceback__ is not None and not walk.knows(value):
            raise walk.refuse("an exception that was raised", "keep what it says, `str(error)`")
        held = []
        for name, own in {**_COMMON, **_members_of(type(value))}.items():
            try:
                held.append([f".{name}", walk.value(own.__get__(value), name)])
            except AttributeError:
                continue
        node: Node = {"t": "adapted", "adapter": "exception", "class": class_name(type(value))}
        node = write_attributes(node, value, walk)
        return {**node, "props": [*held, *node.get("props", [])]}

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        if live is not None and class_name(type(live)) == node["class"]:
            return live
        made_of = reader.class_of(node, BaseException)
        base = next(one for one in made_of.__mro__ if _makes_instances(one))
        # Of a group these cannot be set.
        given = reader.filled_value(node["props"][0][1]) if issubclass(made_of, _GROUPS) else ()
        return base.__new__(made_of, *given)

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        own = {**_COMMON, **_members_of(type(value))}
        for name, item in node["props"]:
            if name.startswith("."):
                try:
                    own[name[1:]].__set__(value, reader.value(item))
                except (AttributeError, TypeError):
                    continue
        rest = [one for one in node["props"] if not one[0].startswith(".")]
        fill_attributes({**node, "props": rest}, value, reader)


KINDS = [ExceptionKind()]
