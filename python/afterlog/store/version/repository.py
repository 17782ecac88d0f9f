"""The working tree of a user's repository as a tree object, without touching anything that the
user can see."""

import os
from typing import Any, Dict, List, NamedTuple, Optional

from .files import choose_files, describe_chosen, describe_nested, first_few, hash_large_files
from .git import Place, git_failed, join_nul, readable, run_in, split_nul, stat_raw, try_in
from .index import add_paths, copy_index, remove_paths, unhide, without_filters, write_tree
from .locate import Repository
from .status import STATUS_COMMAND, TreeStatus, may_hide_changes, parse_status
from .walk import NEAR_LIMITS, survey_folder

# A walk longer than this, in seconds, is of something that is no project.
_UNTRACKED_S = 10.0


class SourceTree(NamedTuple):
    """A source tree in the object database, not yet a commit."""

    place: Place
    tree: str
    head: Optional[str]
    branch: Optional[str]
    dirty: int
    large: List[Dict[str, Any]]
    warnings: List[str]


class _StatusRead(NamedTuple):
    status: TreeStatus
    place: Place
    warnings: List[str]
    # Untracked files could not all be listed.
    is_partial: bool


class _Hidden(NamedTuple):
    assumed: List[bytes]
    skipped: List[bytes]
    # All of those that the working tree decides about.
    shown: List[bytes]


def repository_tree(repository: Repository, store: str, temporary: str) -> SourceTree:
    """The working tree as it is: tracked, and untracked but not ignored."""
    work_tree = repository.work_tree
    read = _read_status(repository)
    status = _without_store(read.status, work_tree, store)
    files = choose_files(work_tree, status.untracked)
    hidden = _find_hidden(read.place, repository.index_file, status.head)
    large, unhashed = hash_large_files(work_tree, store, temporary, files.large)
    warnings = read.warnings + describe_chosen(files) + unhashed + _describe_repositories(status)
    place = repository.place
    not_kept = len(files.large) + len(files.left)
    if status.head is not None and not (status.tracked or files.kept or hidden.shown):
        tree = f"{status.head}^{{tree}}"
        return SourceTree(place, tree, status.head, status.branch, not_kept, large, warnings)
    index = os.path.join(temporary, "index")
    copy_index(repository.index_file, index)
    own = Place(read.place.git_dir, work_tree, index, read.place.settings)
    unhide(own, hidden.assumed, "assume-unchanged")
    unhide(own, hidden.skipped, "skip-worktree")
    remove_paths(own, status.deleted)
    added = add_paths(own, [*status.changed, *hidden.shown, *files.kept])
    # With the filters that work: git may look at files again whose times are too fresh to trust.
    tree = write_tree(added.place)
    counted = status.tracked + len(files.kept)
    if status.head is not None and (status.ambiguous or hidden.shown or read.is_partial):
        names = run_in(own, ["diff-tree", "-r", "-z", "--name-only", status.head, tree])
        counted = len(split_nul(names))
    warnings = warnings + added.warnings
    dirty = counted + not_kept
    return SourceTree(place, tree, status.head, status.branch, dirty, large, warnings)


def _describe_repositories(status: TreeStatus) -> List[str]:
    dirty = [
        f"submodule {readable(path)} has changes of its own: only its commit is kept"
        for path in status.dirty_submodules
    ]
    return first_few(dirty, "submodules") + describe_nested(status.nested)


def _read_status(repository: Repository) -> _StatusRead:
    place, warnings = repository.place, []
    command = [*STATUS_COMMAND, "--untracked-files=all"]
    answer = try_in(place, command, timeout_s=_UNTRACKED_S)
    if not answer.ok and not answer.stopped:
        repaired = without_filters(place, answer)
        if repaired is None:
            raise git_failed("status", answer)
        place, warnings = repaired.place, list(repaired.warnings)
        answer = try_in(place, command, timeout_s=_UNTRACKED_S)
    if answer.ok:
        warnings += _unreadable(answer.err)
        return _StatusRead(parse_status(answer.out), place, warnings, False)
    answer = try_in(place, [*STATUS_COMMAND, "--untracked-files=no"])
    if not answer.ok:
        raise git_failed("status", answer)
    status = parse_status(answer.out)._replace(untracked=_sources_near(repository))
    warnings.append(
        f"listing the untracked files took over {_UNTRACKED_S:.0f} s: "
        "only source files near the project's top are kept; add data to .gitignore"
    )
    return _StatusRead(status, place, warnings, True)


def _sources_near(repository: Repository) -> List[bytes]:
    """Source-like files near the project's top that are not ignored."""
    top = os.path.join(repository.work_tree, repository.folder)
    prefix = os.fsencode(repository.folder)
    paths = [prefix + path for path in survey_folder(top, NEAR_LIMITS).sources]
    asked = try_in(repository.place, ["check-ignore", "-z", "--stdin"], join_nul(paths))
    ignored = set(split_nul(asked.out))
    return [path for path in paths if path not in ignored]


def _unreadable(err: bytes) -> List[str]:
    start = "warning: could not open directory"
    lines = [line for line in readable(err).split("\n") if line.startswith(start)]
    return [f"{line.replace('warning: ', '', 1)}: it is not kept" for line in lines]


def _without_store(status: TreeStatus, work_tree: str, store: str) -> TreeStatus:
    """Without the store: it may not be excluded yet, and is never source."""
    folder = os.fsencode(os.path.relpath(os.path.realpath(store), work_tree)) + b"/"

    def outside(paths: List[bytes]) -> List[bytes]:
        return [path for path in paths if not path.startswith(folder)]

    return status._replace(
        changed=outside(status.changed),
        deleted=outside(status.deleted),
        untracked=outside(status.untracked),
        nested=outside(status.nested),
    )


def _find_hidden(place: Place, index: str, head: Optional[str]) -> _Hidden:
    """Tracked files whose changes git was told to overlook. The program ran with them all the
    same. A skipped file that is absent was left out by a sparse checkout, not deleted."""
    if not os.path.exists(index):
        return _Hidden([], [], [])
    with open(index, "rb") as stream:
        if not may_hide_changes(stream.read(), len(head or "0" * 40) // 2):
            return _Hidden([], [], [])
    tagged = [(line[:1], line[2:]) for line in split_nul(run_in(place, ["ls-files", "-v", "-z"]))]

    def exists(path: bytes) -> bool:
        return stat_raw(place.work_tree, path) is not None

    skipped = [path for tag, path in tagged if tag.upper() == b"S" and exists(path)]
    assumed = [path for tag, path in tagged if tag.islower() and (tag != b"s" or exists(path))]
    return _Hidden(assumed, skipped, list(dict.fromkeys([*assumed, *skipped])))
