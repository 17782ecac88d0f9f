"""Which files the program reads and writes (semantics, "Files": a file that the run wrote is
state).

Files of Python, of packages and of the store are not of interest. Watching begins when the SDK is
imported, for data is usually read before the first call; what happens until the run begins is kept
for it.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Protocol, Set, Tuple

from ...format.clocks import perf_counter
from ...format.paths import LoopPath
from .file_events import tell_of_files
from .led_calls import LedCalls
from .loaded_sources import is_of_package

# A larger file is known by samples: hashing a data set of gigabytes would slow the run.
WHOLE_BYTES_MAX = 16 << 20
# After so many bytes were hashed in all, every file above the size below is sampled.
_HASHED_BYTES_MAX = 256 << 20
_SAMPLED_BYTES_MIN = 1 << 20
_SAMPLE_BYTES = 64 << 10
_SAMPLES = 16
# Files followed; beyond it the run says that there were more.
_FILES_MAX = 10_000
# A file of this name stands for any: a program was started that may write what it likes.
ANY_FILE = "*"
# What was where the run first wrote outside its project, if it was no file with a hash; a tree is a
# folder that was taken away with all that was in it.
NOTHING, FOLDER, TREE = "nothing", "folder", "tree"
# That, or the hash, and how many bytes it had.
Before = Tuple[str, int]
SYSTEM = ("/dev/", "/proc/", "/sys/")


class Guard(Protocol):
    """What a replay says to the use of files."""

    def look(self, use: str, file: str) -> None:
        """Called before the program does it, in a way that cannot be led."""

    def lead(self, use: str, file: str) -> Optional[str]:
        """Where it is done; None: as the program says."""

    def forget(self) -> None:
        """From now on it is a forked process, which judges nothing."""


@dataclass
class WatchedRun:
    """The run that is told."""

    root: str
    store: str
    path: Callable[[], LoopPath]
    emit: Callable[[Dict[str, Any]], None]
    too_many: Callable[[int], None]
    # Milliseconds of the program's thread that this took.
    spent: Callable[[float], None]


class FileWatch:
    def __init__(self) -> None:
        self._run: Optional[WatchedRun] = None
        # Seen before the run began, with full names.
        self._early: List[Dict[str, Any]] = []
        # With what was found there.
        self._read: Dict[str, Dict[str, Any]] = {}
        self._written: Dict[str, LoopPath] = {}
        # Files and the loops in which they were written, as one text.
        self._places: Set[str] = set()
        self._known: Dict[str, bool] = {}
        self._hashed_bytes = 0
        self._full = False
        self._guard: Optional[Guard] = None
        self._calls = LedCalls(self._lead)
        self.asleep = False
        self._is_forked = False

    def install(self) -> None:
        tell_of_files(self._told)

    def guard(self, guard: Guard) -> None:
        """Has a replay say where the program finds what it is about to use."""
        self._guard = guard
        self._calls.install()

    def forget(self) -> None:
        """A forked process is not the run; one of a replay must not reach originals either."""
        self.asleep = self._is_forked = True
        if self._guard is not None:
            self._guard.forget()

    def _lead(self, use: str, file: str) -> Optional[str]:
        is_ours = self.asleep and not self._is_forked
        return None if is_ours or self._guard is None else self._guard.lead(use, file)

    def report(self, run: WatchedRun) -> None:
        """Tells the run, which has begun, what was seen so far, and from now on everything."""
        self._run = run
        self._known.clear()
        early, self._early = self._early, []
        for event in early:
            if event["file"] == ANY_FILE or self._is_interesting(event["file"]):
                self._emit(event)
        self._written = {
            file: path for file, path in self._written.items() if self._is_interesting(file)
        }
        self.asleep = False

    def seal(self) -> None:
        """Says how the written files look now that the run ends."""
        self.asleep = True
        for file, path in self._written.items():
            sealed = fingerprint(file, WHOLE_BYTES_MAX) or {}
            self._emit({"op": "sealed", "file": file, "path": path, **sealed})

    def _told(self, use: str, file: str) -> None:
        if self.asleep or (use != "start" and not self._is_interesting(file)):
            return
        if self._guard is not None and not self._calls.is_led:
            self._calls.as_ours(self._guard.look, use, file)
        started = perf_counter()
        try:
            self._note(use, file)
        except OSError:
            pass  # a name that cannot be read is the program's to meet
        if self._run is not None:
            self._run.spent((perf_counter() - started) * 1000)

    def _note(self, use: str, file: str) -> None:
        if use == "start":
            self._note_written(ANY_FILE)
            return
        # The read first: its hash is that of the file before the program changed it.
        if use in ("read", "change"):
            self._note_read(file)
        # Programs make sure of their folders again and again: one that is there is not made.
        if use not in ("read", "look", "list") and not (use == "make" and os.path.exists(file)):
            is_known = file in self._written or self._is_of_project(file)
            self._note_written(file, {} if is_known else self._before(use, file))
            self._written[file] = self._path()

    def _note_read(self, file: str) -> None:
        if file in self._read or file in self._written:
            return
        read = self._fingerprint(file)
        if read is not None:
            self._read[file] = read
            self._emit({"op": "read", "file": file, "path": self._path(), **read})

    def _fingerprint(self, file: str) -> Optional[Dict[str, Any]]:
        eager = self._hashed_bytes < _HASHED_BYTES_MAX
        found = fingerprint(file, WHOLE_BYTES_MAX if eager else _SAMPLED_BYTES_MIN)
        if found is not None:
            self._hashed_bytes += min(found["bytes"], WHOLE_BYTES_MAX)
        return found

    def _before(self, use: str, file: str) -> Dict[str, Any]:
        """What is there before it is written: no version keeps it, and a replay must find it."""
        if not os.path.exists(file):
            return {"before": NOTHING}
        if os.path.isdir(file):
            return {"before": TREE if use == "move" else FOLDER}
        found = self._read.get(file) or self._fingerprint(file)
        return {} if found is None else {"before": found["hash"], "bytes": found["bytes"]}

    def _note_written(self, file: str, before: Mapping[str, Any] = {}) -> None:
        """Once for each loop: a replay that skips the loop does not write it."""
        path = self._path()
        place = f"{loops_of(path)} {file}"
        if place not in self._places:
            self._places.add(place)
            self._emit({"op": "write", "file": file, "path": path, **before})

    def _is_interesting(self, file: str) -> bool:
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = not (
                file.startswith(SYSTEM)
                or file.endswith((".pyc", ".so"))
                or self._is_in_store(file)
                or is_of_package(file)
            )
            if len(self._known) > 4 * _FILES_MAX:
                self._known.clear()
        if known and len(self._read) + len(self._written) >= _FILES_MAX and not self._full:
            self._full = True
            if self._run is not None:
                self._run.too_many(_FILES_MAX)
        return known and not self._full

    def _is_in_store(self, file: str) -> bool:
        if self._run is None:
            return False
        root, store = self._run.root, self._run.store
        # A replay runs in a tree that lies in the store.
        return _is_within(file, store) and not (_is_within(root, store) and _is_within(file, root))

    def _is_of_project(self, file: str) -> bool:
        return self._run is not None and _is_within(file, self._run.root)

    def _path(self) -> LoopPath:
        return self._run.path() if self._run is not None else []

    def _emit(self, event: Dict[str, Any]) -> None:
        """Takes the full name of the file; the run has it relative to its project."""
        if self._run is None:
            self._early.append(event)
            return
        file = event["file"]
        if file != ANY_FILE and _is_within(file, self._run.root):
            file = os.path.relpath(file, self._run.root)
        self._run.emit({**event, "file": file})


def loops_of(path: LoopPath) -> str:
    """Names of the loops around a path, outermost first, as text that a longer one begins with."""
    return "".join(f"{json.dumps(element[0], ensure_ascii=False)}/" for element in path)


def _is_within(file: str, folder: str) -> bool:
    return file.startswith(os.path.join(folder, ""))


def fingerprint(file: str, whole_bytes_max: int) -> Optional[Dict[str, Any]]:
    """Size and hash of a regular file; None if there is none, or nobody may read it."""
    if not os.path.isfile(file):
        return None
    try:
        with open(file, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size <= whole_bytes_max:
                digest = hashlib.sha256(stream.read())
                return {"bytes": size, "hash": f"sha256:{digest.hexdigest()}"}
            digest = hashlib.sha256(str(size).encode())
            for sample in range(_SAMPLES):
                stream.seek((size - _SAMPLE_BYTES) * sample // (_SAMPLES - 1))
                digest.update(stream.read(_SAMPLE_BYTES))
            return {"bytes": size, "hash": f"sampled:{digest.hexdigest()}"}
    except OSError:
        return None
