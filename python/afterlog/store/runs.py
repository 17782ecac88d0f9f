"""Run directories: making and reading them, and the order of runs."""

import datetime
import json
import os
import re
import secrets
import sys
import time
from typing import Any, Dict, List, Optional

from ..format.manifest import manifest_from_json
from .layout import RunPaths, run_folder, runs_folder

# Of the characters of the program's name in a run's id: leaves room for what is made from it.
_STEM_MAX = 60
# A note of the order that is further ahead of the clock than this is looked up in the runs.
_AHEAD_MS_MAX = 24 * 3_600_000
_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"


def make_run_folder(store: str, program: str, started: float) -> str:
    """`train-20261115-093000-x7q2`; another random part if the name is taken."""
    while True:
        run = run_id(program, started, "".join(secrets.choice(_LETTERS) for _ in range(4)))
        try:
            os.mkdir(run_folder(store, run))
            return run
        except FileExistsError:
            continue


def run_id(program: str, started: float, suffix: str) -> str:
    """A file and a git ref can have this name, and so can the word of a command."""
    name = os.path.splitext(os.path.basename(program))[0]
    plain = re.sub(r"\.{2,}", ".", re.sub(r"[^A-Za-z0-9_.-]", "_", name)).lstrip(".-")
    at = time.strftime("%Y%m%d-%H%M%S", time.localtime(started))
    return f"{plain[:_STEM_MAX] or 'run'}-{at}-{suffix}"


def list_run_ids(store: str) -> List[str]:
    folder = runs_folder(store)
    if not os.path.isdir(folder):
        return []
    return [entry.name for entry in os.scandir(folder) if entry.is_dir()]


def read_manifest(folder: str) -> Dict[str, Any]:
    """The manifest as it was written; AL040 if damaged."""
    file = RunPaths(folder).manifest
    with open(file, encoding="utf-8") as stream:
        return manifest_from_json(stream.read(), file)


def next_order(store: str, now_ms: int) -> int:
    """A number above that of every run before, and the wall clock where that moved forward."""
    file = os.path.join(store, "clock")
    text = (_read_if_present(file) or "").strip()
    noted = int(text) if re.fullmatch(r"\d{1,16}", text) else None
    # Far ahead of the clock it is believed only if a run is: one that was may have been removed.
    is_likely = noted is not None and noted <= now_ms + _AHEAD_MS_MAX
    last = noted if noted is not None and is_likely else _last_order(store)
    order = max(now_ms, last + 1)
    with open(file, "w", encoding="ascii") as stream:
        stream.write(str(order))
    return order


def _last_order(store: str) -> int:
    last = 0
    for run in list_run_ids(store):
        try:
            folder = run_folder(store, run)
            order = int(read_manifest(folder)["order"])
            last = max(last, min(order, _latest_order(folder)))
        except Exception:
            # A run without a readable manifest has no place in the order.
            continue
    return last


def _latest_order(folder: str) -> int:
    """A run that came began before it came; and one whose clock was wrong may have been put
    elsewhere."""
    text = _read_if_present(os.path.join(folder, "received.json"))
    if text is None:
        return sys.maxsize
    fields = json.loads(text)
    latest = [fields["order"]] if "order" in fields else []
    if "received" in fields:
        at = datetime.datetime.fromisoformat(fields["received"].replace("Z", "+00:00"))
        latest.append(int(at.timestamp() * 1000))
    return min(latest)


def boot_id() -> Optional[str]:
    """Changes with each boot; None where the system does not tell."""
    text = _read_if_present("/proc/sys/kernel/random/boot_id")
    return text.strip() if text else None


def process_start(pid: int) -> Optional[str]:
    """Start time of a process in clock ticks since boot; None without /proc."""
    stat = _read_if_present(f"/proc/{pid}/stat")
    if not stat:
        return None
    # The command, in parentheses, may hold spaces: fields are counted after its end.
    return stat[stat.rindex(")") + 2 :].split(" ")[19]


def _read_if_present(file: str) -> Optional[str]:
    try:
        with open(file, encoding="utf-8") as stream:
            return stream.read()
    except OSError:
        return None
