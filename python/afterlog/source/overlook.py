"""A seam for tests: one name that the analysis is to overlook, as if it had a hole there. What then
goes wrong must be found out by the audit of the recording, or by the deferred check.

`AFTERLOG_OVERLOOK='train.py#2 train.py:0:ema'`: the changes of the loop with ordinal 2 in that file
lose the name with that key, in every process that analyses the program."""

import os
from typing import Dict, List

from .changes import Changed
from .facts import LoopFacts


def without_overlooked(
    loops: Dict[int, LoopFacts], changes: Dict[int, List[Changed]]
) -> Dict[int, List[Changed]]:  # fmt: skip
    """The changes of each loop that are not overlooked."""
    asked = os.environ.get("AFTERLOG_OVERLOOK")
    if asked is None:
        return changes
    left: Dict[int, List[Changed]] = {}
    counts: Dict[str, int] = {}
    for number in sorted(loops):
        file = loops[number].scope.file
        ordinal = counts.get(file, 0)
        counts[file] = ordinal + 1
        left[number] = [one for one in changes[number] if asked != f"{file}#{ordinal} {one.key}"]
    return left
