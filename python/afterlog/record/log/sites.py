"""Where in the source a call stands."""

import os
import sys
from types import CodeType, FrameType
from typing import Any, Callable, Dict, Optional, Tuple

_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep


class Sites:
    """Numbers the places of a run, and says each of them once."""

    def __init__(self, root: str, emit: Callable[[Dict[str, Any]], None], first: int = 0) -> None:
        self._root = root
        self._emit = emit
        self._count = first
        # By the code's identity, which is quicker to look up than the code: it is kept alive.
        self._known: Dict[Tuple[int, int, Optional[int], str], Optional[int]] = {}
        self._codes: Dict[int, CodeType] = {}
        self._statements: Dict[Tuple[str, int, int], int] = {}

    def find(
        self, kind: str, enclosing: Optional[int], caller: Optional[FrameType] = None
    ) -> Optional[int]:
        """The place in the program from which the SDK was called; None where there is no file.
        `caller`: where it was, if others than the SDK stand between."""
        frame: Optional[FrameType] = caller or sys._getframe(2)
        while frame is not None:
            code = frame.f_code
            key = (id(code), frame.f_lasti, enclosing, kind)
            if key in self._known:
                return self._known[key]
            if not code.co_filename.startswith(_OWN):
                self._codes[id(code)] = code
                self._known[key] = self._add(kind, enclosing, frame)
                return self._known[key]
            frame = frame.f_back
        return None

    def of_statement(self, place: Dict[str, Any]) -> int:
        """A loop that stands for itself, wherever it is entered from."""
        key = (place["file"], place["line"], place["column"])
        if key not in self._statements:
            site = self._statements[key] = self._count
            self._count += 1
            record = {"k": "site", "site": site, **place, "kind": "loop"}
            self._emit({**record, "enclosing": None, "places": []})
        return self._statements[key]

    def _add(self, kind: str, enclosing: Optional[int], frame: FrameType) -> Optional[int]:
        file = frame.f_code.co_filename
        if not os.path.isfile(file):
            return None
        site = self._count
        self._count += 1
        place = os.path.relpath(os.path.abspath(file), self._root)
        record = {"k": "site", "site": site, "file": place, **_span(frame)}
        self._emit({**record, "kind": kind, "enclosing": enclosing, "places": []})
        return site


def _span(frame: FrameType) -> Dict[str, int]:
    """Line and column of the call, from 1; its end and its column only since Python 3.11."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is not None:
        for index, (line, end_line, column, end_column) in enumerate(positions()):
            if index == frame.f_lasti // 2 and None not in (line, end_line, column, end_column):
                begin = {"line": line, "column": column + 1}
                return {**begin, "endLine": end_line, "endColumn": end_column + 1}
    return {"line": frame.f_lineno, "column": 1}
