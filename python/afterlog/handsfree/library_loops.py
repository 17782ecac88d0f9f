"""The same for loops of libraries that are described (docs/decisions/0048): of a module of theirs
only these statements are changed.

    while T: A; B             for [] in rounds(n, lambda: DROP):
                                  if not T:
                                      end(n)
                                      break
                                  A
                                  if LAST:
                                      last(n)
                                  B
                              else:
                                  B

What stands behind `last` in the last iteration is no part of the loop: it is executed where the
loop is skipped, too, which is when `for` has nothing more to go through.
"""

import ast
import copy
from types import CodeType
from typing import Dict, List, NamedTuple, Optional

from ..source.analysis.facts import Position, breaks_of, position_of
from ..source.program.program import Program
from ..source.program.skeletons import LibraryLoop, find_loop
from .loop_transform import LAST, LoopRewriter, call_of


class LibraryLoops:
    """A transform of packages (`source_hook.py`)."""

    def __init__(self, program: Program) -> None:
        self._by_module: Dict[str, List[int]] = {}
        self._loops = program.library_loops
        self._breaks = program.library_breaks
        for number, loop in self._loops.items():
            for module in loop.modules:
                self._by_module.setdefault(module, []).append(number)

    def wants_module(self, module: str, file: str) -> bool:
        return module in self._by_module

    def apply_to_module(self, tree: ast.Module, module: str) -> ast.Module:
        numbers: Dict[Position, int] = {}
        drops: Dict[int, str] = {}
        tails: Dict[int, List[ast.stmt]] = {}
        for number in self._by_module[module]:
            loop = self._loops[number]
            node = find_loop(tree, loop)
            if node is None:
                continue
            numbers[position_of(node)] = number
            if loop.drop:
                drops[number] = loop.drop
            if loop.last and isinstance(node, ast.While) and not node.orelse:
                tails[number] = _end_before(node, loop, number)
            elif isinstance(node, (ast.For, ast.While)):
                self._breaks[number] = breaks_of(node)
        return LoopRewriter(numbers, drops, tails).visit(tree)

    def known_code(self, module: str, file: str) -> Optional[CodeType]:
        """None: loops have numbers of the program."""
        return None

    def keep_code(self, module: str, file: str, code: CodeType) -> None:
        pass


class _Tail(NamedTuple):
    """The statement before which a loop may end, in its block, and the statement of that block."""

    block: List[ast.stmt]
    at: int
    around: Optional[ast.Try]


def _end_before(node: ast.While, loop: LibraryLoop, number: int) -> List[ast.stmt]:
    """Lets the last iteration end before a call that stands in the body; what follows there."""
    found = _find_call(node, loop.before)
    if found is None:
        return []
    block, index, around = found
    tail = copy.deepcopy(block[index:])
    if around is not None:
        again = copy.deepcopy(around)
        again.body, again.orelse = tail, []
        tail = [again]
    test = ast.parse(loop.last, mode="eval").body
    over = ast.If(test=test, body=[ast.Expr(call_of(LAST, number, block[index]))], orelse=[])
    for one in ast.walk(over):
        ast.copy_location(one, block[index])
    block.insert(index, over)
    return [_WithoutBreak().visit(one) for one in tail]


def _find_call(node: ast.While, wanted: str) -> Optional[_Tail]:
    """In the body of a loop, or of a `try` in it."""
    tries = [one for one in node.body if isinstance(one, ast.Try)]
    for around in (None, *tries):
        block = node.body if around is None else around.body
        for index, one in enumerate(block):
            called = one.value if isinstance(one, ast.Expr) else None
            if isinstance(called, ast.Call) and ast.unparse(called.func) == wanted:
                return _Tail(block, index, around)
    return None


class _WithoutBreak(ast.NodeTransformer):
    """Where no loop is left, nothing is to be done."""

    def visit_Break(self, node: ast.Break) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)

    def visit_Continue(self, node: ast.Continue) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)
