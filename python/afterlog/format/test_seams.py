"""What tests ask of a process from outside, in one place; nobody else sets these variables.
`src/host/test-seams.ts` reads the same."""

import os
from typing import Optional


def crash_at() -> str:
    """Kill the process, or fail the disk (`ENOSPC:point`), at a named point; `#3` waits for the
    third time. Empty: nowhere."""
    return os.environ.get("AFTERLOG_CRASH_AT", "")


def entries_max() -> Optional[int]:
    """A loop of a hands-free program is given up after so many entries, whatever it costs."""
    return int(os.environ.get("AFTERLOG_ENTRIES_MAX", 0)) or None


def missed_change() -> Optional[str]:
    """One name that the analysis misses, as if it had a hole there: `train.py#2 train.py:0:ema` is
    the name with that key among the changes of the loop with ordinal 2 in that file. What then goes
    wrong must be found by the audit, or by the deferred check."""
    return os.environ.get("AFTERLOG_OVERLOOK")
