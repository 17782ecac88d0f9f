"""The lines of the log that tell of loops: entered, items, left. The last one says when the random
generators were drawn from: a replay that jumps in this loop must know."""

import math
from typing import Any, Dict, List, Optional, Tuple

from ..generators import Counts
from ..loops.loop_frame import LoopFrame
from ..loops.loop_observer import LoopObserver, LoopSource
from ..run_parts import RunParts

# Longest text item that is kept as the iteration's value.
_ITEM_MAX = 1024
# Whole numbers up to this are the same number in all readers.
_EXACT_MAX = 2**53


class LoopDraws:
    """When the generators were drawn from in an entry of a loop, and by what."""

    def __init__(self, seen: Counts) -> None:
        # Draws that have been attributed.
        self.seen = seen
        # By generator: the last iteration whose `next()` drew, the first whose body did, and draws
        # in neither.
        self.last_next: Dict[int, int] = {}
        self.first_body: Dict[int, int] = {}
        self.outside: Dict[int, int] = {}
        # The present item has a line in the log.
        self.is_item_written = False
        # Another process had a part of it, and left no word of what that drew.
        self.is_partial = False

    def since(self, counts: Counts) -> Tuple[int, ...]:
        """Generators drawn from since they were last looked at, by number."""
        if counts is self.seen:
            return ()
        padded = self.seen + (0,) * (len(counts) - len(self.seen))
        self.seen = counts
        return tuple(at for at, count in enumerate(counts) if count != padded[at])

    def go_on(self, drawn: Optional[List[Dict[str, Any]]], ids: List[str]) -> None:
        """It goes on where a checkpoint was taken, which has what was drawn until then."""
        known = drawn or []
        self.is_partial = drawn is None or any(one["generator"] not in ids for one in known)
        if self.is_partial:
            return
        for one in known:
            number = ids.index(one["generator"])
            for drawn_at, by in (
                (one["lastNext"], self.last_next),
                (one["firstBody"], self.first_body),
            ):
                if drawn_at is not None:
                    by[number] = drawn_at

    def summary(self, ids: List[str]) -> List[Dict[str, Any]]:
        return [
            {
                "generator": ids[number],
                "lastNext": self.last_next.get(number),
                "firstBody": self.first_body.get(number),
                "outside": self.outside.get(number, 0),
            }
            for number in sorted({*self.last_next, *self.first_body, *self.outside})
        ]

    def in_neither(self, counts: Counts) -> None:
        for generator in self.since(counts):
            self.outside[generator] = self.outside.get(generator, 0) + 1


class LoopRecords(LoopObserver):
    def __init__(self, parts: RunParts) -> None:
        self._recorder = parts.recorder
        self._generators = parts.generators

    def entered(self, frame: LoopFrame, source: LoopSource) -> None:
        frame.draws = LoopDraws(source.counts_before)
        frame.draws.in_neither(self._generators.look())
        fields: Dict[str, Any] = {
            "path": frame.entry_path,
            "loop": frame.name,
            "entry": frame.entry,
            "site": frame.site,
            "iterator": frame.iterator.id,
        }
        if frame.length is not None:
            fields["length"] = frame.length
        if frame.items_known:
            fields["range"] = {"start": source.iterable.start, "step": source.iterable.step}
        elif type(source.iterable) is enumerate:
            # What the program counts is the first part of each item.
            count: Any = source.iterable.__reduce__()[1][1]
            if 0 < abs(count) <= _EXACT_MAX:
                fields["range"] = {"start": count, "step": 1}
        self._recorder.emit("enter", fields)

    def iteration_began(self, frame: LoopFrame, item: Any) -> None:
        draws = frame.draws
        if not frame.is_plain:
            for generator in draws.since(self._generators.look()):
                draws.last_next[generator] = frame.index
        if not frame.items_known:
            draws.is_item_written = is_scalar(item)
            if draws.is_item_written:
                self._recorder.item(frame, item)

    def iteration_ended(self, frame: LoopFrame, is_complete: bool) -> None:
        if frame.is_plain:
            return
        draws, count = frame.draws, frame.clock.count
        for generator in draws.since(self._generators.look()):
            draws.first_body.setdefault(generator, frame.index - count + 1)
            if count > 1:
                # Some went by unreported: it may as well have been the iterator, at any of them.
                draws.last_next[generator] = frame.index

    def loop_ended(self, frame: LoopFrame, how: str, is_unwound: bool) -> None:
        draws = frame.draws
        if frame.is_plain and frame.index >= 0:
            # Only bodies can have drawn. Which one was the first matters where iterators draw too.
            for generator in draws.since(self._generators.look()):
                draws.first_body.setdefault(generator, 0)
        draws.in_neither(self._generators.look())
        self._recorder.emit(
            "exit",
            {
                "path": frame.entry_path,
                "loop": frame.name,
                "entry": frame.entry,
                "how": how,
                "iterations": frame.index + 1,
                "draws": draws.summary(self._generators.ids),
                "pending": None,
            },
        )

    def arrived(self, frame: LoopFrame, restored: Optional[Dict[str, Any]]) -> None:
        """What it drew on the way is not its own."""
        frame.draws.seen = self._generators.look()
        if frame.index >= 0:
            frame.draws.go_on((restored or {}).get("draws"), self._generators.ids)

    def batch_limit(self, frame: LoopFrame) -> float:
        """Every item that is written needs its iteration reported."""
        return 0 if frame.draws.is_item_written else math.inf


def draws_until_now(frame: LoopFrame, ids: List[str]) -> Optional[List[Dict[str, Any]]]:
    """For a checkpoint that is taken at the end of an iteration; None: not known."""
    return None if frame.is_plain or frame.draws.is_partial else frame.draws.summary(ids)


def is_scalar(item: Any) -> bool:
    """An item that a table can show."""
    if isinstance(item, str):
        return len(item) <= _ITEM_MAX
    return item is None or isinstance(item, (bool, int, float))
