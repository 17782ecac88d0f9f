"""`loop`: an iterable that tells the run when an iteration begins and ends."""

import sys
from types import FrameType, GeneratorType
from typing import TYPE_CHECKING, Any, Generic, Iterator, Optional, TypeVar, Union

from ...format.clocks import perf_counter
from ...format.errors import AfterlogError
from ..replay.director import END
from ..ending import is_popped
from .iterators import is_plain
from .loop_cursor import BODY, LoopCursor
from .loop_frame import LoopFrame
from .loop_observer import LoopSource

if TYPE_CHECKING:
    from ..session import Session

T = TypeVar("T")


class Loop(Generic[T]):
    """What `loop` returns. Each pass over it is an entry of the loop."""

    def __init__(
        self, session: Optional["Session"], name: str, iterable: Any, site: Optional[int]
    ) -> None:
        _check(name, iterable)
        self._session = session
        self._name = name
        self._iterable = iterable
        self._site = site

    def __len__(self) -> int:
        return len(self._iterable)

    def __iter__(self) -> Iterator[T]:
        if self._session is None:
            return iter(self._iterable)
        return self._pass(self._session, sys._getframe(1))

    def _pass(self, session: "Session", caller: FrameType) -> Iterator[T]:
        cursor = LoopCursor(session)
        counts = cursor.before_iterator(self._name, self._iterable)
        iterator = iter(self._iterable)
        source = LoopSource(self._iterable, iterator, counts, is_plain(iterator))
        frame = cursor.enter(self._name, self._site, source, session.context(caller))
        del caller
        if frame is None:
            yield from iterator
            return
        while True:
            step = cursor.advance()
            if step is not BODY:
                if follow(cursor, step, iterator):
                    return
                continue
            started = perf_counter()
            try:
                item = next(iterator)
            except StopIteration:
                cursor.end("exhausted")
                return
            except BaseException:
                cursor.end("throw")
                raise
            cursor.begin(item, started)
            try:
                yield item
            except GeneratorExit:
                _close(cursor, frame, iterator)
                raise


def _close(cursor: LoopCursor, frame: LoopFrame, iterator: Any) -> None:
    """The body was left early."""
    program = sys._getframe(2)
    context = frame.context
    how = "break" if context is not None and context.left_by_break(program.f_lineno) else "closed"
    if not is_popped(program):
        # By an exception, most likely. The process may be about to end.
        cursor.abandon()
        return
    cursor.leave()
    # What closing changes, in a `finally` of a generator, belongs to the loop's end.
    try:
        if isinstance(iterator, GeneratorType):
            iterator.close()
    finally:
        cursor.end(how)


def follow(cursor: LoopCursor, step: Union[str, int], iterator: Any) -> bool:
    """Goes where a replay is told to; True if the loop ends here."""
    if step == END:
        if isinstance(iterator, GeneratorType):
            iterator.close()
        cursor.skip()
        return True
    for dropped in range(int(step)):
        try:
            next(iterator)
        except StopIteration:
            cursor.too_short(dropped)
    return False


def _check(name: Any, iterable: Any) -> None:
    """Loop names stand in paths, in file names and as columns."""
    if not isinstance(name, str) or name == "":
        raise AfterlogError(
            "AL061",
            f"a loop's name must be a text, not {name!r}",
            ['name it first:  for x in loop("step", batches)'],
        )
    kind = type(iterable)
    if hasattr(kind, "__iter__") or hasattr(kind, "__getitem__"):
        return
    help = "give a list, a generator, range(n) or any other iterable"
    if isinstance(iterable, int):
        help = f'count with range:  loop("{name}", range({iterable}))'
    what = f"{type(iterable).__name__} object"
    raise AfterlogError("AL061", f'loop "{name}" got a {what}, not an iterable', [help])
