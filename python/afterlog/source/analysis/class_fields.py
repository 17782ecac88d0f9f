"""Fields of a dataclass: in which order they are given, and what makes those that are not."""

import ast
from typing import TYPE_CHECKING, Dict, List, NamedTuple

from ..libraries import is_drawn_from
from ..program.scopes import Scope
from .abstract_values import IMMUTABLE, NOTHING, Value
from .classes import project_bases, value_in

if TYPE_CHECKING:
    from .expressions import Expressions
    from .project_calls import Arguments

# What a restore refills, for whoever holds it.
_REFILLED = ("inst", "container", "func", "class", "lib")


class Fields(NamedTuple):
    """Names that the body of a class, and of those above it, says the types of."""

    names: List[str]
    # What makes the value of one that is not given, where that has a name itself.
    factories: Dict[str, Value]
    # Whether arguments without a name are given to them one after the other.
    in_order: bool


def fields_of(at: "Expressions", scope: Scope, depth: int = 16) -> Fields:
    found = Fields([], {}, True)
    for base in project_bases(at, scope) if depth else ():
        above = fields_of(at, base, depth - 1)
        in_order = found.in_order and above.in_order and not found.names
        found = Fields(found.names + above.names, {**above.factories, **found.factories}, in_order)
    for one in getattr(scope.node, "body", []):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            found.names.extend([one.target.id] * (one.target.id not in found.names))
            found = found._replace(in_order=found.in_order and not _is_out_of_order(one))
            for keyword in getattr(one.value, "keywords", []):
                if keyword.arg == "default_factory" and _is_kept(at, scope, keyword.value):
                    found.factories[one.target.id] = value_in(at, scope, keyword.value)
    return found


def _is_out_of_order(field: ast.AnnAssign) -> bool:
    words = {
        getattr(one, "arg", getattr(one, "attr", getattr(one, "id", ""))) for one in ast.walk(field)
    }
    return bool(words & {"init", "kw_only", "KW_ONLY", "ClassVar"})


def _is_kept(at: "Expressions", scope: Scope, node: ast.expr) -> bool:
    """Whether a variable has what is called, or whose method is, and a restore refills that: an
    iterator is another one then, and the class would keep the old one."""
    holder = node.value if isinstance(node, ast.Attribute) else node
    if not isinstance(holder, (ast.Name, ast.Attribute)):
        return False
    tags = value_in(at, scope, holder).tags
    return all(tag[0] in _REFILLED or (tag[0] == "made" and is_drawn_from(tag[1])) for tag in tags)


def field_of(given: "Arguments", every: Value) -> Value:
    """What `field(…)` gives: what all instances share, or what makes it for each of them."""
    makes = given.named.get("default_factory", NOTHING).tags
    shared = given.named.get("default", NOTHING).tags
    tags = shared | {("factory", tag) for tag in makes}
    return every._replace(tags=tags or frozenset([IMMUTABLE]))
