"""What a replay must know of the run that it repeats: its arguments, declarations and loop entries.
Read from the log by the beginning of each line; logged values, which are most of it, are passed
over."""

import json
import os
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from ...format.paths import LoopPath, format_path, path_element
from ...format.values import value_from_json
from ...store.layout import RunPaths
from ...store.runs import read_manifest
from ..files.watch_files import Before, loops_of
from .recorded_calls import RecordedCalls

_KINDS = ("arg", "declare", "enter", "exit", "file", "off", "rewind", "seal")
# Of the statement of a loop, behind its name.
_PLACE = re.compile(r" \([^()]*:\d+\)$")
_CALLS = ("calls", "called", "rewind")


@dataclass
class RecordedEntry:
    """A loop entry of the run."""

    iterator: int
    # How it was left, and after how many iterations; None: the process ended while it ran.
    how: Optional[str] = None
    iterations: int = 0


class RecordedRun:
    def __init__(self, folder: str) -> None:
        self.args: Dict[str, Any] = {}
        # By the path of the loop's end, as text.
        self.entries: Dict[str, RecordedEntry] = {}
        # Loops that it gave up in its middle, by name, and why: what it entered of them stands in
        # `entries`.
        self.given_up: Dict[str, str] = {}
        # Loops of which it recorded no more because they ran at the same time: what it has of
        # them is cut.
        self.left_alone: Set[str] = set()
        # It ended by itself: what it did not do, it would not have done.
        self.sealed = False
        # Hash of each file at its first read.
        self.read: Dict[str, str] = {}
        # Files that the run wrote, with the loops in which it did (`loops_of`).
        self.written: Dict[str, Set[str]] = {}
        # What was where it first wrote outside its project.
        self.before: Dict[str, Before] = {}
        # Files that it wrote, and that were there when it ended.
        self.left: Dict[str, Tuple[LoopPath, str]] = {}
        # What it loaded as source is compared by the plan, which may have added statements.
        self.sources: Set[str] = _sources_of(folder)
        self._declared: Dict[str, List[int]] = {}
        self._log = RunPaths(folder).log
        self._calls: Optional[RecordedCalls] = None
        for record in _read_records(self._log, _KINDS):
            self._add(record)

    @property
    def calls(self) -> RecordedCalls:
        """Results of calls; all are read when the first is asked for."""
        if self._calls is None:
            self._calls = RecordedCalls(_read_records(self._log, _CALLS))
        return self._calls

    def declaration(self, path: LoopPath, n: int) -> Optional[int]:
        """The number of the `n`-th declaration in the iteration at `path`; None: there is none."""
        ordinals = self._declared.get(format_path(path), [])
        return ordinals[n] if n < len(ordinals) else None

    def _add(self, record: Dict[str, Any]) -> None:
        kind = record["k"]
        if kind == "arg":
            self.args.setdefault(record["name"], value_from_json(record["value"]))
        elif kind == "declare":
            declared = self._declared.setdefault(format_path(record["path"]), [])
            declared.append(record["ordinal"])
        elif kind == "enter":
            self.entries[_entry_key(record)] = RecordedEntry(record["iterator"])
        elif kind == "exit":
            entry = self.entries.get(_entry_key(record))
            if entry is not None:
                entry.how, entry.iterations = record["how"], record["iterations"]
        elif kind == "file" and record["op"] == "read":
            if "hash" in record:
                self.read[record["file"]] = record["hash"]
        elif kind == "file":
            self.written.setdefault(record["file"], set()).add(loops_of(record["path"]))
            if record["op"] == "sealed" and "hash" in record:
                self.left[record["file"]] = (record["path"], record["hash"])
            # What was written before the run began may lie inside after all.
            if "before" in record and os.path.isabs(record["file"]):
                self.before.setdefault(record["file"], (record["before"], record.get("bytes", 0)))
        elif kind == "off":
            self._add_off(record)
        elif kind == "seal":
            self.sealed = True

    def _add_off(self, record: Dict[str, Any]) -> None:
        name = record.get("loop")
        if name is None and "entered more than" in record["why"]:
            # Earlier versions gave a loop up by its entries alone, and told its name in words.
            name = record["feature"].partition(" ")[2].rpartition(" (")[0]
        if name:
            self.given_up[name] = record["why"]
        elif record["feature"].startswith("loop "):
            self.left_alone.add(_PLACE.sub("", record["feature"][len("loop ") :]))


def _sources_of(folder: str) -> Set[str]:
    try:
        return set(read_manifest(folder)["sources"])
    except Exception:
        # Then all that was read must be as it was.
        return set()


def _entry_key(record: Dict[str, Any]) -> str:
    end = path_element(record["loop"], "end", record["entry"])
    return format_path([*record["path"], end])


def _read_records(file: str, kinds: Sequence[str]) -> List[Dict[str, Any]]:
    """The records of interest; those that a later `rewind` supersedes are dropped."""
    beginnings = tuple(f'{{"k":"{kind}"'.encode() for kind in kinds)
    records: List[Dict[str, Any]] = []
    if not os.path.exists(file):
        return records
    with open(file, "rb") as stream:
        for line in stream:
            if not line.startswith(beginnings) or not line.endswith(b"\n"):
                continue
            record = json.loads(line)
            if record["k"] == "rewind":
                last = record["seq"]
                records = [earlier for earlier in records if earlier.get("seq", last + 1) <= last]
            else:
                records.append(record)
    return records


def places_by_entry(checkpoints: Sequence[Dict[str, Any]]) -> Dict[str, Set[str]]:
    """Keys of the places that the checkpoints of each loop entry have, captured or not."""
    keys_by_entry: Dict[str, Set[str]] = {}
    for record in checkpoints:
        name, _, *entry = record["path"][-1]
        end = path_element(name, "end", entry[0] if entry else 0)
        keys = keys_by_entry.setdefault(format_path([*record["path"][:-1], end]), set())
        keys.update(place["key"] for place in (*record["places"], *record["absent"]))
    return keys_by_entry
