"""Where a run that is continued left off: how long its files are, and the numbers that it gave so
far, so that the continuation gives others (docs/format.md, `rewind`)."""

import json
import os
import re
from typing import Dict, List, NamedTuple, Tuple

from ...format.paths import format_path
from ...materialize.policies import StepTimes
from ...store.checkpoint_index import list_checkpoints
from ...store.layout import RunPaths
from ..checkpoints.checkpointer import Before

_READ = re.compile(rb'\{"k":"(?:site|enter|declare|rewind)"')


class ResumeFacts(NamedTuple):
    # Bytes of `log`, `profile` and `values`.
    positions: Dict[str, int]
    # Lines of the log.
    lines: int
    # The next number of each kind that has not been given.
    site: int
    iterator: int
    # Where it went back before, and from where in the log.
    rewinds: List[Tuple[int, int]]
    before: Before


def read_resume_facts(folder: str) -> ResumeFacts:
    paths = RunPaths(folder)
    log, profile = _whole_lines(paths.log), _whole_lines(paths.profile)
    lines = log.split(b"\n")[:-1]
    site = iterator = declaration = end = 0
    rewinds: List[Tuple[int, int]] = []
    for line in lines:
        start, end = end, end + len(line) + 1
        if not _READ.match(line):
            continue
        record = json.loads(line)
        if record["k"] == "site":
            site = max(site, record["site"] + 1)
        elif record["k"] == "enter":
            iterator = max(iterator, record["iterator"] + 1)
        elif record["k"] == "rewind":
            rewinds.append((record["seq"], start))
        else:
            declaration = max(declaration, record["ordinal"] + 1)
    files: Dict[str, int] = {}
    checkpoints = list(list_checkpoints(folder, with_removed=True))
    needed = {text for taken in checkpoints for text in taken["needs"]}
    ends = set()
    for taken in checkpoints:
        text = format_path(taken["path"])
        if taken["kind"] == "loop" and text in needed:
            ends.add("/".join(name for name, *_ in taken["path"]))
        files[text] = files.get(text, 0) + 1
        for position in taken["iterators"]:
            iterator = max(iterator, position["id"] + 1)
    values = os.path.getsize(paths.values) if os.path.exists(paths.values) else 0
    positions = {"log": len(log), "profile": len(profile), "values": values}
    before = Before(declaration, files, _read_frequencies(profile), frozenset(ends))
    return ResumeFacts(positions, len(lines), site, iterator, rewinds, before)


def _whole_lines(file: str) -> bytes:
    """The content up to the last newline: what follows was never written."""
    if not os.path.exists(file):
        return b""
    with open(file, "rb") as stream:
        data = stream.read()
    return data[: data.rfind(b"\n") + 1]


def _read_frequencies(profile: bytes) -> Dict[str, StepTimes]:
    """What the run had found out about its steps: the last of each block."""
    found: Dict[str, StepTimes] = {}
    for line in profile.split(b"\n"):
        if line.startswith(b'{"k":"frequency"'):
            record = json.loads(line)
            times = (record["iterationMs"], record["blockedMs"], record["persistMs"])
            found[record["block"]] = StepTimes(*times)
    return found
