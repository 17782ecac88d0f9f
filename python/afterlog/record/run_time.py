"""How long a run has taken, as its budget counts it. On a machine that others use too, the clock
goes on while they have the processor: that is neither the program's time nor ours."""

import os
from typing import Optional, Tuple

from ..format.clocks import perf_counter, process_time

# How long others had the processor is asked for again after so long: this may be asked at every
# iteration.
_KNOWN_FOR_S = 0.005
# Where Linux tells how long a thread has run, and how long it was ready to and did not.
_OWN = "/proc/thread-self/schedstat"


class RunTime:
    """Made by the program's own thread."""

    def __init__(self) -> None:
        # By `perf_counter`.
        self.origin = perf_counter()
        self._processor_before = process_time()
        self._file = _open_own()
        self._before = (0.0, 0.0)
        self._before = self._thread_s()
        self._waited = 0.0
        # Of the time that the program's thread was ready to run, the share that it ran.
        self.running_share = 1.0
        self._read_at = self.origin

    @property
    def elapsed_ms(self) -> float:
        """By the clock, less what others had of it."""
        now = perf_counter()
        if now - self._read_at > _KNOWN_FOR_S:
            return self.exact_ms
        return (now - self.origin - self._waited) * 1000

    @property
    def exact_ms(self) -> float:
        """The same, to measure something by: it takes some microseconds to ask."""
        ran, waited = self._thread_s()
        self._waited = waited - self._before[1]
        run_s = max(0.001, ran - self._before[0])
        self.running_share = run_s / (run_s + self._waited)
        self._read_at = perf_counter()
        return (self._read_at - self.origin - self._waited) * 1000

    @property
    def processor_ms(self) -> float:
        """Of all threads of the process."""
        return (process_time() - self._processor_before) * 1000

    def _thread_s(self) -> Tuple[float, float]:
        """How long the thread has run, and how long it was ready to and did not."""
        if self._file is None:
            return 0.0, 0.0
        try:
            ran, waited = os.pread(self._file, 64, 0).split()[:2]
            return int(ran) / 1e9, int(waited) / 1e9
        except (OSError, ValueError):
            return self._before[0], self._before[1]


def _open_own() -> Optional[int]:
    try:
        return os.open(_OWN, os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, AttributeError):
        return None
