"""Whether a value that a variable holds may be read before the variable is bound again: what later
code cannot read need not be captured. One variable at a time, along the statements of one function;
what cannot be followed counts as a way to a read."""

import ast
from typing import AbstractSet, Any, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from .facts import Position, end_of, position_of

_Block = Sequence[ast.stmt]


class _Ways(NamedTuple):
    """Where ways go that begin before a block and bind the variable nowhere. `reads`: one reads it.
    `falls`: one comes to the end of the block; the others to a `break` or `continue` of the loop
    around it."""

    reads: bool = False
    falls: bool = True
    breaks: bool = False
    continues: bool = False


_STRAIGHT = _Ways()
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Uses(NamedTuple):
    """Of one variable in a function or module: its statements, and where it reads the variable.
    `ignored`: statements that are taken for not being there."""

    name: str
    body: _Block
    reads: Set[Position]
    ignored: AbstractSet[ast.AST]


def is_read_after_iteration(uses: Uses, loop: ast.stmt) -> bool:
    """Whether what the variable holds at the end of an iteration, or of the loop, may be read."""
    around = _path_to(uses.body, loop)
    return around is None or _Liveness(uses).is_read_after(around)


def is_read_after_loop(uses: Uses, loop: ast.stmt) -> bool:
    """Whether what the variable holds when the loop is left may be read."""
    around = _path_to(uses.body, loop)
    return around is None or _Liveness(uses).is_read_after(around, is_over=True)


def is_bound_in_iteration(uses: Uses, loop: ast.stmt) -> bool:
    """Whether each iteration that comes to its end, or leaves the loop, has bound the variable."""
    ways = _Liveness(uses._replace(reads=set())).iteration(loop)
    return not (ways.falls or ways.breaks or ways.continues)


def may_hold_older(uses: Uses, loop: ast.stmt) -> bool:
    """Whether the variable may hold, at the end of an iteration, an object of before the loop that
    something has read since it was bound: others may hold it too then, by whatever name."""
    around = _path_to(uses.body, loop)
    if around is None:
        return True
    repeated = [one.statement for one in around if isinstance(one.statement, _LOOPS)]
    outside = (at for at in uses.reads if not position_of(loop) <= at < end_of(loop))
    if not any(at < end_of(repeated[0]) for at in outside):
        return False
    return not is_bound_in_iteration(uses, loop)


class _Step(NamedTuple):
    """A statement, with what follows it in its block, and the statement that the block is in."""

    statement: ast.stmt
    rest: _Block
    parent: Optional[ast.AST]


def _path_to(body: _Block, wanted: ast.stmt) -> Optional[List[_Step]]:
    """Statements around the wanted one, outermost first, and itself."""
    return _path_in([(body, None)], wanted)


def _path_in(
    blocks: Sequence[Tuple[_Block, Optional[ast.AST]]], wanted: ast.stmt
) -> Optional[List[_Step]]:
    for block, parent in blocks:
        for index, one in enumerate(block):
            step = _Step(one, block[index + 1 :], parent)
            inner = [] if one is wanted else _path_in(list(_blocks_of(one)), wanted)
            if inner is not None and (inner or one is wanted):
                return [step, *inner]
    return None


def _blocks_of(statement: ast.AST) -> Iterator[Tuple[_Block, ast.AST]]:
    for field in ("body", "orelse", "finalbody"):
        yield getattr(statement, field, []), statement
    for part in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
        yield part.body, statement


