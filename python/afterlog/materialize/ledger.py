"""The one ledger of what recording costs, and whether the budget allows one more checkpoint. Pure:
times come from the caller, in milliseconds.

Two prices: what the run takes longer (waits, slower iterations) decides what is done; what it takes
the processor, on all threads, is what a run says that it cost, for only that can be measured
against a run that is not recorded.

The joint invariant bounds each loop by itself; nested loops together could still exceed the
budget, and so could a first estimate that was too low. So both must agree.
"""

import math
import statistics
from collections import deque
from dataclasses import dataclass
from typing import Callable, Deque, Dict, NamedTuple

from .policies import NAIVE_RESTORE_FACTOR, is_worth_restoring, should_checkpoint

# Milliseconds assumed for walking the state and handing it over, before any was measured.
_FIXED_MS_ASSUMED = 1.0
# Checkpoints by which the next is judged.
_RECENT = 5
# The slowdown of iterations is believed only once this many undisturbed ones were seen.
_BASELINE_MIN = 5
# An iteration with less than this share beside a persist tells how quick undisturbed ones are.
_DISTURBED_SHARE = 0.1
# Of what an iteration will have paid for when it ends, what its end may take: loops in it have
# their share of it.
_COMING_SHARE = 0.5
# The first iterations compile and allocate: they are no baseline.
_WARM_UP = 2


class Cost(NamedTuple):
    """What one checkpoint, or one iteration's pair of them, cost the training thread."""

    capture_ms: float = 0.0
    snapshot_ms: float = 0.0
    wait_ms: float = 0.0

    def plus(self, other: "Cost") -> "Cost":
        return Cost(*(a + b for a, b in zip(self, other)))

    @property
    def total_ms(self) -> float:
        return sum(self)


class StateFacts(NamedTuple):
    """What is known of the state before its first checkpoint."""

    state_bytes: int
    copy_bytes_per_ms: float
    walk_ms: float


class BlockFacts(NamedTuple):
    """A loop by its statistics; `executions` counts the present one."""

    compute_ms: float
    executions: int
    checkpoints: int
    # What the budget still allows.
    left_ms: Callable[[], float]
    # The present execution is yet to come: its checkpoints are taken when it has paid for some.
    is_coming: bool = False


@dataclass
class _IterationTimes:
    seen: int = 0
    undisturbed: int = 0
    undisturbed_ms: float = 0.0
    disturbed: int = 0
    disturbed_ms: float = 0.0
    busy_ms: float = 0.0


