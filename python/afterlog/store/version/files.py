"""Which files that nobody asked git to track belong to a version, and which are too large.

A version is source. A folder of images that is neither tracked nor ignored is not, and copying it
into the repository would take minutes and double it, so the sum is bounded as well as each file.
"""

import hashlib
import json
import os
import re
import stat
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .git import file_path, readable, stat_raw

# Larger files are known by hash only. With more files, or more bytes, only source is kept.
_FILE_BYTES_MAX = 10_000_000
_FILES_MAX = 20_000
_TOTAL_BYTES_MAX = 200_000_000
# A program longer than this was not written by hand.
_SOURCE_BYTES_MAX = 1_000_000
# How much is hashed in one run: about a second. The manifest is read whole, so its list is bounded.
_HASH_BYTES_MAX = 1_000_000_000
_LISTED_MAX = 1000

_SOURCE_NAME = re.compile(
    rb"\.(?:[cm]?[jt]sx?|py[ixw]?|pxd|ipynb|r|jl|lua|rs|go|java|kt|scala|swift|c|cc|cpp|cu|cuh|h"
    rb"|hpp|sh|bash|zsh|ps1|bat|sql|toml|ya?ml|json5?|jsonc|ini|cfg|conf|gin|proto|md|rst|txt"
    rb"|svelte|vue|html|css|wgsl|glsl|mk|cmake|nix|lock)\Z|(?:^|/)(?:Makefile|Dockerfile|Snakefile"
    rb"|Justfile|\.gitignore|\.gitattributes|\.python-version|\.nvmrc)\Z",
    re.IGNORECASE,
)


class SizedFile(NamedTuple):
    path: bytes
    bytes: int


class ChosenFiles(NamedTuple):
    kept: List[bytes]
    # To be known by hash only.
    large: List[SizedFile]
    # Too many or too much: not source-like, so left out.
    left: List[SizedFile]


def is_source_like(path: bytes) -> bool:
    """Whether a file is, by its name, something that a person wrote to make a program."""
    return _SOURCE_NAME.search(path) is not None


def choose_files(work_tree: str, paths: Sequence[bytes]) -> ChosenFiles:
    """Sorts files by what becomes of them. Files that are gone by now are left out."""
    sized = [one for one in (_size_of(work_tree, path) for path in paths) if one is not None]
    large = [one for one in sized if one.bytes > _FILE_BYTES_MAX]
    small = [one for one in sized if one.bytes <= _FILE_BYTES_MAX]
    if len(small) <= _FILES_MAX and total_bytes(small) <= _TOTAL_BYTES_MAX:
        return ChosenFiles([one.path for one in small], large, [])
    kept = _within(
        [one for one in small if is_source_like(one.path) and one.bytes <= _SOURCE_BYTES_MAX]
    )
    return ChosenFiles(list(kept), large, [one for one in small if one.path not in kept])


def _within(files: Sequence[SizedFile]) -> Dict[bytes, None]:
    """The shallowest first: a program is nearer to the top than what it vendors."""
    kept: Dict[bytes, None] = {}
    total = 0
    for one in sorted(files, key=lambda file: file.path.count(b"/")):
        if len(kept) == _FILES_MAX or total + one.bytes > _TOTAL_BYTES_MAX:
            break
        total += one.bytes
        kept[one.path] = None
    return kept


def _size_of(work_tree: str, path: bytes) -> Optional[SizedFile]:
    found = stat_raw(work_tree, path)
    if found is None or not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
        return None
    return SizedFile(path, found.st_size)


def total_bytes(files: Sequence[SizedFile]) -> int:
    return sum(one.bytes for one in files)


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


def describe_chosen(files: ChosenFiles) -> List[str]:
    """Warnings about files that were not taken in because of their size or number."""
    large = first_few(
        [
            f"{readable(one.path)} ({format_bytes(one.bytes)}) is untracked and large: "
            "its content is not kept, only its hash"
            for one in files.large
        ],
        "large files",
    )
    if not files.left:
        return large
    left = f"{len(files.left)} untracked files ({format_bytes(total_bytes(files.left))})"
    advice = "too many for a version: add data to .gitignore"
    return [*large, f"{left} that are not source are not kept: {advice}"]


def describe_nested(paths: Sequence[bytes]) -> List[str]:
    """Warnings about repositories inside the tree that are no submodules."""
    lines = [f"{readable(path)} is a repository of its own: it is not kept" for path in paths]
    return first_few(lines, "repositories")


def hash_large_files(
    work_tree: str, store: str, temporary: str, files: Sequence[SizedFile]
) -> Tuple[List[Dict[str, Any]], List[str]]:
    """Files that a version knows by hash only, and warnings. Each is read once: hashes are kept in
    the store as long as size, times and inode stay."""
    if not files:
        return [], []
    known = _read_cache(store)
    hashes: Dict[str, List[str]] = {}
    budget = _HASH_BYTES_MAX
    for one in sorted(files, key=lambda file: file.bytes)[:_LISTED_MAX]:
        key, path = one.path.decode("latin-1"), file_path(work_tree, one.path)
        identity = _identity_of(path)
        before = known.get(key)
        if before is not None and before[0] == identity:
            hashes[key] = before
        elif identity is not None and one.bytes <= budget:
            budget -= one.bytes
            digest = _hash_file(path)
            if digest is not None:
                hashes[key] = [identity, digest]
    _write_cache(store, temporary, hashes)
    large, unhashed = [], []
    for one in files:
        entry = hashes.get(one.path.decode("latin-1"))
        if entry is None:
            unhashed.append(one)
        else:
            large.append({"file": readable(one.path), "bytes": one.bytes, "sha256": entry[1]})
    return large, _describe_unhashed(unhashed)


def _describe_unhashed(files: Sequence[SizedFile]) -> List[str]:
    if not files:
        return []
    return [
        f"{len(files)} large untracked files ({format_bytes(total_bytes(files))}) are neither kept "
        "nor hashed: ignore them in .gitignore if the program does not depend on them"
    ]


def _identity_of(path: bytes) -> Optional[str]:
    """Changes whenever the content may have; None if the file is gone."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"


def _hash_file(path: bytes) -> Optional[str]:
    try:
        digest = hashlib.sha256()
        with open(path, "rb") as stream:
            for chunk in iter(lambda: stream.read(4 << 20), b""):
                digest.update(chunk)
        return digest.hexdigest()
    except OSError:
        return None


def _read_cache(store: str) -> Dict[str, List[str]]:
    try:
        with open(os.path.join(store, "version-hashes.json"), encoding="utf-8") as stream:
            parsed = json.load(stream)
        sound = all(isinstance(one, list) and len(one) == 2 for one in parsed.values())
        return parsed if sound else {}
    except (OSError, ValueError, AttributeError):
        # Absent or torn: it only saves time.
        return {}


def _write_cache(store: str, temporary: str, cache: Dict[str, List[str]]) -> None:
    written = os.path.join(temporary, "hashes.json")
    try:
        with open(written, "w", encoding="utf-8") as stream:
            json.dump(cache, stream)
        os.rename(written, os.path.join(store, "version-hashes.json"))
    except OSError:
        pass  # it only saves time
