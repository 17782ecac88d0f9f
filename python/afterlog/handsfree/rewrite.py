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
from typing import Any, Dict, List, Union

from ..source.found_loops import FoundLoop
from ..source.program import Program
from ..source.solve import loop_numbers

# Names that rewritten code calls, in the built-ins; no program has such a name.
EACH = "__afterlog_each__"
ROUNDS = "__afterlog_rounds__"
END = "__afterlog_end__"
ENDED = "__afterlog_ended__"


class LoopRewriting:
    """A transform of sources (`hook.py`). `program`: as its files were when it was started."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._numbers = loop_numbers(program)

    def wants(self, file: str) -> bool:
        found = self._program.found
        return found is not None and file in self._program.modules and bool(found.of_file(file))

    def tree(self, file: str, text: str) -> Any:
        """The tree whose nodes are known; None: the file has become another one since."""
        module = self._program.modules.get(file)
        return module.tree if module is not None and module.text == text else None

    def apply(self, tree: ast.Module, text: str, file: str) -> ast.Module:
        found = self._program.found
        if found is None or tree is not self._program.modules[file].tree:
            raise LookupError("it has changed since the program was started")
        return _Rewriter(found.by_node, self._numbers).visit(tree)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, found: Dict[ast.AST, FoundLoop], numbers: Dict[ast.AST, int]) -> None:
        self._found = found
        self._numbers = numbers

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        if node in self._found:
            node.iter = _call(EACH, self._numbers[node], node.iter, node.iter)
        return node

    def visit_While(self, node: ast.While) -> Union[ast.AST, List[ast.AST]]:
        self.generic_visit(node)
        if node not in self._found:
            return node
        number, test = self._numbers[node], node.test
        body = node.body
        if not (isinstance(test, ast.Constant) and test.value):
            left: List[ast.stmt] = [ast.Expr(_call(END, number, test)), ast.Break()]
            negated = ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
            over = ast.If(test=negated, body=left, orelse=[])
            body = [_located(over, test), *body]
        nothing = ast.List(elts=[], ctx=ast.Store())
        rounds = _call(ROUNDS, number, test)
        loop = ast.For(target=nothing, iter=rounds, body=body, orelse=[], type_comment=None)
        ast.copy_location(nothing, test)
        ast.copy_location(loop, node)
        if not node.orelse:
            return loop
        after = ast.If(test=_call(ENDED, number, node.orelse[0]), body=node.orelse, orelse=[])
        return [loop, ast.copy_location(after, node.orelse[0])]


def _located(statement: ast.If, at: ast.expr) -> ast.If:
    """With the place of `at`, also for what has none: a debugger shows the test."""
    ast.copy_location(statement, at)
    for one in statement.body:
        ast.copy_location(one, at)
    return statement


def _call(name: str, number: int, at: Any, *given: ast.expr) -> ast.Call:
    called = ast.copy_location(ast.Name(id=name, ctx=ast.Load()), at)
    first = ast.copy_location(ast.Constant(value=number), at)
    return ast.copy_location(ast.Call(func=called, args=[first, *given], keywords=[]), at)
