"""`globals()` of which single names are read or bound: `globals()[key] = int(text)`, as programs do
for settings of the command line. It means any variable of the file, as far as it can have a
value there. Whatever else is done with it is hidden."""

import ast
from typing import Any, Dict, Iterator, List

from ..program.scopes import Var, imported_names
from .abstract_values import CONTAINER, NO_VARS, Value, join
from .facts import Effect, position_of
from .noted_effects import NotedEffects


def all_values(at: Any, node: ast.AST) -> Value:
    """What `globals()` holds where it stands."""
    every = join(
        [Value(), *(at.read_variable(var, node) for var in _visible(at, node, is_read=True))]
    )
    elems = every.tags | every.elems
    return Value(every.srcs, every.hist, frozenset([CONTAINER]), elems, NO_VARS)


def bind_any(at: NotedEffects, value: Value, node: ast.AST) -> None:
    """`globals()[key] = value`. What may be called could take the place of a built-in, too."""
    if not value.of_kind("imm", "container", "data"):
        at.lose("globals() does what the source does not tell", node, "opaque")
        return
    for var in _visible(at, node, is_read=False):
        at.store.assign(var, value)
        at.effect(Effect("bind", at.store.bit(var), position_of(node), at.region))


def _visible(at: NotedEffects, node: ast.AST, is_read: bool) -> List[Var]:
    """Variables of the file that it may mean: in the file's own code those that may have a value
    there, if they are read, and if they are bound all that are not surely bound again later."""
    module = at.scope.module
    names = sorted(module.bound)
    if at.root is module:
        body: List[ast.stmt] = getattr(module.node, "body", [])
        last = sum(position_of(one) <= position_of(node) for one in body) - 1
        functions = {
            name
            for one in ast.walk(module.node)
            if isinstance(one, ast.Global)
            for name in one.names
        }
        first = _first_bound(body, is_read)
        names = [name for name in names if name in functions or first.get(name, 0) <= last]
    return [module.var(name) for name in names]


def _first_bound(body: List[ast.stmt], is_read: bool) -> Dict[str, int]:
    """By which statement each name is bound first; those that it may leave as they were count as
    bound there to be read, and else as never bound."""
    found: Dict[str, int] = {}
    for index, statement in enumerate(body):
        surely = list(_bound_surely(statement))
        for name in surely:
            found.setdefault(name, index)
        for name in _bound_perhaps(statement) if not surely else ():
            found.setdefault(name, index if is_read else 0)
    return found


def _bound_surely(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from (name for name, _ in imported_names(statement))
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            for one in ast.walk(target):
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                    yield one.id


def _bound_perhaps(statement: ast.stmt) -> Iterator[str]:
    for one in ast.walk(statement):
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            yield one.id
        elif isinstance(one, (ast.Import, ast.ImportFrom)):
            yield from (name for name, _ in imported_names(one))
        elif isinstance(getattr(one, "name", None), str):
            yield getattr(one, "name")
