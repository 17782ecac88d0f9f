"""One entry of a plain loop. What the program's statement goes through is made of C iterators, with
ours in it only where an iteration ends and begins: an error that the program's own iterator raises
passes through no code of ours, and shows no trace of it.
"""

import sys
from functools import partial
from itertools import chain, islice, repeat
from types import FrameType, WrapperDescriptorType
from typing import Any, Callable, Iterator, Optional, Tuple

from ..format.clocks import perf_counter
from ..format.errors import AfterlogError
from ..record.replay.director import END
from ..record.ending import is_popped
from ..record.loops.iteration_batch import IterationBatch
from ..record.loops.iterators import is_plain
from ..record.loops.loop_costs import LoopCost, LoopCosts
from ..record.loops.loop_cursor import BODY, LoopCursor
from ..record.loops.loop_frame import LoopFrame
from ..record.loops.loop_observer import LoopSource
from ..record.loops.loops import follow
from ..record.session import Session

# What a loop with a test goes through: nothing, again and again.
ROUND = repeat(())
# Items that are kept as values of iterations.
_ITEMS_MAX = 1024
# Of a loop whose iterations take less than this, so many in all its entries.
_QUICK_ITEMS_MAX = 4096
_QUICK_MS = 1.0


class _Never:
    """No item is equal to it."""

    def __eq__(self, other: Any) -> bool:
        return False


def _asked_once(iterator: Any) -> Any:
    """A `for` asks for an iterator once, and `chain` would ask again: one whose `__iter__` is the
    program's own may begin anew then, or have none."""
    if isinstance(getattr(type(iterator), "__iter__", None), WrapperDescriptorType):
        return iterator
    return iter(iterator.__next__, _Never())


