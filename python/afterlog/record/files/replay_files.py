"""The files of a replaying program (semantics, "Files"): what it writes never reaches an original,
and what it reads is what the run read.

The program runs in a tree of its own, but large files of that tree are links to the originals:
before a write, a link becomes a copy. Outside of the tree it has copies of its own too
(`outside_files.py`).
"""

import functools
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from typing import AbstractSet, Callable, Dict, NoReturn, Optional, Set, Tuple

from ...format.paths import LoopPath, PathElement
from ...store.layout import STORE_FOLDER
from ..replay.recorded_run import RecordedRun
from .loaded_sources import is_of_package
from .outside_files import OutsideFiles
from .watch_files import ANY_FILE, SYSTEM, WHOLE_BYTES_MAX, fingerprint, loops_of

_READS = ("read", "look", "link", "list", "enter")
_OPENS = ("change", "write", "append")
_WRITES = (*_OPENS, "remove", "make", "touch", "move")
# What is used is the link itself, not what it leads to.
_OF_LINKS = ("link", "remove", "move", "make")
# Programs that look at the machine or at the project, and at no file that a program wrote.
_LOOKERS = ("git", "nvidia-smi", "uname", "hostname", "which", "lscpu", "ldconfig")


@dataclass
class ReplayPlaces:
    # The tree that stands in for the project.
    root: str
    store: str
    # Where copies of files outside the tree go.
    copies: str
    # Stands in for the root of the file system, with the tree in it; None: nothing does.
    mirror: Optional[str]


