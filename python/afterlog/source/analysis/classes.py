"""Classes of the project: where a method is found, and whether a library's class is above."""

import ast
import functools
from typing import TYPE_CHECKING, Any, FrozenSet, List, Optional

from ..program.scopes import Scope
from .abstract_values import A_SCALAR, NOTHING, Value, join

if TYPE_CHECKING:
    from .expressions import Expressions
    from .points_to import PointsToStore


def project_bases(at: "Expressions", scope: Scope) -> List[Scope]:
    found = []
    for base in getattr(scope.node, "bases", []):
        for tag in _base_tags(at, scope, base):
            if tag[0] == "class" and tag[1] is not scope:
                found.append(tag[1])
    return found


def base_paths(at: "Expressions", scope: Scope) -> List[str]:
    """Bases that are no classes of the project."""
    found = []
    for base in getattr(scope.node, "bases", []):
        tags = _base_tags(at, scope, base)
        if not tags:
            found.append("?")
        found += [tag[1] if tag[0] == "lib" else "?" for tag in tags if tag[0] != "class"]
    return [path for path in found if path not in ("builtins.object", "abc.ABC", "typing.Generic")]


def _base_tags(at: "Expressions", scope: Scope, base: ast.expr) -> List[Any]:
    return list(value_in(at, scope.parent or scope, base).tags)


def value_in(at: "Expressions", scope: Scope, node: ast.expr) -> Value:
    """What an expression of another scope means there."""
    outer, at.scope = at.scope, scope
    reads = len(at.facts.reads)
    value = at.evaluate(node)
    del at.facts.reads[reads:]
    at.scope = outer
    return value


def library_bases(at: "Expressions", scope: Scope, depth: int = 16) -> List[str]:
    """Bases that are no classes of the project, its own and inherited."""
    found = base_paths(at, scope)
    for base in project_bases(at, scope) if depth else ():
        found += library_bases(at, base, depth - 1)
    return found


def is_of_class(at: "Expressions", scope: Scope, wanted: Scope, depth: int = 16) -> bool:
    """Whether a class is the wanted one, or derived from it."""
    if scope is wanted or depth == 0:
        return scope is wanted
    return any(is_of_class(at, base, wanted, depth - 1) for base in project_bases(at, scope))


def has_library_base(at: "Expressions", scope: Scope) -> bool:
    return bool(library_bases(at, scope))


def is_autograd_function(at: "Expressions", scope: Scope) -> bool:
    """Whether PyTorch calls its methods with what `apply` was given, and with gradients."""
    return any(one.startswith("torch.autograd.") for one in library_bases(at, scope))


def find_method(
    at: "Expressions", scope: Scope, name: str, above: bool = False, depth: int = 16
) -> Optional[Scope]:
    """The method of a class, its own or inherited; `above`: inherited."""
    if name in scope.methods and not above:
        return scope.methods[name]
    if depth == 0:
        return None
    for base in project_bases(at, scope):
        found = find_method(at, base, name, depth=depth - 1)
        if found is not None:
            return found
    return None


def class_call(at: "Expressions", scope: Scope, depth: int = 16) -> Optional[Scope]:
    """What a call of the class runs, if its own class, or that of one above, says so."""
    for keyword in getattr(scope.node, "keywords", []):
        if keyword.arg == "metaclass":
            for tag in _base_tags(at, scope, keyword.value):
                method = find_method(at, tag[1], "__call__") if tag[0] == "class" else None
                if method is not None:
                    return method
    for base in project_bases(at, scope) if depth else ():
        found = class_call(at, base, depth - 1)
        if found is not None:
            return found
    return None


def class_of(at: "Expressions", scope: Scope) -> Value:
    """The class itself, which the variable of its name holds."""
    outer = scope.parent or scope
    var = outer.resolve(scope.name)
    srcs = NOTHING.srcs if var is None else at.store.bit(var)
    return Value(srcs, tags=frozenset([("class", scope)]))


def note_set_on_class(store: "PointsToStore", name: str) -> None:
    """An attribute is given to a class that its body does not show."""
    store.put_attribute(_of_class(name), A_SCALAR)


def classes_given(at: "Expressions", scope: Scope, name: str) -> Value:
    """The classes that an instance has an attribute from which was given to them."""
    if not at.store.attribute(_of_class(name)).tags:
        return NOTHING
    every = [scope]
    for one in every:
        every += [base for base in project_bases(at, one) if base not in every]
    return join([class_of(at, one).tagged() for one in every])


def note_set_by_name(store: "PointsToStore", holder: Value, value: Value) -> None:
    """Instances get an attribute whose name only the running program knows."""
    tags = value.tags | value.elems
    for tag in holder.tags if tags else ():
        if tag[0] == "inst":
            kept = Value(hist=value.hist | value.srcs, tags=tags, elems=value.elems)
            store.put_attribute(_of_instances(tag[1]), kept)


def given_by_name(at: "Expressions", scope: Scope) -> List[Value]:
    """What instances of the class may have under any name."""
    every = [scope]
    for one in every:
        every += [base for base in project_bases(at, one) if base not in every]
    found = [at.store.attribute(_of_instances(one)) for one in every]
    return [one for one in found if one.tags]


def _of_instances(scope: Scope) -> str:
    """No attribute has such a name."""
    return f"<of instances: {scope.file}:{scope.label}>"


def may_be_inherited(at: "Expressions", scope: Scope, name: str) -> bool:
    """Whether instances may have an attribute that a library gives them: `register_buffer`, what
    an optimizer keeps. What the class itself sets under a name is what it has there."""
    every = [scope]
    for one in every:
        if name in one.bound or name in _attributes_set_in(one.node):
            return False
        every += [base for base in project_bases(at, one) if base not in every]
    return has_library_base(at, scope)


@functools.lru_cache(maxsize=256)
def _attributes_set_in(node: Any) -> FrozenSet[str]:
    found = (one for one in ast.walk(node) if isinstance(one, ast.Attribute))
    return frozenset(one.attr for one in found if isinstance(one.ctx, ast.Store))


def _of_class(name: str) -> str:
    """No attribute has such a name."""
    return f"<of classes: {name}>"


def class_attribute(
    at: "Expressions", scope: Scope, name: str, above: bool = False, depth: int = 16
) -> Value:
    """What the body of a class, or of one above it, binds the name to; `above`: only of those."""
    if name in scope.bound and not above:
        return at.store.value(scope.var(name))
    if depth == 0:
        return NOTHING
    bases = project_bases(at, scope)
    found = [class_attribute(at, base, name, depth=depth - 1) for base in bases]
    return join(found) if found else NOTHING


def has_decorator(scope: Scope, name: str) -> bool:
    called = (getattr(one, "func", one) for one in scope.decorators)
    return any(getattr(one, "id", getattr(one, "attr", "")) == name for one in called)


def is_property(scope: Scope) -> bool:
    return has_decorator(scope, "property") or has_decorator(scope, "cached_property")
