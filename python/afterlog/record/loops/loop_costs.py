"""What recording each loop costs, and which one costs too much: one that is entered very often and
does little, or calls itself. Pure: times come from the caller, in milliseconds.

Only a recording decides by it. Which entries were recorded stands in its log, and whatever repeats
the run has the same ones.
"""

import math
from dataclasses import dataclass
from typing import Dict, Iterable, Optional

# Share of the budget that all boundaries may take together: the rest is for logs and checkpoints.
_BUDGET_SHARE = 0.5
# They may cost so much in any run.
_FREE_MS = 100.0
# One that costs less of the time that its own iterations take is kept: that is what its end saves.
_OWN_SHARE = 0.5
# A loop that was entered less often is not given up: it may be the training itself; and one in
# another loop, whose iterations may cost more than its entries.
_CALLS_MIN = 64
_NESTED_MIN = 3
# Of a loop whose iterator executes the program, single iterations are reported until that has cost
# so much, and this share of the budget's part of their own time.
_HOT_MS = 20.0
_HOT_SHARE = 0.15
# Cost between two looks.
_LOOK_MS = 5.0
# Longer than a call takes: the process was interrupted.
CALL_MS_MAX = 1.0
# To find that an entry is not recorded.
UNRECORDED_MS = 0.003


@dataclass
class LoopCost:
    """What the calls at the boundaries of one loop statement have cost. `calls`: times that it was
    entered; of these, `nested`: in another loop, `entries`: as a loop of its own."""

    number: int
    calls: int = 0
    nested: int = 0
    entries: int = 0
    ms: float = 0.0
    # The program has logged something in it: its iterations are looked at.
    logged: bool = False
    # Items of it that are in the log, how long its last iteration took, and all of them.
    items: int = 0
    body_ms: float = 0.0
    bodies_ms: float = 0.0

    def is_hot(self, budget: float) -> bool:
        """Whether to report every iteration costs much of what the iterations take."""
        return self.ms > _HOT_MS + _HOT_SHARE * budget * self.bodies_ms


class LoopCosts:
    def __init__(self) -> None:
        self._costs: Dict[int, LoopCost] = {}
        # All loops together that were not given up.
        self._total_ms = 0.0
        self._look_at_ms = _FREE_MS

    def of(self, number: int) -> LoopCost:
        cost = self._costs.get(number)
        if cost is None:
            cost = self._costs[number] = LoopCost(number)
        return cost

    def book(self, cost: LoopCost, ms: float) -> None:
        """One call at a boundary of a loop took so long."""
        own_ms = min(max(0.0, ms), CALL_MS_MAX)
        cost.ms += own_ms
        self._total_ms += own_ms

    def book_unrecorded(self, cost: LoopCost) -> None:
        """A loop was entered that is none of its own where it stands."""
        cost.ms += UNRECORDED_MS
        self._total_ms += UNRECORDED_MS

    @property
    def is_due(self) -> bool:
        """Whether they cost enough by now to look whether it is too much."""
        return self._total_ms > self._look_at_ms

    def too_costly(self, budget: float, program_ms: float) -> Optional[LoopCost]:
        """The loop to give up now. `program_ms`: what the program's own work took so far."""
        self._look_at_ms = self._total_ms + _LOOK_MS
        if budget == math.inf:
            return None
        if self._total_ms <= _FREE_MS + _BUDGET_SHARE * budget * program_ms:
            return None
        often = [
            cost
            for cost in self._costs.values()
            if not cost.logged
            and (cost.calls >= _CALLS_MIN or cost.nested >= _NESTED_MIN)
            and cost.ms > _OWN_SHARE * budget * cost.bodies_ms
        ]
        return max(often, key=lambda cost: cost.ms) if often else None

    def give_up(self, cost: LoopCost, around: Iterable[LoopCost]) -> None:
        """It costs nothing from now on, and no other loop is given up for what it did cost.
        `around`: loops that hold it. Their iterations may go by unreported from now on."""
        del self._costs[cost.number]
        self._total_ms -= cost.ms
        for one in around:
            self._total_ms -= one.ms
            one.ms = one.bodies_ms = 0.0
        self._look_at_ms = max(_FREE_MS, self._total_ms)
