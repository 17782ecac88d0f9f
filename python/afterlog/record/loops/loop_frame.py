"""One active loop: what is known of it while it runs. Plain data; `loop_stack.py` acts. Of some
observers it has a slot, which that observer alone makes and writes."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from ...format.paths import LoopPath, path_element
from ...format.values import well_formed
from .loop_clock import LoopClock

if TYPE_CHECKING:
    from ..checkpoints.loop_checkpoints import LoopCheckpoints
    from ..log.loop_profile import IterationTimes
    from ..log.loop_records import LoopDraws
    from .iteration_batch import IterationBatch
    from .loop_analysis import LoopContext
    from .loop_costs import LoopCost


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


class LoopFrame:
    # Of `LoopProfile`, `LoopRecords` and `Checkpointer`.
    times: "IterationTimes"
    draws: "LoopDraws"
    checkpoints: "LoopCheckpoints"

    def __init__(
        self,
        name: str,
        entry: int,
        site: Optional[int],
        parent: Optional["LoopFrame"],
        entry_path: LoopPath,
        iterator: TrackedIterator,
        iterable: Any,
        is_plain: bool,
        context: Optional["LoopContext"],
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
        self.length = _length_of(iterable)
        # Names of the loops around it and its own: statistics are kept by this.
        self.block: str = f"{parent.block}/{name}" if parent else name
        self.depth: int = parent.depth + 1 if parent else 0
        # Items follow from the index: no record is written for them.
        self.items_known = isinstance(iterable, range)
        # Asking for an item executes nothing of the program: no draw is its iterator's.
        self.is_plain = is_plain
        # The loop statement, where the source tells; None when the loop has ended.
        self.context = context
        # Innermost of the loops that its iterator has open between two items.
        self.suspended: Optional["LoopFrame"] = None
        self.index = -1  # before the first iteration
        # `ended`: it was closed, by itself or together with the loop around it.
        self.in_body = self.ended = False
        # An exception has left its body, and nobody knows yet whether the program catches it.
        self.abandoned = False
        self.path_text: Optional[str] = None
        # Iterations that go by unreported; `index` is then one of some time ago.
        self.batch: Optional["IterationBatch"] = None
        # How often each loop was entered in the present iteration.
        self.entries: Dict[str, int] = {}
        # Its iterations hold loops, as far as is known.
        self.has_inner = False
        self.clock = LoopClock()
        # What its statement has cost; None: the program asked for it.
        self.cost: Optional["LoopCost"] = None


def _length_of(iterable: Any) -> Optional[int]:
    try:
        return len(iterable)
    except Exception:  # no length, or one that cannot be told
        return None


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
        loops.insert(0, {**known, "ms": round((now - frame.clock.entered_at) * 1000, 3)})
        frame = frame.parent
    return loops
