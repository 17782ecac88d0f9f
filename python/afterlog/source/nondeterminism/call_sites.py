"""Calls of a file whose results are recorded, and given again in replays: of clocks, of entropy, of
facts of the process. Which these are is data (`libraries`)."""

import ast
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

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
    is called by way of one (`self._time = time`), or of a parameter (`def wait(clock=time.time)`)
    that somebody may give another thing: of a call that gives the same anyway, no harm is done."""
    names = OutsideNames(program)
    nodes = list(with_scopes(scopes))
    names.learn_from(file, scopes, nodes)
    held = _Held(names, scopes, nodes) if attributes else None
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
        if path is None and held is not None:
            path = held.path(scope, node.func)
            is_sure = path is not None
        arguments = len(node.args) + len(node.keywords)
        if path is not None and is_sure and libraries.is_given_again(path, arguments):
            if path not in STATELESS and not _is_finalizer(scope):
                found.append(CallSite(node, path, texts.get(node, node)))
    return sorted(found, key=lambda site: (site.shown.lineno, site.shown.col_offset))


class _Held:
    """Attributes, of classes too, that are given one thing from outside, and nothing else; and
    parameters that are such a thing where nobody gives another."""

    def __init__(self, names: OutsideNames, scopes: Scopes, nodes: Sequence[Scoped]) -> None:
        self._defaults: Dict[str, str] = {}
        for scope, node in nodes:
            if isinstance(node, _WITH_PARAMETERS):
                for name, value in _defaults_of(node.args):
                    path = names.path(scope, value)
                    if path is not None:
                        self._defaults[scopes.of[node].var(name).key] = path
        self._attributes: Dict[str, Optional[str]] = {}
        for scope, node in nodes:
            if not isinstance(node, ast.Assign):
                continue
            pairs = (pair for target in node.targets for pair in assignments(target, node.value))
            for target, value in pairs:
                attribute = _attribute_of(scope, target)
                if attribute is not None:
                    given = names.path(scope, value) or self._default(scope, value)
                    known = self._attributes.get(attribute, given)
                    self._attributes[attribute] = given if _are_alike(known, given) else None

    def path(self, scope: Scope, called: ast.expr) -> Optional[str]:
        if isinstance(called, ast.Attribute):
            return self._attributes.get(called.attr)
        return self._default(scope, called)

    def _default(self, scope: Scope, node: ast.expr) -> Optional[str]:
        var = scope.resolve(node.id) if isinstance(node, ast.Name) else None
        return None if var is None else self._defaults.get(var.key)


def _are_alike(one: Optional[str], other: Optional[str]) -> bool:
    """Whichever clock is asked, it is a time."""
    if one is None or other is None:
        return False
    return one == other or (libraries.is_clock(one) and libraries.is_clock(other))


_WITH_PARAMETERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _defaults_of(of: ast.arguments) -> Iterator[Tuple[str, ast.expr]]:
    """Parameters that have one."""
    positional = [*of.posonlyargs, *of.args]
    pairs = [*zip(reversed(positional), reversed(of.defaults)), *zip(of.kwonlyargs, of.kw_defaults)]
    yield from ((one.arg, value) for one, value in pairs if value is not None)


def _attribute_of(scope: Scope, target: ast.expr) -> Optional[str]:
    if isinstance(target, ast.Attribute):
        return target.attr
    return target.id if isinstance(target, ast.Name) and scope.kind == "class" else None


def _is_finalizer(scope: Scope) -> bool:
    """Nobody can tell when it is called."""
    around = scope
    while around.parent is not None:
        if around.name == "__del__":
            return True
        around = around.parent
    return False
