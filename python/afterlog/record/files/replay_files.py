"""The files of a replaying program (semantics, "Files"): what it writes never reaches an original,
and what it reads is what the run read.

The program runs in a tree of its own, but large files of that tree are links to the originals:
before a write, a link becomes a copy. A path that leads out of the tree cannot be led elsewhere
from here, so a program that writes there is not repeated.
"""

import os
import shutil
import tempfile
from typing import Callable, Dict, NoReturn, Optional, Set

from ...format.paths import LoopPath
from ..replay.recorded_run import RecordedRun
from .watch_files import ANY_FILE, fingerprint, loops_of

# Large enough that a file which was hashed whole is hashed whole again.
_WHOLE_BYTES_MAX = 16 << 20
_OPENS = ("change", "write", "append")
_WRITES = (*_OPENS, "remove", "make")


class ReplayFiles:
    def __init__(
        self,
        root: str,
        store: str,
        recorded: RecordedRun,
        finish: Callable[..., NoReturn],
        path: Callable[[], LoopPath],
    ) -> None:
        self._root = os.path.join(os.path.realpath(root), "")
        # Folders whose files are the replay's own already.
        folders = (store, tempfile.gettempdir())
        self._own = [os.path.join(os.path.realpath(one), "") for one in folders]
        self._recorded = recorded
        self._finish = finish
        self._path = path
        # Files that this replay has written itself, or found to be as the run read them.
        self._mine: Set[str] = set()
        # Of those, the ones that it has opened to write, with their full names.
        self._opened: Dict[str, str] = {}
        # Files that parts of the run wrote which this replay has skipped.
        self._missing: Set[str] = set()

    def skipped(self, path: LoopPath) -> None:
        """Iterations of this loop, or all of it, were skipped: what they wrote is not there."""
        loops = loops_of(path)
        for file, places in self._recorded.written.items():
            if any(place.startswith(loops) for place in places):
                self._missing.add(file)
        # Nobody is told of what is written to a file that is open: the loop may have done it.
        still_open = _open_files()
        for name, file in self._opened.items():
            if still_open is None or file in still_open:
                self._missing.add(name)

    def look(self, use: str, file: Optional[str]) -> None:
        """Called before the program does it."""
        if file is None:
            if self._missing:
                why = "a program is started that may read what was written in a skipped loop"
                self._finish("insufficient", why, self._path())
            return
        name = self._name(file)
        if use == "write":
            self._missing.discard(name)
        # What is appended to a file that lacks something does not complete it.
        elif use not in ("append", "make") and self._is_missing(name, file, use):
            why = f"{name} was written in a loop that is skipped"
            self._finish("insufficient", why, self._path())
        if use in ("read", "change") and name not in self._mine:
            self._check(name, file)
        if use in _WRITES:
            self._mine.add(name)
            self._separate(file)
        if use in _OPENS:
            self._opened[name] = os.path.realpath(file)

    def _is_missing(self, name: str, file: str, use: str) -> bool:
        """Whether something of it is not here, because a part of the run was skipped."""
        if not self._missing or name in self._missing or ANY_FILE in self._missing:
            return bool(self._missing)
        # A folder that is there is there; one that is not may have been made for what is in it.
        if use == "list" or (use == "look" and not os.path.lexists(file)):
            inside = "" if name == "." else os.path.join(name, "")
            return any(one.startswith(inside) for one in self._missing)
        return False

    def _name(self, file: str) -> str:
        inside = os.path.join(file, "").startswith(self._root)
        return os.path.relpath(file, self._root) if inside else file

    def _check(self, name: str, file: str) -> None:
        before = self._recorded.read.get(name)
        if before is None or name in self._recorded.sources:
            return
        whole = _WHOLE_BYTES_MAX if before.startswith("sha256:") else 0
        found = fingerprint(file, whole)
        if found is None or found["hash"] != before:
            self._finish("diverged", f"{name} is not what it was", self._path())
        self._mine.add(name)

    def _separate(self, file: str) -> None:
        """Makes sure that what is written is the replay's own."""
        real = os.path.realpath(file)
        if any(real.startswith(own) for own in self._own) and not real.startswith(self._root):
            return
        if not file.startswith(self._root):
            why = f"the program writes outside its project, to {file}"
            self._finish("insufficient", why, self._path())
        linked = os.path.islink(file) or _links(file) > 1
        if linked and os.path.isfile(real):
            copy = f"{file}.afterlog-copy"
            shutil.copy2(real, copy)
            os.replace(copy, file)
        elif not real.startswith(self._root):
            self._finish("insufficient", f"{file} leads out of the project", self._path())


def _open_files() -> Optional[Set[str]]:
    """Full names of the files that this process has open; None where nobody tells."""
    folder = "/proc/self/fd"
    if not os.path.isdir(folder):
        return None
    found = set()
    for one in os.listdir(folder):
        try:
            found.add(os.readlink(os.path.join(folder, one)))
        except OSError:
            pass  # the one that lists them
    return found


def _links(file: str) -> int:
    try:
        return os.stat(file).st_nlink if os.path.isfile(file) else 0
    except OSError:
        return 0
