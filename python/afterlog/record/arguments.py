"""`arg`: values from the command line, `lr=0.01`, `--lr 0.01`, `--lr=0.01` or `--flag`.

The type of the default decides how the text is read. Names match with `-` for `_`.
"""

import json
import math
import re
from dataclasses import dataclass
from typing import AbstractSet, Any, List, NamedTuple, Optional, Sequence, Set

from ..format.did_you_mean import nearest_name
from ..format.errors import AfterlogError

_ASSIGNED = re.compile(r"(?:--)?([A-Za-z_][\w.-]*)=(.*)\Z", re.DOTALL)
_FLAG = re.compile(r"--([A-Za-z_][\w.-]*)\Z")
_ASSIGNMENT = re.compile(r"[A-Za-z_][\w.-]*=")
_TRUTH = {
    "true": True, "yes": True, "on": True, "1": True,
    "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip
_ABSENT = object()


@dataclass
class _Given:
    key: str
    text: str
    # The value came as `--name`, with the next word or none.
    next: Optional[str] = None
    used: bool = False


class Unused(NamedTuple):
    word: str
    nearest: Optional[str]


class ProgramArguments:
    """The program's own arguments, and which of them nobody asked for."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._given = [_parse_word(word, argv[at + 1 : at + 2]) for at, word in enumerate(argv)]
        self._asked: Set[str] = set()
        # Words that were taken as the value of a `--name` before them.
        self._taken: Set[int] = set()

    def take(self, name: str, default: Any) -> Any:
        """The value for `name`, the last one if given twice; `ABSENT` if it was not given."""
        self._asked.add(name)
        taken: Optional[_Given] = None
        for at, given in enumerate(self._given):
            if at in self._taken or _normalize(given.key) != _normalize(name):
                continue
            given.used = True
            if given.next is not None and _takes_next(given, default):
                self._taken.add(at + 1)
            taken = given
        return ABSENT if taken is None else _read_as(name, _text_for(taken, default), default)

    def unused(self, later: AbstractSet[str] = frozenset()) -> List[Unused]:
        """Arguments that look like ours and that no `arg` has asked for, with the nearest name.
        `later`: those that may still be asked for.

        A program that asks for none reads its command line by itself (`argparse`).
        """
        if not self._asked:
            return []
        coming = {_normalize(name) for name in later}
        return [
            Unused(given.key, nearest_name(given.key, self._asked | later))
            for at, given in enumerate(self._given)
            if given.key and not given.used and at not in self._taken
            if _normalize(given.key) not in coming
        ]


ABSENT = _ABSENT


def _parse_word(word: str, following: Sequence[str]) -> _Given:
    assigned = _ASSIGNED.match(word)
    if assigned:
        return _Given(assigned[1], assigned[2])
    flag = _FLAG.match(word)
    if not flag:
        return _Given("", word)
    follows = following and not following[0].startswith("--")
    is_value = follows and not _ASSIGNMENT.match(following[0])
    return _Given(flag[1], "", following[0] if is_value else None)


def _takes_next(given: _Given, default: Any) -> bool:
    """A boolean flag takes the next word only if it is a truth value."""
    return not isinstance(default, bool) or (given.next or "").lower() in _TRUTH


def _text_for(given: _Given, default: Any) -> str:
    if given.next is not None and _takes_next(given, default):
        return given.next
    return "true" if given.text == "" and isinstance(default, bool) else given.text


def _normalize(name: str) -> str:
    return name.replace("-", "_")


def _read_as(name: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text.lower() in _TRUTH:
            return _TRUTH[text.lower()]
        raise _refusal(name, text, "true or false")
    if isinstance(default, int):
        return _read_number(name, text, whole=True)
    if isinstance(default, float):
        return float(_read_number(name, text, limit=not math.isinf(default)))
    if isinstance(default, str):
        return text
    if default is None:
        return _guess(name, text)
    value = _read_json(name, text)
    return tuple(value) if isinstance(default, tuple) and isinstance(value, list) else value


def _read_number(name: str, text: str, whole: bool = False, limit: bool = True) -> Any:
    """`1e3` is a whole number too. A default of 1 takes 0.5: nobody writes 1.0 for a weight. A loop
    up to infinity, of a number that was mistyped, would be recorded for ever; where the program
    itself says "no limit", the command line may."""
    try:
        value = float(text)
    except ValueError as error:
        raise _refusal(name, text, "a number") from error
    if math.isnan(value):
        raise _refusal(name, text, "a number")
    if limit and math.isinf(value):
        raise _refusal(name, text, "a finite number")
    if whole and re.fullmatch(r"\s*[+-]?\d+\s*", text):
        return int(text)
    return int(value) if whole and value.is_integer() else value


def _read_json(name: str, text: str) -> Any:
    unlimited: List[str] = []

    def read_float(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            unlimited.append(digits)
        return value

    try:
        value = json.loads(text, parse_float=read_float, parse_constant=_no_constant)
    except ValueError as error:
        raise _refusal(name, text, "JSON, like its default") from error
    if unlimited:
        raise _refusal(name, text, "JSON of finite numbers")
    return value


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _guess(name: str, text: str) -> Any:
    """The words of infinity and of what is no number are texts here: nobody said that a number is
    meant."""
    words = {"null": None, "None": None, "true": True, "True": True, "false": False, "False": False}
    if text in words:
        return words[text]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        float(text)
    except ValueError:
        return text
    return _read_number(name, text) if re.search(r"\d", text) else text


def _refusal(name: str, text: str, wanted: str) -> AfterlogError:
    return AfterlogError(
        "AL005",
        f"argument {name}={text} is not {wanted}",
        [f"give {wanted}, or leave {name} out to use its default"],
    )


def as_default(recorded: Any, default: Any) -> Any:
    """JSON has no tuples, and may have lost that a number was a float."""
    if isinstance(default, tuple) and isinstance(recorded, list):
        return tuple(recorded)
    if isinstance(default, float) and type(recorded) is int:
        return float(recorded)
    return recorded
