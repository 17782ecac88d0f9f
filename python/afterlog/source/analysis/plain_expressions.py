"""Expressions of which only a number or a text is taken: a tensor in them needs no history."""

import ast
import builtins
import functools
from typing import Any, Iterable

from ..libraries import builtins_with, methods_with
from ..program.scopes import Scope, body_of

_SCALAR_FUNCTIONS = builtins_with("scalar")
_FUNCTIONS = _SCALAR_FUNCTIONS | {"min", "max", "sum", "list", "tuple", "sorted", "zip"}
_METHODS = methods_with("computes", "reads")
_IMPURE = builtins_with("hidden") | {"open", "input", "next", "iter", "setattr"}
_BUILTINS = frozenset(dir(builtins)) - _IMPURE
# They end a history.
_ENDS = frozenset("item tolist detach numpy".split())
_GRAD_MODES = frozenset("no_grad inference_mode enable_grad".split())
# Kinds of nodes that do nothing but compute, by themselves.
_COMPUTING = (
    *(ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.For, ast.While, ast.With),
    *(ast.Pass, ast.Break, ast.Continue, ast.Raise, ast.withitem, ast.expr_context, ast.keyword),
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.Slice, ast.Starred, ast.comprehension),
    *(ast.Tuple, ast.List, ast.Dict, ast.Set, ast.JoinedStr, ast.FormattedValue),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


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


def only_computes(statements: Iterable[ast.stmt]) -> bool:
    """Whether statements give values to names and print, and call only what is known for it."""
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, ast.Call):
            target = node.func
            name = getattr(target, "attr", None) or getattr(target, "id", "")
            known = name in _GRAD_MODES or name in _FUNCTIONS or name == "print"
            if not (known or (isinstance(target, ast.Attribute) and name in _METHODS)):
                return False
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            if not isinstance(node.ctx, ast.Load):
                return False
        elif not isinstance(node, _COMPUTING):
            return False
    return True


def goes_through_parts(node: ast.AST) -> bool:
    """Whether what a loop goes through is made where it stands, and has no position elsewhere."""
    items = getattr(node, "iter", node)
    target = items.func if isinstance(items, ast.Call) else None
    return isinstance(target, ast.Attribute) and target.attr in methods_with("parts")


def is_plain_use(call: ast.Call) -> bool:
    """Whether a call takes no more than numbers and texts from what it is given."""
    target = call.func
    ends = isinstance(target, ast.Name) and target.id in _SCALAR_FUNCTIONS
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


def is_dictionary(node: ast.expr) -> bool:
    """Of the attributes of something: `vars(x)`, `x.__dict__`."""
    called = getattr(node.func, "id", None) if isinstance(node, ast.Call) else None
    return called == "vars" or getattr(node, "attr", None) == "__dict__"
