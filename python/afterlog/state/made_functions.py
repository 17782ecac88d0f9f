"""Functions that were made after the loop began, and say what they were made of: a partial, a
method of an object, a method that C has, a weak reference. Others are known only as what was there
before."""

import functools
import types
import weakref
from typing import TYPE_CHECKING, AbstractSet, Any, Iterable, Sequence

from .kinds import Kind, Node, cached
from .object_identity import Known

if TYPE_CHECKING:
    from .restore import Restoration
    from .walk import Walk


def says_what_it_is(value: Any) -> bool:
    if isinstance(value, types.BuiltinFunctionType):
        return value.__self__ is not None
    if type(value) is weakref.ReferenceType:
        return value.__callback__ is None
    return type(value) in (functools.partial, types.MethodType)


class MadeFunctionKind(Kind):
    """Nothing else in them changes."""

    node_types = ("adapted function",)

    def matches(self, value: Any) -> bool:
        # Most are there when a loop is entered: the walk decides.
        return False

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        # What a reference leads to may be gone.
        return [index for index, one in enumerate(values) if isinstance(one, weakref.ReferenceType)]

    def can_refill(self, value: Any) -> bool:
        return False

    def write(self, value: Any, walk: "Walk") -> Node:
        if isinstance(value, functools.partial):
            made = ["partial", value.func, list(value.args), dict(value.keywords)]
        elif isinstance(value, types.MethodType):
            made = ["method", value.__func__, [value.__self__], {}]
        elif isinstance(value, weakref.ReferenceType):
            to = value()
            made = ["reference", None, [] if to is None else [to], {}]
        else:
            made = ["builtin", value.__name__, [value.__self__], {}]
        return {"t": "adapted", "adapter": "function", "state": walk.value(made, "")}

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        how, first, args, named = map(reader.filled_value, reader.node(node["state"][1])["items"])
        if how == "partial":
            return functools.partial(first, *args, **named)
        if how == "reference":
            # Nothing holds what is made here: it is a reference to what is gone.
            return weakref.ref(*(args or [MadeFunctionKind()]))
        return types.MethodType(first, *args) if how == "method" else getattr(args[0], first)


MADE_FUNCTION = MadeFunctionKind()


def made_again(module: Any) -> AbstractSet[str]:
    """Attributes that a module leaves out of its state, and makes again when it is given one: a
    metric wraps its methods."""
    if not _tells_state(type(module)):
        return frozenset()
    state = module.__getstate__()
    return module.__dict__.keys() - state.keys() if isinstance(state, dict) else frozenset()


@cached
def _tells_state(kind: type) -> bool:
    """Whether a class has both methods by itself, not from Python or PyTorch."""
    names = ("__getstate__", "__setstate__")
    own = [one for one in kind.__mro__ if one.__module__.partition(".")[0] not in _PLAIN]
    return all(any(name in vars(one) for one in own) for name in names)


_PLAIN = ("builtins", "torch")