class Ledger:
    """Sums of cost over a run."""

    def __init__(self, budget: float, restore_factor: float = NAIVE_RESTORE_FACTOR) -> None:
        self.budget = budget
        self._restore_factor = restore_factor
        self.capture_ms = 0.0
        self.snapshot_ms = 0.0
        self.wait_ms = 0.0
        # Where loops begin, go on and end; hashing files; reading what is printed; the audit.
        self.other_ms = 0.0
        # All that was measured by itself, under whatever name: see `book`.
        self.booked_ms = 0.0
        self.log_ms = 0.0
        # Less what others had of it.
        self.outermost_ms = 0.0
        # Processor time of what is done beside the program's thread.
        self.beside_ms = 0.0
        # Of the time that the program's thread was ready to run, the share that it ran: less where
        # others have the processor.
        self.running_share = 1.0
        self._checkpoints = 0
        # What the last of them cost the training's thread.
        self._recent_ms: Deque[float] = deque(maxlen=_RECENT)
        self._settled_slowdown_ms = 0.0
        # What was spent before the present outermost loop, and how far it is, from 0 to 1.
        self._spent_before_ms = 0.0
        self._progress = 1.0
        # Threads that the program keeps busy, as far as they are more than one.
        self._parallelism = 1.0
        self._loops: Dict[str, _IterationTimes] = {}

    def charge(self, cost: Cost) -> None:
        """Books what the checkpoints of one iteration cost."""
        self.capture_ms += cost.capture_ms
        self.snapshot_ms += cost.snapshot_ms
        self.wait_ms += cost.wait_ms
        self._checkpoints += 1
        self._recent_ms.append(cost.total_ms)

    def book(self, ms: float, booked_before: float) -> float:
        """Books time in which nothing of the program ran, as `other_ms`; less what was booked in it
        under another name, since `booked_ms` was `booked_before`. What was booked now."""
        own_ms = ms - (self.booked_ms - booked_before)
        if own_ms <= 0:
            return 0.0
        self.other_ms += own_ms
        self.booked_ms += own_ms
        return own_ms

    def observe(self, loop: str, ms: float, busy_ms: float, count: int = 1) -> None:
        """Notes how long an innermost iteration took, `count` of them on average, and how long of
        all a persist ran beside."""
        times = self._loops.get(loop)
        if times is None:
            times = self._loops[loop] = _IterationTimes()
        times.seen += count
        if times.seen <= _WARM_UP:
            return
        if busy_ms > _DISTURBED_SHARE * ms * count:
            times.disturbed += count
            times.disturbed_ms += ms * count
            times.busy_ms += busy_ms
        else:
            times.undisturbed += count
            times.undisturbed_ms += ms * count

    def enter_outermost(self) -> None:
        """An outermost loop begins: what was spent until now is paid while it goes on."""
        self._spent_before_ms = self._on_thread_ms + self.beside_ms
        self._progress = 1.0

    def progress(self, share: float) -> None:
        """The outermost loop is so far, from 0 to 1; 1 if it does not tell how long it is."""
        self._progress = min(1.0, share)

    @property
    def slowdown_ms(self) -> float:
        """What the persists beside the training cost it, by comparing its iterations."""
        total = self._settled_slowdown_ms
        for times in self._loops.values():
            if times.undisturbed >= _BASELINE_MIN:
                expected = times.disturbed * times.undisturbed_ms / times.undisturbed
                longer_ms = times.disturbed_ms - expected
                # Where others have the processor iterations take longer by themselves: no persist
                # costs more than it takes.
                total += min(times.busy_ms, max(0.0, longer_ms))
        return total

    def settle(self) -> None:
        """An outermost loop has ended: what its iterations showed is booked."""
        self._settled_slowdown_ms = self.slowdown_ms
        self._loops.clear()

    @property
    def _checkpoints_ms(self) -> float:
        return self.capture_ms + self.snapshot_ms + self.wait_ms + self.slowdown_ms

    @property
    def spent_ms(self) -> float:
        """All that counts against the budget."""
        return self._checkpoints_ms + self.log_ms + self.other_ms

    @property
    def processor_ms(self) -> float:
        """What it takes the processor, the ends of outermost loops with it: nobody computes while
        waiting."""
        on_thread = self.capture_ms + self.snapshot_ms + self.log_ms + self.other_ms
        return on_thread * self.running_share + self.outermost_ms + self.beside_ms

    def expected_ms(self, state: StateFacts) -> float:
        """What the next iteration's checkpoints will cost, from those before or from the size."""
        if self._checkpoints == 0:
            copy_ms = state.state_bytes / state.copy_bytes_per_ms
            return _FIXED_MS_ASSUMED + state.walk_ms + copy_ms
        # One that was interrupted, or that made its memory ready, says nothing of the next: it was
        # paid for, and to wait until it could be paid once more would be to pay twice.
        return statistics.median_low(self._recent_ms) + self.slowdown_ms / self._checkpoints

    def is_worth_restoring(self, compute_ms: float, state: StateFacts) -> bool:
        """Whether restoring what took `compute_ms` is quicker than computing it again."""
        return is_worth_restoring(compute_ms, self.expected_ms(state), self._restore_factor)

    def in_all_ms(self, blocked_ms: float) -> float:
        """What a checkpoint that blocks so long takes of the budget: all that its persist takes
        beside the training is a share of what all its threads compute."""
        beside_ms = self.beside_ms / self._checkpoints if self._checkpoints else 0.0
        return max(blocked_ms, (blocked_ms + beside_ms) / self._parallelism)

    def allows(self, block: BlockFacts, state: StateFacts) -> bool:
        """Whether the block may be checkpointed."""
        if self.budget == math.inf:
            return True
        expected_ms = self.expected_ms(state)
        invariant = should_checkpoint(
            block.compute_ms,
            expected_ms,
            block.executions,
            block.checkpoints,
            self.budget,
            self._restore_factor,
        )
        # By the clock; the budget is of the processor's time.
        on_thread_ms = (expected_ms + self._unknown_ms) * self.running_share
        if not invariant:
            return False
        coming_ms = block.compute_ms * self.running_share if block.is_coming else 0.0
        return on_thread_ms <= block.left_ms() + _COMING_SHARE * self.budget * coming_ms

    @property
    def _unknown_ms(self) -> float:
        """What persists may have cost besides: in loops of which too few iterations have passed in
        peace to say."""
        return sum(
            times.busy_ms
            for times in self._loops.values()
            if times.undisturbed < _BASELINE_MIN and times.disturbed > times.undisturbed
        )

    def left_ms(self, elapsed_ms: float, processor_ms: float = 0.0) -> float:
        """What the budget still allows. `elapsed_ms`: since the run began, less what others had of
        it. `processor_ms`: of all threads; less where the program waits."""
        if self.budget == math.inf:
            return math.inf
        # Starting to record costs what it costs, however long the run will be. Where the present
        # loop tells how long it is, that is paid as it goes on, not by its first iterations.
        advanced_ms = self._spent_before_ms * (1 - self._progress)
        training_ms = max(0.0, elapsed_ms - self._on_thread_ms)
        # What is done beside the training is a share of what all its threads compute; what it
        # waits for, a share of its time alone: while it waits for a thread of ours, that computes.
        computed_ms = max(training_ms, processor_ms - self.processor_ms)
        self._parallelism = computed_ms / training_ms if training_ms > 0 else 1.0
        left_on_thread_ms = self.budget * training_ms - self._on_thread_ms
        left_in_all_ms = self.budget * computed_ms - self.processor_ms
        return min(left_on_thread_ms, left_in_all_ms) + advanced_ms

    @property
    def _on_thread_ms(self) -> float:
        # What is always done counts as well: there is less for the rest then.
        return self.spent_ms * self.running_share + self.outermost_ms