class PlainLoopEntry:
    """`given`: what it goes through, None for a loop with a test; and what takes an item from
    where a library's loop takes them. `failed`: told of an error of ours, or of use; the loop then
    goes on untouched."""

    def __init__(
        self,
        session: Session,
        given: Tuple[Any, Optional[Callable[[], Any]]],
        failed: Callable[[Exception], None],
        costs: Tuple[LoopCosts, LoopCost],
    ) -> None:
        self._session = session
        self._cost = costs[1]
        iterable, self._drop = given
        self._iterable = iterable
        self._failed = failed
        self._source: Any = None
        self._iterator: Any = None
        self._cursor = LoopCursor(session, partial(costs[0].book, costs[1]))
        self._has_test = iterable is None
        self._exhausted = False
        self._is_unrecorded = False
        self._asked_at = 0.0
        # Asking for the next item executes nothing of the program.
        self._is_plain = self._has_test
        # Told when the loop is over, and whether by its test.
        self.when_over: Callable[[bool], None] = lambda ended: None

    def enter(self, name: str, number: int, site: Optional[int], program: FrameType) -> None:
        """Raises what the program's own `iter` raises."""
        session = self._session
        # A loop with a test has no iterator; each entry is given one of its own.
        iterable = object() if self._has_test else self._iterable
        self._iterable = None
        counts = self._cursor.before_iterator(name, iterable)
        iterator = object() if self._has_test else iter(iterable)
        items = ROUND if self._has_test else _asked_once(iterator)
        self._source = items if self._has_test else chain(items, self._ending())
        self._is_plain = (self._has_test or is_plain(iterator)) and self._drop is None
        try:
            # Where a loop stands that takes more than its items is not told by these.
            told = iterable if self._drop is None else iterator
            source = LoopSource(told, iterator, counts, self._is_plain)
            context = session.context(program, number)
            self._cursor.enter(name, site, source, context)
        except AfterlogError as error:
            self._failed(error)
        frame = self._cursor.frame
        if frame is not None:
            frame.cost = self._cost
        else:
            # The iterator that was made is the one that is gone through.
            self._is_unrecorded = True
        if session.director is not None:
            self._iterator = items if self._drop is None else self._dropped(items)

    def _dropped(self, iterator: Any) -> Any:
        """Where items are taken from that are forgotten."""
        drop: Any = self._drop
        return map(lambda _: drop(), iterator)

    def end_early(self) -> None:
        """The iteration that goes on is the last one: it has ended, and the loop with it."""
        frame = self._cursor.frame
        if frame is None or frame.ended or self._is_unrecorded:
            return
        if not self._is_over():
            self._exit("exhausted")
        self._is_unrecorded = True

    def items(self) -> Iterator[Any]:
        """What the statement goes through. Nobody else may hold it: it tells when it is let go."""
        return chain.from_iterable(self._segments())

    def end(self) -> None:
        """The test says that there is no other iteration: the one that was begun was none."""
        frame = self._cursor.frame
        if frame is not None and not frame.ended:
            self._end_batch()
            self._safely(self._cursor.take_back)
            self._exit("exhausted")

    def _ending(self) -> Iterator[Any]:
        """Comes after the program's iterator, and tells that it has nothing more."""
        self._exhausted = True
        return
        yield

    def _segments(self) -> Iterator[Any]:
        """Pieces of what the loop goes through; the code here runs between two of them."""
        try:
            while not self._is_unrecorded:
                if self._is_over():
                    return
                self._asked_at = perf_counter()
                yield map(self._begin, islice(self._source, 1))
                batch = None if self._exhausted else self._start_batch()
                if batch is not None:
                    yield batch.items(self._source)
                    self._end_batch()
                if self._exhausted:
                    self._exit("exhausted")
                    return
            yield self._source
        except GeneratorExit:
            self._close(sys._getframe(1))
            raise

    def _start_batch(self) -> Optional[IterationBatch]:
        """More iterations follow unreported, where the bodies are quick."""
        if self._is_unrecorded or self._drop is not None:
            return None
        # Which iteration drew from a generator is told of each that is reported, so all are where
        # the iterator may draw, as long as that is cheap.
        if not self._is_plain and not self._cost.is_hot(self._session.parts.ledger.budget):
            return None
        return self._cursor.start_batch()

    def _end_batch(self) -> None:
        self._cursor.end_batch(self._exhausted)

    def _is_over(self) -> bool:
        """The body, if there was one, has ended; True if a replay ends the loop here."""
        try:
            step = self._cursor.advance()
            while step is not BODY:
                # A loop with a test has nothing to drop: where it stands comes with the state.
                if self._has_test and self._drop is None and step != END:
                    step = 0
                if follow(self._cursor, step, self._iterator):
                    self._let_go()
                    self._over(True)
                    return True
                step = self._cursor.advance()
        except AfterlogError as error:
            self._leave_unrecorded(error)
        return False

    def _begin(self, item: Any) -> Any:
        frame = self._cursor.frame
        if frame is not None:
            told = item if self._keeps_item(frame) else ()
            try:
                self._cursor.begin(told, self._asked_at)
            except AfterlogError as error:
                self._leave_unrecorded(error)
        return item

    def _keeps_item(self, frame: LoopFrame) -> bool:
        """The first tell enough: many are data of no interest."""
        cost, clock = self._cost, frame.clock
        if frame.index >= 0:
            cost.body_ms = clock.body_ms
            cost.bodies_ms += clock.body_ms * clock.count
        if frame.index + 1 >= _ITEMS_MAX:
            return False
        cost.items += 1
        return cost.items <= _QUICK_ITEMS_MAX or cost.body_ms >= _QUICK_MS

    def _close(self, program: FrameType) -> None:
        """The statement is left before its end."""
        frame = self._cursor.frame
        if frame is None or frame.ended or self._is_unrecorded:
            return
        self._end_batch()
        self._let_go()
        if not is_popped(program):
            # By an exception, most likely. The process may be about to end.
            self._over(False)
            self._cursor.abandon()
            return
        context = frame.context
        broke = context is not None and context.left_by_break(program.f_lineno)
        self._safely(self._cursor.leave)
        self._exit("break" if broke else "jump" if self._has_test else "closed")

    def _let_go(self) -> None:
        """Of an iterator that has more to give. What tells of its end holds this entry, which would
        keep it alive: processes that a loader started would live on, and be forked into others."""
        self._source = self._iterator = None

    def _exit(self, how: str) -> None:
        self._safely(partial(self._cursor.end, how))
        self._over(how == "exhausted")

    def _over(self, ended: bool) -> None:
        self.when_over(ended)
        self.when_over = lambda again: None

    def _safely(self, work: Callable[[], Any]) -> None:
        """No error of ours, or of use, reaches the program."""
        try:
            work()
        except AfterlogError as error:
            self._leave_unrecorded(error)

    def _leave_unrecorded(self, error: AfterlogError) -> None:
        self._is_unrecorded = True
        self._failed(error)
