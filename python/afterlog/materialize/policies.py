"""Should this block be checkpointed once more, and how many steps lie between two checkpoints?

The Joint Invariant is equation 4 of "Hindsight Logging for Model Training" (VLDB 2020, §3.2.3); the
interval is algorithm 1 of CheckFreq ("Accelerating Deep Learning Training: A Storage Perspective",
§6.2.3), tuned while the training runs. Pure: they see measured times, never a clock.
"""

import math
from typing import Callable, NamedTuple, Optional

# c of the joint invariant, as Flor supposes it until restore times were measured (§3.2.2).
NAIVE_RESTORE_FACTOR = 1.0

# Iterations that are watched before the first checkpoint: at most so many, or 1 % of the loop, or
# for so long.
_PROFILED_MAX = 50
_PROFILED_MS = 1000
_PROFILED_SHARE = 0.01
# Weight of the newest measurement in a running mean.
_NEWEST = 0.25
# The algorithm's k_min, as a time, ms: executing less than this again is nothing beside the start
# of the process that does it, and a file is there for each.
_LEAST_MS = 250
# A run can go on from where it was so long ago, at most, and a worker begin there; or so long,
# where ends of loops in it would have to be left out for that.
_FAR_MS = 2000
_FAR_SCARCE_MS = 10_000
# How long an interval is believed, ms of iterations.
_BELIEVED_MS = 25


def should_checkpoint(
    compute_ms: float,
    materialize_ms: float,
    executions: int,
    checkpoints: int,
    share: float,
    restore_factor: float = NAIVE_RESTORE_FACTOR,
) -> bool:
    """Whether record overhead and replay latency stay within bounds after one more checkpoint.
    `executions` counts the present one."""
    # The +1 asks about the state after this checkpoint: the test comes before materialization.
    period = executions / (checkpoints + 1)
    budgeted = materialize_ms < period * share * compute_ms
    return budgeted and is_worth_restoring(period * compute_ms, materialize_ms, restore_factor)


def is_worth_restoring(compute_ms: float, materialize_ms: float, restore_factor: float) -> bool:
    """Whether materializing something and restoring it takes less than computing it again."""
    return materialize_ms * (1 + restore_factor) < compute_ms


def is_worth_jumping_to(unskipped_ms: float, since_ms: float, is_scarce: bool = False) -> bool:
    """Whether the end of an iteration is wanted in which ends of loops were taken: a replay goes
    through iterations by these. `since_ms`: all of the iterations since the last such end;
    `unskipped_ms`: what is left of them without the loops that can be skipped. `is_scarce`: the
    budget does not pay for both."""
    return unskipped_ms > _LEAST_MS or since_ms > (_FAR_SCARCE_MS if is_scarce else _FAR_MS)


class StepTimes(NamedTuple):
    """Milliseconds of one iteration, of what a checkpoint blocks, and of its persist."""

    iteration_ms: float
    blocked_ms: float
    persist_ms: float


def checkpoint_interval(times: StepTimes, share: float) -> float:
    """What a checkpoint blocks is spread over so many iterations that it stays below `share` of
    them, and the persist before is done (one in flight, none abandoned)."""
    if share == math.inf:
        return 1
    if times.iteration_ms <= 0 or share <= 0:
        return math.inf
    amortized = times.blocked_ms / (share * times.iteration_ms)
    return max(1, math.ceil(amortized), math.ceil(times.persist_ms / times.iteration_ms))


class StepFrequency:
    """The interval of one loop, kept up to date."""

    def __init__(self, share: float, length: Optional[int], before: Optional[StepTimes]) -> None:
        unlimited = share == math.inf
        self._share = share
        known = math.inf if length is None else math.ceil(length * _PROFILED_SHARE)
        self._profiled = 0 if unlimited else min(_PROFILED_MAX, known)
        self._seen = _PROFILED_MAX if before else 0
        self._seen_ms = 0.0
        self._iteration_ms = before.iteration_ms if before else 0.0
        self._blocked_ms = before.blocked_ms if before else None
        self._persist_ms = before.persist_ms if before else 0.0

    def iteration(self, ms: float) -> None:
        self._seen += 1
        self._seen_ms += ms
        # The first ones are all alike to a mean: a compilation must not weigh for ever.
        weight = max(_NEWEST / _PROFILED_MAX, 1 / self._seen)
        self._iteration_ms += (ms - self._iteration_ms) * weight

    def checkpoint(self, blocked_ms: float) -> None:
        self._blocked_ms = _mean(self._blocked_ms, blocked_ms)

    def persist(self, ms: float) -> None:
        self._persist_ms = _mean(self._persist_ms or None, ms)

    def next_look(self, left: float) -> int:
        """In how many iterations the interval is worth computing again; `left`: until the next
        checkpoint is due, 0 or less if it is."""
        if self._share == math.inf:
            return 1
        believed = max(1, int(_BELIEVED_MS / max(self._iteration_ms, 1e-3)))
        return int(min(left, believed)) if left > 0 else believed

    def times(self, expected_ms: float) -> StepTimes:
        """What the interval follows from. `expected_ms`: of a checkpoint, before any was taken."""
        blocked_ms = expected_ms if self._blocked_ms is None else self._blocked_ms
        return StepTimes(self._iteration_ms, blocked_ms, self._persist_ms)

    def interval(
        self, expected_ms: float, in_all_ms: Callable[[float], float] = float
    ) -> Optional[float]:
        """None while it is being found out. `in_all_ms`: what a checkpoint that blocks so long
        takes of the budget, its persist with it."""
        if self._seen < self._profiled and self._seen_ms < _PROFILED_MS:
            return None
        times = self.times(expected_ms)
        paid = times._replace(blocked_ms=in_all_ms(times.blocked_ms))
        chosen = checkpoint_interval(paid, self._share)
        if self._share == math.inf:
            return chosen
        return max(math.ceil(_LEAST_MS / max(self._iteration_ms, 1e-3)), chosen)


def _mean(before: Optional[float], now: float) -> float:
    return now if before is None else before + (now - before) * _NEWEST
