"""Calls of a file whose results are recorded, and given again in replays: of clocks, of entropy, of
facts of the process. Which these are is data (`libraries`)."""

import ast
from typing import Dict, Iterable, List, NamedTuple, Optional

from .. import libraries
from ..program.program import Program
from ..program.scopes import Scope, Scopes
from .outside_names import STATELESS, OutsideNames, Scoped, assignments, with_scopes


class CallSite(NamedTuple):
    """`shown`: what its place is told by. Versions of Python do not agree where something stands in
    an f-string, but where that begins."""

    node: ast.Call
    path: str
    shown: ast.expr

    @property
    def is_clock(self) -> bool:
        return libraries.is_clock(self.path)

    @property
    def gives_item(self) -> bool:
        """Its result is one of what it was given."""
        return libraries.gives_item(self.path)


def find_call_sites(
    program: Program, file: str, scopes: Scopes, attributes: bool = False
) -> List[CallSite]:
    """The sites of a file of a program, in the order of its text. Only what the file itself says
    counts, so that a run, which does not look into others, finds the same. `attributes`: also what
    is called by way of one (`self._time = time`)."""
    names = OutsideNames(program)
    nodes = list(with_scopes(scopes))
    names.learn_from(file, scopes, nodes)
    held = _held_by_attributes(names, nodes) if attributes else {}
    texts = {
        node: joined
        for _, joined in nodes
        if isinstance(joined, ast.JoinedStr)
        for node in ast.walk(joined)
    }
    found: List[CallSite] = []
    for scope, node in nodes:
        if not isinstance(node, ast.Call):
            continue
        path = names.path(scope, node.func)
        is_sure = path is not None and names.is_sure(scope, node.func)
        if path is None and isinstance(node.func, ast.Attribute):
            path = held.get(node.func.attr)
            is_sure = path is not None
        arguments = len(node.args) + len(node.keywords)
        if path is not None and is_sure and libraries.is_given_again(path, arguments):
            if path not in STATELESS and not _is_finalizer(scope):
                found.append(CallSite(node, path, texts.get(node, node)))
    return sorted(found, key=lambda site: (site.shown.lineno, site.shown.col_offset))


def _held_by_attributes(names: OutsideNames, nodes: Iterable[Scoped]) -> Dict[str, str]:
    """Attributes that are given one thing from outside, and nothing else."""
    held: Dict[str, Optional[str]] = {}
    for scope, node in nodes:
        if not isinstance(node, ast.Assign):
            continue
        pairs = (pair for target in node.targets for pair in assignments(target, node.value))
        for target, value in pairs:
            if isinstance(target, ast.Attribute):
                path = names.path(scope, value)
                held[target.attr] = path if held.get(target.attr, path) == path else None
    return {name: path for name, path in held.items() if path is not None}


def _is_finalizer(scope: Scope) -> bool:
    """Nobody can tell when it is called."""
    around = scope
    while around.parent is not None:
        if around.name == "__del__":
            return True
        around = around.parent
    return False
