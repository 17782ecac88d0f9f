"""Calls of a file whose results are recorded, and given again in replays: of clocks, of entropy, of
facts of the process. Which these are is data (`libraries`)."""

import ast
from typing import List, NamedTuple

from .. import libraries
from ..program.program import Program
from ..program.scopes import Scope, Scopes
from .outside_names import STATELESS, OutsideNames, with_scopes


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


def find_call_sites(program: Program, file: str, scopes: Scopes) -> List[CallSite]:
    """The sites of a file of a program, in the order of its text. Only what the file itself says
    counts, so that a run, which does not look into others, finds the same."""
    names = OutsideNames(program)
    names.learn(file, scopes)
    texts = {
        node: joined
        for _, joined in with_scopes(scopes)
        if isinstance(joined, ast.JoinedStr)
        for node in ast.walk(joined)
    }
    found: List[CallSite] = []
    for scope, node in with_scopes(scopes):
        path = names.path(scope, node.func) if isinstance(node, ast.Call) else None
        if path is None or not isinstance(node, ast.Call):
            continue
        arguments = len(node.args) + len(node.keywords)
        if libraries.is_given_again(path, arguments) and names.is_sure(scope, node.func):
            if path not in STATELESS and not _is_finalizer(scope):
                found.append(CallSite(node, path, texts.get(node, node)))
    return sorted(found, key=lambda site: (site.shown.lineno, site.shown.col_offset))


def _is_finalizer(scope: Scope) -> bool:
    """Nobody can tell when it is called."""
    around = scope
    while around.parent is not None:
        if around.name == "__del__":
            return True
        around = around.parent
    return False
