"""What a kind of value is: how it becomes a node of the graph, and an object again.

The kind of a value follows from its type; that of a node from what the node says. No framework is
imported here: its kinds are asked for once a program has loaded it.
"""

import functools
import importlib
import sys
import weakref
from typing import TYPE_CHECKING, AbstractSet, Any, Callable, Dict, Iterable, List, Optional
from typing import Sequence, Tuple, TypeVar, cast

from .object_identity import Known

Function = TypeVar("Function", bound=Callable[..., Any])

if TYPE_CHECKING:
    from .restore import Restoration
    from .walk import Walk

Node = Dict[str, Any]


class Kind:
    """One kind of value. `write` never descends by itself; `allocate` changes nothing that exists,
    so that a checkpoint that does not fit is found before anything is overwritten."""

    # Known only as the object that was there when the loop was entered.
    is_opaque = False

    # What its values are instances of, and what its nodes say that they are (`node_type`).
    types: Tuple[type, ...] = ()
    node_types: Tuple[str, ...] = ()

    def matches(self, value: Any) -> bool:
        return isinstance(value, self.types)

    def write(self, value: Any, walk: "Walk") -> Node:
        raise NotImplementedError

    def memo(self, values: Sequence[Any], known: Known) -> Any:
        """What `changed` compares with, when the state is walked again."""
        return None

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        """Indices of those whose node would not be written as it was. Must be quick."""
        return range(len(values))

    def can_refill(self, value: Any) -> bool:
        """Whether the object itself can be given a captured state, or never changes."""
        return True

    # Whether `parts` may find some.
    has_parts = False

    def parts(self, values: Sequence[Any]) -> Tuple[Any, ...]:
        """Of each value an object that is often replaced by another of the same form, or None."""
        return (None,) * len(values)

    def are_like(self, values: Sequence[Any], memo: Any, taken: AbstractSet[int]) -> bool:
        """Whether parts can stand for those that the memo is of: only their bytes differ. Their
        memory is nobody else's, so it does not begin where other memory does that is taken."""
        return False

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        """The object for a node: `live` if that can be refilled, else a new one."""
        raise NotImplementedError

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        """Gives the object its content. All objects exist; their contents may not be there yet."""

    def load(self, node: Node, value: Any, reader: "Restoration") -> None:
        """Like `fill`, but after all fills: for objects that load themselves from their state."""

    def describe(self, value: Any) -> str:
        return f"a {type(value).__name__}"


# Modules with a list `KINDS`, in the order in which they are asked, and what they are for.
_SOURCES = (
    ("torch", "torch_kinds"),
    ("numpy", "numpy_kinds"),
    (None, "containers"),
    (None, "files"),
    (None, "exceptions"),
    (None, "objects"),
)

_by_type: Dict[type, Kind] = {}


def all_kinds() -> List[Kind]:
    """The kinds for what the program has loaded."""
    kinds: List[Kind] = []
    for framework, module in _SOURCES:
        if framework is None or framework in sys.modules:
            kinds += importlib.import_module(f".{module}", __package__).KINDS
    return kinds


def node_type(node: Node) -> str:
    """Which kind made a node: its type, and what tells kinds of that type apart."""
    variant = node.get("adapter") or node.get("framework")
    if node.get("immutable"):
        variant = "immutable"
    return f"{node['t']} {variant}" if variant else node["t"]


def kind_of(value: Any) -> Kind:
    known = _by_type.get(type(value))
    if known is None:
        kinds = all_kinds()
        if type(value) in (weakref.ProxyType, weakref.CallableProxyType):
            # It says that it is of the class of what it stands for.
            kinds = [kind for kind in kinds if kind.is_opaque]
        known = next(kind for kind in kinds if kind.matches(value))
        _by_type[type(value)] = known
    return known


def cached(function: Function) -> Function:
    """What the function gives is kept for each argument, classes among them."""
    return cast(Function, functools.lru_cache(maxsize=None)(function))


@cached
def class_name(kind: type) -> Dict[str, Optional[str]]:
    """Where a class can be found again; nobody finds one that was made in a function."""
    local = "<locals>" in kind.__qualname__
    known = (None, None) if local else (kind.__module__, kind.__qualname__)
    return {"name": kind.__name__, "module": known[0], "export": known[1]}


def with_class(node: Node, kind: type, base: type) -> Node:
    """The node with its class, unless that is the usual one."""
    return node if kind is base else {**node, "class": class_name(kind)}
