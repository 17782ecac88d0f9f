"""Records as lines: numbering, time, and the shortest way from `log` to the file."""

import threading
from typing import Any, Dict, List, Optional

from ...format.clocks import perf_counter
from ...format.paths import LoopPath
from ...format.safetensors import compact_json
from ...format.values import EncodeOther, number_to_json, string_to_json, value_to_json, well_formed
from ...materialize.materializer import Materializer
from ..loops.loop_frame import LoopFrame, path_text


class Recorder:
    """`continues`: the log is there, and has so many lines; nothing is written before `resume`."""

    def __init__(
        self, materializer: Materializer, origin: float, run: str, continues: Optional[int] = None
    ) -> None:
        self._materializer = materializer
        self._origin = origin
        self._run = run
        self.seq = 0
        # Lines written, for the seal.
        self.lines = continues or 0
        # A resumed run is on its way to where it left off: what it does there is in the log.
        self._muted = continues is not None
        # Sites met on the way: they have new numbers, which are told when it has arrived.
        self._met: List[Dict[str, Any]] = []
        self._lock = threading.Lock()
        self._names: Dict[str, str] = {}
        if not self._muted:
            self._header()

    def _header(self) -> None:
        self._line(compact_json({"k": "header", "format": 1, "run": self._run}))

    def resume(self, path: list, seq: int, t: int) -> None:
        """A resumed run has arrived: what was logged after this point is superseded."""
        if not self._muted:
            return
        self._muted = False
        self._origin = perf_counter() - t / 1e6
        self.seq = seq + 1
        if self.lines == 0:
            self._header()
        self._line(compact_json({"k": "rewind", "path": path, "seq": seq}))
        for site in self._met:
            self.site(site)
        self._met = []

    def now(self) -> int:
        """Microseconds since the run began."""
        return int((perf_counter() - self._origin) * 1e6)

    def site(self, record: Dict[str, Any]) -> None:
        if self._muted:
            self._met.append(record)
        else:
            self._line(_to_json(record))

    def emit(self, kind: str, fields: Dict[str, Any]) -> None:
        """A record of a kind that is numbered."""
        with self._lock:
            seq = self.seq
            self.seq += 1
            self._line(_to_json({"k": kind, "seq": seq, **fields, "t": self.now()}))

    def profile(self, record: Dict[str, Any]) -> None:
        self._materializer.profile(_to_json(record) + "\n")

    def log(
        self,
        frame: Optional[LoopFrame],
        name: str,
        site: Optional[int],
        value: Any,
        other: EncodeOther,
        probe: bool = False,
    ) -> None:
        """`probe`: by a statement that was added to ask, or by what it calls."""
        text = number_to_json(value) if type(value) is float else value_to_json(value, other)
        where = "null" if site is None else str(site)
        more = ',"probe":true' if probe else ""
        named = self._names.get(name) or self._name(name)
        self._numbered("log", frame, f'"name":{named},"site":{where},"value":{text}{more}')

    def called(self, path: LoopPath, file: str, results: str, off: List[int]) -> None:
        """Results of calls of a file, already JSON."""
        left = f',"off":{compact_json(off)}' if off else ""
        place = f'"path":{_to_json(path)},"file":{self._name(file)}'
        with self._lock:
            seq = self.seq
            self.seq += 1
            rest = f'"results":[{results}]{left},"t":{self.now()}'
            self._line(f'{{"k":"called","seq":{seq},{place},{rest}}}')

    def item(self, frame: LoopFrame, value: Any) -> None:
        self._numbered("iter", frame, f'"value":{value_to_json(value)}')

    def arg(self, name: str, value: Any, default: Any, source: str) -> None:
        values = f'"value":{value_to_json(value)},"default":{value_to_json(default)}'
        rest = f'"name":{self._name(name)},{values},"from":"{source}"'
        with self._lock:
            self._line(f'{{"k":"arg","seq":{self.seq},{rest},"t":{self.now()}}}')
            self.seq += 1

    def _numbered(self, kind: str, frame: Optional[LoopFrame], fields: str) -> None:
        path = path_text(frame) if frame else ""
        with self._lock:
            seq, t = self.seq, int((perf_counter() - self._origin) * 1e6)
            self.seq = seq + 1
            if not self._muted:
                self.lines += 1
                line = f'{{"k":"{kind}","seq":{seq},"path":[{path}],{fields},"t":{t}}}\n'
                self._materializer.log(line)

    def _line(self, text: str) -> None:
        if self._muted:
            return
        self.lines += 1
        self._materializer.log(text + "\n")

    def _name(self, name: str) -> str:
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = string_to_json(well_formed(name))
        return known


def _to_json(record: Any) -> str:
    """Names of loops, fields and files are the program's: half a surrogate pair is replaced."""
    text = compact_json(record)
    return text if text.isascii() else well_formed(text)


def ms_between(start: float, end: float) -> float:
    """Milliseconds to the microsecond."""
    return round((end - start) * 1000, 3)


__all__ = ["Recorder", "ms_between"]
