"""A temporary index: the copy of a real one, brought up to what the working tree holds.

What git cannot take in (unreadable files, broken filters) costs that file and a warning, never the
version.
"""

import os
import shutil
import stat
from dataclasses import replace
from typing import List, NamedTuple, Optional, Sequence

from .files import first_few
from .git import (
    Answer,
    Place,
    file_path,
    git_failed,
    join_nul,
    readable,
    run_in,
    split_nul,
    stat_raw,
    try_in,
)

# Each attempt gives up at least one file or all filters; past this something else is wrong.
_ATTEMPTS_MAX = 24


class Repaired(NamedTuple):
    """Where the work goes on after a repair, and what the user should know of it."""

    place: Place
    warnings: List[str]
    dropped: List[bytes]


def copy_index(source: str, target: str) -> None:
    """Copies an index with its stat cache still valid; nothing if there is none yet."""
    if not os.path.exists(source):
        return
    shutil.copyfile(source, target)
    # Git distrusts entries not older than the index file ("racy git"): a copy with a later time
    # would make it trust them.
    seconds = int(os.stat(source).st_mtime)
    os.utime(target, (seconds, seconds))


def remove_paths(place: Place, paths: Sequence[bytes]) -> None:
    """Takes paths out of the index, whatever is in the working tree."""
    if paths:
        run_in(place, ["update-index", "-z", "--force-remove", "--stdin"], join_nul(paths))


def unhide(place: Place, paths: Sequence[bytes], flag: str) -> None:
    """Lets git look at files whose changes the user told it not to look at."""
    if paths:
        run_in(place, ["update-index", "-z", f"--no-{flag}", "--stdin"], join_nul(paths))


def write_tree(place: Place) -> str:
    # In a partial clone, looking whether each object is there could fetch it.
    return run_in(place, ["write-tree", "--missing-ok"]).decode().strip()


def add_paths(place: Place, paths: Sequence[bytes]) -> Repaired:
    """Takes the content of paths from the working tree."""
    command = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"]
    warnings: List[str] = []
    rest = list(paths)
    for attempt in range(_ATTEMPTS_MAX + 1):
        if not rest:
            break
        answer = try_in(place, command, join_nul(rest))
        if answer.ok:
            break
        can_repair = attempt < _ATTEMPTS_MAX and not answer.stopped
        repair = _repair_add(place, rest, answer) if can_repair else None
        if repair is None:
            raise git_failed("update-index", answer)
        dropped = set(repair.dropped)
        rest = [path for path in rest if path not in dropped]
        place = repair.place
        warnings += repair.warnings
    return Repaired(place, warnings, [])


def without_filters(place: Place, answer: Answer) -> Optional[Repaired]:
    """The place with every configured clean filter off, or None if that changes nothing. A filter
    that is `required` but not installed (Git LFS, most often) makes git refuse the file."""
    if place.settings:
        return None
    asked = ["config", "-z", "--name-only", "--get-regexp", r"^filter\..*\."]
    names = [readable(name).split(".") for name in split_nul(try_in(place, asked).out)]
    drivers = list(dict.fromkeys(".".join(parts[1:-1]) for parts in names))
    if not drivers:
        return None
    # Named in the message, or else any of them may be the one.
    failed = [driver for driver in drivers if f"'{driver}'" in readable(answer.err)] or drivers
    settings = [
        f"filter.{driver}.{setting}"
        for driver in drivers
        for setting in ("clean=", "process=", "required=false")
    ]
    named = ", ".join(failed)
    warning = f"the git filter {named} failed: changed files are kept as they are on disk"
    return Repaired(replace(place, settings=tuple(settings)), [warning], [])


def _repair_add(place: Place, paths: Sequence[bytes], answer: Answer) -> Optional[Repaired]:
    unreadable = [path for path in paths if not _can_read(place.work_tree, path)]
    if unreadable:
        lines = first_few([_not_kept(path) for path in unreadable], "files")
        return Repaired(place, lines, unreadable)
    unfiltered = without_filters(place, answer)
    if unfiltered is not None:
        return unfiltered
    named = max((path for path in paths if path in answer.err), key=len, default=None)
    return None if named is None else Repaired(place, [_not_kept(named)], [named])


def _not_kept(path: bytes) -> str:
    return f"{readable(path)} cannot be read: its content is not kept"


def _can_read(work_tree: str, path: bytes) -> bool:
    """Whether git can take the path in: a readable file, a link, or a submodule's folder."""
    found = stat_raw(work_tree, path)
    if found is None or stat.S_ISLNK(found.st_mode) or stat.S_ISDIR(found.st_mode):
        return True
    if not stat.S_ISREG(found.st_mode):
        return False
    try:
        os.close(os.open(file_path(work_tree, path), os.O_RDONLY))
        return True
    except OSError:
        return False
