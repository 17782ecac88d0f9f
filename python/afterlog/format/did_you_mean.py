"""The known name that a typo most likely meant."""

from typing import Iterable, Optional


def nearest_name(word: str, known: Iterable[str]) -> Optional[str]:
    """The nearest of `known` by edit distance, if it is near enough to be a typo."""
    ranked = sorted((_edit_distance(_fold(word), _fold(name)), name) for name in known)
    if not ranked or ranked[0][0] > max(1, len(word) // 3):
        return None
    return ranked[0][1]


def _fold(name: str) -> str:
    return name.lower().replace("-", "_")


def _edit_distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a):
        after = [i + 1]
        for j, right in enumerate(b):
            after.append(min(row[j] + (left != right), row[j + 1] + 1, after[j] + 1))
        row = after
    return row[-1]
