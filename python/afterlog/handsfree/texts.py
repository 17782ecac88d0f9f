"""What a program puts into the texts that it prints: `print(f"loss {x:.4f}")` shows four digits,
and the run logs the number with all of them.

`text_pass.py` has the program hand over each value on its way into a text (`hold`), and the text
when it is made. The program's own code does all the formatting, in its own frame and in its own
order; what it gets is the very text that it would have had. By that text, as an object,
`printed.py` finds what was put into it.
"""

import sys
import threading
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..format.console_rule import Text
from ..format.console_text import number_spans
from .formats import Part, format_parts, part_of, percent_parts
from .numbers import Held, number_of

# Values and texts that wait for being printed; those of an expression that raised stay behind.
_WAITING_MAX = 64


class _Waiting(NamedTuple):
    key: int
    index: int
    # The frame in which the text is being made: a function may print while another text waits.
    frame: int
    value: Any


class Texts:
    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._waiting: List[_Waiting] = []
        self._made: List[Tuple[str, Text]] = []

    # What the program calls, by the expressions that were put around its own.

    def hold(self, key: int, index: int, value: Any) -> Any:
        """A value of an f-string, on its way into the text."""
        self._wait(key, index, number_of(value))
        return value

    def hold_given(self, key: int, index: int, value: Any) -> Any:
        """An argument of `format`, or what stands behind `%`."""
        self._wait(key, index, value)
        return value

    def joined(self, key: int, *parts: str) -> str:
        """An f-string: what is written out, and between each two what a value has become."""
        text = "".join(parts)
        held: Optional[List[Held]] = self._take(key, len(parts) // 2)
        if held is not None:
            shown = [part_of(part, one) for part, one in zip(parts[1::2], held)]
            literal: List[Part] = [(part, None) for part in parts[::2]]
            self._note(text, [literal[0], *_zipped(shown, literal[1:])])
        return text

    def percent(self, key: int, pattern: str, text: Any) -> Any:
        given = self._take(key, 1)
        if given is not None and type(text) is str:
            self._note(text, percent_parts(pattern, given[0], text))
        return text

    def formatted(self, key: int, pattern: str, names: Sequence[Optional[str]], text: Any) -> Any:
        """`names`: of the arguments; None for those that have none."""
        given = self._take(key, len(names))
        if given is not None and type(text) is str:
            pairs = list(zip(names, given))
            positional = [value for name, value in pairs if name is None]
            named: Dict[str, Any] = {name: value for name, value in pairs if name is not None}
            self._note(text, format_parts(pattern, positional, named, text))
        return text

    # What the run asks.

    def piece_of(self, text: str) -> Text:
        """A text that is being printed, with the numbers in it."""
        for at, (made, piece) in enumerate(self._made):
            if made is text:
                del self._made[at]
                return piece
        return Text(text)

    def _wait(self, key: int, index: int, value: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        if len(self._waiting) >= _WAITING_MAX:
            del self._waiting[: _WAITING_MAX // 2]
        self._waiting.append(_Waiting(key, index, id(sys._getframe(2)), value))

    def _take(self, key: int, count: int) -> Optional[List[Any]]:
        """The values of the text that is being made; None if one of them is missing. Those between
        them are of texts that were never made."""
        if threading.get_ident() != self._thread:
            return None
        frame, found = id(sys._getframe(2)), []
        for at in reversed(range(len(self._waiting))):
            one = self._waiting[at]
            if one[:3] == (key, count - 1 - len(found), frame):
                found.append(one.value)
                if len(found) == count:
                    del self._waiting[at:]
                    return found[::-1]
        return None

    def _note(self, text: str, parts: Optional[Sequence[Part]]) -> None:
        if parts is None or all(value is None for _, value in parts):
            return
        if len(self._made) >= _WAITING_MAX:
            del self._made[: _WAITING_MAX // 2]
        self._made.append((text, Text(*number_spans(parts))))


def _zipped(shown: Sequence[Part], literal: Sequence[Part]) -> List[Part]:
    return [part for pair in zip(shown, literal) for part in pair]
