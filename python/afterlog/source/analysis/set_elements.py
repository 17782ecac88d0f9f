"""What sets hold, and which of them are gone through in another order each time: those of objects
that are hashed by where they lie. Numbers and texts are in the same order in every replay."""

import ast
from typing import TYPE_CHECKING, Any, Sequence, Set

from .abstract_values import NO_TAGS, SET, Tag, Tags, Value, join
from .classes import find_method, has_decorator, library_bases, project_bases
from .points_to import PointsToStore

if TYPE_CHECKING:
    from .expressions import Expressions
    from .fixpoint import Analysis

# Classes whose instances are hashed by what they are, and so are those of classes made from them.
_HASHED_BY_VALUE = (
    *(f"builtins.{one}" for one in "str bytes int float complex tuple frozenset".split()),
    *("enum.", "typing.NamedTuple", "collections.namedtuple"),
)
_SET_CLASS = ("lib", "builtins.set")
_FUNCTIONS = ("func", "method", "class", "lib")


def _items_of(attribute: str) -> str:
    """For what is put into that which an attribute holds: no attribute has such a name."""
    return f"<items of {attribute}>"


def note_put(store: PointsToStore, call: Any, given: Sequence[Value]) -> None:
    """`self.nodes.add(node)`: the set is known by the name of its attribute alone."""
    holder = getattr(getattr(call, "func", None), "value", None)
    if isinstance(holder, ast.Attribute) and given:
        store.put_attribute(_items_of(holder.attr), Value(tags=join(given).tags))


def united(value: Value, others: Sequence[Value]) -> Value:
    """What a method of a set gives, which may hold what is in its arguments too."""
    return value._replace(elems=value.elems.union(*(one.elems for one in others)))


def is_set(store: PointsToStore, node: ast.AST, value: Value) -> bool:
    """What may be anything is taken for none: else every text would be one in programs that keep
    all kinds of things in one place."""
    if isinstance(node, ast.Subscript) and _SET_CLASS in value.tags:
        # Of a `defaultdict(set)`.
        return True
    if SET not in value.tags:
        return False
    known = store.attribute(node.attr).tags if isinstance(node, ast.Attribute) else NO_TAGS
    return all(tag[0] != "?" for tag in (known if SET in known else value.tags))


def elements_of_set(store: PointsToStore, node: ast.AST, value: Value) -> Tags:
    found = value.elems
    if isinstance(node, ast.Attribute):
        found |= store.attribute(_items_of(node.attr)).tags
    if found:
        return found
    # It was filled under another name: it is one of what those hold of which it is part.
    return frozenset().union(*(store.kinds_of(var)[1] for var in store.members(value.srcs)))


def unordered_sets(analysis: "Analysis") -> Set[ast.AST]:
    """Expressions that may be a set with an order that no other execution need have."""
    found: Set[ast.AST] = set()
    for scope, facts in analysis.facts.items():
        at = analysis.expressions(scope)
        for node, elements in facts.sets:
            if any(_is_hashed_by_address(at, tag) for tag in elements):
                found.add(node)
    return found


def _is_hashed_by_address(at: "Expressions", tag: Tag) -> bool:
    if tag[0] != "inst":
        is_made = tag[0] == "made" and tag[1].startswith("torch.")
        return is_made or (tag[0] in _FUNCTIONS and tag != _SET_CLASS)
    return not _is_hashed_by_value(at, tag[1])


def _is_hashed_by_value(at: "Expressions", scope: Any) -> bool:
    if find_method(at, scope, "__hash__") is not None or has_decorator(scope, "dataclass"):
        return True
    if any(path.startswith(_HASHED_BY_VALUE) for path in library_bases(at, scope)):
        return True
    return any(_is_hashed_by_value(at, one) for one in project_bases(at, scope))
