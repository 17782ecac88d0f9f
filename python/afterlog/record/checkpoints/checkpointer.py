"""Which state is declared, when it is checkpointed, and the request for it.

The choice is made at the start of an iteration (semantics, "What is taken"): a loop end for each
loop run directly in its body, then its iteration end. Flor's joint invariant decides; the end of an
outermost loop is always taken and does not count against the budget.
"""

import math
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from ...format.errors import AfterlogError, describe_error
from ...format.paths import LoopPath, checkpoint_file_name, format_path
from ...materialize.ledger import BlockFacts, Cost, Ledger, StateFacts
from ...materialize.materializer import Materializer, Request, Snapshot
from ...materialize.policies import StepTimes
from ...materialize.retention import Retention, TakenFacts
from ...materialize.slots import Leaf
from ...state.cudnn import hidden_places
from ...state.places import EntryIds
from ...state.walk import capture, identify
from ...state.walk_cache import WalkCache
from ..generators import Generators
from ..loops.loop_frame import LoopFrame, frame_path, path_at
from .audit import Audit
from .captured import CapturedState, Declaration, places_of
from .step_policy import StepPolicy, is_reachable, needed_before


@dataclass
class _BlockStatistics:
    executions: int = 0
    checkpoints: int = 0
    compute_ms: float = 0.0


class Surroundings(NamedTuple):
    """What the checkpointer asks of the run."""

    last_seq: Callable[[], int]
    now: Callable[[], int]
    profile: Callable[[Dict[str, Any]], None]
    turned_off: Callable[[str], None]
    positions: Callable[[LoopFrame], List[Dict[str, Any]]]
    # What belongs to the state and is not declared, as places without a value.
    undeclared: Callable[[Optional[EntryIds]], List[Dict[str, Any]]]
    # A run that is continued is on its way to where it left off: what it took there it has.
    on_the_way: Callable[[], bool]
    # A last checkpoint is durable: the process is to end.
    stopped: Callable[[], None]
    # An iteration, or a loop, has run to its end; None if nobody wants to know.
    reached: Optional[Callable[[LoopFrame, LoopPath], None]]
    # Looks at what the loops only read.
    audit: Audit
    # Says which checkpoints go.
    retention: Retention


class Before(NamedTuple):
    """Of a run that is continued: the next declaration, files at each path, frequencies."""

    declaration: int = 0
    files: Dict[str, int] = {}
    frequencies: Dict[str, StepTimes] = {}


