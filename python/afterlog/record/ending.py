"""How the process ends. Python tells exit handlers nothing of it, so the signs are collected: the
exception that nobody caught, the code given to `sys.exit`, and whether the program's outermost
frame ran to its end."""

import dis
import sys
import threading
from types import FrameType
from typing import Any, Dict, NamedTuple, NoReturn, Optional

from ..format.errors import AfterlogError
from .tracebacks import hide_ours

_RETURNS = ("RETURN_VALUE", "RETURN_CONST")


class Ending(NamedTuple):
    exit_code: Optional[int]
    # The name of the signal that ended it, if one did.
    signal: Optional[str] = None


class EndingWatch:
    """Watches from the first call of the SDK on."""

    def __init__(self) -> None:
        self._exception: Optional[type] = None
        # What was given to sys.exit; one that was raised without it does not tell its code.
        self._code: Any = 1
        self._outermost = _outermost_frame()
        self._excepthook = sys.excepthook
        self._exit = sys.exit
        sys.excepthook = self._note_exception
        sys.exit = self._note_exit

    def _note_exception(self, kind: Any, value: Any, traceback: Any) -> None:
        self._exception = kind
        if isinstance(value, AfterlogError):
            traceback = hide_ours(value).__traceback__
        self._excepthook(kind, value, traceback)

    def _note_exit(self, code: Any = None) -> NoReturn:
        self._code = code
        self._exit(code)

    def note_code(self, code: Any) -> None:
        """The code of a SystemExit, from who saw it."""
        self._code = code

    def ending(self) -> Ending:
        """To be asked when the process exits."""
        frame, self._outermost = self._outermost, None
        if self._exception is not None:
            if issubclass(self._exception, KeyboardInterrupt):
                return Ending(None, "SIGINT")
            return Ending(1)
        if frame is None or _has_returned(frame):
            return Ending(0)
        # By a SystemExit.
        return Ending(_as_exit_code(self._code))


def _as_exit_code(code: Any) -> int:
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1


def _outermost_frame() -> Optional[FrameType]:
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _has_returned(frame: FrameType) -> bool:
    """Whether the last instruction that the frame executed is its return."""
    if frame.f_lasti < 0:
        return False
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] in _RETURNS


# A loop that is left by `break` or `return` takes its iterator from the stack by one of these.
_POPS = ("POP_TOP", "POP_ITER", "END_FOR")


def is_popped(frame: Optional[FrameType]) -> bool:
    """Whether a frame is letting go of an iterator on purpose, and not by an exception."""
    if frame is None or frame.f_lasti < 0:
        return False
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] in _POPS


def outcome_of(ending: Ending, suspected: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """How a replay ended that was not ended by orders. `suspected`: what looked wrong on the way,
    if something did."""
    if ending.signal or ending.exit_code:
        why = ending.signal or f"exit code {ending.exit_code}"
        return {"kind": "failed", "why": why, "path": []}
    return suspected or {"kind": "done", "why": "the program ended", "path": []}
