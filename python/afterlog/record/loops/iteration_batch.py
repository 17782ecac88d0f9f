"""Iterations that go by unreported: a call at every boundary would make a loop over quick bodies
many times slower than it is. How many have gone by is looked up when somebody asks."""

from operator import length_hint
from typing import Any, Iterator

# The iterations of a batch take about so long together, and are at most so many.
_TOGETHER_MS = 2.0
_COUNT_MAX = 16_384
# A few of them may take longer: were they to become slow, it would not be for long.
_FEW = 16
_FEW_MS = 8.0
# What an unreported iteration costs: its tick.
TICK_MS = 0.00008
# An iteration that took longer is always reported: a boundary is 2 % of it at most.
_QUICK_MS = 2.0


def batch_size(last_ms: float, mean_ms: float) -> int:
    """How many iterations may go by unreported. `last_ms`: the time of the last, with our own calls
    in it. `mean_ms`: of those before it, where these were a batch."""
    if last_ms > _QUICK_MS:
        return 0
    iteration_ms = max(mean_ms if 0 < mean_ms < last_ms else last_ms, 1e-6)
    few = min(_FEW, int(_FEW_MS / iteration_ms))
    return max(few, min(_COUNT_MAX, int(_TOGETHER_MS / iteration_ms)))


class IterationBatch:
    """`size`: how many may go by. One item of `ticks` is taken for each; nothing else is done."""

    def __init__(self, size: int) -> None:
        self._left = [None] * size
        self._size = size
        self._counted = 0
        self.ticks: Iterator[Any] = iter(self._left)

    def unreported(self) -> int:
        """Iterations that went by since this was last asked."""
        count = self.count_so_far()
        self._counted += count
        return count

    def count_so_far(self) -> int:
        """The same, without asking."""
        return self._size - length_hint(self.ticks) - self._counted if self._left else 0

    def stop(self) -> None:
        """None goes by any more; those that did were asked for before."""
        self._left.clear()
