"""How much memory there is for copies of a state (Materializer §6): what the system, the control
groups of this process (v1 and v2) and its own limits (`ulimit -v` and `-d`, as batch systems set
them) still allow, and how many copies fit into it."""

import math
import os
import re
from typing import List, NamedTuple, Optional

# One is persisted while the iteration end after it is copied.
SLOTS = 2
# Of what is free: the training grows, too.
_FREE_SHARE = 0.9
# For less nobody is asked.
SMALL_BYTES = 64 << 20


def slots_that_fit(slot_bytes: int, free_bytes: float) -> int:
    """Two, so that one is written while the next is taken; one, and the next waits until it is
    written; none, for the system would end the training."""
    if free_bytes == math.inf:
        return SLOTS
    return min(SLOTS, int(_FREE_SHARE * free_bytes / max(1, slot_bytes)))


def why_fewer(slot_bytes: int, free_bytes: float) -> str:
    need, free = f"{slot_bytes / 1e9:.2f} GB", f"{free_bytes / 1e9:.2f} GB"
    return f"a copy of the state takes {need}, and {free} of memory are free"


def free_memory_bytes(root: str = "/") -> float:
    """Infinity where nobody says. `root` stands in for that of the file system, in tests."""
    groups = _read_text(os.path.join(root, "proc/self/cgroup")) or ""
    free: List[float] = [_free_in_group(root, line) for line in groups.splitlines()]
    return min([_available_bytes(root), _free_in_limits(root), *free])


def _available_bytes(root: str) -> float:
    text = _read_text(os.path.join(root, "proc/meminfo")) or ""
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found.group(1)) * 1024 if found else math.inf


# Limits of a process, and what it has of each.
_LIMITS = {"Max address space": "VmSize", "Max data size": "VmData"}


def _free_in_limits(root: str) -> float:
    limits = _read_text(os.path.join(root, "proc/self/limits")) or ""
    status = _read_text(os.path.join(root, "proc/self/status")) or ""
    free = math.inf
    for limit, name in _LIMITS.items():
        most = re.search(rf"^{limit} +(\d+) ", limits, re.MULTILINE)
        used = re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)
        if most and used:
            free = min(free, max(0, int(most.group(1)) - int(used.group(1)) * 1024))
    return free


class _Files(NamedTuple):
    """Names of the same figures. What was read from files and can be dropped is free."""

    mount: str
    most: str
    used: str
    dropped: str


_V2 = _Files("", "memory.max", "memory.current", "inactive_file")
_V1 = _Files("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def _free_in_group(root: str, line: str) -> float:
    """What a group and all around it allow; `line`: of `/proc/self/cgroup`."""
    found = re.fullmatch(r"\d+:([^:]*):(.*)", line)
    if not found or (found.group(1) and "memory" not in found.group(1).split(",")):
        return math.inf
    files = _V1 if found.group(1) else _V2
    mount = os.path.join(root, "sys/fs/cgroup", files.mount)
    free, at = math.inf, found.group(2)
    # In a container the path may be that of the host: then its own group is at the mount.
    while True:
        folder = os.path.join(mount, at.lstrip("/"))
        most = _bytes_of(os.path.join(folder, files.most))
        used = _bytes_of(os.path.join(folder, files.used))
        if most is not None and used is not None:
            stat = _read_text(os.path.join(folder, "memory.stat")) or ""
            dropped = re.search(rf"^{files.dropped} (\d+)", stat, re.MULTILINE)
            free = min(free, max(0, most - used + int(dropped.group(1) if dropped else 0)))
        if at in ("", "/"):
            return free
        at = os.path.dirname(at)


def _bytes_of(file: str) -> Optional[int]:
    """None where there is no limit."""
    text = (_read_text(file) or "").strip()
    return int(text) if text.isdigit() else None


def _read_text(file: str) -> Optional[str]:
    try:
        with open(file, encoding="utf-8") as stream:
            return stream.read()
    except (OSError, UnicodeError):
        return None
