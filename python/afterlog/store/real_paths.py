"""Real names of files. A program imports thousands from few folders, so folders are looked at once:
asking for each part of each name took a second of every start, and more where files are slow."""

import functools
import os
import stat

# The interpreter's own: replays lead what programs call.
_look = os.lstat


@functools.lru_cache(maxsize=4096)
def _real_folder(folder: str) -> str:
    return os.path.realpath(folder)


def real_path(file: str) -> str:
    """Like `os.path.realpath`, for files in folders that stay where they are."""
    folder, name = os.path.split(file)
    if name in ("", os.curdir, os.pardir) or not os.path.isabs(folder):
        return os.path.realpath(file)
    whole = os.path.join(_real_folder(folder), name)
    return os.path.realpath(whole) if _is_link(whole) else whole


def _is_link(file: str) -> bool:
    try:
        return stat.S_ISLNK(_look(file).st_mode)
    except (OSError, ValueError):
        return False