class ReplayFiles:
    def __init__(
        self,
        places: ReplayPlaces,
        recorded: RecordedRun,
        finish: Callable[..., NoReturn],
        path: Callable[[], LoopPath],
        writers: AbstractSet[str] = frozenset(),
    ) -> None:
        """`writers`: modules that look at nothing but what they wrote, for what they write next."""
        self._writers = writers
        self._root = os.path.realpath(places.root)
        # What the tree stands in for, as it may be named.
        self._originals: Set[str] = set()
        if os.path.basename(places.store) == STORE_FOLDER:
            self._originals.add(os.path.dirname(places.store))
        # Files in them stand for those of the same name outside.
        self._mirrors = [os.path.realpath(places.copies)]
        if places.mirror is not None:
            self._mirrors.append(os.path.realpath(places.mirror))
            self._originals.add(self._root[len(self._mirrors[1]) :])
        # Folders whose files are the replay's own already.
        # The temporary one is named by a link, too.
        temporary = tempfile.gettempdir()
        self._own = [os.path.realpath(places.store), os.path.realpath(temporary), temporary]
        self._recorded = recorded
        self._finish = finish
        self._judges = True
        self._path = path
        self._outside = OutsideFiles(
            self._mirrors[0], recorded.before, recorded.left, self._diverged
        )
        # Folders of the tree, and whether they are in it, not behind a link.
        self._insides: Dict[str, bool] = {}
        # Files that this replay has written itself, or found to be as the run read them.
        self._mine: Set[str] = set()
        # Of those, the ones that it has opened to write, with their full names.
        self._opened: Dict[str, str] = {}
        # Files that parts of the run wrote which this replay has skipped.
        self._missing: Set[str] = set()
        # Of those, the ones that their writers have begun anew since.
        self._anew: Set[str] = set()
        # Outermost loops that it has skipped to their ends: name and entry.
        self._passed: Set[Tuple[str, int]] = set()

    def skipped(self, path: LoopPath) -> None:
        """Iterations of this loop, or all of it, were skipped: what they wrote is not there."""
        loops = loops_of(path)
        self._anew.clear()
        if len(path) == 1 and path[0][1] == "end":
            self._passed.add(_entry_of(path[0]))
        for file, places in self._recorded.written.items():
            if any(place.startswith(loops) for place in places):
                self._missing.add(file)
        # Nobody is told of what is written to a file that is open: the loop may have done it.
        still_open = _open_files()
        for name, file in self._opened.items():
            if still_open is None or file in still_open:
                self._missing.add(name)

    def forget(self) -> None:
        """A forked process is led, and judges nothing: its parent does."""
        self._judges = False

    def look(self, use: str, file: str) -> None:
        """What could not be led, and a program that is started."""
        if use == "start":
            where = "in a skipped loop" if self._missing else "outside the project"
            if self._missing or (self._outside.has_written and file not in _LOOKERS):
                self._insufficient(f"a program is started that may read what was written {where}")
            return
        led = self.lead(use, file)
        if led is not None and os.path.realpath(led) != os.path.realpath(file):
            self._insufficient(f"the program uses {file} in a way that cannot be led to a copy")

    def lead(self, use: str, file: str) -> Optional[str]:
        """Called before the program does it; where it does it, if not there."""
        named = None if file.startswith(SYSTEM) else self._true_name(file)
        if named is None:
            return None
        if _is_in(named, self._root) and self._stays_inside(os.path.dirname(named)):
            self._look_at(os.path.relpath(named, self._root), named, use)
            if use in _WRITES:
                self._separate(named)
            self._note_opened(use, os.path.relpath(named, self._root), named)
            return named if named != file else None
        if use in _READS and self._is_original(named):
            self._look_at(self._name(named), named, use)
            return named if named != file else None
        place = self._outside.place(named, use not in _OF_LINKS)
        self._look_at(self._name(named), self._outside.find(place), use)
        led = self._outside.use(use, place)
        self._note_opened(use, self._name(named), led)
        # The program's own name for it is as good, and what it may print.
        return None if led == place and named == file else led

    def _is_original(self, file: str) -> bool:
        """Whether what the program finds there is there, seen without following its way. An import
        looks at thousands of files of packages."""
        outside = self._outside
        return outside.is_untouched or (
            _is_of_package(file) and outside.is_untouched_among(_is_of_package)
        )

    def _note_opened(self, use: str, name: str, file: str) -> None:
        if use in _OPENS and not self._is_of_writer():
            self._opened[name] = os.path.realpath(file)

    def _true_name(self, file: str) -> Optional[str]:
        """The file that is meant, in the tree or where it is; None: it is the replay's own."""
        if _is_in(file, self._root):
            return file
        for mirror in self._mirrors:
            if _is_in(file, mirror):
                file = file[len(mirror) :] or os.sep
                break
        else:
            if any(_is_in(file, own) for own in self._own):
                return None
        for original in self._originals:
            if _is_in(file, original):
                return self._root + file[len(original) :]
        return file

    def _name(self, file: str) -> str:
        """As the run has it."""
        return os.path.relpath(file, self._root) if _is_in(file, self._root) else file

    def _stays_inside(self, folder: str) -> bool:
        """Whether no link on the way leads out of the tree."""
        known = self._insides.get(folder)
        if known is None:
            known = self._insides[folder] = _is_in(os.path.realpath(folder), self._root)
        return known

    def _is_of_writer(self) -> bool:
        """Whether one of them does it."""
        frame = sys._getframe() if self._writers else None
        while frame is not None and frame.f_globals.get("__name__") not in self._writers:
            frame = frame.f_back
        return frame is not None

    def _begins_anew(self, name: str, found: str) -> bool:
        """Lets a writer find nothing where a part of its file is: the next part would not fit. The
        folder is there, since the file was."""
        if name not in self._anew:
            if not any(_is_in(found, own) for own in (self._root, self._mirrors[0])):
                return False
            os.makedirs(os.path.dirname(found), exist_ok=True)
            if os.path.lexists(found):
                os.remove(found)
            self._anew.add(name)
        return True

    def _look_at(self, name: str, found: str, use: str) -> None:
        if name in self._missing and self._is_of_writer() and self._begins_anew(name, found):
            return
        if use == "write":
            self._missing.discard(name)
        # What is appended to a file that lacks something does not complete it.
        elif use not in ("append", "make", "touch") and self._is_missing(name, found, use):
            if use == "read" and self._is_left_as_it_was(name):
                return
            self._insufficient(f"{name} was written in a loop that is skipped")
        if use in ("read", "change") and name not in self._mine:
            self._check(name, found)
        if use in _WRITES:
            self._mine.add(name)
            self._insides.clear()

    def _is_missing(self, name: str, found: str, use: str) -> bool:
        """Whether something of it is not here, because a part of the run was skipped."""
        if not self._missing or name in self._missing or ANY_FILE in self._missing:
            return bool(self._missing)
        # A folder that is there is there; one that is not may have been made for what is in it.
        is_look = use in ("look", "link")
        if use in ("list", "enter", "move") or (is_look and not os.path.lexists(found)):
            inside = "" if name == "." else os.path.join(name, "")
            return any(one.startswith(inside) for one in self._missing)
        return False

    def _is_left_as_it_was(self, name: str) -> bool:
        """Whether the run read here what it left in the end, and what it left still lies in the
        project: the program gets a copy of that. The last write was in a loop that is behind it."""
        last, before = self._recorded.left.get(name, ([], ""))
        is_behind = bool(last) and _entry_of(last[0]) in self._passed and not self._path()
        if not is_behind or ANY_FILE in self._missing or name in self._opened:
            return False
        # Outside of the project, and where a replay has no tree, there is no other than that.
        others = [one for one in self._originals if one != self._root and not os.path.isabs(name)]
        for original in others:
            file, copy = os.path.join(original, name), os.path.join(self._root, name)
            now = fingerprint(file, WHOLE_BYTES_MAX if before.startswith("sha256:") else 0)
            if now is not None and now["hash"] == before:
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copy2(file, copy)
                self._missing.discard(name)
                self._mine.add(name)
                return True
        return False

    def _check(self, name: str, found: str) -> None:
        before = self._recorded.read.get(name)
        if before is None or name in self._recorded.sources:
            return
        now = fingerprint(found, WHOLE_BYTES_MAX if before.startswith("sha256:") else 0)
        if now is None and _is_in(found, self._mirrors[0]):
            # Somebody else wrote it for the run, where the run had made a folder.
            self._insufficient(f"{name} was made while the run was executed")
        if now is None or now["hash"] != before:
            why = "has changed since the run read it" if now else "is missing: the run read it"
            self._diverged(f"{name} {why}")
        self._mine.add(name)

    def _separate(self, file: str) -> None:
        """Makes sure that what is written is the replay's own."""
        linked = os.path.islink(file) or _links(file) > 1
        real = os.path.realpath(file)
        if linked and os.path.isfile(real):
            copy = f"{file}.afterlog-copy"
            shutil.copy2(real, copy)
            os.replace(copy, file)
        elif not _is_in(real, self._root):
            self._insufficient(f"{file} leads out of the project")

    def _insufficient(self, why: str) -> None:
        if self._judges:
            self._finish("insufficient", why, self._path())

    def _diverged(self, why: str) -> None:
        if self._judges:
            self._finish("diverged", why, self._path())


@functools.lru_cache(maxsize=65536)
def _is_of_package(file: str) -> bool:
    return is_of_package(file)


def _entry_of(element: PathElement) -> Tuple[str, int]:
    return (str(element[0]), int(element[2]) if len(element) > 2 else 0)


def _is_in(file: str, folder: str) -> bool:
    return file == folder or file.startswith(os.path.join(folder, ""))


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
