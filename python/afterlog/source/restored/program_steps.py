"""A program as steps: simple statements, and the heads of compound ones, each with the names that
it mentions. Names are not told apart by where they are bound: what has the same name counts as the
same, so that aliases are found wherever a statement mentions both."""

import ast
from dataclasses import dataclass, field
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

from ..analysis.facts import Position, position_of
from ..program.program import Module, Program
from ..program.scopes import imported_names
from . import computing_names as known

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_OWN = ("self", "cls")
# Whoever draws random numbers depends on whoever drew before.
RANDOM = "random numbers"


@dataclass(eq=False)
class Step:
    module: Module
    # What is executed: a statement, or the expressions at the head of one.
    nodes: List[ast.AST]
    # The functions and classes around it, outermost first.
    holders: Tuple[ast.AST, ...]
    # Heads of the statements around it in the same function, outermost first.
    heads: Tuple["Step", ...]
    at: Position
    # All steps of a statement whose parts cannot be taken by themselves: loops, `try`.
    whole: bool = False
    inside: List["Step"] = field(default_factory=list)
    tokens: FrozenSet[str] = frozenset()

    @property
    def shows(self) -> bool:
        """Whether it prints, and does nothing else: it cannot connect what it mentions."""
        node = self.nodes[0] if len(self.nodes) == 1 else None
        call = getattr(node, "value", None)
        if not isinstance(node, ast.Expr) or getattr(getattr(call, "func", 0), "id", "") != "print":
            return False
        return all(_only_reads(one) for one in ast.walk(node))

    @property
    def holder(self) -> Optional[ast.AST]:
        return self.holders[-1] if self.holders else None


