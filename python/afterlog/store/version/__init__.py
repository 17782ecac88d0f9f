"""A version per run: the source tree that a run executed, as a commit under
`refs/afterlog/runs/<run>`.

HEAD, index, branches, stash, reflogs, configuration and working tree stay byte for byte as they
were, and no hook, filter daemon, editor, signature or prompt is started.
"""

import os
import shutil
import tempfile
import time
from typing import Any, Dict, List

from ...format.errors import AfterlogError, describe_error
from ..layout import STORE_FOLDER
from .git import Place, run_in
from .locate import Located, find_shared_place, locate_repository
from .private import escape_pattern, private_tree
from .repository import SourceTree, repository_tree

_TEMPORARY = "version-"
# A folder this old, in seconds, was left by a process that was killed.
_STALE_S = 3600
_IDENTITY = {"NAME": "Afterlog", "EMAIL": "afterlog@localhost"}


def record_version(root: str, store: str, run: str, started: float) -> Dict[str, Any]:
    """Keeps the working tree as a commit: the `version` of a manifest. Raises AL044, and has then
    changed nothing that is seen."""
    try:
        os.makedirs(store, exist_ok=True)
        _remove_stale(store)
        temporary = tempfile.mkdtemp(prefix=_TEMPORARY, dir=store)
        try:
            return _keep_version(root, store, temporary, run, started)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except (OSError, ValueError) as error:
        raise _cannot_keep(error, store) from error


def _keep_version(
    root: str, store: str, temporary: str, run: str, started: float
) -> Dict[str, Any]:
    located = locate_repository(root)
    repository = located.repository
    if repository is None:
        source = private_tree(root, store, temporary)
        folder = "."
    else:
        source = repository_tree(repository, store, temporary)
        folder = repository.folder.rstrip("/") or "."
    ref = f"refs/afterlog/runs/{run}"
    commit = _commit_tree(source, run, started, folder)
    # The empty old value: the ref must not exist, so no version is ever replaced.
    run_in(source.place, ["update-ref", ref, commit, ""])
    return {
        "commit": commit,
        "ref": ref,
        "head": source.head,
        "branch": source.branch,
        "dirty": source.dirty,
        "folder": folder,
        "private": repository is None,
        "large": source.large,
        "warnings": _describe_located(located) + source.warnings,
    }


def _commit_tree(source: SourceTree, run: str, started: float, folder: str) -> str:
    message = f"Run {run}\n\nAfterlog-Run: {run}\nAfterlog-Project: {folder}"
    parents = [] if source.head is None else ["-p", source.head]
    environment = {}
    for role in ("AUTHOR", "COMMITTER"):
        for field, value in _IDENTITY.items():
            environment[f"GIT_{role}_{field}"] = value
        environment[f"GIT_{role}_DATE"] = f"@{int(started)} +0000"
    command = ["commit-tree", source.tree, *parents, "-m", message]
    return run_in(source.place, command, environment=environment).decode().strip()


def _describe_located(located: Located) -> List[str]:
    if located.why is None:
        return []
    return [f"{located.why}: the version is kept in {STORE_FOLDER}/git instead"]


def exclude_store(root: str, store: str) -> None:
    """Keeps the store out of the user's git: adds it once to `info/exclude` of the repository
    around the project. Outside a repository it does nothing."""
    try:
        shared = find_shared_place(root)
        if shared is None:
            return
        way = os.path.relpath(os.path.abspath(store), shared.work_tree)
        if way == "." or way.startswith(".."):
            return
        file = os.path.join(shared.common_dir, "info", "exclude")
        text = ""
        if os.path.exists(file):
            with open(file, encoding="utf-8", errors="surrogateescape", newline="") as stream:
                text = stream.read()
        pattern = _store_pattern(way)
        if pattern in text.splitlines():
            return
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "a", encoding="utf-8", newline="") as stream:
            stream.write(f"{'' if text == '' or text.endswith(chr(10)) else chr(10)}{pattern}\n")
    except OSError as error:
        raise _cannot_keep(error, store) from error


def _store_pattern(way: str) -> str:
    """`.afterlog/` wherever it is, for every project in the repository; another name only there."""
    if os.path.basename(way) == STORE_FOLDER:
        return f"{STORE_FOLDER}/"
    return f"/{escape_pattern(way.encode()).decode()}/"


def _remove_stale(store: str) -> None:
    for entry in os.scandir(store):
        if entry.name.startswith(_TEMPORARY) and entry.is_dir(follow_symlinks=False):
            if time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_S:
                shutil.rmtree(entry.path, ignore_errors=True)


def _cannot_keep(cause: BaseException, store: str) -> AfterlogError:
    return AfterlogError(
        "AL044",
        f"the source version cannot be kept: {describe_error(cause)}",
        [f"make sure that {store} and the git repository can be written"],
    )


__all__ = ["Place", "exclude_store", "record_version"]