class _Liveness:
    def __init__(self, uses: Uses) -> None:
        self._name = uses.name
        self._reads = uses.reads
        self._ignored = uses.ignored

    def is_read_after(self, around: List[_Step], is_over: bool = False) -> bool:
        """Whether something reads it after an iteration of the last of these, or after it."""
        last: Any = around[-1].statement
        ways = (
            _then(_STRAIGHT, self._block(last.orelse)) if is_over else self._after_iteration(last)
        )
        # After a `break` no `else` comes.
        ways = ways._replace(falls=True)
        for step in reversed(around):
            ways = _then(ways, self._block(step.rest))
            if step.parent is not None:
                ways = self._leave(step, ways)
            if ways.reads:
                return True
        return False

    def _leave(self, step: _Step, ways: _Ways) -> _Ways:
        """From the end of a block to the end of the statement that it is in."""
        parent: Any = step.parent
        if isinstance(parent, _LOOPS) and step.statement in parent.body:
            falls = ways.breaks
            if ways.falls or ways.continues:
                after = self._after_iteration(parent)
                ways, falls = _join([ways, after]), falls or after.falls
            return _Ways(ways.reads, falls)
        if isinstance(parent, (ast.With, ast.AsyncWith)):
            return ways._replace(falls=ways.falls or _may_swallow(parent))
        # Of `try`: its other parts may be next, whatever is bound in this one.
        parts = [self._handler(one) for one in getattr(parent, "handlers", [])]
        last = getattr(parent, "finalbody", [])
        if parts or last:
            parts += [self._block(parent.orelse), self._block(last)]
        return _join([ways, *parts])

    def _after_iteration(self, loop: Any) -> _Ways:
        """From the end of an iteration to the end of the loop."""
        again = self.iteration(loop)
        end = _then(_STRAIGHT, self._block(loop.orelse))
        return end._replace(reads=again.reads or end.reads, falls=end.falls or again.breaks)

    def iteration(self, loop: Any) -> _Ways:
        if isinstance(loop, ast.While):
            return _then(self._evaluate(loop.test), self._block(loop.body))
        target = self._evaluate(loop.target)
        if self._name in _names_in(loop.target):
            return target._replace(falls=False)
        return _then(target, self._block(loop.body))

    def _block(self, statements: _Block) -> _Ways:
        ways = _STRAIGHT
        for one in statements:
            if not ways.falls:
                break
            if one in self._ignored:
                continue
            ways = _then(ways, self._statement(one))
        return ways

    def _statement(self, node: Any) -> _Ways:
        kind = type(node).__name__.replace("Async", "").replace("TryStar", "Try")
        found: _Ways = getattr(self, f"_do_{kind}", self._do_others)(node)
        return found

    def _evaluate(self, node: ast.AST) -> _Ways:
        """Of an expression, or of a statement without statements in it."""
        parts = (one for one in ast.walk(node) if isinstance(one, ast.expr))
        return _Ways(reads=any(position_of(one) in self._reads for one in parts))

    def _do_others(self, node: ast.AST) -> _Ways:
        return self._evaluate(node)

    def _do_Assign(self, node: ast.Assign) -> _Ways:
        bound = any(self._name in _names_in(target) for target in node.targets)
        return self._evaluate(node)._replace(falls=not bound)

    def _do_AnnAssign(self, node: ast.AnnAssign) -> _Ways:
        bound = node.value is not None and self._name in _names_in(node.target)
        return self._evaluate(node)._replace(falls=not bound)

    def _do_FunctionDef(self, node: Any) -> _Ways:
        return self._evaluate(node)._replace(falls=node.name != self._name)

    _do_ClassDef = _do_FunctionDef

    def _do_Return(self, node: ast.stmt) -> _Ways:
        return self._evaluate(node)._replace(falls=False)

    _do_Raise = _do_Return

    def _do_Break(self, _: ast.Break) -> _Ways:
        return _Ways(falls=False, breaks=True)

    def _do_Continue(self, _: ast.Continue) -> _Ways:
        return _Ways(falls=False, continues=True)

    def _do_If(self, node: ast.If) -> _Ways:
        branches = _join([self._block(node.body), self._block(node.orelse)])
        return _then(self._evaluate(node.test), branches)

    def _do_For(self, node: Any) -> _Ways:
        # It may have nothing to go through.
        return _then(self._evaluate(node.iter), self._after_iteration(node))

    def _do_While(self, node: ast.While) -> _Ways:
        forever = isinstance(node.test, ast.Constant) and bool(node.test.value)
        ways = self._after_iteration(node)
        return ways._replace(falls=self.iteration(node).breaks) if forever else ways

    def _do_With(self, node: Any) -> _Ways:
        ways = _STRAIGHT
        for item in node.items:
            ways = _then(ways, self._evaluate(item.context_expr))
            if item.optional_vars is not None:
                bound = self._name in _names_in(item.optional_vars)
                ways = _then(ways, self._evaluate(item.optional_vars)._replace(falls=not bound))
        # What the first of several lets end there may have come from making the second.
        may_swallow = _may_swallow(node) and (ways.falls or len(node.items) > 1)
        inner = _then(ways, self._block(node.body))
        return inner._replace(falls=inner.falls or may_swallow)

    def _do_Try(self, node: Any) -> _Ways:
        """Each handler, and what comes at last, may be next when nothing was bound yet."""
        ends = [_then(self._block(node.body), self._block(node.orelse))]
        ways = _join([*ends, *map(self._handler, node.handlers)])
        last = self._block(node.finalbody)
        return _join([ways, last])._replace(falls=ways.falls and last.falls)

    def _handler(self, node: ast.ExceptHandler) -> _Ways:
        caught = _STRAIGHT if node.type is None else self._evaluate(node.type)
        return _then(caught, self._block(node.body))

    def _do_Match(self, node: Any) -> _Ways:
        parts = [self._evaluate(node.subject)]
        for case in node.cases:
            parts.append(self._evaluate(case.pattern))
            parts += [self._evaluate(case.guard)] if case.guard is not None else []
            parts.append(self._block(case.body))
        return _join(parts)


def _then(first: _Ways, second: _Ways) -> _Ways:
    """One block after another."""
    if not first.falls:
        return first
    return _Ways(
        first.reads or second.reads,
        second.falls,
        first.breaks or second.breaks,
        first.continues or second.continues,
    )


def _join(ways: Sequence[_Ways]) -> _Ways:
    """One block or another."""
    return _Ways(*(any(one) for one in zip(*ways)))


def _may_swallow(statement: Any) -> bool:
    """Whether an exception inside may end the statement only, as `contextlib.suppress` does."""
    for item in statement.items:
        called = getattr(item.context_expr, "func", None)
        name = getattr(called, "attr", getattr(called, "id", None))
        if name not in _LETTING_THROUGH:
            return True
    return False


_LETTING_THROUGH = frozenset(
    "no_grad enable_grad inference_mode set_grad_enabled set_detect_anomaly detect_anomaly "
    "autocast fork_rng no_sync stream device record_function profile open nullcontext "
    "checkpointing tqdm catch_warnings redirect_stdout redirect_stderr TemporaryDirectory "
    "NamedTemporaryFile Pool ThreadPoolExecutor ProcessPoolExecutor errstate printoptions".split()
)


def _names_in(target: ast.AST) -> Set[str]:
    """Names that an assignment to the target binds."""
    if isinstance(target, ast.Name):
        return {target.id}
    parts: List[Any] = list(getattr(target, "elts", []))
    if isinstance(target, ast.Starred):
        parts = [target.value]
    return {name for part in parts for name in _names_in(part)}
