"""Functions that threads execute as often as time allows: a heartbeat, a monitor of memory, a
timer. How far one got is another each time, unlike that of a thread which does its work and is
waited for."""

import ast
from typing import Iterator, List, Tuple

from ..program.program import Module, Program
from ..program.scopes import Scope
from .flow_graph import Cause, FlowGraph
from .outside_names import OutsideNames, with_scopes
from .project_functions import ProjectFunctions

_THREAD = "threading.Thread"
_TIMER = "threading.Timer"


def note_timed_threads(
    graph: FlowGraph, program: Program, outside: OutsideNames, functions: ProjectFunctions
) -> None:
    """What is done in such functions depends on the clock."""
    for module in program.modules.values():
        for scope, node in with_scopes(module.scopes):
            for path, found in _executed(node, scope, module, outside, functions):
                words = f"time that {path}() at {module.file}:{getattr(node, 'lineno', 0)} has had"
                for one in found:
                    if path == _TIMER or _waits(one.node):
                        function = f"{one.file}:{one.label}"
                        graph.add(f"{function} called", graph.cause(Cause(words, None)))


def _executed(
    node: ast.AST, scope: Scope, module: Module, outside: OutsideNames, functions: ProjectFunctions
) -> Iterator[Tuple[str, List[Scope]]]:
    if isinstance(node, ast.Call):
        path = outside.path(scope, node.func)
        if path in (_THREAD, _TIMER):
            for given in [*node.args, *(one.value for one in node.keywords)]:
                own = module.scopes.of.get(given)
                yield path, functions.named(scope, given) if own is None else [own]
    if isinstance(node, ast.ClassDef):
        run = module.scopes.of[node].methods.get("run") if node in module.scopes.of else None
        for base in node.bases:
            path = outside.path(scope, base)
            if run is not None and path in (_THREAD, _TIMER):
                yield path, [run]


def _waits(function: ast.AST) -> bool:
    """Whether it has a loop that waits for time to go by."""
    loops = (one for one in ast.walk(function) if isinstance(one, ast.While))
    calls = (one for loop in loops for one in ast.walk(loop) if isinstance(one, ast.Call))
    return any(
        getattr(one.func, "attr", getattr(one.func, "id", "")) in ("sleep", "wait") for one in calls
    )
