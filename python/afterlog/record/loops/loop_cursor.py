"""Drives one entry of a loop, whoever goes through it: what `loop` returns, or the pass over a loop
of a program that names none. It is told where the loop stands, and says what comes next:

    cursor.enter(name, site, source, context)
    cursor.advance()    BODY: take an item, `begin` with it, execute the body, advance again
                        a number: take so many items and forget them, then advance again
                        END: close the iterator, then `skip`
    cursor.end(how)

Only a replay, a fork and a resumed run drop items or end a loop.
"""

from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Union

from ...format.errors import AfterlogError
from ..replay.director import END, RESTORE, JumpStep
from ..generators import Counts
from .iteration_batch import IterationBatch
from .loop_frame import LoopFrame
from .loop_analysis import LoopContext
from .loop_costs import CALL_MS_MAX
from .loop_observer import LoopSource

if TYPE_CHECKING:
    from ..session import Session

BODY = "body"

# What a boundary takes is so many times what our clocks see of it: a generator goes on before, and
# calls return after.
_AROUND = 1.3


class LoopCursor:
    """`cost`: told what each call took; None: the program asked for the loop."""

    def __init__(self, session: "Session", cost: Optional[Callable[[float], None]] = None) -> None:
        self._session = session
        self._ledger = session.parts.ledger
        self._cost = cost
        # The loop as it is recorded; None: it is not.
        self.frame: Optional[LoopFrame] = None
        # What is left of a jump to another iteration, and the checkpoint that it has restored.
        self._jump: Optional[List[JumpStep]] = None
        self._restored: Optional[Dict[str, Any]] = None

    def before_iterator(self, name: str, iterable: Any) -> Counts:
        """The loop is about to make its iterator. How often was drawn until now."""
        session, ledger, parts = self._session, self._ledger, self._session.parts
        started, booked_ms = perf_counter(), ledger.booked_ms
        counts = parts.generators.look()
        session.begin_loops()
        session.safely(lambda: parts.loaders.note(name, iterable, session.loops.present()))
        self._book((perf_counter() - started) * 1000, booked_ms)
        return counts

    def enter(
        self, name: str, site: Optional[int], source: LoopSource, context: Optional[LoopContext]
    ) -> Optional[LoopFrame]:
        """None once recording has failed, or if loops of the name ran at the same time: the loop
        then runs unrecorded."""
        session = self._session
        if self._cost is None and name in session.left_alone:
            return None

        def work() -> LoopFrame:
            started, booked_ms = perf_counter(), self._ledger.booked_ms
            frame = session.loops.enter(name, site, source, context)
            self._book((perf_counter() - started) * 1000, booked_ms)
            return frame

        self.frame = session.safely(work)
        return self.frame

    def advance(self) -> Union[str, int]:
        """The body, if there was one, has ended."""
        session, frame = self._session, self.frame
        if frame is None:
            return BODY
        if self._jump is not None:
            return self._continue_jump(frame, self._jump)
        # Without `safely`: a call less matters where bodies are quick.
        if not session.dead:
            started, booked_ms = perf_counter(), self._ledger.booked_ms
            try:
                session.loops.end_body(frame, started)
            except Exception as error:
                self._failed(frame, error)
            self._book_boundary(perf_counter() - started, booked_ms)
        director = session.director
        if director is None:
            return BODY
        move = session.safely(partial(director.before, frame))
        if move is None:
            return BODY
        if move == END:
            return END
        director.dropping = True
        self._jump, self._restored = list(move), None
        return self._continue_jump(frame, self._jump)

    def _continue_jump(self, frame: LoopFrame, jump: List[JumpStep]) -> Union[str, int]:
        director, loops = self._session.director, self._session.loops
        while jump and director is not None:
            step = jump.pop(0)
            if step != RESTORE:
                return step
            index, self._restored = director.restore(frame)
            loops.move_to(frame, index)
        self._jump = None
        loops.arrived(frame, self._restored)
        return BODY

    def too_short(self, items: int) -> None:
        """The iterator ended while items were dropped: after so many."""
        if self.frame is not None and self._session.director is not None:
            self._session.director.too_short(self.frame, items)

    def skip(self) -> None:
        """The loop goes to its recorded end; its iterator is closed already."""
        frame, session = self.frame, self._session
        if frame is not None and session.director is not None:
            index, how = session.director.skip(frame)
            session.loops.move_to(frame, index)
            self.end(how)

    def begin(self, item: Any, asked: float) -> None:
        """The next iteration begins. `asked`: when the iterator was asked for its item."""
        session, frame = self._session, self.frame
        if session.dead or frame is None:
            return
        started, booked_ms = perf_counter(), self._ledger.booked_ms
        try:
            session.loops.begin_body(frame, item, (started - asked) * 1000)
        except Exception as error:
            self._failed(frame, error)
        self._book_boundary(frame.clock.body_at - started, booked_ms)

    def _failed(self, frame: LoopFrame, error: Exception) -> None:
        """A loop that the program named and that ran beside another goes on unrecorded."""
        is_named = self._cost is None
        if is_named and isinstance(error, AfterlogError) and error.code == "AL060":
            self._session.leave_alone(frame.name, error)
            self.frame = None
        else:
            self._session.die(error)

    def _safely(self, frame: LoopFrame, work: Callable[[LoopFrame], None]) -> None:
        if self._session.dead:
            return
        try:
            work(frame)
        except Exception as error:
            self._failed(frame, error)

    def _book_boundary(self, seconds: float, booked_ms: float) -> None:
        ledger = self._ledger
        own_ms = seconds * 1000 - (ledger.booked_ms - booked_ms)
        self._book(own_ms * _AROUND, ledger.booked_ms)

    def _book(self, ms: float, booked_ms: float) -> None:
        ledger = self._ledger
        # Longer than a call takes: the process was interrupted.
        own_ms = min(ms - (ledger.booked_ms - booked_ms), CALL_MS_MAX)
        own_ms = ledger.book(own_ms, ledger.booked_ms)
        if self._cost is not None:
            self._cost(own_ms)

    def take_back(self) -> None:
        """The test of the loop was false: no iteration has begun."""
        if self.frame is not None:
            self._safely(self.frame, self._session.loops.take_back)

    def start_batch(self) -> Optional[IterationBatch]:
        """Lets iterations go by unreported after the present one, if some may."""
        frame, session = self.frame, self._session
        size = 0
        if frame is not None and not session.dead:
            size = session.loops.batch_limit(frame, self._ledger.running_share)
        if frame is None or size == 0:
            return None
        frame.batch = IterationBatch(size, not frame.is_plain)
        return frame.batch

    def end_batch(self, exhausted: bool) -> None:
        if self.frame is not None:
            self._session.loops.end_batch(self.frame, exhausted)

    def leave(self) -> None:
        """The loop is left early: its body is over, and its iterator goes on to close itself."""
        if self.frame is not None:
            self._safely(self.frame, self._session.loops.leave)

    def abandon(self) -> None:
        """An exception has left the body; the program may catch it."""
        if self.frame is not None:
            self._safely(self.frame, self._session.loops.abandon)

    def end(self, how: str) -> None:
        if self.frame is not None:
            self._safely(self.frame, partial(self._exit, how))

    def _exit(self, how: str, frame: LoopFrame) -> None:
        session = self._session
        started, booked_ms = perf_counter(), self._ledger.booked_ms
        session.loops.exit(frame, how)
        self._book((perf_counter() - started) * 1000, booked_ms)
