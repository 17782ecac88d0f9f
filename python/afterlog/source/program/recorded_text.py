"""What a run executed of a file of which a replay executes more: the loops of the run, what they
change and what they are called are found in it, with places as they are in the file now."""

import ast
from bisect import bisect_right
from typing import Any, Dict, List, Mapping, Sequence, Tuple

Place = Tuple[int, int]


class RecordedText:
    """`moved`: from a line and column on, what stands there has moved by so many lines and
    columns."""

    def __init__(self, text: str, moved: Sequence[Sequence[int]]) -> None:
        self._text = text
        self._starts: List[Place] = [(line, column - 1) for line, column, _, _ in moved]
        self._by: List[Place] = [(lines, columns) for _, _, lines, columns in moved]

    def tree(self, file: str) -> ast.Module:
        """Raises what `ast.parse` raises."""
        tree = ast.parse(self._text, file)
        for node in ast.walk(tree):
            if isinstance(node, (ast.stmt, ast.expr, ast.excepthandler, ast.arg, ast.keyword)):
                self._move(node)
        return tree

    def _move(self, node: Any) -> None:
        start = self._now((node.lineno, node.col_offset))
        # What stands behind it may have moved by more.
        end = self._now((node.end_lineno, node.end_col_offset - 1))
        node.lineno, node.col_offset = start
        node.end_lineno, node.end_col_offset = max((end[0], end[1] + 1), start)

    def _now(self, place: Place) -> Place:
        at = bisect_right(self._starts, place) - 1
        lines, columns = self._by[at] if at >= 0 else (0, 0)
        return place[0] + lines, max(place[1] + columns, 0)


def recorded_by_file(told: Sequence[Mapping[str, Any]]) -> Dict[str, RecordedText]:
    return {one["file"]: RecordedText(one["text"], one["moved"]) for one in told}
