"""Which git repository a folder belongs to, if any. Whether there is one at all is seen from the
file system, which costs no process; everything else about it is git's to say."""

import os
import re
from typing import NamedTuple, Optional, Tuple

from .git import Place, first_line, start_git, try_in


class Repository(NamedTuple):
    git_dir: str
    work_tree: str
    # The user's index, which is only ever read.
    index_file: str
    # The project's folder inside the working tree: empty, or ending in a slash.
    folder: str

    @property
    def place(self) -> Place:
        return Place(self.git_dir, self.work_tree)


class Located(NamedTuple):
    # None: there is none, or there is one that cannot hold the version; then `why` says so.
    repository: Optional[Repository]
    why: Optional[str]


class SharedPlace(NamedTuple):
    common_dir: str
    work_tree: str


def locate_repository(root: str) -> Located:
    """The repository that keeps the versions of the project at `root`."""
    if _find_git_dir(root) is None:
        return Located(None, None)
    asked = ["--absolute-git-dir", "--show-toplevel", "--git-path", "index", "--show-prefix"]
    answer = start_git(root, ["rev-parse", *asked])
    if not answer.ok:
        # Most often a container's user who does not own the files: objects written by that user
        # would lock the owner out of the repository, so it is left alone.
        return Located(None, f"git refuses the repository ({first_line(answer.err)})")
    lines = os.fsdecode(answer.out).split("\n")
    git_dir, work_tree, index, folder = lines[:4]
    repository = Repository(git_dir, work_tree, os.path.join(root, index), folder)
    if folder == "" or not _is_left_out(repository):
        return Located(repository, None)
    return Located(None, "the repository around it ignores the project's folder")


def _is_left_out(repository: Repository) -> bool:
    """Whether it ignores the project, so that its versions would not hold the program."""
    place, folder = repository.place, repository.folder
    if not try_in(place, ["check-ignore", "--quiet", "--", folder]).ok:
        return False
    return try_in(place, ["ls-files", "-z", "--", folder]).out == b""


def find_shared_place(start: str) -> Optional[SharedPlace]:
    """What all working trees of the repository around `start` share, found without asking git."""
    found = _find_git_dir(start)
    if found is None:
        return None
    git_dir, work_tree = found
    pointer = os.path.join(git_dir, "commondir")
    if not os.path.exists(pointer):
        return SharedPlace(git_dir, work_tree)
    with open(pointer, encoding="utf-8") as stream:
        common = os.path.join(git_dir, stream.read().strip())
    return SharedPlace(os.path.normpath(common), work_tree)


def _find_git_dir(start: str) -> Optional[Tuple[str, str]]:
    work_tree = os.path.abspath(start)
    while True:
        git_dir = _follow_git_file(os.path.join(work_tree, ".git"))
        if git_dir is not None and os.path.exists(os.path.join(git_dir, "HEAD")):
            return git_dir, work_tree
        parent = os.path.dirname(work_tree)
        if parent == work_tree:
            return None
        work_tree = parent


def _follow_git_file(path: str) -> Optional[str]:
    if os.path.isdir(path):
        return path
    try:
        with open(path, encoding="utf-8") as stream:
            match = re.match(r"gitdir: (.+)", stream.read())
    except OSError:
        return None
    return os.path.join(os.path.dirname(path), match[1].strip()) if match else None
