"""The loops that are active, and what happens when one is entered, goes on, and ends.

There is one stack: loops that run at the same time would mix their paths, so a loop that goes on
after one around it has gone on is refused (AL060).
"""

from time import perf_counter
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from ...format.errors import AfterlogError
from ...format.paths import LoopPath, path_element
from ...materialize.ledger import Ledger
from ...materialize.materializer import Materializer
from ..checkpoints.checkpointer import Checkpointer
from ..generators import Counts, Generators
from .iterators import Iterators
from .loop_frame import IterationTime, IterationTimes, LoopFrame, frame_path
from .loop_names import LoopContext
from .passing import TICK_MS
from ..log.recorder import Recorder, ms_between

# Iterations whose times are written to the profile together.
_TIMES_MAX = 512
# Longest text item that is kept as the iteration's value.
_ITEM_MAX = 1024


class LoopSource(NamedTuple):
    """What a loop goes through."""

    iterable: Any
    iterator: Any
    # Draws before the iterator was made.
    counts_before: Counts
    # Asking it for an item executes nothing of the program.
    is_plain: bool


class LoopStack:
    def __init__(
        self,
        recorder: Recorder,
        checkpointer: Checkpointer,
        materializer: Materializer,
        ledger: Ledger,
        generators: Generators,
        iterators: Iterators,
        recorded_iterator: Optional[Callable[[LoopPath], Optional[int]]],
    ) -> None:
        self._recorder = recorder
        self._checkpointer = checkpointer
        self._materializer = materializer
        self._ledger = ledger
        self._generators = generators
        self._iterators = iterators
        self._recorded_iterator = recorded_iterator
        self._top_entries: Dict[str, int] = {}
        self._blocks_with_inner: Set[str] = set()
        self._prefix_done = False
        self._top: Optional[LoopFrame] = None
        # The last outermost loop that ended, and when.
        self.outermost_ended: Optional[Tuple[str, float]] = None

    @property
    def top(self) -> Optional[LoopFrame]:
        """The innermost loop, with the iteration that it is in."""
        frame = self._top
        if frame is not None and frame.passing is not None:
            self.settle(frame)
        return frame

    def present(self) -> Optional[LoopFrame]:
        """The innermost loop that the program is in, now that it does something."""
        frame = self._top
        if frame is None or not (frame.abandoned or frame.passing is not None):
            return frame
        self.drop_abandoned()
        return self.top

    def settle(self, frame: LoopFrame) -> None:
        """Counts the iterations that have gone by."""
        count = frame.passing.passed() if frame.passing is not None else 0
        if count:
            frame.index += count
            frame.passed += count
            frame.iterator.delivered += count
            frame.path_text = None
            frame.entries = {}

    def stop_passing(self, frame: LoopFrame, exhausted: bool = False) -> None:
        """From here on every boundary of the loop is told. `exhausted`: the last iteration was
        asked for, and there was none."""
        if frame.passing is None:
            return
        self.settle(frame)
        frame.passing.stop()
        frame.passing = None
        frame.index -= exhausted
        frame.passed -= exhausted
        frame.iterator.delivered -= exhausted

    def enter(
        self, name: str, site: Optional[int], source: LoopSource, context: Optional[LoopContext]
    ) -> LoopFrame:
        self.drop_abandoned()
        parent = self.top
        if parent is not None:
            self.stop_passing(parent)
        entries = parent.entries if parent else self._top_entries
        entry = entries.get(name, 0)
        entries[name] = entry + 1
        entry_path = frame_path(parent)
        known = None
        if self._recorded_iterator is not None:
            known = self._recorded_iterator([*entry_path, path_element(name, "end", entry)])
        iterator = self._iterators.track(source.iterable, source.iterator, entry_path, known)
        length = _length_of(source.iterable)
        frame = LoopFrame(name, entry, site, parent, entry_path, iterator, length)
        frame.context = context
        frame.is_plain = source.is_plain
        frame.has_inner = frame.block in self._blocks_with_inner
        frame.counts_seen = source.counts_before
        self._note_outside(frame)
        self._note_gap(frame)
        fields: Dict[str, Any] = {"path": entry_path, "loop": name, "entry": entry, "site": site}
        fields["iterator"] = iterator.id
        if length is not None:
            fields["length"] = length
        if isinstance(source.iterable, range):
            frame.items_known = True
            fields["range"] = {"start": source.iterable.start, "step": source.iterable.step}
        self._recorder.emit("enter", fields)
        if parent is not None:
            parent.has_inner = True
            self._blocks_with_inner.add(parent.block)
            if parent.first_inner_at < 0:
                parent.first_inner_at = perf_counter()
        self._checkpointer.entered(frame)
        self._top = frame
        return frame

    def end_body(self, frame: LoopFrame, now: float) -> None:
        """Before the iterator is asked for the next item: the body, if there was one, is over
        since `now`."""
        if self._top is not frame or frame.passing is not None:
            self._reach(frame)
        if frame.in_body:
            self._finish_body(frame, now, complete=True)
        if frame.suspended is not None:
            self._resume_iterator(frame)

    def begin_body(self, frame: LoopFrame, item: Any, next_ms: float) -> None:
        """The iterator has delivered, which took `next_ms`: iteration `index + 1` begins."""
        if self._top is not frame:
            self._suspend(frame)
        frame.index += 1
        frame.in_body = True
        frame.path_text = None
        frame.iterator.delivered += 1
        if not frame.is_plain:
            for generator in self._drawn(frame):
                frame.last_next[generator] = frame.index
        if not frame.items_known and is_scalar(item):
            self._recorder.item(frame, item)
        self._checkpointer.begun(frame)
        frame.blocked_ms = 0.0
        frame.first_inner_at = -1.0
        frame.next_ms = next_ms
        frame.body_at = perf_counter()

    def unbegin(self, frame: LoopFrame) -> None:
        """The iteration that was begun last is none: the test before its body was false."""
        self._reach(frame)
        frame.index -= 1
        frame.in_body = False
        frame.path_text = None
        frame.entries = {}
        frame.iterator.delivered -= 1

    def leave(self, frame: LoopFrame) -> None:
        """The loop is left early: its body is over, and its iterator goes on to close itself."""
        if frame.ended:
            return
        self._reach(frame)
        if frame.in_body:
            self._finish_body(frame, perf_counter(), complete=False)
        self._resume_iterator(frame)
        # What a generator of the program does when it is closed belongs to the loop's end.
        self._iterators.release(frame.iterator)

    def exit(self, frame: LoopFrame, how: str, checkpoint: bool = True) -> None:
        if frame.ended:
            return
        self._reach(frame)
        if frame.suspended is not None:
            self._close_suspended(frame)
        if frame.in_body:
            self._finish_body(frame, perf_counter(), complete=how == "exhausted")
        self._iterators.ended(frame.iterator, how == "exhausted")
        if frame.is_plain and frame.index >= 0:
            # Only bodies can have drawn. Which one was the first matters where iterators draw too.
            for generator in self._drawn(frame):
                frame.first_body.setdefault(generator, 0)
        self._note_outside(frame)
        self._recorder.emit(
            "exit",
            {
                "path": frame.entry_path,
                "loop": frame.name,
                "entry": frame.entry,
                "how": how,
                "iterations": frame.index + 1,
                "draws": self._draws(frame),
                "pending": None,
            },
        )
        self._write_times(frame)
        self._checkpointer.ended(frame, checkpoint)
        frame.ended = True
        # It holds a frame of the program.
        frame.context = None
        self._top = frame.parent
        now = perf_counter()
        if frame.parent is not None:
            frame.parent.last_inner_at = now
        else:
            self._ledger.settle()
            self.outermost_ended = (frame.name, now)

    def abandon(self, frame: LoopFrame) -> None:
        """An exception has left the body. If the program catches it, the loop is closed then."""
        if not frame.ended:
            frame.abandoned = True
            self._iterators.release(frame.iterator)

    def drop_abandoned(self) -> None:
        """The program goes on: loops that an exception has left are over. What their state was
        when they were left nobody can say any more, so that is no checkpoint."""
        while self.top is not None and self.top.abandoned:
            self.exit(self.top, "closed", checkpoint=False)

    def flush_times(self) -> None:
        """Times of loops that never ended, for a process that does."""
        frame = self.top
        while frame is not None:
            self._write_times(frame)
            frame = frame.parent

    def _resume_iterator(self, frame: LoopFrame) -> None:
        """The iterator goes on where it was: inside loops of its own, perhaps."""
        if frame.suspended is not None:
            self._top = frame.suspended
        frame.suspended = None

    def _suspend(self, frame: LoopFrame) -> None:
        """Loops that the iterator has open between two items are put aside while the body runs."""
        if self.top is frame:
            return
        open_ = self.top
        while open_ is not None:
            if open_.parent is frame:
                frame.suspended = self.top
                self._top = frame
                return
            open_ = open_.parent
        raise _at_once(frame)

    def _close_suspended(self, frame: LoopFrame) -> None:
        self._top = frame.suspended
        frame.suspended = None
        while self.top is not None and self.top is not frame:
            self.exit(self.top, "closed")

    def _reach(self, frame: LoopFrame) -> None:
        """Makes `frame` the innermost loop: loops left without being closed end here."""
        open_ = self.top
        while open_ is not None:
            if open_ is frame:
                while self.top is not None and self.top is not frame:
                    self.exit(self.top, "closed", checkpoint=not self.top.abandoned)
                return
            open_ = open_.parent
        raise _at_once(frame)

    def _finish_body(self, frame: LoopFrame, now: float, complete: bool) -> None:
        body_ms = max(0.0, (now - frame.body_at) * 1000 - frame.blocked_ms)
        count = 1 + frame.passed
        body_ms /= count
        self._ledger.book(frame.passed * TICK_MS, self._ledger.booked_ms)
        if not frame.is_plain:
            for generator in self._drawn(frame):
                frame.first_body.setdefault(generator, frame.index)
        _note_times(frame, now, body_ms, count)
        if len(frame.times.rows) >= _TIMES_MAX:
            self._write_times(frame)
        if not frame.has_inner:
            busy_ms = self._materializer.busy_ms(frame.body_at)
            self._ledger.observe(frame.block, body_ms, busy_ms)
        if complete:
            self._checkpointer.finished(frame, body_ms)
        else:
            self._checkpointer.closed(frame, body_ms)
        frame.in_body = False
        frame.passed = 0
        frame.last_body_ms = body_ms
        frame.path_text = None
        frame.entries = {}

    def _drawn(self, frame: LoopFrame) -> List[int]:
        """Generators drawn from since the loop was last looked at, by number."""
        counts, before = self._generators.look(), frame.counts_seen
        if counts is before:
            return []
        frame.counts_seen = counts
        padded = before + (0,) * (len(counts) - len(before))
        return [index for index, count in enumerate(counts) if count != padded[index]]

    def _note_outside(self, frame: LoopFrame) -> None:
        for generator in self._drawn(frame):
            frame.outside[generator] = frame.outside.get(generator, 0) + 1

    def _draws(self, frame: LoopFrame) -> List[Dict[str, Any]]:
        ids = self._generators.ids
        drawn = sorted({*frame.last_next, *frame.first_body, *frame.outside})
        return [
            {
                "generator": ids[one],
                "lastNext": frame.last_next.get(one),
                "firstBody": frame.first_body.get(one),
                "outside": frame.outside.get(one, 0),
            }
            for one in drawn
        ]

    def _note_gap(self, frame: LoopFrame) -> None:
        if frame.parent is not None:
            return
        if not self._prefix_done:
            self._prefix_done = True
            ms = round(self._recorder.now() / 1000, 3)
            self._recorder.profile({"k": "prefix", "ms": ms})
        elif self.outermost_ended is not None:
            loop, at = self.outermost_ended
            ms = ms_between(at, perf_counter())
            gap = {"k": "gap", "after": loop, "before": frame.name, "ms": ms}
            self._recorder.profile(gap)

    def _write_times(self, frame: LoopFrame) -> None:
        times = frame.times
        if not times.rows:
            return
        each = [row[4] for row in times.rows]
        next_, head, inner, tail = _rounded(times.rows, any(count > 1 for count in each))
        record = {
            "k": "iterations",
            "path": frame.entry_path,
            "loop": frame.name,
            "entry": frame.entry,
            "from": times.start,
            "next": next_,
            "head": head,
        }
        if any(inner) or any(tail):
            record = {**record, "inner": inner, "tail": tail}
        if any(count > 1 for count in each):
            record["each"] = each
        self._recorder.profile(record)
        frame.times = IterationTimes(start=times.start + sum(each))


