"""Has results of clocks, of entropy and the like pass through the run, which records them, and
gives them again in replays:

    t = time.time()           t = got(7, time.time())
"""

import ast
import builtins
from typing import AbstractSet, Any, Dict, List, Optional, Sequence, Set

from ..record.log.call_results import CallResults, WatchedCall
from ..source import libraries
from ..source.nondeterminism.call_sites import CallSite, find_call_sites
from ..source.program.parts import statements_of_parts
from ..source.program.program import Program
from ..source.program.scopes import Scopes
from ..source.program.sdk_calls import SourcePositions

# The name that changed code calls, in the built-ins; no program has such a name.
GOT = "__afterlog_got__"


class CallTransform:
    """A transform of sources (`source_hook.py`); the first, for it changes nothing that others look
    for. `probes`: what was added to ask: the run did not have its calls."""

    def __init__(
        self, program: Program, results: CallResults, probes: Sequence[Dict[str, Any]]
    ) -> None:
        self._program = program
        self._results = results
        self._probes = probes

    def install(self) -> None:
        """Makes the name known that changed code calls."""
        setattr(builtins, GOT, self._results.got)

    def wants(self, file: str) -> bool:
        module = self._program.modules.get(file)
        return module is not None and libraries.may_ask_outside(module.text)

    def apply(self, tree: ast.Module, text: str, file: str) -> ast.Module:
        if text != self._program.modules[file].text:
            return tree
        sites = find_call_sites(self._program, file, Scopes(file, tree))
        probes = [one for one in self._probes if one["file"] == file]
        added: Set[ast.AST] = set()
        for statement in statements_of_parts(tree, text, probes):
            added.update(ast.walk(statement))
        if not sites:
            return tree
        calls = watched_calls(sites, SourcePositions(text), added)
        first = self._results.open_file(file, calls)
        return pass_results(tree, {site.node: first + at for at, site in enumerate(sites)})


def watched_calls(
    sites: Sequence[CallSite],
    places: Optional[SourcePositions] = None,
    added: AbstractSet[ast.AST] = frozenset(),
) -> List[WatchedCall]:
    """`added`: of what the run did not have."""
    return [_watched(site, places, site.node in added) for site in sites]


def pass_results(
    tree: ast.Module, numbers: Dict[ast.Call, int], name: str = GOT, module: Optional[str] = None
) -> ast.Module:
    """The tree with the results of calls passed through a function of that name, which also gets
    the name of the module, if one is given."""
    return _Watching(numbers, name, module).visit(tree) if numbers else tree


def _watched(site: CallSite, places: Optional[SourcePositions], is_added: bool) -> WatchedCall:
    shown = site.shown
    place = {"line": shown.lineno, "column": shown.col_offset + 1}
    if places is not None:
        place = places.start(shown)
    path = None if is_added else site.path
    return WatchedCall(place["line"], place["column"], path, site.is_clock, site.gives_item)


class _Watching(ast.NodeTransformer):
    def __init__(self, numbers: Dict[ast.Call, int], name: str, module: Optional[str]) -> None:
        self._numbers = numbers
        self._name = name
        self._first = [] if module is None else [module]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        number = self._numbers.get(node)
        if number is None:
            return node
        got = ast.Name(id=self._name, ctx=ast.Load())
        known = [ast.Constant(value=one) for one in (*self._first, number)]
        for one in (got, *known):
            ast.copy_location(one, node)
        return ast.copy_location(ast.Call(func=got, args=[*known, node], keywords=[]), node)
