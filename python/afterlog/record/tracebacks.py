"""Tracebacks as the program's author knows them: without our own frames."""

import os
from types import TracebackType
from typing import Optional

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def without_ours(traceback: Optional[TracebackType]) -> Optional[TracebackType]:
    """The same traceback without frames of this package; None if there is no other."""
    first = last = None
    is_ours = False
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        # What Python makes for a class of ours (a named tuple) has no file.
        is_ours = file.startswith(_OWN) or (is_ours and file == "<string>")
        if not is_ours:
            if last is None:
                first = traceback
            else:
                last.tb_next = traceback
            last = traceback
        traceback = traceback.tb_next
    if last is not None:
        last.tb_next = None
    return first


def hide_ours(error: BaseException) -> BaseException:
    """The error, about to be shown; what we met ourselves on the way to it is in its text."""
    cause = error.__cause__
    if cause is not None and without_ours(cause.__traceback__) is None:
        error.__cause__ = None
    return error.with_traceback(without_ours(error.__traceback__))
