"""Expressions of which only a number or a text is taken: a tensor in them needs no history."""

import ast
import builtins
import functools
from typing import Any

from .knowledge import (
    DARK_FUNCTIONS,
    FRESH_METHODS,
    PART_METHODS,
    PASSING_METHODS,
    SCALAR_FUNCTIONS,
    SCALAR_METHODS,
)
from .scopes import Scope, body_of

_FUNCTIONS = SCALAR_FUNCTIONS | {"min", "max", "sum", "list", "tuple", "sorted", "zip"}
_METHODS = SCALAR_METHODS | FRESH_METHODS | PASSING_METHODS
_BUILTINS = frozenset(dir(builtins)) - DARK_FUNCTIONS - {"open", "input", "next", "iter", "setattr"}
# They end a history.
_ENDS = frozenset("item tolist detach numpy".split())


def is_plain(node: ast.AST) -> bool:
    """Whether nothing in it can start `backward`: only operators and functions known for that."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            target = one.func
            known = isinstance(target, ast.Name) and target.id in _FUNCTIONS
            known |= isinstance(target, ast.Attribute) and target.attr in _METHODS
            if not known:
                return False
        elif isinstance(one, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)):
            return False
    return True


def goes_through_parts(node: ast.AST) -> bool:
    """Whether what a loop goes through is made where it stands, and has no position elsewhere."""
    items = getattr(node, "iter", node)
    target = items.func if isinstance(items, ast.Call) else None
    return isinstance(target, ast.Attribute) and target.attr in PART_METHODS


def is_plain_use(call: ast.Call) -> bool:
    """Whether a call takes no more than numbers and texts from what it is given."""
    target = call.func
    ends = isinstance(target, ast.Name) and target.id in SCALAR_FUNCTIONS
    ends |= isinstance(target, ast.Attribute) and target.attr in _ENDS
    return ends and is_plain(call)


def is_plain_statement(node: ast.Expr) -> bool:
    """Whether a log statement calls nothing that could have a state of its own."""
    call = node.value
    if not isinstance(call, ast.Call):
        return False
    return all(is_plain(one) for one in [*call.args, *(one.value for one in call.keywords)])


def computes_only(scope: Scope) -> bool:
    """Whether a function gives the same for the same arguments, whenever it is called: it uses
    nothing but them, built-ins, `math` and itself."""
    node: Any = scope.node
    parts = [part for one in [*body_of(node), node.args] for part in ast.walk(one)]
    names = [part for part in parts if isinstance(part, ast.Name)]
    own = {name.id for name in names if not isinstance(name.ctx, ast.Load)}
    rest = (one for one in (scope.vararg, scope.kwarg) if one)
    own |= {*scope.params, *rest, scope.name, "math"}
    impure = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.Import)
    return (
        all(name.id in own or name.id in _BUILTINS for name in names)
        and all(_is_pure_attribute(one) for one in parts if isinstance(one, ast.Attribute))
        and not any(isinstance(one, impure) for one in parts)
    )


def _is_pure_attribute(node: ast.Attribute) -> bool:
    if isinstance(node.value, ast.Name) and node.value.id == "math":
        return True
    return isinstance(node.ctx, ast.Load) and node.attr in _METHODS | {"append", "extend", "add"}


@functools.lru_cache(maxsize=4096)
def returns_something(scope: Scope) -> bool:
    """Whether a function gives anything back."""
    node: Any = scope.node
    if isinstance(node, ast.Lambda):
        return True
    kinds = (ast.Return, ast.Yield, ast.YieldFrom)
    return any(isinstance(one, kinds) and one.value is not None for one in ast.walk(node))
