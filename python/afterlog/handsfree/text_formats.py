"""The texts that `%` and `format` make, taken apart again: which part of them is which value. Only
where every part can be made anew without calling anything of the program's; else the text is read
as it was printed."""

import re
import string
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..format.console_lines import Part
from .numbers import Held, number_of

_DIRECTIVE = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<rest>[#0\- +]*[0-9]*(?:\.[0-9]*)?)[hlL]?(?P<type>.)", re.DOTALL
)
_NUMERIC = re.compile(r"\s*[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|nan|inf)%?\s*")


def part_of(text: str, held: Held) -> Part:
    """A number that was printed with more around it (`tensor(0.5)`) is read as the number."""
    if held.is_array and not _NUMERIC.fullmatch(text):
        return repr(held.number), held.number
    return text, held.number


def percent_parts(pattern: str, arguments: Any, text: str) -> Optional[List[Part]]:
    """Of `pattern % given`, which has become `text`."""
    values = list(arguments) if type(arguments) is tuple else [arguments]
    parts: List[Tuple[str, Held, bool]] = []
    at = 0
    for directive in _DIRECTIVE.finditer(pattern):
        parts.append((pattern[at : directive.start()], Held(None), True))
        at = directive.end()
        if directive["type"] == "%":
            parts.append(("%", Held(None), True))
            continue
        if directive["key"] is not None:
            value = (
                arguments.get(directive["key"], _MISSING) if type(arguments) is dict else _MISSING
            )
        else:
            value = values.pop(0) if values else _MISSING
        part = _made(value, lambda value: f"%{directive['rest']}{directive['type']}" % (value,))
        if part is None:
            return None
        parts.append(part)
    return _fitted([*parts, (pattern[at:], Held(None), True)], text)


def format_parts(
    pattern: str, positional: Sequence[Any], named: Mapping[str, Any], text: str
) -> Optional[List[Part]]:
    """Of `pattern.format(…)`, which has become `text`."""
    parts: List[Tuple[str, Held, bool]] = []
    count = 0
    for literal, name, spec, conversion in string.Formatter().parse(pattern):
        parts.append((literal, Held(None), True))
        if name is None:
            continue
        if "{" in (spec or ""):
            return None
        if name == "":
            name, count = str(count), count + 1
        arguments: Dict[str, Any] = {str(at): one for at, one in enumerate(positional)}
        arguments.update(named)
        value = arguments.get(name, _MISSING)
        converted = _CONVERSIONS.get(conversion or "", _unconverted)
        part = _made(value, lambda one: format(converted(one), spec or ""))
        if part is None:
            return None
        parts.append(part)
    return _fitted(parts, text)


def _unconverted(value: Any) -> Any:
    return value


_CONVERSIONS: Dict[str, Callable[[Any], Any]] = {"r": repr, "s": str, "a": ascii}
_MISSING = object()
_PLAIN = (int, float, str, bool, type(None))


def _made(value: Any, make: Any) -> Optional[Tuple[str, Held, bool]]:
    """The text of one value, what it holds, and whether the text is certain; None: nobody can make
    it anew."""
    held = number_of(value)
    if type(value) not in _PLAIN and held.number is None:
        return None
    try:
        return make(value if type(value) in _PLAIN else held.number), held, not held.is_array
    except (TypeError, ValueError, OverflowError):
        return ("", held, False) if held.is_array else None


def _fitted(parts: List[Tuple[str, Held, bool]], text: str) -> Optional[List[Part]]:
    """The parts as they stand in the text; None if they do not make it."""
    if all(certain for _, _, certain in parts):
        whole = "".join([part for part, _, _ in parts]) == text
        return [part_of(part, held) for part, held, _ in parts] if whole else None
    pattern = "".join(f"({re.escape(part)})" if certain else "(.*?)" for part, _, certain in parts)
    fitted = re.fullmatch(pattern, text, re.DOTALL)
    if fitted is None:
        return None
    return [part_of(fitted[at + 1], held) for at, (_, held, _) in enumerate(parts)]
