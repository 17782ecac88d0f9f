"""Finding the project: the folder whose `.afterlog/` holds the runs."""

import os
from typing import NamedTuple, Optional, Sequence

from .layout import STORE_FOLDER


class Project(NamedTuple):
    root: str
    # The `.afterlog` folder; it may not exist yet.
    store: str


# Tried in this order over all ancestors: an existing store wins over a repository around it.
_MARKERS = ((STORE_FOLDER,), ("afterlog.toml",), (".git",), ("package.json", "pyproject.toml"))


def find_project(start: str, fallback: str, override: Optional[str] = None) -> Project:
    """The project that `start` belongs to. Without any marker it is `fallback`, if `start` is
    inside it, else `start`. `override` (`AFTERLOG_DIR`) moves the store, not the project."""
    start, fallback = os.path.abspath(start), os.path.abspath(fallback)
    found = (_nearest(start, names) for names in _MARKERS)
    marked = next((folder for folder in found if folder is not None), None)
    root = marked or (fallback if _is_inside(start, fallback) else start)
    store = os.path.abspath(override) if override else os.path.join(root, STORE_FOLDER)
    return Project(root, store)


def _nearest(start: str, names: Sequence[str]) -> Optional[str]:
    folder = start
    while True:
        if any(os.path.exists(os.path.join(folder, name)) for name in names):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _is_inside(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder
