"""Which logged values follow from the state at the end of the outermost loops, if that is restored,
and from code that can only compute (semantics, "Marks"). A proof: what cannot be followed is not
listed.

Everything that a value may come from is gone through, against the order in time: each step that
mentions a name of a step that counts, counts too; so do all steps of the functions that it calls,
and the heads of the statements around it. Each of them may only use what `computing_names` lists.
What stands in a loop of the run is not executed when the loop is skipped; what it changes is
restored, whatever the steps before it made of it."""

import ast
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Set

from .. import libraries
from ..described_loggers import logger_methods
from ..analysis.facts import LogFacts, LoopFacts, position_of
from ..program.program import Program
from . import computing_names as known
from .program_steps import RANDOM, Step, Steps

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WAITING = (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef)
# Their order is that of addresses.
_UNORDERED = (ast.Set, ast.SetComp)
_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.Call)
_VARYING = libraries.methods_with("varies") | libraries.attributes_with("varies")


class _Unproved(Exception):
    pass


def computed_logs(
    program: Program,
    loops: Sequence[LoopFacts],
    restored: Mapping[int, Set[str]],
    logs: Sequence[LogFacts],
) -> Set[ast.Call]:
    """Calls that log such values, of those outside of loops. `restored`: the names that a
    checkpoint at the end of each loop holds, by its number."""
    outside = [log for log in logs if not log.region and not log.vague]
    if not outside or program.uncertain:
        return set()
    skipped = {loop.statement: loop for loop in loops if loop.statement is not None}
    steps = Steps(program, set(skipped))
    if any(_hides(steps, module) for module in program.modules.values()):
        return set()
    found = set()
    for log in outside:
        try:
            _Proof(steps, log, skipped, restored).run()
        except _Unproved:
            continue
        found.add(log.call)
    return found


def _hides(steps: Steps, module: Any) -> bool:
    """Whether a file does what changes how other code computes, or runs beside it."""
    bound = {name for scope in module.scopes.all() for name in scope.bound}
    if bound & known.BUILTINS - {"__name__"}:
        return True
    settable = {one for body in _bodies(module.tree) for one in ast.walk(body)}
    for node in ast.walk(module.tree):
        name = getattr(node, "id", None) or getattr(node, "attr", None)
        if name in known.HIDING or known.DEVICES.fullmatch(name or _text(node)):
            return True
        if isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names):
            return True
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            of = [one.name for one in node.names]
            paths = of if isinstance(node, ast.Import) else [node.module or "."]
            parts = {part for path in [*paths, *of] for part in path.split(".")}
            if parts & known.CONCURRENT:
                return True
        path = steps.path(module, ast.Name(node.arg) if isinstance(node, ast.arg) else node)
        if path is None:
            continue
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            return True
        if node in settable and known.is_setting(path):
            return True
    return False


def _bodies(tree: ast.AST) -> Iterator[ast.AST]:
    """What may be executed more than once, or not at all."""
    for node in ast.walk(tree):
        if isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.For, ast.While, ast.ClassDef)):
            yield node


class _Proof:
    def __init__(
        self,
        steps: Steps,
        log: LogFacts,
        skipped: Mapping[Any, LoopFacts],
        restored: Mapping[int, Set[str]],
    ) -> None:
        self._steps = steps
        self._log = log
        own = [step for step in steps.all if any(_holds(one, log.call) for one in step.nodes)]
        if not own:
            raise _Unproved
        self._step = own[-1]
        self._enclosing = set(self._step.holders)
        self._overwritten = self._find_overwritten(skipped, restored)
        self._by_token: Dict[str, List[Step]] = {}
        for step in steps.all:
            if not self._is_later(step):
                is_other = step is not self._step and step.shows
                for token in step.tokens & {RANDOM} if is_other else step.tokens:
                    self._by_token.setdefault(token, []).append(step)
        self._counted: Set[Step] = set()
        self._read: Set[Step] = set()
        self._tokens: Set[str] = set()
        self._restored: Set[str] = set()
        self._waiting: List[Step] = []

    def run(self) -> None:
        for names, nodes in self._steps.named.items():
            # Called without being named: by operators, by formatting, by `net(x)`.
            if names == "forward" or names.startswith("__"):
                for node in nodes:
                    self._count_code(node)
        for step in self._steps.handed:
            self._count(step)
        self._count(self._step)
        for holder in self._step.holders:
            self._count_token(getattr(holder, "name", ""))
        while self._waiting:
            self._follow(self._waiting.pop())

    # What counts

    def _count(self, step: Step) -> None:
        if step not in self._counted:
            self._counted.add(step)
            self._waiting.append(step)

    def _follow(self, step: Step) -> None:
        self._read_code(step)
        for head in step.heads:
            self._count(head)
            for one in head.inside if head.whole else ():
                self._count(one)
        for holder in step.holders:
            if holder not in self._enclosing:
                self._count_code(holder)
                self._count_token(getattr(holder, "name", ""))
        for token in step.tokens:
            self._count_token(token)

    def _count_code(self, node: ast.AST) -> None:
        for step in self._steps.of.get(node, ()):
            self._count(step)

    def _count_token(self, token: str) -> None:
        if token in self._tokens:
            return
        self._tokens.add(token)
        for step in self._by_token.get(token, ()):
            if self._is_overwritten(step, token):
                self._read_code(step)
            else:
                self._count(step)
        for node in self._steps.named.get(token, ()):
            if node not in self._enclosing:
                self._count_code(node)
        self._read_skipped(token)

    def _read_skipped(self, name: str) -> None:
        """What a skipped loop makes of a name is restored; of what kind it is has to be known, for
        its methods may be called."""
        if name in self._restored:
            return
        self._restored.add(name)
        for step in self._steps.skipped.get(name, ()):
            self._read_code(step)
            for node in self._steps.mentions(step):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    self._read_skipped(node.id)

    # What a restore sets

    def _find_overwritten(
        self, skipped: Mapping[Any, LoopFacts], restored: Mapping[int, Set[str]]
    ) -> List[Any]:
        """Loops that are surely passed on the way to the statement, with what they restore."""
        holder = self._step.holder
        body: Sequence[Any] = getattr(holder, "body", self._step.module.tree.body)
        bodies = [body] + [one.body for one in body if isinstance(one, ast.If) and _is_main(one)]
        return [
            (position_of(one), restored.get(skipped[one].number, set()))
            for statements in bodies
            for one in statements
            if one in skipped and position_of(one) < self._step.at
        ]

    def _is_overwritten(self, step: Step, token: str) -> bool:
        if step.module is not self._step.module or step.holders != self._step.holders:
            return False
        is_set = any(step.at < at and token in names for at, names in self._overwritten)
        return is_set and not self._steps.holds_functions(step)

    def _is_later(self, step: Step) -> bool:
        """Whether it is executed only after the statement."""
        is_beside = step.module is self._step.module and step.holders == self._step.holders
        if not is_beside or any(head.whole for head in self._step.heads):
            return False
        return step.at > self._step.at and all(map(self._runs_once, step.holders))

    def _runs_once(self, holder: ast.AST) -> bool:
        name = getattr(holder, "name", "")
        calls = [step for step in self._steps.all if name in self._names_of(step)]
        return (
            len(calls) == 1
            and not calls[0].holders
            and not any(head.whole for head in calls[0].heads)
        )

    def _names_of(self, step: Step) -> Set[str]:
        return {name for node in step.nodes for name in _names_in(node)}

    # What it may use

    def _read_code(self, step: Step) -> None:
        """What it uses can only compute, and so can the functions that it names."""
        if step in self._read:
            return
        self._read.add(step)
        for node in self._steps.mentions(step):
            self._read_node(step, node)

    def _read_node(self, step: Step, node: Any) -> None:
        path = self._steps.path(step.module, node)
        if path is not None:
            if not (known.is_computing(path) or path.partition(".")[0] == "afterlog"):
                raise _Unproved
        elif isinstance(node, (*_WAITING, *_UNORDERED)):
            raise _Unproved
        elif isinstance(node, ast.Name):
            if not self._is_bound(step, node.id) and node.id not in known.BUILTINS:
                raise _Unproved
            self._read_functions(node.id)
        elif isinstance(node, ast.Attribute):
            if node.attr in _VARYING:
                raise _Unproved
            self._read_functions(node.attr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            self._read_method(step, node.func)

    def _read_method(self, step: Step, func: ast.Attribute) -> None:
        is_known = func.attr in (known.METHODS | known.DRAWING_METHODS | logger_methods())
        is_own = func.attr in self._steps.named
        if self._steps.path(step.module, func) is None and not is_known and not is_own:
            raise _Unproved

    def _read_functions(self, name: str) -> None:
        for node in self._steps.named.get(name, ()):
            if node in self._enclosing:
                continue
            given = getattr(node, "args", None)
            defaults = [*getattr(given, "defaults", []), *getattr(given, "kw_defaults", [])]
            if isinstance(node, ast.AsyncFunctionDef) or any(
                isinstance(one, _MUTABLE) for one in defaults
            ):
                raise _Unproved
            for step in self._steps.of.get(node, ()):
                self._read_code(step)

    def _is_bound(self, step: Step, name: str) -> bool:
        """Whether the project gives it a value: else it is Python's own."""
        return any(name in scope.bound for scope in step.module.scopes.all())


def _text(node: ast.AST) -> str:
    value = getattr(node, "value", None)
    return value if isinstance(node, ast.Constant) and isinstance(value, str) else ""


def _holds(node: ast.AST, call: ast.Call) -> bool:
    return any(one is call for one in ast.walk(node))


def _is_main(node: ast.If) -> bool:
    return any(getattr(one, "id", "") == "__name__" for one in ast.walk(node.test))


def _names_in(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        yield getattr(one, "id", "") or getattr(one, "attr", "")
