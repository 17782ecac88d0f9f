"""What loops do, told to whoever wants to know. Everything happens on the training thread, while
the program waits: the time that observers take is not the program's.

An observer keeps what it needs of a loop in an object of its own: a slot of the frame that nobody
else writes, or a map by frame.
"""

import math
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from ..generators import Counts
from .loop_frame import LoopFrame


class LoopSource(NamedTuple):
    """What a loop goes through."""

    iterable: Any
    iterator: Any
    # Draws before the iterator was made.
    counts_before: Counts
    # Asking it for an item executes nothing of the program.
    is_plain: bool


class LoopObserver:
    """Hears those events whose methods it has of its own."""

    def entered(self, frame: LoopFrame, source: LoopSource) -> None:
        """A loop was entered; it has not asked its iterator yet."""

    def iteration_began(self, frame: LoopFrame, item: Any) -> None:
        """The iterator has delivered: iteration `frame.index` is about to begin."""

    def iteration_ended(self, frame: LoopFrame, is_complete: bool) -> None:
        """The body of iteration `frame.index` is over; not complete: it was left early."""

    def iterations_counted(self, frame: LoopFrame, count: int) -> None:
        """So many iterations began and ended unreported. -1: the one that began last is taken
        back, for the test before its body was false."""

    def loop_ended(self, frame: LoopFrame, how: str, is_unwound: bool) -> None:
        """The loop is over. `is_unwound`: it was still open when a loop around it went on or ended,
        or an exception had left it."""

    def arrived(self, frame: LoopFrame, restored: Optional[Dict[str, Any]]) -> None:
        """A replay has taken the loop to the end of iteration `index`, by a restore or not."""

    def batch_limit(self, frame: LoopFrame) -> float:
        """How many iterations may begin and end unreported after the present one."""
        return math.inf


def listeners(observers: Sequence[LoopObserver], event: str) -> Tuple[Callable[..., Any], ...]:
    """The methods of those that hear an event, in the order of the list."""
    ignored = getattr(LoopObserver, event)
    return tuple(getattr(one, event) for one in observers if getattr(type(one), event) != ignored)
