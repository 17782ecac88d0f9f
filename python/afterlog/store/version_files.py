"""Which files that nobody asked git to track belong to a version, and which are too large.

A version is source. A folder of images that is neither tracked nor ignored is not, and copying it
into the repository would take minutes and double it, so the sum is bounded as well as each file.
"""

import hashlib
import json
import os
import stat
from typing import AbstractSet, Any, Dict, List, NamedTuple, Optional, Sequence

from .durable import replace_file
from .git import Git, readable

# Larger files are known by hash only. With more files, or more bytes, only source is kept.
_FILE_BYTES_MAX = 10_000_000
_FILES_MAX = 20_000
_TOTAL_BYTES_MAX = 200_000_000
# A program longer than this was not written by hand.
_SOURCE_BYTES_MAX = 1_000_000
# How much is hashed in one run: about a second. The manifest is read whole, so its list is bounded.
_HASH_BYTES_MAX = 1_000_000_000
_LISTED_MAX = 1000
# Entries that are looked at before a folder is taken for larger than a project is.
_WALKED_MAX = 30_000
_SOURCE_SUFFIXES = tuple(
    b".py .pyi .pyx .ipynb .toml .yaml .yml .json .cfg .ini .sh .txt .md .c .cc .cpp .cu .h".split()
)

# Folders that hold no source although they lie beside it.
_SKIPPED_FOLDERS = (
    b".afterlog .bzr .cache .conda .direnv .eggs .git .hg .ipynb_checkpoints .mypy_cache .nox .npm "
    b".pnpm-store .pytest_cache .ruff_cache .ssh .svn .tox .venv .yarn __pycache__ lightning_logs "
    b"mlruns node_modules site-packages venv wandb"
).split()
# Patterns, in the syntax of .gitignore, of what is not source; a user's `!pattern` wins. Files:
# secrets, compiled files, and weights; a replay still sees them where they are.
PRIVATE_EXCLUDES = [name + b"/" for name in _SKIPPED_FOLDERS] + (
    b".DS_Store *.ckpt *.h5 *.keras *.onnx *.pt *.pth *.py[co] *.safetensors"
).split()


class ChosenFiles(NamedTuple):
    kept: List[bytes]
    # With their sizes: to be known by hash only.
    large: Dict[bytes, int]
    # How many are left out: too many or too much, and not source.
    left: int