class Checkpointer:
    def __init__(
        self,
        captured: CapturedState,
        materializer: Materializer,
        ledger: Ledger,
        generators: Generators,
        origin: float,
        around: Surroundings,
        before: Before,
    ) -> None:
        self._captured = captured
        self._memory = WalkCache()
        self._materializer = materializer
        self._ledger = ledger
        self._generators = generators
        self._origin = origin
        self._around = around
        self._declared = before.declaration
        self._attempts = dict(before.files)
        self._blocks: Dict[str, _BlockStatistics] = {}
        self._state_bytes = 0
        # Those that so many bytes are in.
        self._leaves: Sequence[Leaf] = ()
        # Time of the last walk over the state.
        self._walk_ms = 0.0
        self._outermost_ended = 0
        self._off = False
        # An outermost loop ended, and nothing was declared.
        self.missed_declaration = False
        self._steps = StepPolicy(
            ledger.budget,
            lambda: ledger.expected_ms(self._state_facts()),
            self._left_ms,
            lambda: around.retention.is_full,
            around.profile,
            before.frequencies,
        )

    def _state_facts(self) -> StateFacts:
        speed = self._materializer.copy_bytes_per_ms
        return StateFacts(self._state_bytes, speed, self._walk_ms)

    def _elapsed_ms(self) -> float:
        return (time.perf_counter() - self._origin) * 1000

    def _left_ms(self) -> float:
        return self._ledger.left_ms(self._elapsed_ms())

    def committed(self, record: Dict[str, Any], top: Optional[LoopFrame]) -> None:
        """A checkpoint has become durable: others may go. `top`: the innermost loop now."""
        times = record["times"]
        self._steps.persisted(times["persist"])
        sizes = {"snapshot": "stateBytes", "wait": "stateBytes", "persist": "bytes"}
        for part, size in sizes.items():
            line = {"k": part, "path": record["path"], "ms": times[part], "bytes": record[size]}
            self._around.profile(line)
        started, booked_ms = time.perf_counter(), self._ledger.booked_ms
        files = self._around.retention.committed(record, lambda: needed_before(top))
        self._materializer.remove(files, self._around.now())
        self._ledger.book((time.perf_counter() - started) * 1000, booked_ms)

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
        started = time.perf_counter()
        ordinal = self._declared if known is None else known
        declaration = Declaration(ordinal, record, scope, site, self._outermost_ended)
        places = places_of([declaration])
        # A function that is there now will be there when a loop is entered.
        own = capture(places, identify(places))
        self._captured.declare(declaration)
        self._declared += 1
        self._prepare(own)
        self._walk_ms = (time.perf_counter() - started) * 1000
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
        """No checkpoint is taken any more; the training goes on."""
        self._off = True

    def entered(self, frame: LoopFrame) -> None:
        """Remembers which objects the state consists of, if the end of the loop or one of its
        iterations may be checkpointed. Without that none is, so the walk must be affordable."""
        if not self._is_active(frame):
            return
        parent = frame.parent
        wanted = (
            parent is None
            or parent.choice != "no"
            or self._is_new(frame)
            or self._steps.wants_identities(frame)
            or self._affords(frame)
        )
        if wanted:
            frame.entry_ids = self._identities(frame)
            self._around.audit.entered(frame)

    def _is_new(self, frame: LoopFrame) -> bool:
        """Nobody knows yet whether it holds loops: the first time it is treated as if."""
        return frame.block not in self._blocks

    def _affords(self, frame: LoopFrame) -> bool:
        return frame.has_inner and self._left_ms() > 2 * self._walk_ms

    def begun(self, frame: LoopFrame) -> None:
        """An iteration begins: will it be checkpointed?"""
        frame.taken = 0
        if frame.ends_taken:
            frame.ends_taken = []
        frame.choice = "no"
        if frame.entry_ids is None or not (_eligible(frame) or self._is_new(frame)):
            return
        if not self._is_active(frame):
            return
        block = self._block(frame)
        if block.executions == 0:
            frame.choice = "tentative"
        elif self._allows(frame, block.compute_ms / block.executions):
            frame.choice = "yes"

    def ended(self, frame: LoopFrame, checkpoint: bool) -> None:
        """A loop has ended: its end is checkpointed if it is outermost, or its iteration chosen."""
        if checkpoint and self._around.reached is not None:
            self._around.reached(frame, path_at(frame, "end"))
        parent = frame.parent
        if parent is None:
            self._outermost_ended += 1
            captures = self._is_active(frame)
            self.missed_declaration |= self._declared == 0 and not captures and not self._off
            if captures and checkpoint:
                self._around.audit.compare(frame, always=True)
                started = time.perf_counter()
                self._take("loop", frame, path_at(frame, "end"), frame.taken > 0, None)
                self._ledger.outermost_ms += (time.perf_counter() - started) * 1000
        elif checkpoint and frame.entry_ids is not None and self._confirm(parent):
            self._take("loop", frame, path_at(frame, "end"), parent.taken > 0, parent)

    def finished(self, frame: LoopFrame, body_ms: float) -> None:
        """The body of an iteration has run to its end: `body_ms` of the program's own time."""
        if self._around.reached is not None:
            self._around.reached(frame, frame_path(frame))
        if self._materializer.stop_requested and self._stop(frame):
            return
        if self._confirm(frame, body_ms) or self._is_wanted(frame, body_ms):
            self._take("iteration", frame, frame_path(frame), frame.taken > 0, frame)
        self.closed(frame, body_ms)

    def _stop(self, frame: LoopFrame) -> bool:
        """The run is asked to end: takes a last checkpoint here, if one can be gone on from."""
        if not self._is_active(frame) or frame.entry_ids is None or not is_reachable(frame.parent):
            return False
        self._take("iteration", frame, frame_path(frame), False, None)
        self._materializer.settle()
        self._around.stopped()
        return True

    def _is_wanted(self, frame: LoopFrame, body_ms: float) -> bool:
        """For the sake of steps: this is one that is due, or the next iteration has some."""
        if frame.entry_ids is None or not self._is_active(frame):
            return False
        eligible = _eligible(frame)
        wanted = self._steps.wants_end(frame) if eligible else self._steps.due(frame, body_ms)
        if wanted:
            frame.choice = "yes"
        return wanted

    def closed(self, frame: LoopFrame, body_ms: float) -> None:
        """The iteration is over, complete or not: books its cost, forgets what it declared."""
        block = self._block(frame)
        count = 1 + frame.passed
        block.executions += count
        block.compute_ms += body_ms * count
        block.checkpoints += frame.taken > 0
        if frame.choice == "yes":
            self._ledger.charge(frame.cost)
            frame.cost = Cost()
        self._captured.closed(frame)

    def _block(self, frame: LoopFrame) -> _BlockStatistics:
        known = self._blocks.get(frame.block)
        if known is None:
            known = self._blocks[frame.block] = _BlockStatistics()
        return known

    def _allows(self, frame: LoopFrame, compute_ms: float) -> bool:
        block = self._block(frame)
        elapsed_ms = self._elapsed_ms()
        facts = BlockFacts(compute_ms, block.executions + 1, block.checkpoints, elapsed_ms)
        return self._ledger.allows(facts, self._state_facts())

    def _confirm(self, frame: LoopFrame, body_ms: Optional[float] = None) -> bool:
        """The first iteration has no measured time at its start: it is decided at a boundary."""
        if frame.choice == "no" or not self._is_active(frame):
            return False
        if frame.choice == "tentative":
            if body_ms is None:
                body_ms = (time.perf_counter() - frame.body_at) * 1000
            allowed = _eligible(frame) and self._allows(frame, body_ms)
            frame.choice = "yes" if allowed else "no"
        return frame.choice == "yes"

    def _take(
        self,
        kind: str,
        frame: LoopFrame,
        path: LoopPath,
        paired: bool,
        charged: Optional[LoopFrame],
    ) -> None:
        if self._around.on_the_way():
            return
        if kind == "iteration" or frame.depth > 0:
            self._around.audit.compare(frame, always=False)
        started = time.perf_counter()
        state = self._capture(frame.entry_ids, frame)
        if state is None:
            return
        self._measure(state)
        state.graph["places"] += self._around.undeclared(frame.entry_ids) + hidden_places()
        file = self._file_name(path)
        step = kind == "iteration" and not _eligible(frame)
        entered_ms = self._around.now() / 1000 - (started - frame.entered_at) * 1000
        self._around.retention.taken(file, TakenFacts(step, entered_ms))
        request = Request(
            kind=kind,
            path=path,
            paired=paired,
            state=state,
            needs=needed_before(frame.parent) if kind == "iteration" else [],
            seq=self._around.last_seq(),
            file=file,
            generators=self._generators.states(),
            iterators=self._around.positions(frame),
            capture_ms=(time.perf_counter() - started) * 1000,
            wait_ms_max=self._wait_ms_max(charged) if charged else math.inf,
            t=self._around.now(),
        )
        cost, taken = self._materializer.take(request)
        if not taken:
            self._around.retention.refused(file)
        if taken and kind == "iteration":
            frame.last_end = frame.index
        if taken and kind == "loop" and frame.parent is not None:
            frame.parent.ends_taken.append(format_path(path))
        blocked_ms = (time.perf_counter() - started) * 1000
        self._ledger.booked_ms += blocked_ms
        if charged is None:
            return
        charged.taken += taken
        if step:
            self._steps.taken(frame, blocked_ms)
        charged.cost = charged.cost.plus(cost)
        _block_time(charged, blocked_ms)

    def _measure(self, state: Snapshot) -> None:
        if state.leaves is not self._leaves:
            self._leaves = state.leaves
            self._state_bytes = sum(leaf.spec.bytes for leaf in state.leaves)

    def _wait_ms_max(self, frame: LoopFrame) -> float:
        """What is left of the budget for waiting, once the copy itself is paid for."""
        copy_ms = self._state_bytes / self._materializer.copy_bytes_per_ms
        return max(0.0, self._left_ms() - frame.cost.total_ms - copy_ms)

    def _capture(
        self, entry_ids: Optional[EntryIds], frame: Optional[LoopFrame]
    ) -> Optional[Snapshot]:
        try:
            return self._memory.capture(self._captured.places(frame), entry_ids)
        except AfterlogError as error:
            # A value that was capturable when it was declared is not any more: training goes on.
            self._off = True
            self._around.turned_off(describe_error(error))
            return None

    def _identities(self, frame: LoopFrame) -> EntryIds:
        started = time.perf_counter()
        ids = self._memory.identify(self._captured.places(frame))
        self._walk_ms = (time.perf_counter() - started) * 1000
        self._ledger.booked_ms += self._walk_ms
        # What an outermost loop needs for its end is done whatever the budget says.
        if frame.parent is not None:
            self._ledger.capture_ms += self._walk_ms
        else:
            self._ledger.outermost_ms += self._walk_ms
        _block_time(frame.parent, self._walk_ms)
        return ids

    def _file_name(self, path: LoopPath) -> str:
        text = format_path(path)
        attempt = self._attempts.get(text, 0)
        self._attempts[text] = attempt + 1
        return checkpoint_file_name(path, attempt)


def _eligible(frame: LoopFrame) -> bool:
    """Iterations of outermost loops and of loops that hold loops; steps are CheckFreq's matter."""
    return frame.depth == 0 or frame.has_inner


def _block_time(frame: Optional[LoopFrame], ms: float) -> None:
    """Time that recording took inside the bodies of a loop and of all loops around it."""
    while frame is not None:
        frame.blocked_ms += ms
        frame = frame.parent
