"""Versions of a project that is in no repository: a private one in `.afterlog/git`.

It is bare and not called `.git`, so that nothing takes the project for a repository. Files are kept
byte for byte, and what a folder without .gitignore holds besides source is left out.
"""

import os
import re
from typing import List, Sequence, Set

from .files import choose_files, describe_chosen, describe_nested, hash_large_files
from .git import Place, git_failed, join_nul, run_in, split_nul, start_git, try_in
from .index import add_paths, copy_index, remove_paths, write_tree
from .repository import SourceTree
from .walk import NEAR_LIMITS, PRIVATE_EXCLUDES, WALK_LIMITS, Survey, survey_folder

# Exact bytes: a .gitattributes meant for another repository converts nothing here.
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n"


def private_tree(root: str, store: str, temporary: str) -> SourceTree:
    """The project's folder as a tree in the private repository, which is made if there is none."""
    place = Place(_open_private(store, temporary), os.path.realpath(root))
    survey = _look_around(place)
    listed = survey.sources if survey.huge else _list_files(place, survey, temporary)
    own = os.fsencode(os.path.relpath(os.path.realpath(store), place.work_tree)) + b"/"
    outside = [path for path in listed if not path.startswith(own)]
    files = choose_files(place.work_tree, [path for path in outside if not path.endswith(b"/")])
    large, unhashed = hash_large_files(place.work_tree, store, temporary, files.large)
    index = os.path.join(temporary, "index")
    kept = os.path.join(place.git_dir, "index")
    copy_index(kept, index)
    mine = Place(place.git_dir, place.work_tree, index)
    remove_paths(mine, _find_gone(mine, files.kept))
    added = add_paths(mine, files.kept)
    tree = write_tree(mine)
    # Its stat cache saves the next run from reading every file again.
    if os.path.exists(index):
        os.rename(index, kept)
    nested = describe_nested([path for path in outside if path.endswith(b"/")])
    chosen = _describe_huge(survey) + describe_chosen(files)
    warnings = chosen + unhashed + nested + added.warnings
    return SourceTree(place, tree, None, None, 0, large, warnings)


def _open_private(store: str, temporary: str) -> str:
    """The private repository. Made aside and renamed, since two runs may make it at once."""
    git_dir = os.path.join(store, "git")
    if os.path.exists(os.path.join(git_dir, "HEAD")):
        return git_dir
    made = os.path.join(temporary, "git")
    answer = start_git(temporary, ["init", "--quiet", "--bare", "--template=", made])
    if not answer.ok:
        raise git_failed("init", answer)
    os.makedirs(os.path.join(made, "info"), exist_ok=True)
    with open(os.path.join(made, "info", "attributes"), "w", encoding="ascii") as stream:
        stream.write(_ATTRIBUTES)
    try:
        os.rename(made, git_dir)
    except OSError:
        if not os.path.exists(os.path.join(git_dir, "HEAD")):
            raise
    return git_dir


def _look_around(place: Place) -> Survey:
    """Looks twice only if that may help: once without asking git, then leaving out ignored
    folders."""

    def find_ignored(paths: Sequence[bytes]) -> Set[bytes]:
        asked = ["check-ignore", "--no-index", "-z", "--stdin"]
        return set(split_nul(try_in(place, asked, join_nul(paths)).out))

    first = survey_folder(place.work_tree, WALK_LIMITS)
    if not first.huge:
        return first
    if first.has_ignore_file:
        second = survey_folder(place.work_tree, WALK_LIMITS, find_ignored)
        if not second.huge:
            return second
    return survey_folder(place.work_tree, NEAR_LIMITS, find_ignored)._replace(huge=True)


def _list_files(place: Place, survey: Survey, temporary: str) -> List[bytes]:
    patterns = os.path.join(temporary, "exclude")
    environments = [b"/" + escape_pattern(path) for path in survey.environments]
    with open(patterns, "wb") as stream:
        excluded = [pattern.encode() for pattern in PRIVATE_EXCLUDES]
        stream.write(b"\n".join([*excluded, *environments, b""]))
    asked = ["ls-files", "-z", "--others", "--exclude-standard", f"--exclude-from={patterns}"]
    # With an index that does not exist, every file is an "other".
    none = Place(place.git_dir, place.work_tree, os.path.join(temporary, "none"))
    return split_nul(run_in(none, asked))


def _find_gone(place: Place, kept: Sequence[bytes]) -> List[bytes]:
    if place.index is None or not os.path.exists(place.index):
        return []
    present = set(kept)
    return [path for path in split_nul(run_in(place, ["ls-files", "-z"])) if path not in present]


def _describe_huge(survey: Survey) -> List[str]:
    if not survey.huge:
        return []
    return [
        "the project's folder is too large to be kept whole: only source files near its top are. "
        "Put the program in a folder of its own, or make it a git repository"
    ]


def escape_pattern(path: bytes) -> bytes:
    """A raw path as a pattern that matches only itself."""
    return re.sub(rb"[\\*?\[\]!# ]", rb"\\\g<0>", path)
