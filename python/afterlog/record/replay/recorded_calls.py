"""Results of calls that a run recorded (`log/call_results.py`), for its replays."""

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ...format.call_values import result_from_json
from ...format.paths import LoopPath, path_element
from ...format.safetensors import compact_json


# Begins the name of a module that is not of the project.
PACKAGE = "package:"


class Given(NamedTuple):
    value: Any


class NotGiven(NamedTuple):
    why: str


class AskedCall(NamedTuple):
    """A call, and where it is made: the calls of its file as they are here, its number among those
    of the run (None: the run did not have it), and the path of the iteration."""

    file: str
    sites: Sequence[str]
    is_clock: bool
    number: Optional[int]
    path: LoopPath


class _FileResults:
    def __init__(self, record: Dict[str, Any]) -> None:
        self.sites: List[str] = record["sites"]
        self.clocks: List[int] = record["clocks"]
        # Those of which not all results are recorded.
        self.off: Set[int] = set()
        # By site and path, those to come last.
        self.results: Dict[Tuple[int, str], List[Any]] = {}


class RecordedCalls:
    def __init__(self, records: Iterable[Dict[str, Any]]) -> None:
        self._files: Dict[str, _FileResults] = {}
        for record in records:
            if record["k"] == "calls" and record["file"] not in self._files:
                self._files[record["file"]] = _FileResults(record)
            elif record["k"] == "called":
                self._add(record)
        for known in self._files.values():
            for results in known.results.values():
                results.reverse()
        # Of one clock not all is recorded: durations between it and the others would be nonsense.
        self._lacking_clocks = {
            _owner(file)
            for file, known in self._files.items()
            if not known.off.isdisjoint(known.clocks)
        }

    def _add(self, record: Dict[str, Any]) -> None:
        known = self._files.get(record["file"])
        if known is None:
            return
        known.off.update(record.get("off", []))
        path = record["path"]
        text = _path_text(path)
        for one in record["results"]:
            if isinstance(one, list):
                known.results.setdefault((one[0], text), []).append(one[1])
            else:
                path = _later(path, one)
                text = _path_text(path)

    def take(self, asked: AskedCall) -> Union[Given, NotGiven]:
        """The next result of a call at its place, or why there is none."""
        if asked.number is None:
            return NotGiven("what is asked makes the call")
        known = self._files.get(asked.file)
        if known is None:
            return NotGiven("the run has recorded no results")
        if known.sites != asked.sites:
            return NotGiven("the run had other calls in this file")
        if asked.number in known.off:
            return NotGiven("the run has not recorded all of its results")
        if asked.is_clock and _owner(asked.file) in self._lacking_clocks:
            return NotGiven("the run has not recorded all results of its clocks")
        found = known.results.get((asked.number, _path_text(asked.path)))
        if not found:
            return NotGiven("the run has recorded no result of it here")
        return Given(result_from_json(found.pop()))


def _owner(file: str) -> str:
    """The package that a file is of; empty: the program's own."""
    return file.partition(".")[0] if file.startswith(PACKAGE) else ""


def _path_text(path: LoopPath) -> str:
    return compact_json(path)


def _later(path: LoopPath, step: int) -> LoopPath:
    """The path of a later iteration of its innermost loop."""
    last: Sequence[Any] = path[-1] if path else ()
    if not last:
        return path
    name, index, *entry = last
    return [*path[:-1], path_element(name, index + step, entry[0] if entry else 0)]
