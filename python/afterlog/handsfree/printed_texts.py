"""What a program puts into the texts that it prints: `print(f"loss {x:.4f}")` shows four digits,
and the run logs the number with all of them.

`printed_text_transform.py` has the program hand over each value on its way into a text (`hold`),
and the text when it is made. The program's own code does all the formatting, in its own frame and
in its own order; what it gets is the very text that it would have had. By that text, as an object,
`printed.py` finds what was put into it.
"""

import sys
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..format.console_lines import Part
from .text_formats import format_parts, part_of, percent_parts
from .numbers import Held, number_of

# Values and texts that wait for being printed; those of an expression that raised stay behind.
_WAITING_MAX = 64


# The text and its hole; the frame in which it is being made, for a function may print while another
# text waits; and the value.
_Waiting = Tuple[int, int, int, Any]


class PrintedTexts:
    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._waiting: List[_Waiting] = []
        self._made: List[Tuple[str, Sequence[Part]]] = []
        self._said: Optional[Tuple[Sequence[str], Any]] = None

    # What the program calls, by the expressions that were put around its own.

    def hold(self, key: int, index: int, value: Any) -> Any:
        """A value of an f-string, on its way into the text."""
        kind = type(value)
        held = Held(value) if kind is float or kind is int else number_of(value)
        self._wait(key, index, held)
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
            made: List[Part] = [(parts[0], None)]
            for at, one in enumerate(held):
                made += (part_of(parts[2 * at + 1], one), (parts[2 * at + 2], None))
            self._note(text, made)
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

    def says(self, written: Sequence[str], last: Any) -> Any:
        """How the arguments of the next call are written, which shows no name; and its last one."""
        if threading.get_ident() == self._thread:
            self._said = (written, last)
        return last

    # What the run asks.

    def written(self, given: Sequence[Any]) -> Optional[Sequence[str]]:
        """How the arguments of the call that got these are written; None: nobody has said."""
        said, self._said = self._said, None
        is_of_call = said is not None and len(said[0]) == len(given) and said[1] is given[-1]
        return said[0] if said is not None and is_of_call else None

    def parts_of(self, text: str) -> Optional[Sequence[Part]]:
        """What a text that is being printed was put together from; None: nobody knows."""
        for at in reversed(range(len(self._made))):
            made, parts = self._made[at]
            if made is text:
                del self._made[at]
                return parts
        return None

    def _wait(self, key: int, index: int, value: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        if len(self._waiting) >= _WAITING_MAX:
            del self._waiting[: _WAITING_MAX // 2]
        self._waiting.append((key, index, id(sys._getframe(2)), value))

    def _take(self, key: int, count: int) -> Optional[List[Any]]:
        """The values of the text that is being made; None if one of them is missing. Those between
        them are of texts that were never made."""
        if threading.get_ident() != self._thread:
            return None
        frame = id(sys._getframe(2))
        values: List[Any] = []
        for at in reversed(range(len(self._waiting))):
            text_key, index, text_frame, value = self._waiting[at]
            if text_key == key and text_frame == frame and index == count - 1 - len(values):
                values.append(value)
                if len(values) == count:
                    del self._waiting[at:]
                    return values[::-1]
        return None

    def _note(self, text: str, parts: Optional[Sequence[Part]]) -> None:
        if parts is None or all(value is None for _, value in parts):
            return
        if len(self._made) >= _WAITING_MAX:
            del self._made[: _WAITING_MAX // 2]
        self._made.append((text, parts))
