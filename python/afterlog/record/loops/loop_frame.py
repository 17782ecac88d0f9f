"""One active loop: what is known of it while it runs. Plain data; `loop_stack.py` acts."""

import json
import time
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from ...format.paths import LoopPath, path_element
from ...format.values import well_formed
from ...materialize.ledger import Cost
from ..generators import Counts
from .passing import Passing


@dataclass(eq=False)
class TrackedIterator:
    """An iterator that a loop draws from; it may outlive the loop's entry."""

    id: int
    created: LoopPath
    # The iterator itself, or the object whose position it is.
    key: Any
    # Has `state()` and `restore(state)`.
    resumable: Any
    delivered: int = 0
    over: bool = False


# Of an iteration, in milliseconds: its item, and its body before, in and after inner loops; and of
# how many iterations these are the mean.
IterationTime = Tuple[float, float, float, float, int]


@dataclass
class IterationTimes:
    """Times not yet written to the profile, from iteration `start` on."""

    start: int = 0
    rows: List[IterationTime] = field(default_factory=list)


class LoopFrame:
    def __init__(
        self,
        name: str,
        entry: int,
        site: Optional[int],
        parent: Optional["LoopFrame"],
        entry_path: LoopPath,
        iterator: TrackedIterator,
        length: Optional[int],
    ) -> None:
        self.name = name
        self.name_json = json.dumps(well_formed(name), ensure_ascii=False)
        self.entry = entry
        self.site = site
        self.parent = parent
        # Path of the iteration in which it was entered; a loop inside an iterator may outlast it.
        self.entry_path = entry_path
        self.iterator = iterator
        self.delivered_before = iterator.delivered
        self.length = length
        # Names of the loops around it and its own: statistics are kept by this.
        self.block: str = f"{parent.block}/{name}" if parent else name
        self.depth: int = parent.depth + 1 if parent else 0
        # Items follow from the index: no record is written for them.
        self.items_known = False
        # Asking for an item executes nothing of the program: no draw is its iterator's.
        self.is_plain = False
        # Innermost of the loops that its iterator has open between two items.
        self.suspended: Optional["LoopFrame"] = None
        self.index = -1  # before the first iteration
        # `ended`: it was closed, by itself or together with the loop around it.
        self.in_body = self.ended = False
        # An exception has left its body, and nobody knows yet whether the program catches it.
        self.abandoned = False
        self.path_text: Optional[str] = None
        # Iterations are going by without a word; those that have since the body began.
        self.passing: Optional[Passing] = None
        self.passed = 0
        # How often each loop was entered in the present iteration.
        self.entries: Dict[str, int] = {}
        # Identities of the state's objects at entry.
        self.entry_ids: Any = None
        # The loop statement, where the source tells.
        self.context: Any = None
        # Variables that it only reads, and what each was at entry.
        self.audited: List[Any] = []

        self.entered_at = time.perf_counter()
        self.body_at = self.last_body_ms = self.next_ms = 0.0
        self.first_inner_at = self.last_inner_at = -1.0
        # Time that recording took inside the present body.
        self.blocked_ms = 0.0
        self.has_inner = False
        self.times = IterationTimes()

        # Last iteration whose end was checkpointed; -1: none.
        self.last_end = -1
        # Loops whose end was checkpointed in the present iteration, by path.
        self.ends_taken: List[str] = []
        # Whether this iteration is checkpointed: yes, no, or tentative (decided at a boundary).
        self.choice = "no"
        # Checkpoints in it; the iteration at whose end the step policy is asked again.
        self.taken = self.steps_at = 0
        self.cost = Cost()

        # Draws, by generator: the last `next()` that drew, the first body, and those in neither.
        self.counts_seen: Counts = ()
        self.last_next: Dict[int, int] = {}
        self.first_body: Dict[int, int] = {}
        self.outside: Dict[int, int] = {}


def present_index(frame: LoopFrame) -> int:
    """Between two bodies the iterator runs: what it does is of the iteration it is asked for."""
    return frame.index if frame.in_body else frame.index + 1


def frame_path(frame: Optional[LoopFrame]) -> LoopPath:
    """The path of the frame's present iteration; top level is empty."""
    if frame is None:
        return []
    here = path_element(frame.name, present_index(frame), frame.entry)
    return [*frame_path(frame.parent), here]


def path_at(frame: LoopFrame, index: Any) -> LoopPath:
    """The path of an iteration of the loop; `"end"`: of its end."""
    return [*frame.entry_path, path_element(frame.name, index, frame.entry)]


def path_text(frame: LoopFrame) -> str:
    """JSON of the path of the present iteration, without the outer brackets; cached."""
    if frame.path_text is None:
        before = f"{path_text(frame.parent)}," if frame.parent else ""
        entry = f",{frame.entry}" if frame.entry else ""
        frame.path_text = f"{before}[{frame.name_json},{present_index(frame)}{entry}]"
    return frame.path_text


def standing(innermost: Optional[LoopFrame], now: float) -> List[Dict[str, Any]]:
    """How far the active loops are, the outermost first, for whoever watches."""
    frame = innermost
    loops: List[Dict[str, Any]] = []
    while frame is not None:
        known = {"loop": frame.name, "index": frame.index, "length": frame.length}
        loops.insert(0, {**known, "ms": round((now - frame.entered_at) * 1000, 3)})
        frame = frame.parent
    return loops
