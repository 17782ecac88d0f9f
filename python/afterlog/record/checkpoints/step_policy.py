"""Checkpoints inside long loops (semantics, "What is taken"): which iterations of loops inside
others are checkpointed, and which ends must be there before, so that they can be reached."""

import math
from typing import Callable, Dict, Iterable, List, Optional, Set

from ...format.clocks import perf_counter
from ...format.paths import format_path
from ...materialize.policies import StepFrequency, StepTimes
from ..loops.loop_frame import LoopFrame, path_at
from ..run_parts import RunParts

# An interval that has changed by more than this share since it was last written is written.
_CHANGED_SHARE = 0.1


class StepPolicy:
    """`expected_ms`: what the next checkpoint is expected to block. `left_ms`: what the budget
    still allows. Times are without what others had of the processor meanwhile: an interval does not
    change with the load of the machine."""

    def __init__(
        self,
        parts: RunParts,
        expected_ms: Callable[[], float],
        left_ms: Callable[[], float],
        before: Dict[str, StepTimes],
        needed_ends: Iterable[str] = (),
    ) -> None:
        self._share = parts.ledger.budget
        self._materializer = parts.materializer
        self._ledger = parts.ledger
        self._profile = parts.recorder.profile
        self._expected_ms = expected_ms
        self._left_ms = left_ms
        # Of a run that is continued: what it had found out, by block.
        self._before = before
        self._frequencies: Dict[str, StepFrequency] = {}
        # Blocks around loops with a frequency, whose iteration ends are wanted, and the blocks of
        # these loops.
        self._around: Dict[str, Set[str]] = {}
        for block in before:
            self._around.setdefault(block.rpartition("/")[0], set()).add(block)
        # Blocks of loops that steps came behind in the same body: their ends are wanted.
        self._before_steps: Set[str] = set(needed_ends)
        # Iterations of a loop since a checkpoint from which a run can go on.
        self._lost: Dict[str, int] = {}
        # Iterations between the last two of a loop, or since the last if that is more already.
        self._longest: Dict[str, float] = {}
        self._written: Dict[str, float] = {}

    def due(
        self, frame: LoopFrame, body_ms: float, is_known: bool = True, is_paid: bool = False
    ) -> bool:
        """An iteration of a loop inside another has ended: is it checkpointed? `is_known`: the
        state was looked at when the loop was entered, without which nothing of it can be.
        `is_paid`: the joint invariant has chosen the iteration."""
        if not is_known and frame.block not in self._frequencies:
            return False
        frequency = self._frequency(frame)
        frequency.iteration(body_ms)
        own, parent, block = frame.checkpoints, frame.parent, frame.block
        since = self._since(frame)
        if frame.index < own.steps_at:
            return False
        interval = self._interval(frequency)
        if interval is None:
            return is_paid and is_reachable(parent)
        is_due = since >= interval
        is_taken = is_due and is_known and is_reachable(parent)
        is_taken = is_taken and (is_paid or self._affords(frame))
        # One that is due and is not taken now: the interval is as long as it really is.
        longest = max(interval, self._longest.get(block, 0), since if is_due else 0)
        self._note(block, frequency, longest)
        own.steps_at = frame.index + frequency.next_look(interval - since)
        if is_due:
            self._longest[block] = since if is_taken else longest
            if parent is not None:
                self._around.setdefault(parent.block, set()).add(block)
                if not is_reachable(parent):
                    self._want_ends_before(frame)
        return is_taken

    def _apart_ms(self, around: str) -> Optional[float]:
        """The least time between two checkpoints in an iteration of this loop, by what they take
        now: a state may have grown since the last. None: it holds no steps that were ever due."""
        inside = self._around.get(around)
        if inside is None:
            return None
        apart_ms = 0.0
        for block in inside:
            frequency = self._frequencies.get(block) or self._new_frequency(block, None)
            interval = self._interval(frequency) or 0.0
            apart_ms = max(apart_ms, interval * frequency.times(0).iteration_ms)
        return apart_ms

    def _since(self, frame: LoopFrame) -> int:
        """Iterations since a checkpoint from which a run can go on: where none of its own can be,
        those of entries before."""
        own, block = frame.checkpoints, frame.block
        if own.lost_before is None:
            own.lost_before = 0 if is_reachable(frame.parent) else self._lost.get(block, 0)
        since = self._lost[block] = own.lost_before + frame.index - own.last_end
        return since

    def _want_ends_before(self, frame: LoopFrame) -> None:
        """The loops that came earlier in the bodies around it: from the next iteration on their
        ends are there."""
        at = frame
        while at.parent is not None:
            for name, entries in at.parent.entries.items():
                if name != at.name or entries > 1:
                    self._before_steps.add(f"{at.parent.block}/{name}")
            at = at.parent

    def _affords(self, frame: LoopFrame) -> bool:
        if self._share == math.inf:
            return True
        # While another is on its way to the disk the training would wait: an iteration later it
        # need not.
        if self._materializer.is_persisting:
            return False
        # The ends of the loop and of the iterations around it come first: all else needs them.
        return self._left_ms() > self._expected_ms() * (1 + 2 * frame.depth)

    def end_allowance(self, frame: LoopFrame) -> Optional[float]:
        """What the end of this iteration may cost for the steps of the next one, ms: without it
        that whole iteration would have none, so it is paid in advance, as far as one iteration can
        pay it. None: it is not wanted. A first one may have been long that compiled something, and
        those after it are over before a step is due."""
        apart_ms = self._apart_ms(frame.block)
        if apart_ms is None or not is_reachable(frame.parent):
            return None
        if self._share == math.inf:
            return math.inf
        running_ms = (perf_counter() - frame.clock.body_at) * 1000
        lasted_ms = max(frame.clock.body_ms, running_ms) * self._ledger.running_share
        # How long an iteration takes that a resumed run is brought into nobody sees here.
        if frame.checkpoints.is_gone_on:
            lasted_ms = max(lasted_ms, apart_ms)
        if lasted_ms < apart_ms:
            return None
        # It pays for one by itself, or it would be shorter than that; of a budget that others have
        # spent it needs nothing.
        return max(self._left_ms(), self._share * lasted_ms)

    def loop_end_allowance(self, frame: LoopFrame) -> Optional[float]:
        """What the end of this loop may cost for the steps behind it in the same body, ms: one
        interval pays for it in advance, as long as nothing else has. None: it is not wanted."""
        parent = frame.parent
        if parent is None or frame.block not in self._before_steps or not is_reachable(parent):
            return None
        if self._share == math.inf:
            return math.inf
        # What this iteration has taken is booked when it is over.
        cost_ms = parent.checkpoints.cost.total_ms * self._ledger.running_share
        left_ms = self._left_ms() - cost_ms
        allowed_ms = left_ms + self._share * (self._apart_ms(parent.block) or 0.0)
        return allowed_ms if allowed_ms > self._expected_ms() else None

    def wants_identities(self, frame: LoopFrame) -> bool:
        """Whether the objects of the state must be known when this loop is entered: its steps are
        checkpointed, and the end before them is there, which was taken for them."""
        parent = frame.parent
        if parent is None or not is_reachable(parent):
            return False
        if frame.block in self._before_steps:
            return True
        return frame.block in self._frequencies and parent.block in self._around

    def taken(self, frame: LoopFrame, blocked_ms: float) -> None:
        """The end of this iteration blocked the training so long: a step in its body does, too.
        Where none can be paid any more nothing else would tell."""
        if frame.depth > 0:
            self._frequency(frame).checkpoint(blocked_ms)
        for block in self._around.get(frame.block, ()):
            if block in self._frequencies:
                self._frequencies[block].checkpoint(blocked_ms)

    def persisted(self, ms: float) -> None:
        """A persist took so long: whoever it was for, the next takes as long."""
        for frequency in self._frequencies.values():
            frequency.persist(ms)

    def finish(self) -> None:
        """Writes what was found out last, so that a run that goes on need not find it out."""
        for block, frequency in self._frequencies.items():
            interval = self._interval(frequency)
            if interval is not None:
                self._write(block, frequency, interval)

    def _interval(self, frequency: StepFrequency) -> Optional[float]:
        return frequency.interval(self._expected_ms(), self._ledger.in_all_ms)

    def _note(self, block: str, frequency: StepFrequency, interval: float) -> None:
        before = self._written.get(block)
        if before is None or abs(interval - before) > _CHANGED_SHARE * before:
            self._write(block, frequency, interval)

    def _write(self, block: str, frequency: StepFrequency, interval: float) -> None:
        # No budget, no interval: JSON has no word for it, and nothing follows from it.
        if not math.isfinite(interval):
            return
        self._written[block] = interval
        times = frequency.times(self._expected_ms())
        self._profile(
            {
                "k": "frequency",
                "block": block,
                "iterationMs": times.iteration_ms,
                "blockedMs": times.blocked_ms,
                "persistMs": times.persist_ms,
                "interval": interval,
            }
        )

    def _frequency(self, frame: LoopFrame) -> StepFrequency:
        known = self._frequencies.get(frame.block)
        if known is None:
            known = self._new_frequency(frame.block, frame.length)
            self._frequencies[frame.block] = known
        return known

    def _new_frequency(self, block: str, length: Optional[int]) -> StepFrequency:
        return StepFrequency(self._share, length, self._before.get(block))


def is_reachable(frame: Optional[LoopFrame]) -> bool:
    """Whether what is in the present iteration of `frame` can be reached: each loop around has the
    end of its previous iteration, or is in its first one, and those of all loops that came earlier
    in its present body."""
    while frame is not None:
        own = frame.checkpoints
        if frame.index > 0 and own.last_end != frame.index - 1:
            return False
        # One of them is where it goes on.
        if sum(frame.entries.values()) > len(own.ends_taken) + 1:
            return False
        frame = frame.parent
    return True


def needed_before(frame: Optional[LoopFrame]) -> List[str]:
    """Checkpoints that must be restored before one in `frame`: ends of iterations, of loops."""
    needed: List[str] = []
    while frame is not None:
        needed = [*frame.checkpoints.ends_taken, *needed]
        if frame.index > 0 and frame.checkpoints.last_end == frame.index - 1:
            needed = [format_path(path_at(frame, frame.index - 1)), *needed]
        frame = frame.parent
    return needed
