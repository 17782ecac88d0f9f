"""Tracebacks as the program's author knows them: without our own frames."""

import os
from types import TracebackType
from typing import Optional

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def without_ours(traceback: Optional[TracebackType]) -> Optional[TracebackType]:
    """The same traceback without frames of this package; None if there is no other."""
    first = last = None
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith(_OWN):
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