def _at_once(frame: LoopFrame) -> AfterlogError:
    return AfterlogError(
        "AL060",
        f'loop "{frame.name}" runs at the same time as another loop',
        [
            "run loops one after the other",
            "take no item from a generator that loops before you loop over it",
            "or record only one of them: leave loop() out of the others",
        ],
        ["a loop continued after the loop around it had continued or ended"],
    )


def _note_times(frame: LoopFrame, now: float, body_ms: float, count: int) -> None:
    """`body_ms`: of one iteration, of so many together."""
    next_ms, rows = frame.next_ms / count, frame.times.rows
    if frame.first_inner_at < 0:
        rows.append((next_ms, body_ms, 0.0, 0.0, count))
        return
    head_ms = (frame.first_inner_at - frame.body_at) * 1000
    inner_ms = (frame.last_inner_at - frame.first_inner_at) * 1000 - frame.blocked_ms
    tail_ms = (now - frame.last_inner_at) * 1000
    rows.append((next_ms, head_ms, max(0.0, inner_ms), max(0.0, tail_ms), count))


def _rounded(rows: List[IterationTime], together: bool) -> List[List[float]]:
    """Columns, to the microsecond; means of many iterations (`together`) to the nanosecond."""
    digits = 6 if together else 3
    return [[round(row[column], digits) for row in rows] for column in range(4)]


def _length_of(iterable: Any) -> Optional[int]:
    try:
        return len(iterable)
    except Exception:  # no length, or one that cannot be told
        return None


def is_scalar(item: Any) -> bool:
    """An item that a table can show."""
    if isinstance(item, str):
        return len(item) <= _ITEM_MAX
    return item is None or isinstance(item, (bool, int, float))
