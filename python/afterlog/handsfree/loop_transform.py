"""What a plain loop becomes (docs/decisions/0019):

    for x in E: B             for x in each(n, E): B
    while T: B                for [] in rounds(n):
                                  if not T:
                                      end(n)
                                      break
                                  B

`for []` binds nothing, so that no variable is added to the program. An `else` of a `while` follows
as `if ended(n):`. A loop over `rounds` is asked for the next round where the test is about to be
evaluated: there an iteration ends.
"""

import ast
from typing import Any, Dict, List, Mapping, Union

from ..source.analysis.facts import Position, position_of
from ..source.program.program import Program

# Names that rewritten code calls, in the built-ins; no program has such a name.
EACH = "__afterlog_each__"
ROUNDS = "__afterlog_rounds__"
END = "__afterlog_end__"
ENDED = "__afterlog_ended__"
LAST = "__afterlog_last__"


class LoopTransform:
    """A transform of sources (`source_hook.py`). `program`: as its files were when it was started.
    Its own trees stay as they are, for the analysis: loops are known by where they stand."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._numbers: Dict[str, Dict[Position, int]] = {}
        for node, one in (program.found.by_node if program.found is not None else {}).items():
            known = self._numbers.setdefault(one.scope.file, {})
            known[position_of(node)] = program.loop_numbers[node]

    def wants(self, file: str) -> bool:
        return file in self._numbers

    def apply(self, tree: ast.Module, text: str, file: str) -> ast.Module:
        if text != self._program.modules[file].text:
            raise LookupError("it has changed since the program was started")
        return LoopRewriter(self._numbers[file]).visit(tree)


class LoopRewriter(ast.NodeTransformer):
    """Of loops by number, `drops`: what takes an item from where the loop takes it; `tails`: what
    of the last iteration follows where a replay has skipped the loop."""

    def __init__(
        self,
        numbers: Dict[Position, int],
        drops: Mapping[int, str] = {},
        tails: Mapping[int, List[ast.stmt]] = {},
    ) -> None:
        self._numbers = numbers
        self._drops = drops
        self._tails = tails

    def _drop(self, number: int, at: ast.expr) -> List[ast.expr]:
        if number not in self._drops:
            return []
        dropping = ast.parse(f"lambda: {self._drops[number]}", mode="eval").body
        for one in ast.walk(dropping):
            ast.copy_location(one, at)
        return [dropping]

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        number = self._numbers.get(position_of(node))
        if number is not None:
            dropping = self._drop(number, node.iter)
            node.iter = call_of(EACH, number, node.iter, node.iter, *dropping)
        return node

    def visit_While(self, node: ast.While) -> Union[ast.AST, List[ast.AST]]:
        self.generic_visit(node)
        number = self._numbers.get(position_of(node))
        if number is None:
            return node
        test, body = node.test, node.body
        if not (isinstance(test, ast.Constant) and test.value):
            left: List[ast.stmt] = [ast.Expr(call_of(END, number, test)), ast.Break()]
            negated = ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
            over = ast.If(test=negated, body=left, orelse=[])
            body = [_located(over, test), *body]
        nothing = ast.List(elts=[], ctx=ast.Store())
        rounds = call_of(ROUNDS, number, test, *self._drop(number, test))
        tail = self._tails.get(number, [])
        loop = ast.For(target=nothing, iter=rounds, body=body, orelse=tail, type_comment=None)
        ast.copy_location(nothing, test)
        ast.copy_location(loop, node)
        if not node.orelse:
            return loop
        after = ast.If(test=call_of(ENDED, number, node.orelse[0]), body=node.orelse, orelse=[])
        return [loop, ast.copy_location(after, node.orelse[0])]


def _located(statement: ast.If, at: ast.expr) -> ast.If:
    """With the place of `at`, also for what has none: a debugger shows the test."""
    ast.copy_location(statement, at)
    for one in statement.body:
        ast.copy_location(one, at)
    return statement


def call_of(name: str, number: int, at: Any, *given: ast.expr) -> ast.Call:
    called = ast.copy_location(ast.Name(id=name, ctx=ast.Load()), at)
    first = ast.copy_location(ast.Constant(value=number), at)
    return ast.copy_location(ast.Call(func=called, args=[first, *given], keywords=[]), at)