class Steps:
    """`skipped`: statements that are loops of the run; what is in them is not gone through, but for
    the functions that it defines or hands over."""

    def __init__(self, program: Program, skipped: Set[ast.AST]) -> None:
        self.all: List[Step] = []
        # Functions and classes by name, and what is executed when one is called or made.
        self.named: Dict[str, List[ast.AST]] = {}
        self.of: Dict[ast.AST, List[Step]] = {}
        # What skipped code hands over: it may be called later.
        self.handed: List[Step] = []
        # Its statements, by the names that they may give another value.
        self.skipped: Dict[str, List[Step]] = {}
        self._program = program
        self._skipped = skipped
        self._defined = {
            node.name
            for module in program.modules.values()
            for node in ast.walk(module.tree)
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef))
        }
        self._paths: Dict[Module, Dict[str, str]] = {}
        for module in program.modules.values():
            self._paths[module] = self._library_names(module)
        for module in program.modules.values():
            self._module = module
            self._body(module.tree.body, (), ())
        for step in (*self.all, *self.handed):
            step.tokens |= frozenset(self._tokens(step))

    def _library_names(self, module: Module) -> Dict[str, str]:
        found: Dict[str, str] = {}
        for node in ast.walk(module.tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for name, path in imported_names(node):
                    if self._program.imported(module.file, path)[0] is None:
                        found[name] = path
        return found

    def path(self, module: Module, node: ast.AST) -> Optional[str]:
        """Of what is not of the project."""
        if isinstance(node, ast.Attribute):
            base = self.path(module, node.value)
            return None if base is None else f"{base}.{node.attr}"
        return self._paths[module].get(node.id) if isinstance(node, ast.Name) else None

    # Statements

    def _body(
        self, body: Sequence[ast.AST], holders: Tuple[ast.AST, ...], heads: Tuple[Step, ...]
    ) -> None:
        for node in body:
            self._statement(node, holders, heads)

    def _step(
        self,
        node: Any,
        nodes: Sequence[Optional[ast.AST]],
        holders: Tuple[ast.AST, ...],
        heads: Tuple[Step, ...],
    ) -> Step:
        given = [one for one in nodes if one is not None]
        step = Step(self._module, given, holders, heads, position_of(node))
        self.all.append(step)
        for holder in holders[-1:]:
            self.of.setdefault(holder, []).append(step)
        for head in heads:
            head.inside.append(step)
        return step

    def _statement(self, node: Any, holders: Tuple[ast.AST, ...], heads: Tuple[Step, ...]) -> None:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            self._definition(node, holders, heads)
        elif isinstance(node, _LOOPS):
            given = [getattr(node, one, None) for one in ("target", "iter", "test")]
            step = self._step(node, given, holders, heads)
            step.whole = node not in self._skipped
            if step.whole:
                self._body(node.body, holders, (*heads, step))
            else:
                self._hand_over(node)
            self._body(node.orelse, holders, heads)
        elif isinstance(node, ast.If):
            step = self._step(node, [node.test], holders, heads)
            self._body([*node.body, *node.orelse], holders, (*heads, step))
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            parts = [one for item in node.items for one in (item.context_expr, item.optional_vars)]
            step = self._step(node, parts, holders, heads)
            self._body(node.body, holders, (*heads, step))
        elif isinstance(node, ast.Try):
            step = self._step(node, [one.type for one in node.handlers], holders, heads)
            step.whole = True
            handlers = [one for handler in node.handlers for one in handler.body]
            body = [*node.body, *handlers, *node.orelse, *node.finalbody]
            self._body(body, holders, (*heads, step))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            step = self._step(node, [], holders, heads)
            # A name of the project that has another one here.
            names = [name for pair in imported_names(node) for name in pair]
            step.tokens = frozenset(one.rpartition(".")[2] for one in names)
        elif isinstance(node, ast.AnnAssign):
            self._step(node, [node.target, node.value], holders, heads)
        elif not isinstance(node, ast.Pass):
            # A statement of a kind that is not known here is one step with all that is in it.
            self._step(node, [node], holders, heads)

    def _definition(self, node: Any, holders: Tuple[ast.AST, ...], heads: Tuple[Step, ...]) -> None:
        self.named.setdefault(node.name, []).append(node)
        self.of.setdefault(node, [])
        given: List[Any] = [*node.decorator_list]
        if isinstance(node, ast.ClassDef):
            given += [*node.bases, *(one.value for one in node.keywords)]
        else:
            given += [*node.args.defaults, *node.args.kw_defaults]
        # It is executed before whoever calls it: its own steps are asked for as well.
        step = self._step(node, given, holders, heads)
        self.of[node].append(step)
        self._body(node.body, (*holders, node), ())

    def _hand_over(self, loop: Any) -> None:
        """What a skipped loop leaves behind that is no data: functions that it defines, or does not
        call where it names them; and what its statements make of variables."""
        called: Set[ast.AST] = {one.func for one in ast.walk(loop) if isinstance(one, ast.Call)}
        # `time` in `time.time()`.
        called |= {one.value for one in ast.walk(loop) if isinstance(one, ast.Attribute)}
        for node in ast.walk(loop):
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                before = len(self.all)
                self._definition(node, (loop,), ())
                self.handed += self.all[before:]
            elif isinstance(node, ast.Lambda) or (
                self._is_function(self._module, node) and node not in called
            ):
                self.handed.append(Step(self._module, [node], (loop,), (), position_of(node)))
            else:
                nodes = _without_blocks(node)
                step = Step(self._module, nodes, (loop,), (), position_of(node))
                for name in () if step.shows else _changed_names(nodes):
                    self.skipped.setdefault(name, []).append(step)

    def holds_functions(self, step: Step) -> bool:
        """Whether it may put a function into what it changes."""
        nodes = [one for node in step.nodes for one in ast.walk(node)]
        called: Set[ast.AST] = {one.func for one in nodes if isinstance(one, ast.Call)}
        called |= {one.value for one in nodes if isinstance(one, ast.Attribute)}
        return any(
            isinstance(one, ast.Lambda)
            or (one not in called and self._is_function(step.module, one))
            for one in nodes
        )

    def _is_function(self, module: Module, node: ast.AST) -> bool:
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            return False
        name = getattr(node, "id", None) or getattr(node, "attr", None)
        path = self.path(module, node)
        if path is not None:
            return not known.is_package(path)
        return name in self._defined

    # Names

    def mentions(self, step: Step) -> Iterator[ast.AST]:
        """All nodes of a step, without what a longer path of a library has in it."""
        waiting: List[ast.AST] = list(step.nodes)
        while waiting:
            node = waiting.pop()
            yield node
            if self.path(step.module, node) is None:
                waiting += ast.iter_child_nodes(node)

    def _tokens(self, step: Step) -> Iterator[str]:
        for node in self.mentions(step):
            path = self.path(step.module, node)
            if path is not None:
                if known.may_draw(path):
                    yield RANDOM
            elif isinstance(node, ast.Name):
                if node.id not in _OWN and node.id not in known.BUILTINS:
                    yield node.id
            elif isinstance(node, ast.arg):
                yield node.arg
            elif isinstance(node, ast.Attribute):
                if node.attr in known.DRAWING_METHODS:
                    yield RANDOM
                if node.attr not in known.METHODS or node.attr in self.named:
                    yield node.attr


def _without_blocks(node: ast.AST) -> List[ast.AST]:
    """What a statement executes itself."""
    if isinstance(node, _LOOPS):
        given = [getattr(node, one, None) for one in ("target", "iter", "test")]
        return [one for one in given if one is not None]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [*node.items]
    return [node] if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)) else []


def _changed_names(nodes: Sequence[ast.AST]) -> Set[str]:
    """Names and attributes that a statement gives a value, or calls a method of."""
    found: Set[str] = set()
    for one in (inner for given in nodes for inner in ast.walk(given)):
        is_method = isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
        target: Any = one.func if is_method else one  # type: ignore[attr-defined]
        if is_method or isinstance(getattr(one, "ctx", None), ast.Store):
            while isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred)):
                found.add(getattr(target, "attr", ""))
                target = target.value
            found.add(getattr(target, "id", ""))
    return found - {""}


def _only_reads(node: ast.AST) -> bool:
    if isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
        return False
    if not isinstance(node, ast.Call):
        return True
    if isinstance(node.func, ast.Name):
        return node.func.id in known.BUILTINS and node.func.id not in ("next", "map", "filter")
    if not isinstance(node.func, ast.Attribute):
        return False
    # `time.time()`: it is given nothing that it could change.
    is_clock = getattr(node.func.value, "id", "") in ("time", "datetime") and not node.args
    return node.func.attr in known.READING_METHODS or is_clock
