"""Checkpoints inside long inner loops (semantics, "What is taken"): which iterations of a step
loop are checkpointed, and which ends must be there before, so that they can be reached."""

import math
import time
from typing import Callable, Dict, List, Optional, Set

from ...format.paths import format_path
from ...materialize.policies import StepFrequency, StepTimes
from ..loops.loop_frame import LoopFrame, path_at
from ..run_parts import RunParts

# An iteration that lasts so long is worth checkpoints inside it.
_LONG_MS = 2000
# An interval that has changed by more than this share since it was last written is written.
_CHANGED_SHARE = 0.1


class StepPolicy:
    """`expected_ms`: what the next checkpoint is expected to block. `left_ms`: what the budget
    still allows."""

    def __init__(
        self,
        parts: RunParts,
        expected_ms: Callable[[], float],
        left_ms: Callable[[], float],
        before: Dict[str, StepTimes],
    ) -> None:
        self._share = parts.ledger.budget
        self._retention = parts.retention
        self._profile = parts.recorder.profile
        self._expected_ms = expected_ms
        self._left_ms = left_ms
        # Of a run that is continued: what it had found out, by block.
        self._before = before
        self._frequencies: Dict[str, StepFrequency] = {}
        # Blocks around loops with a frequency: their iteration ends are wanted.
        self._around: Set[str] = set()
        self._written: Dict[str, float] = {}

    def due(self, frame: LoopFrame, body_ms: float) -> bool:
        """An iteration of an innermost loop has ended: is it checkpointed?"""
        frequency = self._frequency(frame)
        frequency.iteration(body_ms)
        own = frame.checkpoints
        if frame.index < own.steps_at:
            return False
        expected_ms = self._expected_ms()
        interval = frequency.interval(expected_ms)
        if interval is None:
            return False
        self._note(frame.block, frequency, interval)
        own.steps_at = frame.index + frequency.next_look(own.last_end + interval - frame.index)
        if frame.index - own.last_end < interval or not self._is_long(frame.parent):
            return False
        if frame.parent is not None:
            self._around.add(frame.parent.block)
        # There may be no more room for checkpoints of steps.
        if self._retention.is_full or not is_reachable(frame.parent):
            return False
        # The ends of the loop and of the iterations around it come first: all else needs them.
        return self._left_ms() > expected_ms * (1 + 2 * frame.depth)

    def _is_long(self, around: Optional[LoopFrame]) -> bool:
        """Where iterations are short, steps would take the budget from their ends."""
        if around is None or self._share == math.inf:
            return True
        running_ms = (time.perf_counter() - around.clock.body_at) * 1000
        return max(around.clock.body_ms, running_ms) > _LONG_MS

    def wants_end(self, frame: LoopFrame) -> bool:
        """Whether the end of this iteration is wanted for the steps of the next one. A first one
        may have been long that compiled something, and no other is."""
        wanted = frame.block in self._around and self._is_long(frame)
        return wanted and self._left_ms() > self._expected_ms()

    def wants_identities(self, frame: LoopFrame) -> bool:
        """Whether the objects of the state must be known when this loop is entered."""
        return frame.block in self._frequencies and self.wants_end(frame.parent or frame)

    def taken(self, frame: LoopFrame, blocked_ms: float) -> None:
        self._frequency(frame).checkpoint(blocked_ms)

    def persisted(self, ms: float) -> None:
        """A persist took so long: whoever it was for, the next takes as long."""
        for frequency in self._frequencies.values():
            frequency.persist(ms)

    def finish(self) -> None:
        """Writes what was found out last, so that a run that goes on need not find it out."""
        for block, frequency in self._frequencies.items():
            interval = frequency.interval(self._expected_ms())
            if interval is not None:
                self._write(block, frequency, interval)

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
            before = self._before.get(frame.block)
            known = StepFrequency(self._share, frame.length, before)
            self._frequencies[frame.block] = known
        return known


def is_reachable(frame: Optional[LoopFrame]) -> bool:
    """Whether each loop around has the end of its previous iteration, or is in its first one."""
    while frame is not None:
        if frame.index > 0 and frame.checkpoints.last_end != frame.index - 1:
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