def choose_files(git: Git, paths: Sequence[bytes], warnings: List[str]) -> ChosenFiles:
    """Sorts files by what becomes of them. Files that are gone by now are left out."""
    sizes: Dict[bytes, int] = {}
    for path in paths:
        found = git.stat(path)
        if found and (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
            sizes[path] = found.st_size
    large = {path: size for path, size in sizes.items() if size > _FILE_BYTES_MAX}
    small = {path: size for path, size in sizes.items() if size <= _FILE_BYTES_MAX}
    lines = [
        f"{readable(path)} ({format_bytes(size)}) is untracked and large: "
        "its content is not kept, only its hash"
        for path, size in large.items()
    ]
    warnings += first_few(lines, "large files")
    kept = list(small)
    if len(small) > _FILES_MAX or sum(small.values()) > _TOTAL_BYTES_MAX:
        kept = _within(small)
    left = [small[path] for path in small.keys() - set(kept)]
    if left:
        warnings.append(
            f"{len(left)} untracked files ({format_bytes(sum(left))}) that are not source are not "
            "kept: too many for a version: add data to .gitignore"
        )
    return ChosenFiles(kept, large, len(left))


def _within(sizes: Dict[bytes, int]) -> List[bytes]:
    """The shallowest first: a program is nearer to the top than what it vendors."""
    kept: List[bytes] = []
    total = 0
    for path in sorted(sizes, key=lambda path: path.count(b"/")):
        if path.endswith(_SOURCE_SUFFIXES) and sizes[path] <= _SOURCE_BYTES_MAX:
            total += sizes[path]
            if len(kept) == _FILES_MAX or total > _TOTAL_BYTES_MAX:
                break
            kept.append(path)
    return kept


def hash_large_files(
    git: Git, store: str, files: Dict[bytes, int], warnings: List[str]
) -> List[Dict[str, Any]]:
    """Files that a version knows by hash only. Each is read once: hashes are kept in the store as
    long as size, times and inode stay."""
    if not files:
        return []
    cache = os.path.join(store, "version-hashes.json")
    known, hashes = _read_cache(cache), {}
    budget = _HASH_BYTES_MAX
    for path in sorted(files, key=lambda path: files[path])[:_LISTED_MAX]:
        found, key = git.stat(path), path.decode("latin-1")
        if found is None:
            continue
        identity = f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"
        if known.get(key, [""])[0] == identity:
            hashes[key] = known[key]
        elif files[path] <= budget:
            budget -= files[path]
            digest = _hash_file(git.file(path))
            hashes.update({} if digest is None else {key: [identity, digest]})
    try:
        replace_file(cache, json.dumps(hashes))
    except OSError:
        pass  # it only saves time
    large: List[Dict[str, Any]] = [
        {"file": readable(path), "bytes": size, "sha256": hashes[path.decode("latin-1")][1]}
        for path, size in files.items()
        if path.decode("latin-1") in hashes
    ]
    if len(large) < len(files):
        size = sum(files.values()) - sum(one["bytes"] for one in large)
        warnings.append(
            f"{len(files) - len(large)} large untracked files ({format_bytes(size)}) are neither "
            "kept nor hashed: ignore them in .gitignore if the program does not depend on them"
        )
    return large


def _read_cache(file: str) -> Dict[str, List[str]]:
    try:
        with open(file, encoding="utf-8") as stream:
            parsed = json.load(stream)
        sound = all(isinstance(one, list) and len(one) == 2 for one in parsed.values())
        return parsed if sound else {}
    except (OSError, ValueError, AttributeError):
        return {}  # absent or torn: it only saves time


def _hash_file(path: bytes) -> Optional[str]:
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as stream:
            for chunk in iter(lambda: stream.read(4 << 20), b""):
                digest.update(chunk)
    except OSError:
        return None
    return digest.hexdigest()


def find_environments(root: str, ignored: AbstractSet[bytes]) -> Optional[List[bytes]]:
    """Python environments in a folder, whatever their names; None: it is larger than a project is,
    a home folder for example, and walking it would take minutes."""
    top = os.fsencode(root)
    found: List[bytes] = []
    seen = 0
    for folder, folders, files in os.walk(top):
        seen += len(folders) + len(files)
        if seen > _WALKED_MAX:
            return None
        prefix = b"" if folder == top else os.path.relpath(folder, top) + b"/"
        is_environment = b"pyvenv.cfg" in files or b"conda-meta" in folders
        if prefix and is_environment:
            found.append(prefix)
        if prefix and (is_environment or b".git" in folders or b".git" in files):
            folders.clear()
        inside = [name for name in folders if name not in _SKIPPED_FOLDERS]
        folders[:] = [name for name in inside if prefix + name + b"/" not in ignored]
    return found


def sources_near(root: str) -> List[bytes]:
    """Source in a folder and in those directly in it, where there is too much to see everything."""
    found: List[bytes] = []
    top = os.fsencode(root)
    for folder, folders, files in os.walk(top):
        inner = os.path.relpath(folder, top)
        prefix = b"" if inner == b"." else inner + b"/"
        found += [prefix + name for name in files if name.endswith(_SOURCE_SUFFIXES)]
        hidden = [name for name in folders if name.startswith(b".") or name in _SKIPPED_FOLDERS]
        folders[:] = [] if prefix else [name for name in folders if name not in hidden]
    return found[:_FILES_MAX]


def format_bytes(count: int) -> str:
    """A size for people."""
    value, units = float(count), ["B", "kB", "MB", "GB", "TB"]
    while value >= 1000 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return f"{count} B" if units[0] == "B" else f"{value:.{1 if value < 10 else 0}f} {units[0]}"


def first_few(lines: Sequence[str], what: str) -> List[str]:
    """Lines for people: a handful, and how many more there are."""
    if len(lines) <= 5:
        return list(lines)
    return [*lines[:5], f"and {len(lines) - 5} more {what}"]


def describe_nested(paths: Sequence[bytes]) -> List[str]:
    """Warnings about repositories inside the tree that are no submodules."""
    lines = [f"{readable(path)} is a repository of its own: it is not kept" for path in paths]
    return first_few(lines, "repositories")
