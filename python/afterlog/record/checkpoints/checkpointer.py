"""Which state is declared, when it is checkpointed, and the request for it.

The choice is made at the start of an iteration (semantics, "What is taken"): a loop end for each
loop run directly in its body, then its iteration end. Flor's joint invariant decides, and of an
iteration inside another loop CheckFreq's interval (`step_policy.py`) whether its own end is taken;
that of an outermost loop is always taken and does not count against the budget.
"""

import math
from typing import Any, Callable, Dict, FrozenSet, NamedTuple, Optional, Sequence

from ...format.clocks import perf_counter, thread_time
from ...format.errors import AfterlogError, describe_error
from ...format.paths import LoopPath, checkpoint_file_name, format_path
from ...materialize.ledger import BlockFacts, Cost, StateFacts
from ...materialize.materializer import Request, Snapshot
from ...materialize.policies import StepTimes, is_worth_jumping_to
from ...materialize.retention import TakenFacts
from ...materialize.slots import Leaf
from ...state.autocast import kept_weights
from ...state.cudnn import hidden_places
from ...state.places import EntryIds
from ...state.unseen import unseen
from ...state.walk_cache import WalkCache
from ...state.walk import WalkTooLong, capture, identify
from .audit import Audit
from .captured_state import Declaration, places_of
from .loop_checkpoints import NO_COST, BlockStatistics, LoopCheckpoints
from ..log.loop_records import draws_until_now
from ..loops.loop_frame import LoopFrame, frame_path, path_at
from ..loops.loop_observer import LoopObserver, LoopSource
from ..run_parts import RunParts
from .step_policy import StepPolicy, is_reachable, needed_before


# A budget of so many times the program's own time is none.
_UNBOUNDED = 1e9
# The end of an iteration is taken beside those of loops in it where so many more fit into what is
# left of the budget.
_ROOM = 3

# A walk may take so long whatever is left, and so many times what is left: what it was expected to
# take is not exact.
_WALK_MS = 250.0
_OVERSPENT = 2.0


class Before(NamedTuple):
    """Of a run that is continued: the next declaration, files at each path, frequencies, and the
    blocks of loops whose ends steps need, which came behind them."""

    declaration: int = 0
    files: Dict[str, int] = {}
    frequencies: Dict[str, StepTimes] = {}
    needed_ends: FrozenSet[str] = frozenset()


class CheckpointerOptions(NamedTuple):
    before: Before
    # A run that is continued is on its way to where it left off: what it took there it has.
    on_the_way: Callable[[], bool]
    # On that way, a loop is skipped by the end that it has.
    skips: Callable[[LoopFrame], bool]
    turned_off: Callable[[str], None]
    # A last checkpoint is durable: the process is to end.
    stopped: Callable[[], None]


