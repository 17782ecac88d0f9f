"""What a program prints, as log records (the rule is in `format/console_rule.py`): `print`, loggers
below the level of a warning, and `tqdm.write`; those of experiments are in `loggers.py`. The
program's own function is called first, with all that it was given: what is printed stays as it was,
whatever becomes of the record.
"""

import builtins
import contextlib
import functools
import logging
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Sequence

from ..format.clocks import perf_counter
from ..format.console_lines import Lines, Part
from ..format.console_rule import Piece, Text, compile_rule, is_name_of_loop, printed_values
from ..format.console_text import Entry, number_spans
from ..format.errors import describe_error
from ..record.after_import import after_import
from ..record.loops.loop_frame import LoopFrame
from .kind_of_value import kind_of_odd
from .loggers import Loggers
from .printed_text_transform import TEXTS
from .printed_texts import PrintedTexts
from .shown_values import Reading, piece_of
from .text_formats import percent_parts

if TYPE_CHECKING:
    from ..record.session import Session

_texts = PrintedTexts()


def record_printed(session: Callable[[], Optional["Session"]], rule: Optional[str]) -> None:
    """Puts records of what is printed into the run, from now on. Raises `re.error` if Python does
    not understand the user's rule."""
    printed = _Printed(session, None if rule is None else compile_rule(rule))
    lend_texts()
    builtins.print = printed.printing(builtins.print)
    # In the place of logging's own, which mypy forbids.
    logging.Logger.handle = printed.handling(logging.Logger.handle)  # type: ignore[assignment]
    after_import("tqdm", printed.watch_tqdm)
    printed.watch_loggers()


def lend_texts() -> None:
    """Code that was passed through `hold_printed_texts` can run from now on."""
    setattr(builtins, TEXTS, _texts)


class _Printed:
    def __init__(self, session: Callable[[], Optional["Session"]], rule: Any) -> None:
        self._session = session
        self._rule = rule
        self._thread = threading.get_ident()
        self._lines = {with_clocks: Lines(with_clocks) for with_clocks in (False, True)}
        # How many calls that are recorded themselves are under way: a handler may print.
        self._inside = 0

    def printing(self, print_: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(print_)
        def print(*given: Any, **options: Any) -> None:
            print_(*given, **options)
            # What goes elsewhere than to the program's output is kept there.
            if options.get("file") is None or options["file"] is sys.stdout:
                self._record(lambda: self._printed(given), given=given)

        return print

    def handling(self, handle: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(handle)
        def handling(logger: Any, record: Any) -> Any:
            with self._once():
                result = handle(logger, record)
            # Warnings and errors are said, not measured.
            if record.levelno < logging.WARNING and not logger.disabled:
                args = record.args if type(record.args) is tuple else (record.args,)
                self._record(lambda: self._logged(record), _program_frame(), args)
            return result

        return handling

    def watch_tqdm(self) -> None:
        """`tqdm.write("…")` prints beside the bar."""
        bar = getattr(sys.modules.get("tqdm"), "tqdm", None)
        write: Any = getattr(getattr(bar, "write", None), "__func__", None)
        if write is None:
            return

        @functools.wraps(write)
        def writing(kind: Any, s: Any, *given: Any, **options: Any) -> Any:
            with self._once():
                result = write(kind, s, *given, **options)
            self._record(lambda: self._printed((s,)), given=(s,))
            return result

        setattr(bar, "write", classmethod(writing))

    def watch_loggers(self) -> None:
        Loggers(self._once, self._record).watch()

    @contextlib.contextmanager
    def _once(self) -> Iterator[None]:
        own = threading.get_ident() == self._thread
        self._inside += own
        try:
            yield
        finally:
            self._inside -= own

    def _printed(self, arguments: Sequence[Any]) -> Reading:
        written = _texts.written(arguments)
        if len(arguments) == 1 and type(arguments[0]) is str:
            return self._read(arguments[0], _texts.parts_of(arguments[0]), written)
        pieces = [printed_piece(argument) for argument in arguments]
        return lambda with_clocks: printed_values(pieces, self._rule, written, with_clocks)

    def _logged(self, record: Any) -> Reading:
        """A message of a logger, with the numbers that were put into it."""
        pattern, arguments = record.msg, record.args
        if type(pattern) is not str or not arguments:
            # `logger.info(x)`, where x says by itself what it is.
            return _nothing if arguments else self._printed((pattern,))
        message = getattr(record, "message", None)
        text = message if type(message) is str else _message_of(pattern, arguments)
        if text is None:
            return _nothing
        return self._read(text, percent_parts(pattern, arguments, text))

    def _read(
        self, text: str, parts: Optional[Sequence[Part]], written: Optional[Sequence[str]] = None
    ) -> Reading:
        """What one text logs; `parts`: what it was put together from, if that is known."""

        def reading(with_clocks: bool) -> List[Entry]:
            known = None
            if parts is not None and self._rule is None:
                known = self._lines[with_clocks].values(parts)
            if known or (known is not None and written is None):
                return known
            piece = Text(text) if parts is None else Text(*number_spans(parts))
            return printed_values([piece], self._rule, written, with_clocks)

        return reading

    def _record(
        self,
        read: Callable[[], Reading],
        caller: Optional[FrameType] = None,
        given: Sequence[Any] = (),
    ) -> None:
        session = self._session()
        if session is None or self._inside or threading.get_ident() != self._thread:
            return
        try:
            started = perf_counter()
            reading = read()
            kept = reading(False)
            # What a run leaves out may be what is asked for.
            values = reading(True) if session.replaying else kept
            session.spend((perf_counter() - started) * 1000)
            if session.replaying:
                was = kind_of_odd(given) or (None if values else "no name before a value")
                if was is not None:
                    session.printed(was, caller)
            for entry in values:
                # Which iteration it is stands in the path.
                if not _is_loop(session.frame, entry[0]):
                    is_kept = values is kept or any(_is_same(entry, one) for one in kept)
                    session.log(*entry, caller, is_kept)
        except Exception as error:
            session.turn_off("records of what is printed", describe_error(error))


def _nothing(with_clocks: bool) -> List[Entry]:
    return []


def _is_same(one: Entry, other: Entry) -> bool:
    """Values of a program may compare in ways of their own."""
    plain = type(one[1]) is type(other[1]) and type(one[1]) in (int, float, str, bool)
    return one[0] == other[0] and (one[1] is other[1] or (plain and repr(one[1]) == repr(other[1])))


def _is_loop(frame: Optional[LoopFrame], name: str) -> bool:
    while frame is not None:
        if is_name_of_loop(name, frame.name):
            return True
        frame = frame.parent
    return False


def _program_frame() -> Optional[FrameType]:
    """Where a logger was called, as `logging` itself finds it."""
    frame: Optional[FrameType] = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == logging._srcfile:
        frame = frame.f_back
    return frame


def printed_piece(value: Any) -> Piece:
    """With what a text was put together from, if that is known."""
    parts = _texts.parts_of(value) if isinstance(value, str) else None
    return piece_of(value) if parts is None else Text(*number_spans(parts))


def _message_of(pattern: str, arguments: Any) -> Optional[str]:
    """No handler has made it: only numbers and texts are put in."""
    values: Sequence[Any] = list(arguments.values()) if isinstance(arguments, dict) else arguments
    try:
        plain = all(type(argument) in (int, float, str, bool) for argument in values)
        return pattern % arguments if plain else None
    except (TypeError, ValueError, KeyError):
        return None
