"""Leaves out the name that a test asks the analysis to miss, in every process that analyses the
program (`format/test_seams.py`)."""

from typing import Dict, List

from ..format.test_seams import overlooked
from .changes import Changed
from .facts import LoopFacts


def without_overlooked(
    loops: Dict[int, LoopFacts], changes: Dict[int, List[Changed]]
) -> Dict[int, List[Changed]]:
    """The changes of each loop that are not overlooked."""
    asked = overlooked()
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
