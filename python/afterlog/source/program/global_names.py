"""`globals()` where single names are read or bound by it."""

import ast
import builtins
from typing import Iterator, Set

from .scopes import Scope, Scopes, used_names

# They read, and give nothing by which more could be bound.
_READING = frozenset("get items keys values".split())
_BUILTINS = frozenset(dir(builtins))


def is_globals(scope: Scope, node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "globals"
        and not node.args
        and scope.resolve("globals") is None
    )


def read_from_globals(node: ast.AST) -> Iterator[ast.AST]:
    """Of an expression, the parts that would be read by name if they are `globals()`."""
    if isinstance(node, ast.Subscript):
        yield node.value
    elif isinstance(node, ast.Compare):
        if all(isinstance(one, (ast.In, ast.NotIn)) for one in node.ops):
            yield from node.comparators
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in _READING:
            yield node.func.value


def names_bound_by_key(scopes: Scopes) -> Set[str]:
    """Names of a file that nothing binds but `globals()[key] = …`, if it has that."""
    tree = scopes.module.node
    stores = (one for one in ast.walk(tree) if isinstance(one, ast.Subscript))
    if all(
        isinstance(one.ctx, ast.Load) or not is_globals(scopes.module, one.value) for one in stores
    ):
        return set()
    return {
        name
        for scope in scopes.all()
        for name in used_names(scope)
        if scope.resolve(name) is None and name not in _BUILTINS
    }
