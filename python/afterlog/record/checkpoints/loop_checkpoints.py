"""What the checkpointer knows of a loop: of an active one, and of all entries of its statement."""

import math
from dataclasses import dataclass
from typing import List, Optional

from ...materialize.ledger import Cost
from ...state.places import EntryIds

NO_COST = Cost()


@dataclass
class BlockStatistics:
    executions: int = 0
    checkpoints: int = 0
    compute_ms: float = 0.0
    # How long the loop took when it was last gone through.
    loop_ms: float = math.inf


class LoopCheckpoints:
    """What the checkpointer knows of an active loop."""

    def __init__(self) -> None:
        # Identities of the state's objects at entry.
        self.entry_ids: Optional[EntryIds] = None
        # Last iteration whose end was checkpointed; -1: none.
        self.last_end = -1
        # Loops whose end was checkpointed in the present iteration, by path.
        self.ends_taken: List[str] = []
        # Whether this iteration is checkpointed: yes, no, or tentative (decided at a boundary).
        self.choice = "no"
        # Checkpoints in it, and what they cost.
        self.taken = 0
        self.cost = NO_COST
        # What its end may cost whatever the budget says, ms: the steps after it are reached by it.
        self.allowance_ms = 0.0
        # Iterations before this entry that an interruption loses as well: nothing in it can be
        # reached.
        self.lost_before: Optional[int] = None
        # Another process began this iteration: the run was resumed in it.
        self.is_gone_on = False
        # Of its block, once one of its iterations has been looked at.
        self.statistics: Optional[BlockStatistics] = None
        # The iteration at whose end the step policy is asked again.
        self.steps_at = 0
        # Since the last iteration whose end was checkpointed: time of all iterations, and of what
        # no end of a loop in them lets a replay skip.
        self.since_ms = 0.0
        self.unskipped_ms = 0.0
        # In the present iteration, time of the loops whose ends were checkpointed.
        self.skippable_ms = 0.0
