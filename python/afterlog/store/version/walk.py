"""A bounded look at a folder before git walks it: a script may be run in a home folder or at the
top of a data disk, where a full walk takes minutes. Breadth first, so that what is near the top is
always seen; symbolic links are not followed."""

import os
from typing import Callable, List, NamedTuple, Optional, Sequence, Set

from .files import is_source_like

# Folders that hold no source although they lie beside it.
_SKIPPED_FOLDERS = (
    ".afterlog", ".bzr", ".cache", ".conda", ".direnv", ".eggs", ".git", ".hg",
    ".ipynb_checkpoints", ".mypy_cache", ".nox", ".npm", ".pnpm-store", ".pytest_cache",
    ".ruff_cache", ".ssh", ".svn", ".tox", ".venv", ".yarn", "__pycache__", "lightning_logs",
    "mlruns", "node_modules", "site-packages", "venv", "wandb",
)  # fmt: skip
# Secrets, compiled files, and weights: a replay still sees them where they are.
_SKIPPED_FILES = (
    ".DS_Store", ".env", ".env.*", "*.ckpt", "*.h5", "*.keras", "*.onnx", "*.pt", "*.pth",
    "*.py[co]", "*.safetensors",
)  # fmt: skip

# Patterns, in the syntax of .gitignore, of what is not source; a user's `!pattern` wins.
PRIVATE_EXCLUDES = tuple(f"{name}/" for name in _SKIPPED_FOLDERS) + _SKIPPED_FILES


class WalkLimits(NamedTuple):
    # Files and folders looked at.
    entries: int
    depth: int
    # A folder with more, other than the root, holds data: it is passed over.
    folder_entries: float


WALK_LIMITS = WalkLimits(30_000, 32, float("inf"))
# Near the top, where a program is, when there is too much to see everything.
NEAR_LIMITS = WalkLimits(20_000, 4, 500)


class Survey(NamedTuple):
    # The limit was met before the end: the folder is larger than a project is.
    huge: bool
    # Source-like files seen, outside hidden folders, the shallowest first.
    sources: List[bytes]
    # Python environments, whatever their names.
    environments: List[bytes]
    has_ignore_file: bool


FindIgnored = Callable[[Sequence[bytes]], Set[bytes]]


def survey_folder(
    root: str, limits: WalkLimits, find_ignored: Optional[FindIgnored] = None
) -> Survey:
    """Looks at the folder up to the limits; folders that cannot be read count as empty."""
    sources: List[bytes] = []
    environments: List[bytes] = []
    seen, has_ignore_file = 0, False
    level: List[bytes] = [b""]
    skipped = {name.encode() for name in _SKIPPED_FOLDERS}
    for _ in range(limits.depth):
        inside: List[bytes] = []
        for folder in level:
            entries = _list(root, folder, _entries_max(folder, limits, seen))
            # A folder passed over was read up to its limit all the same.
            seen += len(entries)
            kind = _kind_of(folder, entries, limits)
            if kind == "environment":
                environments.append(folder)
            if kind != "project":
                continue
            has_ignore_file |= any(entry.name == b".gitignore" for entry in entries)
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and entry.name not in skipped:
                    inside.append(folder + entry.name + b"/")
                hidden = folder.startswith(b".") or b"/." in folder
                if not hidden and entry.is_file(follow_symlinks=False):
                    path = folder + entry.name
                    if is_source_like(path):
                        sources.append(path)
            if seen > limits.entries:
                return Survey(True, sources, environments, has_ignore_file)
        ignored = find_ignored(inside) if find_ignored and inside else set()
        level = [folder for folder in inside if folder not in ignored]
        if not level:
            break
    return Survey(bool(level), sources, environments, has_ignore_file)


def _entries_max(folder: bytes, limits: WalkLimits, seen: int) -> float:
    """How many entries are worth reading: one past the limit tells that there are more."""
    # A program may lie in a folder full of data, and it is the first one looked at.
    if folder == b"" and limits.folder_entries < float("inf"):
        return 1_000_000
    return min(limits.folder_entries, max(limits.entries - seen, 0)) + 1


def _kind_of(folder: bytes, entries: Sequence["os.DirEntry[bytes]"], limits: WalkLimits) -> str:
    if folder == b"":
        return "project"
    names = {entry.name for entry in entries}
    if b"pyvenv.cfg" in names or b"conda-meta" in names:
        return "environment"
    # It is not ours to keep, and git does not walk it either.
    if b".git" in names:
        return "repository"
    return "data" if len(entries) > limits.folder_entries else "project"


def _list(root: str, folder: bytes, entries_max: float) -> List["os.DirEntry[bytes]"]:
    entries: List["os.DirEntry[bytes]"] = []
    try:
        with os.scandir(os.path.join(os.fsencode(root), folder)) as scan:
            for entry in scan:
                if len(entries) >= entries_max:
                    break
                entries.append(entry)
    except OSError:
        pass  # not for us to read: git will say so if it matters
    return entries
