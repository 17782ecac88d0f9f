"""Lines of one shape, read once: a program prints the same words again and again, with other
numbers between them. Where each number stands by itself, which name it gets does not depend on
it."""

import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from .console_rule import Text, printed_values
from .console_text import Entry, plain_text

# A part of a line, and the number that it shows; None: it is no number of the program's.
Part = Tuple[str, Any]
# What is written out; of a number the space around it, and whether it is in percent.
_Shape = Union[str, Tuple[str, str, str]]

_SHAPES_MAX = 512
_NUMBER = re.compile(r"(\s*)[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(%?)(\s*)")
# What may stand before a number and after it, so that sign and digits make no difference.
_BEFORE = re.compile(r"(?:^|[\s=(\[{|;'\"<>~]|(?:^|[^\w.])[,:]|[\w\]})'\"][,:]|[0-9\s]/)$")
_AFTER = re.compile(r"%?(?:$|[\s)\]}|;'\"/]|[,.:](?:\s|$))")
_DIGIT_MARK = re.compile(r"[0-9][,:]$")


class _Hole(NamedTuple):
    number: int


class Lines:
    def __init__(self, with_clocks: bool = False) -> None:
        self._with_clocks = with_clocks
        self._plans: Dict[Tuple[_Shape, ...], Optional[List[Entry]]] = {}

    def values(self, parts: Sequence[Part]) -> Optional[List[Entry]]:
        """What a line logs that is put together from these parts; None: it must be read."""
        shape: List[_Shape] = []
        numbers: List[Any] = []
        for text, value in parts:
            if value is None:
                shape.append(text)
                continue
            found = _NUMBER.fullmatch(text)
            if found is None:
                return None
            before, percent, after = found.groups()
            shape.append((before and " ", percent, after and " "))
            numbers.append(value * 100 if percent else value)
        plan = self._plan(tuple(shape))
        if plan is None:
            return None
        return [
            (name, numbers[value.number] if type(value) is _Hole else value) for name, value in plan
        ]

    def _plan(self, shape: Tuple[_Shape, ...]) -> Optional[List[Entry]]:
        if shape not in self._plans:
            if len(self._plans) >= _SHAPES_MAX:
                self._plans.clear()
            self._plans[shape] = _read(shape, self._with_clocks)
        return self._plans[shape]


def _read(shape: Sequence[_Shape], with_clocks: bool) -> Optional[List[Entry]]:
    """Names and the numbers that they get, by their place in the line."""
    text = ""
    spans: Dict[Tuple[int, int], Any] = {}
    for part in shape:
        if isinstance(part, str):
            text += plain_text(part)
            continue
        before, percent, after = part
        text += before
        spans[(len(text), len(text) + 1)] = _Hole(len(spans))
        text += f"1{percent}{after}"
    for start, end in spans:
        head = text[max(0, start - 3) : start]
        alone = _BEFORE.search(head) and not _DIGIT_MARK.search(head)
        if not alone or not _AFTER.match(text, end):
            return None
    is_json = text.lstrip().startswith("{")
    if is_json:
        return None
    return printed_values([Text(text, spans)], with_clocks=with_clocks)
