"""Iterations that go by unreported: a call at every boundary would make a loop over quick bodies
many times slower than it is. How many have gone by is looked up when somebody asks."""

from itertools import compress, repeat
from operator import length_hint
from typing import Any, Dict, Iterator

# A boundary costs 20 to 90 µs beside a program that uses the caches itself: the iterations of a
# batch take so long together that this is less than a tenth of the budget.
_TOGETHER_MS = 16.0
# As long as they are no more than this: were they to become slow, it would not be for long.
_MANY = 2048
# Of trivial ones there may be more, which take so long together.
_TRIVIAL_MS = 2.0
_COUNT_MAX = 16_384
# What an unreported iteration costs: its ticks.
TICK_MS = 0.00008
# An iteration that took longer is always reported.
_QUICK_MS = 8.0
# Its `get`, given a tick and an item, gives the item.
_NOTHING: Dict[Any, Any] = {}


def batch_size(last_ms: float, mean_ms: float) -> int:
    """How many iterations may go by unreported. `last_ms`: the time of the last, with our own calls
    in it. `mean_ms`: of those before it, 0 if there are none."""
    if last_ms > _QUICK_MS:
        return 0
    iteration_ms = max(mean_ms or last_ms, 1e-6)
    many = min(_MANY, int(_TOGETHER_MS / iteration_ms))
    return max(many, min(_COUNT_MAX, int(_TRIVIAL_MS / iteration_ms)))


class IterationBatch:
    """`size`: how many may go by. A tick is taken for each; nothing else is done. `asks`: asking
    for an item executes the program: another one is taken when the item is there."""

    def __init__(self, size: int, asks: bool) -> None:
        self._left = [None] * size
        self._size = size
        self._counted = 0
        self._asks = asks
        self._asked: Iterator[Any] = iter(self._left)
        # One more than are asked for: what is delivered must never be the last.
        self._delivered = repeat(True, size + 1)

    def items(self, source: Iterator[Any]) -> Iterator[Any]:
        """Those of a batch."""
        asked = map(_NOTHING.get, self._asked, source)
        return compress(asked, self._delivered) if self._asks else asked

    @property
    def is_asking(self) -> bool:
        """The program's iterator runs, and no body."""
        if not self._asks or not self._left:
            return False
        return length_hint(self._asked) + 1 < length_hint(self._delivered)

    def unreported(self) -> int:
        """Iterations that went by since this was last asked."""
        count = self.count_so_far()
        self._counted += count
        return count

    def count_so_far(self) -> int:
        """The same, without asking."""
        return self._size - length_hint(self._asked) - self._counted if self._left else 0

    def stop(self) -> None:
        """None goes by any more; those that did were asked for before."""
        self._left.clear()
