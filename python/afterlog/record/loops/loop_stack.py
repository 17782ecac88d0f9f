"""The loops that are active, and what happens when one is entered, goes on, and ends.

There is one stack: loops that run at the same time would mix their paths, so a loop that goes on
after one around it has gone on is recorded no more (AL060).
"""

from time import perf_counter
from typing import Any, Callable, Dict, Optional, Sequence, Set, Tuple

from ...format.errors import AfterlogError
from ...format.paths import LoopPath, path_element
from .iteration_batch import batch_size
from .iterators import Iterators
from .loop_frame import LoopFrame, frame_path, present_index
from .loop_analysis import LoopContext
from .loop_observer import LoopObserver, LoopSource, listeners


class LoopStack:
    """`observers`: in the order in which they are told. `recorded_iterator`: the number that the
    iterator of a loop entry had in a run that is continued."""

    def __init__(
        self,
        observers: Sequence[LoopObserver],
        iterators: Iterators,
        recorded_iterator: Optional[Callable[[LoopPath], Optional[int]]],
    ) -> None:
        self._iterators = iterators
        self._recorded_iterator = recorded_iterator
        self._top_entries: Dict[str, int] = {}
        self._blocks_with_inner: Set[str] = set()
        self._top: Optional[LoopFrame] = None
        # Who hears what.
        self._on_entered = listeners(observers, "entered")
        self._on_iteration_began = listeners(observers, "iteration_began")
        self._on_iteration_ended = listeners(observers, "iteration_ended")
        self._on_iterations_counted = listeners(observers, "iterations_counted")
        self._on_loop_ended = listeners(observers, "loop_ended")
        self._on_arrived = listeners(observers, "arrived")
        self._batch_limits = listeners(observers, "batch_limit")

    @property
    def top(self) -> Optional[LoopFrame]:
        """The innermost loop, with the iteration that it is in."""
        frame = self._top
        if frame is not None and frame.batch is not None:
            self._count_batch(frame, frame.batch.unreported())
        return frame

    def present(self) -> Optional[LoopFrame]:
        """The innermost loop that the program is in, now that it does something."""
        frame = self._top
        if frame is None or not (frame.abandoned or frame.batch is not None):
            return frame
        self.drop_abandoned()
        return self.top

    def is_asking(self) -> bool:
        """Whether the iterator of the innermost loop runs, which the program is in."""
        frame = self._top
        while frame is not None and frame.abandoned:
            frame = frame.parent
        if frame is None:
            return False
        return not frame.in_body or (frame.batch is not None and frame.batch.is_asking)

    def standing_in(self) -> Tuple[Optional[LoopFrame], int]:
        """The innermost loop that the program is in, and its iteration; nothing is disturbed."""
        frame = self._top
        while frame is not None and frame.abandoned:
            frame = frame.parent
        if frame is None:
            return None, 0
        if frame.batch is not None:
            return frame, frame.index + frame.batch.count_so_far()
        return frame, present_index(frame)

    def batch_limit(self, frame: LoopFrame, running_share: float) -> int:
        """How many iterations may go by unreported after the present one. `running_share`: of the
        clock's time, what the program had of it."""
        if frame.has_inner or frame.ended:
            return 0
        limit = min(tell(frame) for tell in self._batch_limits)
        clock = frame.clock
        last_ms = (perf_counter() - clock.body_at) * 1000 + clock.next_ms
        size = batch_size(last_ms * running_share, clock.body_ms * running_share)
        return int(min(limit, size)) if limit else 0

    def end_batch(self, frame: LoopFrame, exhausted: bool = False) -> None:
        """From here on every boundary of the loop is reported. `exhausted`: the last iteration was
        asked for, and there was none."""
        if frame.batch is None:
            return
        is_asking = frame.batch.is_asking
        self._count_batch(frame, frame.batch.unreported() - (exhausted or is_asking))
        frame.batch.stop()
        frame.batch = None
        if is_asking:
            # It has ended, or raised, and may have changed something since the last body was over.
            self._finish_body(frame, perf_counter(), False)

    def _count_batch(self, frame: LoopFrame, count: int) -> None:
        if count:
            self._count(frame, count)
            frame.clock.count += count

    def _count(self, frame: LoopFrame, count: int) -> None:
        frame.index += count
        frame.iterator.delivered += count
        frame.path_text = None
        frame.entries = {}
        for tell in self._on_iterations_counted:
            tell(frame, count)

    def enter(
        self, name: str, site: Optional[int], source: LoopSource, context: Optional[LoopContext]
    ) -> LoopFrame:
        self.drop_abandoned()
        parent = self._top
        if parent is not None:
            self.end_batch(parent)
        frame = self._make_frame(name, site, source, context)
        frame.has_inner = frame.block in self._blocks_with_inner
        if parent is not None:
            parent.has_inner = True
            self._blocks_with_inner.add(parent.block)
            if parent.clock.first_inner_at < 0:
                parent.clock.first_inner_at = frame.clock.entered_at
        for tell in self._on_entered:
            tell(frame, source)
        self._top = frame
        return frame

    def next_entry(self, name: str) -> LoopPath:
        """The path of the end of a loop of this name, if one were entered now."""
        parent = self.present()
        entries = parent.entries if parent is not None else self._top_entries
        return [*frame_path(parent), path_element(name, "end", entries.get(name, 0))]

    def forget_inner(self) -> None:
        """A loop is not recorded any more: which ones hold others is found out again."""
        self._blocks_with_inner.clear()
        frame = self._top
        while frame is not None:
            frame.has_inner = False
            frame = frame.parent

    def _make_frame(
        self, name: str, site: Optional[int], source: LoopSource, context: Optional[LoopContext]
    ) -> LoopFrame:
        parent = self._top
        entries = parent.entries if parent else self._top_entries
        entry = entries.get(name, 0)
        entries[name] = entry + 1
        entry_path = frame_path(parent)
        known = None
        if self._recorded_iterator is not None:
            known = self._recorded_iterator([*entry_path, path_element(name, "end", entry)])
        iterable, made, _, is_plain = source
        iterator = self._iterators.track(iterable, made, entry_path, known)
        where = (name, entry, site, parent, entry_path)
        return LoopFrame(*where, iterator, iterable, is_plain, context)

    def end_body(self, frame: LoopFrame, now: float) -> None:
        """Before the iterator is asked for the next item: the body, if there was one, is over
        since `now`."""
        if self._top is not frame or frame.batch is not None:
            self._unwind_to(frame)
        if frame.in_body:
            self._finish_body(frame, now, True)
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
        for tell in self._on_iteration_began:
            tell(frame, item)
        frame.clock.begin(next_ms)

    def take_back(self, frame: LoopFrame) -> None:
        """The test before the body of the iteration that was begun last is false."""
        self._unwind_to(frame)
        frame.in_body = False
        self._count(frame, -1)

    def move_to(self, frame: LoopFrame, index: int) -> None:
        """A replay takes the loop to the end of iteration `index`, without its iterator."""
        frame.index = index
        frame.path_text = None
        frame.entries = {}

    def arrived(self, frame: LoopFrame, restored: Optional[Dict[str, Any]]) -> None:
        """The iterator has come there as well; `restored`: the checkpoint that the state is of."""
        for tell in self._on_arrived:
            tell(frame, restored)

    def leave(self, frame: LoopFrame) -> None:
        """The loop is left early: its body is over, and its iterator goes on to close itself."""
        if frame.ended:
            return
        self._unwind_to(frame)
        if frame.in_body:
            self._finish_body(frame, perf_counter(), False)
        self._resume_iterator(frame)
        # What a generator of the program does when it is closed belongs to the loop's end.
        self._iterators.release(frame.iterator)

    def exit(self, frame: LoopFrame, how: str, is_unwound: bool = False) -> None:
        """`is_unwound`: it did not end by itself."""
        if frame.ended:
            return
        self._unwind_to(frame)
        if frame.suspended is not None:
            self._close_suspended(frame)
        if frame.in_body:
            self._finish_body(frame, perf_counter(), how == "exhausted")
        self._iterators.ended(frame.iterator, how == "exhausted")
        # The process may end while observers are told.
        frame.clock.left_at = perf_counter()
        for tell in self._on_loop_ended:
            tell(frame, how, is_unwound)
        frame.ended = True
        # It holds a frame of the program.
        frame.context = None
        self._top = frame.parent
        now = frame.clock.left_at = perf_counter()
        if frame.parent is not None:
            frame.parent.clock.last_inner_at = now

    def abandon(self, frame: LoopFrame) -> None:
        """An exception has left the body. If the program catches it, the loop is closed then."""
        if not frame.ended:
            frame.abandoned = True
            self._iterators.release(frame.iterator)

    def drop_abandoned(self) -> None:
        """The program goes on: loops that an exception has left are over."""
        while self._top is not None and self._top.abandoned:
            self._close(self._top)

    def _close(self, frame: LoopFrame) -> None:
        is_thrown = frame.abandoned and not frame.in_body
        self.exit(frame, "throw" if is_thrown else "closed", is_unwound=True)

    def _resume_iterator(self, frame: LoopFrame) -> None:
        """The iterator goes on where it was: inside loops of its own, perhaps."""
        if frame.suspended is not None:
            self._top = frame.suspended
        frame.suspended = None

    def _suspend(self, frame: LoopFrame) -> None:
        """Loops that the iterator has open between two items are put aside while the body runs."""
        open_ = self.top
        while open_ is not None:
            if open_.parent is frame:
                frame.suspended = self._top
                self._top = frame
                return
            open_ = open_.parent
        raise _at_once(frame)

    def _close_suspended(self, frame: LoopFrame) -> None:
        self._top = frame.suspended
        frame.suspended = None
        while self._top is not None and self._top is not frame:
            self._close(self._top)

    def _unwind_to(self, frame: LoopFrame) -> None:
        """Makes `frame` the innermost loop: loops left without being closed end here."""
        open_ = self.top
        while open_ is not frame:
            if open_ is None:
                raise _at_once(frame)
            open_ = open_.parent
        while self._top is not None and self._top is not frame:
            self._close(self._top)

    def _finish_body(self, frame: LoopFrame, now: float, is_complete: bool) -> None:
        frame.clock.end(now)
        for tell in self._on_iteration_ended:
            tell(frame, is_complete)
        frame.in_body = False
        frame.path_text = None
        if frame.entries:
            frame.entries = {}


def _at_once(frame: LoopFrame) -> AfterlogError:
    return AfterlogError(
        "AL060",
        f'loop "{frame.name}" runs at the same time as another loop',
        ["run one after the other to have both recorded"],
    )