class Checkpointer(LoopObserver):
    """`audit` looks at what the loops only read."""

    def __init__(self, parts: RunParts, audit: Audit, options: CheckpointerOptions) -> None:
        self._parts = parts
        self._audit = audit
        self._options = options
        self._captured = parts.captured
        self._materializer = parts.materializer
        self._ledger = parts.ledger
        self._memory = WalkCache()
        self._declared = options.before.declaration
        self._attempts = dict(options.before.files)
        self._blocks: Dict[str, BlockStatistics] = {}
        self._state_bytes = 0
        # Those that so many bytes are in.
        self._leaves: Sequence[Leaf] = ()
        # Time of the last walk over the state.
        self._walk_ms = 0.0
        self._outermost_ended = 0
        self._off = False
        # An outermost loop ended, and nothing was declared.
        self.missed_declaration = False
        # The last checkpoint that has become durable.
        self.newest: Optional[Dict[str, Any]] = None
        self._left_ms = parts.left_ms
        expected_ms = lambda: self._own_ms(self._ledger.expected_ms(self._state_facts()))
        _, _, frequencies, needed_ends = options.before
        self._steps = StepPolicy(parts, expected_ms, self._left_ms, frequencies, needed_ends)

    def _own_ms(self, ms: float) -> float:
        """Of what the clock measured, without what others had of it."""
        return ms * self._ledger.running_share

    def _state_facts(self) -> StateFacts:
        speed = self._materializer.copy_bytes_per_ms
        return StateFacts(self._state_bytes, speed, self._walk_ms)

    def committed(self, record: Dict[str, Any], top: Optional[LoopFrame]) -> None:
        """A checkpoint has become durable: others may go. `top`: the innermost loop now."""
        self.newest = record
        times = record["times"]
        self._steps.persisted(self._own_ms(times["persist"]))
        sizes = {"snapshot": "stateBytes", "wait": "stateBytes", "persist": "bytes"}
        for part, size in sizes.items():
            line = {"k": part, "path": record["path"], "ms": times[part], "bytes": record[size]}
            self._parts.recorder.profile(line)
        started, booked_ms = perf_counter(), self._ledger.booked_ms
        files = self._parts.retention.committed(record, lambda: needed_before(top))
        self._materializer.remove(files, self._parts.recorder.now())
        self._ledger.book((perf_counter() - started) * 1000, booked_ms)

    def finish(self) -> None:
        """The run ends: writes what it has found out about its steps."""
        self._steps.finish()

    def declare(
        self,
        record: Dict[str, Any],
        scope: Optional[LoopFrame],
        site: Optional[int],
        known: Optional[int],
    ) -> int:
        """Declares a record; AL070 if something in it cannot be captured. `known`: the number that
        the declaration had in the run that is repeated."""
        started_ms = self._parts.time.exact_ms
        ordinal = self._declared if known is None else known
        declaration = Declaration(ordinal, record, scope, site, self._outermost_ended)
        places = places_of([declaration])
        # A function that is there now will be there when a loop is entered.
        own = capture(places, identify(places))
        self._captured.declare(declaration)
        self._declared += 1
        self._prepare(own)
        self._walk_ms = self._parts.time.exact_ms - started_ms
        self._ledger.outermost_ms += self._walk_ms
        return ordinal

    def _prepare(self, own: Snapshot) -> None:
        """Announces the state to the materializer."""
        if self._off:
            return
        # What an earlier record has come to hold meanwhile is no fault of the one just declared.
        alone = len(self._captured.declarations) == 1
        state = own if alone else self._capture(identify(self._captured.places(None)), None)
        if state is not None:
            self._measure(state)
            self._materializer.prepare(state)

    def _is_active(self, frame: Optional[LoopFrame]) -> bool:
        return not self._off and not self._captured.is_empty(frame)

    def turn_off(self) -> None:
        """No checkpoint is taken any more, and nothing is held for one; the training goes on."""
        self._off = True
        self._memory = WalkCache()

    def entered(self, frame: LoopFrame, source: LoopSource) -> None:
        """Remembers which objects the state consists of, if the end of the loop or one of its
        iterations may be checkpointed. Without that none is, so the walk must be affordable."""
        frame.checkpoints = LoopCheckpoints()
        if not self._is_active(frame):
            return
        parent = frame.parent
        if parent is not None and self._options.skips(frame):
            # The steps behind it are reached by that.
            parent.checkpoints.ends_taken.append(format_path(path_at(frame, "end")))
            return
        wanted = (
            parent is None
            or (parent.checkpoints.choice != "no" and self._is_worth_skipping(frame))
            or self._is_new(frame)
            or self._steps.wants_identities(frame)
            or self._affords(frame)
        )
        if wanted:
            frame.checkpoints.entry_ids = self._identities(frame)
            self._audit.entered(frame)
        if parent is None:
            self._ledger.enter_outermost()

    def _is_new(self, frame: LoopFrame) -> bool:
        """Nobody knows yet whether it holds loops: the first time it is treated as if."""
        return frame.block not in self._blocks

    def _is_worth_skipping(self, frame: LoopFrame) -> bool:
        """Whether the loop took longer, the last time, than restoring its end would: the latency
        half of the joint invariant. It is executed again for less otherwise."""
        known = self._blocks.get(frame.block)
        if known is None or self._ledger.budget >= _UNBOUNDED:
            return True
        return self._ledger.is_worth_restoring(known.loop_ms, self._state_facts())

    def _is_worth_jumping_to(self, frame: LoopFrame) -> bool:
        """Whether the end of the iteration saves something: where those of the loops in it were
        taken, a replay goes through quick iterations by them."""
        own = frame.checkpoints
        if own.taken == 0 or self._ledger.budget >= _UNBOUNDED:
            return True
        # What this iteration has taken is booked when it is over.
        is_scarce = self._is_scarce(_ROOM)
        return is_worth_jumping_to(own.unskipped_ms, own.since_ms, is_scarce)

    def _affords(self, frame: LoopFrame) -> bool:
        return frame.has_inner and self._left_ms() > 2 * self._walk_ms

    def iteration_began(self, frame: LoopFrame, item: Any) -> None:
        """Will it be checkpointed?"""
        own = frame.checkpoints
        if frame.parent is None and frame.length:
            self._ledger.progress((frame.index + 1) / frame.length)
        own.taken = 0
        own.skippable_ms = 0.0
        if own.ends_taken:
            own.ends_taken = []
        own.choice = "no"
        own.allowance_ms = 0.0
        own.is_gone_on = self._options.on_the_way()
        if own.entry_ids is None or not (_eligible(frame) or self._is_new(frame)):
            return
        if not self._is_active(frame):
            return
        block = self._block(frame)
        if block.executions == 0:
            own.choice = "tentative"
        elif self._allows(frame, block.compute_ms / block.executions, is_coming=True):
            own.choice = "yes"

    def batch_limit(self, frame: LoopFrame) -> float:
        """Without a budget every iteration is checkpointed."""
        bounded = self._ledger.budget < _UNBOUNDED
        return math.inf if bounded and frame.checkpoints.choice == "no" else 0

    def loop_ended(self, frame: LoopFrame, how: str, is_unwound: bool) -> None:
        """Its end is checkpointed if it is outermost, or its iteration chosen. What the state was
        when an exception left it nobody can say any more, so that is no checkpoint."""
        parent = frame.parent
        # A loop that is skipped on the way to where a run goes on has none.
        statistics = self._blocks.get(frame.block)
        if statistics is not None:
            statistics.loop_ms = (frame.clock.left_at - frame.clock.entered_at) * 1000
        if parent is None:
            self._outermost_ended += 1
            captures = self._is_active(frame)
            self.missed_declaration |= self._declared == 0 and not captures and not self._off
            if captures and not frame.abandoned:
                self._audit.compare(frame, always=True)
                started_ms = self._parts.time.exact_ms
                paired = frame.checkpoints.taken > 0
                self._take("loop", frame, path_at(frame, "end"), paired, None)
                self._ledger.outermost_ms += self._parts.time.exact_ms - started_ms
        elif not frame.abandoned and self._is_loop_end_wanted(frame, parent):
            paired = parent.checkpoints.taken > 0
            self._take("loop", frame, path_at(frame, "end"), paired, parent)

    def _is_loop_end_wanted(self, frame: LoopFrame, parent: LoopFrame) -> bool:
        """For the sake of those who skip it, or of the steps behind it."""
        if frame.checkpoints.entry_ids is None:
            return False
        if self._is_worth_skipping(frame) and self._confirm(parent):
            return True
        if not self._is_active(frame):
            return False
        parent.checkpoints.allowance_ms = self._steps.loop_end_allowance(frame) or 0.0
        return parent.checkpoints.allowance_ms > 0

    def iteration_ended(self, frame: LoopFrame, is_complete: bool) -> None:
        """Takes its checkpoint, books what it cost."""
        own, clock = frame.checkpoints, frame.clock
        if is_complete:
            if self._materializer.stop_requested and self._stop(frame):
                return
            ms = self._own_ms(clock.body_ms * clock.count)
            own.since_ms += ms
            own.unskipped_ms += max(0.0, ms - self._own_ms(own.skippable_ms))
            if self._is_wanted(frame, clock.body_ms):
                # The step before it may still be on its way to the disk: there are two slots.
                paired = own.taken > 0 or own.allowance_ms > 0
                self._take("iteration", frame, frame_path(frame), paired, frame)
        block = own.statistics or self._block(frame)
        block.executions += clock.count
        block.compute_ms += clock.body_ms * clock.count
        block.checkpoints += own.taken > 0
        if own.cost is not NO_COST:
            self._ledger.charge(own.cost)
            own.cost = NO_COST

    def arrived(self, frame: LoopFrame, restored: Optional[Dict[str, Any]]) -> None:
        if restored is not None:
            frame.checkpoints.last_end = frame.index

    def _stop(self, frame: LoopFrame) -> bool:
        """The run is asked to end: takes a last checkpoint here, if one can be gone on from."""
        known = frame.checkpoints.entry_ids is not None
        if not known or not self._is_active(frame) or not is_reachable(frame.parent):
            return False
        self._take("iteration", frame, frame_path(frame), False, None)
        self._materializer.drain()
        self._options.stopped()
        return True

    def _is_wanted(self, frame: LoopFrame, body_ms: float) -> bool:
        """Whether its end is checkpointed: for its own sake, or for that of the steps of the next
        iteration."""
        if not self._is_active(frame):
            return False
        own = frame.checkpoints
        is_known = own.entry_ids is not None
        is_chosen = self._confirm(frame, body_ms)
        own.allowance_ms = 0.0
        if is_known and _eligible(frame):
            own.allowance_ms = self._steps.end_allowance(frame) or 0.0
        if frame.depth == 0:
            is_due = is_chosen and self._is_worth_jumping_to(frame)
        else:
            is_due = self._steps.due(frame, self._own_ms(body_ms), is_known, is_chosen)
        return is_due or own.allowance_ms > 0

    def _block(self, frame: LoopFrame) -> BlockStatistics:
        statistics = self._blocks.get(frame.block)
        if statistics is None:
            statistics = self._blocks[frame.block] = BlockStatistics()
        frame.checkpoints.statistics = statistics
        return statistics

    def _allows(self, frame: LoopFrame, compute_ms: float, is_coming: bool = False) -> bool:
        if frame.depth > 0 and self._is_scarce(1 + 2 * frame.depth):
            # The ends of the loop and of the iterations around it come first.
            return False
        block = self._block(frame)
        counts = (block.executions + 1, block.checkpoints)
        facts = BlockFacts(compute_ms, *counts, self._left_ms, is_coming and frame.depth == 0)
        return self._ledger.allows(facts, self._state_facts())

    def _is_scarce(self, room: int) -> bool:
        """Whether the budget has no room for so many more checkpoints."""
        cost_ms = self._own_ms(self._ledger.expected_ms(self._state_facts()))
        return self._left_ms() < room * self._ledger.in_all_ms(cost_ms)

    def _confirm(self, frame: LoopFrame, body_ms: Optional[float] = None) -> bool:
        """The first iteration has no measured time at its start: it is decided at a boundary."""
        own = frame.checkpoints
        if own.choice == "no" or not self._is_active(frame):
            return False
        if own.choice == "tentative":
            if body_ms is None:
                body_ms = (perf_counter() - frame.clock.body_at) * 1000
            allowed = _eligible(frame) and self._allows(frame, body_ms)
            own.choice = "yes" if allowed else "no"
        return own.choice == "yes"

    def _take(
        self,
        kind: str,
        frame: LoopFrame,
        path: LoopPath,
        paired: bool,
        charged: Optional[LoopFrame],
    ) -> None:
        if self._options.on_the_way():
            return
        if kind == "iteration" or frame.depth > 0:
            self._audit.compare(frame, always=False)
        started = perf_counter()
        own, parts = frame.checkpoints, self._parts
        state = self._capture(own.entry_ids, frame, charged)
        if state is None:
            blocked_ms = (perf_counter() - started) * 1000
            self._book(kind, frame, Cost(capture_ms=blocked_ms), blocked_ms, charged)
            return
        self._measure(state)
        state.graph["places"] += parts.loaders.undeclared(own.entry_ids)
        state.graph["places"] += hidden_places() + kept_weights()
        file = self._file_name(path)
        step = kind == "iteration" and not _eligible(frame)
        entered_ms = parts.recorder.now() / 1000 - (started - frame.clock.entered_at) * 1000
        parts.retention.taken(file, TakenFacts(step, entered_ms))
        request = Request(
            kind=kind,
            path=path,
            paired=paired,
            state=state,
            needs=needed_before(frame.parent) if kind == "iteration" else [],
            seq=parts.recorder.seq - 1,
            file=file,
            generators=parts.generators.states(),
            iterators=parts.iterators.positions(frame),
            capture_ms=(perf_counter() - started) * 1000,
            wait_ms_max=self._wait_ms_max(charged) if charged else math.inf,
            t=parts.recorder.now(),
            still=self._audit.still_packages(frame),
            draws=draws_until_now(frame, parts.generators.ids) if kind == "iteration" else None,
        )
        with unseen():
            cost, taken = self._materializer.take(request)
        if not taken:
            parts.retention.refused(file)
        if taken and kind == "iteration":
            own.last_end = frame.index
            own.since_ms = own.unskipped_ms = 0.0
        if taken and kind == "loop" and frame.parent is not None:
            around = frame.parent.checkpoints
            around.ends_taken.append(format_path(path))
            around.skippable_ms += self._block(frame).loop_ms
        if charged is not None:
            charged.checkpoints.taken += taken
        self._book(kind, frame, cost, (perf_counter() - started) * 1000, charged)

    def _book(
        self,
        kind: str,
        frame: LoopFrame,
        cost: Cost,
        blocked_ms: float,
        charged: Optional[LoopFrame],
    ) -> None:
        self._ledger.booked_ms += blocked_ms
        if charged is None:
            return
        if kind == "iteration":
            self._steps.taken(frame, self._own_ms(blocked_ms))
        charged.checkpoints.cost = charged.checkpoints.cost.plus(cost)
        _charge_blocked_time(charged, blocked_ms)

    def _measure(self, state: Snapshot) -> None:
        if state.leaves is not self._leaves:
            self._leaves = state.leaves
            self._state_bytes = sum(leaf.spec.bytes for leaf in state.leaves)

    def _wait_ms_max(self, frame: LoopFrame) -> float:
        """What is left of the budget for waiting, once the copy itself is paid for."""
        copy_ms = self._state_bytes / self._materializer.copy_bytes_per_ms
        allowed_ms = max(self._left_ms(), frame.checkpoints.allowance_ms)
        return max(0.0, allowed_ms - frame.checkpoints.cost.total_ms - copy_ms)

    def _walk_ms_max(self, charged: Optional[LoopFrame]) -> float:
        if charged is None or self._ledger.budget == math.inf:
            return math.inf
        allowed_ms = max(self._left_ms(), charged.checkpoints.allowance_ms)
        return max(_WALK_MS, _OVERSPENT * allowed_ms)

    def _capture(
        self,
        entry_ids: Optional[EntryIds],
        frame: Optional[LoopFrame],
        charged: Optional[LoopFrame] = None,
    ) -> Optional[Snapshot]:
        try:
            ends_at = thread_time() + self._walk_ms_max(charged) / 1000
            return self._memory.capture(self._captured.places(frame), entry_ids, ends_at)
        except WalkTooLong:
            # What was known of it is from when the loop was entered, and it has grown since: what
            # this took is what the next is expected to take at least.
            return None
        except AfterlogError as error:
            # A value that was capturable when it was declared is not any more: training goes on.
            self._off = True
            self._options.turned_off(describe_error(error))
            return None

    def _identities(self, frame: LoopFrame) -> EntryIds:
        started, exact_ms = perf_counter(), self._parts.time.exact_ms
        ids = self._memory.identify(self._captured.places(frame))
        self._walk_ms = (perf_counter() - started) * 1000
        self._ledger.booked_ms += self._walk_ms
        # What an outermost loop needs for its end is done whatever the budget says.
        if frame.parent is not None:
            self._ledger.capture_ms += self._walk_ms
        else:
            self._ledger.outermost_ms += self._parts.time.exact_ms - exact_ms
        _charge_blocked_time(frame.parent, self._walk_ms)
        return ids

    def _file_name(self, path: LoopPath) -> str:
        text = format_path(path)
        attempt = self._attempts.get(text, 0)
        self._attempts[text] = attempt + 1
        return checkpoint_file_name(path, attempt)


def _eligible(frame: LoopFrame) -> bool:
    """Iterations of outermost loops and of loops that hold loops; steps are CheckFreq's matter."""
    return frame.depth == 0 or frame.has_inner


def _charge_blocked_time(frame: Optional[LoopFrame], ms: float) -> None:
    """Time that recording took inside the bodies of a loop and of all loops around it."""
    while frame is not None:
        frame.clock.blocked_ms += ms
        frame = frame.parent
