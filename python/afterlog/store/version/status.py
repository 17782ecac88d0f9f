"""What `git status --porcelain=v2` and the index say about a working tree. Pure.

Status leaves out what the user told git not to look at (assume-unchanged, skip-worktree); those
flags are looked for in the index itself, where finding none costs no process.
"""

import struct
from typing import List, NamedTuple, Optional

from .git import readable, split_nul

STATUS_COMMAND = (
    "status",
    "--porcelain=v2",
    "--branch",
    "--no-ahead-behind",
    "--no-renames",
    "--ignore-submodules=none",
    "-z",
)


class TreeStatus(NamedTuple):
    head: Optional[str]
    branch: Optional[str]
    # Tracked paths whose content in the working tree is not the one in the index.
    changed: List[bytes]
    # Tracked paths that the working tree no longer has.
    deleted: List[bytes]
    # Untracked files, not ignored, and untracked folders that are repositories of their own.
    untracked: List[bytes]
    nested: List[bytes]
    # Submodules with changes that no commit of theirs holds.
    dirty_submodules: List[bytes]
    # Tracked paths that differ from HEAD in the index or in the tree.
    tracked: int
    # A path differs twice (staged, then changed or taken back): it may equal HEAD after all.
    ambiguous: bool


class _Entry(NamedTuple):
    path: bytes
    action: str
    differs: bool
    ambiguous: bool
    dirty_inside: bool


# Fields before the path in a line of each kind.
_FIELDS = {b"1": 8, b"u": 10}


def parse_status(out: bytes) -> TreeStatus:
    """Reads the output of `STATUS_COMMAND`."""
    lines = split_nul(out)
    entries = [_parse_entry(line) for line in lines if line[:1] in _FIELDS]
    others = [line[2:] for line in lines if line.startswith(b"? ")]
    oid, branch = _header(lines, "branch.oid"), _header(lines, "branch.head")
    return TreeStatus(
        head=None if oid == "(initial)" else oid,
        branch=None if branch == "(detached)" else branch,
        changed=[one.path for one in entries if one.action == "changed"],
        deleted=[one.path for one in entries if one.action == "deleted"],
        untracked=[path for path in others if not path.endswith(b"/")],
        nested=[path for path in others if path.endswith(b"/")],
        dirty_submodules=[one.path for one in entries if one.dirty_inside],
        tracked=sum(one.differs for one in entries),
        ambiguous=any(one.ambiguous for one in entries),
    )


def _parse_entry(line: bytes) -> _Entry:
    kind = line[:1]
    *fields, path = line.split(b" ", _FIELDS[kind])
    staged, changed = list(fields[1].decode())
    submodule = fields[2].decode()
    dirty_inside = submodule.startswith("S") and any(mark in submodule[2:] for mark in "MU")
    # Of a submodule only the commit can be kept, so only a new one is a change.
    kept = submodule.startswith("N") or submodule[1] == "C" or changed == "D"
    unmerged = kind == b"u"
    gone = fields[6] == b"000000" if unmerged else changed == "D"
    differs_from_index = unmerged or (changed != "." and kept)
    action = "deleted" if gone else "changed" if differs_from_index else "none"
    # A file taken out of the index but not out of the tree is listed as untracked as well.
    ambiguous = unmerged or staged == "D" or (staged != "." and changed != ".")
    return _Entry(path, action, staged != "." or action != "none", ambiguous, dirty_inside)


def _header(lines: List[bytes], name: str) -> Optional[str]:
    start = f"# {name} ".encode()
    line = next((one for one in lines if one.startswith(start)), None)
    return None if line is None else readable(line[len(start) :])


_ASSUME_UNCHANGED = 0x8000
_EXTENDED = 0x4000
_NAME_LENGTH = 0x0FFF
_SKIP_WORKTREE = 0x4000


def may_hide_changes(index: bytes, hash_bytes: int) -> bool:
    """Whether an index may hold entries whose changes `git status` does not report. It errs on the
    side of yes (split index, unknown version), and then git must be asked."""
    if len(index) < 12 + hash_bytes or index[:4] != b"DIRC":
        return True
    version, count = struct.unpack_from(">II", index, 4)
    if not 2 <= version <= 4:
        return True
    at = 12
    for _ in range(count):
        if at + 40 + hash_bytes + 4 > len(index):
            return True
        flags, more = struct.unpack_from(">HH", index, at + 40 + hash_bytes)
        extended = flags & _EXTENDED
        if flags & _ASSUME_UNCHANGED or (extended and more & _SKIP_WORKTREE):
            return True
        name = at + 40 + hash_bytes + (4 if extended else 2)
        if version == 4:
            at = _end_of_prefixed(index, name)
        else:
            at = _end_of_padded(index, at, name, flags)
    # The shared half of a split index has flags of its own.
    return index[at : at + 4] == b"link"


def _end_of_padded(index: bytes, entry: int, name: int, flags: int) -> int:
    length = flags & _NAME_LENGTH
    end = name + length if length < _NAME_LENGTH else index.find(b"\0", name)
    if end < 0:
        return len(index)
    # One to eight NULs, up to a multiple of eight bytes from the start of the entry.
    return entry + ((end - entry) // 8 + 1) * 8


def _end_of_prefixed(index: bytes, name: int) -> int:
    """Version 4: a variable-length number, the rest of the name, one NUL."""
    at = name
    while at < len(index) and index[at] & 0x80:
        at += 1
    end = index.find(b"\0", at + 1)
    return len(index) if end < 0 else end + 1
