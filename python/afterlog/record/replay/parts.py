"""Parts of a question while they are executed: each becomes one `with`, which sets back behind it
what it changed unseen and takes what it throws. What would leave the code around it ends it."""

import ast
import enum
import functools
from typing import AbstractSet, Any, Dict, List, Sequence, Set

from ...source.analysis.plain_expressions import only_computes
from ...source.program.parts import Part, change_parts, parts_by_file, statements_of_parts

# Names that a wrapped part uses, in the built-ins; no program has such names.
WRAPPER = "__afterlog_part__"
END = "__afterlog_end_of_part__"
GUARD = "__afterlog_guard__"
GUARDED = "__afterlog_guarded__"
THREW = "__afterlog_threw__"
COUNTED = "__afterlog_counted__"


# Names that count iterations and are mentioned in a part, as orders have them.
Counters = Sequence[Dict[str, Any]]


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
        self._probes = probes
        self._parts: Dict[str, List[Part]] = parts_by_file(probes)
        # Of each part, in the same order.
        self._counters: Dict[str, List[Counters]] = {}
        for probe in probes:
            if "end" in probe:
                self._counters.setdefault(probe["file"], []).append(probe.get("counters", ()))

    def wants(self, file: str) -> bool:
        return file in self._parts

    def apply(self, tree: ast.Module, text: str, file: str) -> ast.Module:
        own = [probe for probe in self._probes if probe["file"] == file]
        asked = statements_of_parts(tree, text, own)
        inside = {node for one in asked for node in ast.walk(one)}
        outside = (node for node in ast.walk(tree) if node not in inside)
        of_run = {node.id for node in outside if isinstance(node, ast.Name)}
        wrap = functools.partial(_wrap, file, of_run, self._counters[file])
        change_parts(tree, text, self._parts[file], wrap)
        return tree


def counting(counters: Counters, first: ast.stmt) -> List[ast.stmt]:
    """What is executed before a part: counters get what went by without them."""
    own = [ast.copy_location(_counting(one), first) for one in counters]
    return [ast.fix_missing_locations(one) for one in own]


def _counting(counter: Dict[str, Any]) -> ast.stmt:
    name, begins = counter["name"], counter.get("begins", False)
    given: List[ast.expr] = [ast.Constant(value=counter["key"])]
    missing = ast.Call(ast.Name(id=COUNTED, ctx=ast.Load()), given, [])
    # Where it begins, nothing before counts.
    if begins:
        return ast.Expr(value=missing)
    return ast.AugAssign(ast.Name(id=name, ctx=ast.Store()), ast.Add(), missing)


def wrapper_of(effect: Effect, file: str, first: ast.stmt) -> ast.expr:
    """What a part is executed in: by its effect, and where it begins."""
    at = first.lineno * 10_000 + first.col_offset
    given: List[ast.expr] = [ast.Constant(value=one) for one in (effect.value, file, at)]
    return ast.Call(ast.Name(id=WRAPPER, ctx=ast.Load()), given, [])


def _wrap(
    file: str,
    of_run: AbstractSet[str],
    counters: Sequence[Counters],
    statements: List[ast.stmt],
    which: Sequence[int],
) -> List[ast.stmt]:
    wrapped: List[ast.stmt] = []
    bodies: Dict[int, List[ast.stmt]] = {}
    for statement, part in zip(statements, which):
        if part < 0:
            wrapped.append(statement)
            continue
        if part not in bodies:
            bodies[part] = counting(counters[part], statement)
            own = [one for one, its_part in zip(statements, which) if its_part == part]
            wrapper = wrapper_of(effect_of(own), file, statement)
            around = ast.With(items=[ast.withitem(context_expr=wrapper)], body=bodies[part])
            wrapped.append(ast.copy_location(around, statement))
            names = sorted(_names_set(own) - of_run)
            if names:
                wrapped.append(ast.copy_location(_forgetting(names), statement))
        bodies[part] += _Ending().visited([_Guarding().visit(statement)])
    return wrapped


def _forgetting(names: List[str]) -> ast.stmt:
    """Names of a part that threw have no value: those of an iteration before are not taken."""
    given: List[ast.expr] = [ast.Constant(value=name) for name in names]
    threw = ast.Call(ast.Name(id=THREW, ctx=ast.Load()), given, [])
    unset = ast.Name(id="NameError", ctx=ast.Load())
    handler = ast.ExceptHandler(type=unset, name=None, body=[ast.Pass()])
    body: List[ast.stmt] = [
        ast.Try(
            body=[ast.Delete(targets=[ast.Name(id=name, ctx=ast.Del())])],
            handlers=[handler],
            orelse=[],
            finalbody=[],
        )
        for name in names
    ]
    return ast.If(test=threw, body=body, orelse=[])


def _names_set(statements: Sequence[ast.AST]) -> Set[str]:
    """Names that statements give a value, but for those of functions in them."""
    names: Set[str] = set()
    for one in statements:
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            names.add(one.id)
        if not isinstance(one, _SCOPES):
            names |= _names_set(list(ast.iter_child_nodes(one)))
    return names


_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


class _Guarding(ast.NodeTransformer):
    """Functions of a part may be called by the run, as hooks are: then each is a part itself."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.generic_visit(node)
        if _suspends(node.body):
            return node
        first, *others = node.body
        is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        # What it is described by stays first.
        head, body = ([first], others) if is_text else ([], node.body)
        around = ast.With(items=[ast.withitem(context_expr=_guard(body))], body=body)
        node.body = [*head, ast.copy_location(around, node.body[0])] if body else node.body
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        self.generic_visit(node)
        if not _suspends([node.body]) and not _is_of_frame(node.body):
            none = ast.arguments([], [], None, [], [], None, [])
            inner = ast.copy_location(ast.Lambda(none, node.body), node)
            called = ast.Call(ast.Name(id=GUARDED, ctx=ast.Load()), [inner], [])
            node.body = ast.copy_location(called, node.body)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return node


# What else a function changes unseen is said in its text; the modules are not looked through at
# every call of a hook.
_SWITCHES = frozenset(
    ("eval", "train", "requires_grad_", "set_grad_enabled", "_set_grad_enabled", "backward")
)


def _guard(statements: List[ast.stmt]) -> ast.expr:
    names = {getattr(node, "attr", None) for one in statements for node in ast.walk(one)}
    effect = effect_of(statements) if names & _SWITCHES else Effect.GENERATORS
    return ast.Call(ast.Name(id=GUARD, ctx=ast.Load()), [ast.Constant(value=effect.value)], [])


def _suspends(parts: Sequence[ast.AST]) -> bool:
    """Whether a function is a generator, or may be."""
    nodes = [node for one in parts for node in ast.walk(one)]
    return any(isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)) for node in nodes)


def _is_of_frame(body: ast.expr) -> bool:
    """Whether it means something else in a function of its own."""
    names = {getattr(node, "id", None) for node in ast.walk(body)}
    is_named = any(isinstance(node, ast.NamedExpr) for node in ast.walk(body))
    return is_named or bool(names & {"super", "locals", "vars", "eval", "__class__"})


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
