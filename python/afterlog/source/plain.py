"""Expressions of which only a number or a text is taken: a tensor in them needs no history."""

import ast

from .knowledge import (
    FRESH_METHODS,
    PART_METHODS,
    PASSING_METHODS,
    SCALAR_FUNCTIONS,
    SCALAR_METHODS,
)

_FUNCTIONS = SCALAR_FUNCTIONS | {"min", "max", "sum", "list", "tuple", "sorted", "zip"}
_METHODS = SCALAR_METHODS | FRESH_METHODS | PASSING_METHODS
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
