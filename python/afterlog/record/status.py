"""What the command line shows while a run records: a line of JSON on file descriptor 3, a few times
a second, and one at the end. Keeps a short history of each name for sparklines."""

import json
import math
import os
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

from ..format.clocks import perf_counter
from .loops.loop_frame import LoopFrame, standing
from .loops.loop_observer import LoopObserver

STATUS_FD = 3
_INTERVAL_S = 0.2
# Names followed, and points kept of each.
_NAMES_MAX = 12
_POINTS_MAX = 64


@dataclass
class _Series:
    """A number's history, thinned by keeping every n-th point."""

    last: float
    count: int = 0
    every: int = 1
    points: List[float] = field(default_factory=list)


class Status(LoopObserver):
    """`abandoned`: told in which loop the program is when whoever started it is gone."""

    def __init__(
        self, run: str, live: bool, abandoned: Callable[[Optional[LoopFrame]], None]
    ) -> None:
        self._run = run
        self._live = live
        self._abandoned = abandoned
        self._series: Dict[str, _Series] = {}
        # Iterations of outermost loops, by name.
        self._iterations: Dict[str, int] = {}
        self._sent_at = 0.0

    def metric(self, name: str, value: float) -> None:
        series = self._series.get(name)
        if series is None:
            if len(self._series) >= _NAMES_MAX:
                return
            series = self._series[name] = _Series(value)
        series.last = value
        if not math.isfinite(value):
            return
        if series.count % series.every == 0:
            series.points.append(value)
            if len(series.points) >= _POINTS_MAX:
                series.points = series.points[::2]
                series.every *= 2
        series.count += 1

    def iteration_began(self, frame: LoopFrame, item: Any) -> None:
        if frame.depth == 0:
            self.iterations_counted(frame, 1)
        if self._live:
            self.show(frame)

    def iterations_counted(self, frame: LoopFrame, count: int) -> None:
        if frame.depth == 0:
            self._iterations[frame.name] = self._iterations.get(frame.name, 0) + count

    def show(self, innermost: Optional[LoopFrame]) -> None:
        """Says where the program is, if it was not said just now."""
        if not self._live:
            return
        now = perf_counter()
        if now - self._sent_at < _INTERVAL_S:
            return
        self._sent_at = now
        line = {"kind": "live", "loops": standing(innermost, now), "metrics": self._metrics()}
        if not send_status(line):
            self._abandoned(innermost)

    def begin(self, version: Any) -> None:
        known = version or {"commit": None, "dirty": 0}
        line = {"kind": "begin", "run": self._run}
        self._send({**line, "commit": known["commit"], "dirty": known["dirty"]})

    def end(self, facts: Dict[str, Any]) -> None:
        found = {"loops": self._iterations, "metrics": self._metrics()}
        self._send({"kind": "end", **facts, **found})

    def _metrics(self) -> List[Dict[str, Any]]:
        return [
            {"name": name, "last": _as_json(series.last), "points": series.points}
            for name, series in self._series.items()
        ]

    def _send(self, line: Dict[str, Any]) -> None:
        if self._live:
            send_status(line)


def _as_json(value: float) -> Any:
    if math.isfinite(value):
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def send_status(line: Dict[str, Any]) -> bool:
    """Writes a line to whoever started us; False if nobody is there to read it."""
    try:
        os.write(STATUS_FD, json.dumps(line).encode() + b"\n")
        return True
    except BrokenPipeError:
        return False
    except OSError:
        # The run goes on, and its files hold everything.
        return True
