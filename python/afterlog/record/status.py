"""What the command line shows while a run records: a line of JSON on file descriptor 3, a few times
a second, and one at the end. Keeps a short history of each name for sparklines."""

import json
import math
import os
import time
from dataclasses import dataclass, field
from typing import Any, Dict, List

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


class Status:
    def __init__(self, run: str, live: bool) -> None:
        self._run = run
        self._live = live
        self._series: Dict[str, _Series] = {}
        # Iterations of outermost loops, by name.
        self._iterations: Dict[str, int] = {}
        self._sent_at = 0.0
        # Whoever started us is gone.
        self.alone = False

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

    def count(self, loop: str, iterations: int) -> None:
        self._iterations[loop] = self._iterations.get(loop, 0) + iterations

    def is_due(self, now: float) -> bool:
        return self._live and now - self._sent_at >= _INTERVAL_S

    def begin(self, version: Any) -> None:
        known = version or {"commit": None, "dirty": 0}
        line = {"kind": "begin", "run": self._run}
        self._send({**line, "commit": known["commit"], "dirty": known["dirty"]})

    def live(self, loops: List[Dict[str, Any]]) -> None:
        self._sent_at = time.perf_counter()
        self._send({"kind": "live", "loops": loops, "metrics": self._metrics()})

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
            self.alone = not send_status(line)


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
