"""Parts of a question while they are executed: each becomes one `with`, which sets back behind it
what it changed unseen and takes what it throws. What would leave the code around it ends it."""

import ast
import enum
from typing import Any, Dict, List, Sequence

from ...source.analysis.plain_expressions import only_computes
from ...source.program.parts import Part, change_parts, parts_by_file

# Names that a wrapped part uses, in the built-ins; no program has such names.
WRAPPER = "__afterlog_part__"
END = "__afterlog_end_of_part__"


class Effect(enum.Enum):
    """What a part may change unseen, at most."""

    GENERATORS = 0
    MODULES = 1
    GRADIENTS = 2


def effect_of(statements: List[ast.stmt]) -> Effect:
    names = {getattr(node, "attr", None) for one in statements for node in ast.walk(one)}
    if "backward" in names:
        return Effect.GRADIENTS
    return Effect.GENERATORS if only_computes(statements) else Effect.MODULES


class EndOfPart(BaseException):
    """A part is left early."""


class PartWrapping:
    """A transform of sources (`handsfree/source_hook.py`)."""

    def __init__(self, probes: Sequence[Dict[str, Any]]) -> None:
        self._parts: Dict[str, List[Part]] = parts_by_file(probes)

    def wants(self, file: str) -> bool:
        return file in self._parts

    def apply(self, tree: ast.Module, text: str, file: str) -> ast.Module:
        change_parts(tree, text, self._parts[file], _wrap)
        return tree


def _wrap(statements: List[ast.stmt], which: Sequence[int]) -> List[ast.stmt]:
    wrapped: List[ast.stmt] = []
    bodies: Dict[int, List[ast.stmt]] = {}
    for statement, part in zip(statements, which):
        if part < 0:
            wrapped.append(statement)
            continue
        if part not in bodies:
            bodies[part] = []
            own = [one for one, its_part in zip(statements, which) if its_part == part]
            given = ast.Constant(value=effect_of(own).value)
            wrapper = ast.Call(ast.Name(id=WRAPPER, ctx=ast.Load()), [given], [])
            around = ast.With(items=[ast.withitem(context_expr=wrapper)], body=bodies[part])
            wrapped.append(ast.copy_location(around, statement))
        bodies[part] += _Ending().visited([statement])
    return wrapped


class _Ending(ast.NodeTransformer):
    """Turns what leaves a part into its end."""

    def __init__(self) -> None:
        self._loops = 0

    def visited(self, statements: List[ast.stmt]) -> List[ast.stmt]:
        results: List[Any] = [self.visit(one) for one in statements]
        return [one for result in results for one in (result if type(result) is list else [result])]

    def visit_Return(self, node: ast.Return) -> Any:
        ending = ast.copy_location(ast.Raise(exc=ast.Name(id=END, ctx=ast.Load())), node)
        value = [] if node.value is None else [ast.Expr(value=node.value)]
        return [*(ast.copy_location(one, node) for one in value), ending]

    def visit_Break(self, node: ast.stmt) -> Any:
        return node if self._loops > 0 else self.visit_Return(ast.copy_location(ast.Return(), node))

    visit_Continue = visit_Break

    def visit_For(self, node: Any) -> Any:
        self._loops += 1
        node.body = self.visited(node.body)
        self._loops -= 1
        node.orelse = self.visited(node.orelse)
        return node

    visit_AsyncFor = visit_While = visit_For

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef
