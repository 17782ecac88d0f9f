"""Calls of packages that take long: their loops are not the run's, so all that is known of their
inside is how long it took. Plans are priced by it."""

from time import perf_counter
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from ..loops.loop_frame import LoopFrame, frame_path
from ..loops.loop_observer import LoopObserver, LoopSource
from .recorder import Recorder, ms_between

# Shorter ones are not written.
_MIN_MS = 250
# A call that was made so often and was never long is not timed any more.
_SHORT_MAX = 256


class TimedSite(NamedTuple):
    """A call in the program's source: its name as it is written."""

    file: str
    line: int
    call: str


class TimedCall(NamedTuple):
    """A call under way."""

    site: int
    at: float
    frame: Optional[LoopFrame]
    # Outermost loops, and loops of any depth, that had been entered.
    loops: int
    entries: int
    # What calls that were recorded had taken.
    known_ms: float


class UnseenCalls(LoopObserver):
    """`frame`: the loop whose body runs, if one does."""

    def __init__(self, recorder: Recorder, frame: Callable[[], Optional[LoopFrame]]) -> None:
        self._recorder = recorder
        self._frame = frame
        self._sites: List[TimedSite] = []
        self._short: List[int] = []
        self._loops = 0
        self._entries = 0
        self._known_ms = 0.0

    def entered(self, frame: LoopFrame, source: LoopSource) -> None:
        self._entries += 1
        self._loops += frame.parent is None

    def add(self, site: TimedSite) -> int:
        """A call of a file that is loaded; its number."""
        self._sites.append(site)
        self._short.append(0)
        return len(self._sites) - 1

    def since(self, site: int) -> Optional[TimedCall]:
        """It is about to be made."""
        if self._short[site] > _SHORT_MAX:
            return None
        entered = (self._loops, self._entries, self._known_ms)
        return TimedCall(site, perf_counter(), self._frame(), *entered)

    def took(self, call: Optional[TimedCall], value: Any) -> Any:
        """It has returned."""
        if call is None:
            return value
        ms = self._ms_of(call)
        if ms < _MIN_MS:
            self._short[call.site] += 1
        else:
            self._write(call, ms)
        return value

    def _ms_of(self, call: TimedCall) -> float:
        """Without calls in it that are known already. One that has loops of the run in it is
        seen: what is not theirs is mostly the first look at the program, which is our own."""
        if call.entries != self._entries:
            return 0.0
        return ms_between(call.at, perf_counter()) - (self._known_ms - call.known_ms)

    def _write(self, call: TimedCall, ms: float) -> None:
        self._known_ms += ms
        site = self._sites[call.site]
        record: Dict[str, Any] = {"k": "call", "path": frame_path(call.frame), "loops": call.loops}
        self._recorder.profile({**record, **site._asdict(), "ms": round(ms, 3)})
