"""Names and numbers in a line of text: `epoch 3/10 loss=0.5 acc 97.3%`. The words before a number
are its name, back to the number or the mark before; they are joined by `_`.

The same rule as in `src/format/console-text.ts`, and tested with the same lines; Python's own words
(`None`, `True`, `nan`, `inf`) count too. A number that was put into the text by the program keeps
its bits, however it was rounded on its way: `Spans` says where each of them stands.
"""

import re
from typing import Any, Dict, List, Mapping, Optional, Pattern, Sequence, Tuple

# Stands in a text of the source for a value that only the run knows; a private character.
HOLE = "\ue000"

# Numbers of the program in a text: where each begins and ends, and what it is.
Spans = Mapping[Tuple[int, int], Any]
Entry = Tuple[str, Any]

# Of a longer sentence the number is no value.
_WORDS_MAX = 4
# Words between a name and its value: "the loss is 0.5".
_FILLERS = frozenset(("is", "are", "was", "were", "of"))

# What a clock or the machine says, by its name.
_MEASURED = re.compile(
    r"(?:(?:^|[_./-])(?:time|times|elapsed|took|takes|duration|eta|timestamp|ts|date|now|us|ms"
    r"|msecs?|secs?|seconds?|mins?|minutes?|hours?|uptime|pid|heap|heapused|heaptotal|rss|mem"
    r"|memory|fps|throughput)|/s(?:ec)?)\Z",
    re.IGNORECASE,
)
_MEASURED_CAMEL = re.compile(r"[a-z](?:Time|Ms|Secs?|Seconds|Elapsed|Duration|Timestamp)\Z")

_ANSI = re.compile("\x1b\\[[0-9;]*[A-Za-z]")

_LETTER = r"[^\W\d_]"
_WORD = rf"[\w{HOLE}]"
# A date, a time of day, a version, `1,234`: digits that are no number.
_NO_NUMBER = re.compile(r"[0-9]+(?:[:,-][0-9]+|\.[0-9]+\.[0-9]+)\S*")
# Of an address, behind its first word.
_ADDRESS = re.compile(r"://\S*")
_NUMBERS = frozenset("0123456789+-.")
_HELD_NUMBER = re.compile(rf"[-+.0-9{HOLE}]*{HOLE}(?:[-+.0-9{HOLE}]*[0-9{HOLE}])?")
_NUMBER = re.compile(
    r"(?<!\w)[-+]?(?:(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    r"|(?:Infinity|NaN|inf|nan)(?![A-Za-z0-9_]))"
)
_NAME = re.compile(rf"(?:{HOLE}+_|{_LETTER}|_){_WORD}*(?:[./+-]{_WORD}+)*")
_NUMBER_WORDS = frozenset(("NaN", "Infinity", "nan", "inf"))
_NOTHING = frozenset(("undefined", "null", "None"))
_TRUTHS = {"true": True, "false": False, "True": True, "False": False}
_DASHES = frozenset("-=–—→")
_SEPARATOR = re.compile(r"[:=](?!>)\s*|(?:->|=>|[-–—→])(?=\s)\s*")
# Between words: what follows is a part of an expression, and no name for its value.
_OPERATOR = re.compile(r"[+*/](?=\s)")
_SPACE = re.compile(r"[^\S\n]+")
# What may follow a number and belongs to it: `/10`, `of 10`, `±0.1`, `%`.
_REST = re.compile(
    rf"\s?(?:/|of|±|\+/-)\s?[-+]?(?:[0-9.{HOLE}]*[0-9{HOLE}](?:[eE][-+]?[0-9]+)?)|%"
    r"|\s?(?:[KMGT]i?B|bytes|epochs|steps|iterations|iters|samples|images|batches|items|points|rows"
    r"|px|x)(?![-A-Za-z0-9_])"
)
_CLOCK = re.compile(
    r"\s?(?:ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)(?![-A-Za-z0-9_])"
    rf"|\s?{_LETTER}*/s(?:ec)?(?![-A-Za-z0-9_])"
)
# No number is printed so with a unit; a digest may be: `1e5x`.
_BARE_EXPONENT = re.compile(r"[-+0-9.]+[eE][0-9]+(?=[^,.])")
# Of a text by itself; in a line it is a counter that was padded: `epoch 003`.
_BEGINS_WITH_ZERO = re.compile(r"[-+]?0[0-9]")
_LONG = re.compile(r"[-+]?[0-9]{16,}")
_TRUTH = re.compile(r"(?:true|false|True|False)(?![A-Za-z0-9_])")
# Right behind a number, so that it is none: `3rd`, `2x4`, `10-fold`.
_ADJACENT = re.compile(r"[-+.]?\w\S*")


def is_measured(name: str) -> bool:
    """Whether a name is one of what is measured: it differs in every execution."""
    return bool(_MEASURED.search(name) or _MEASURED_CAMEL.search(name))


def says_clock(text: str) -> bool:
    """Whether one of the words of a text, or of an expression, is a name of what is measured."""
    return any(is_measured(word) for word in re.split(r"\W+", text) if word)


def plain_text(text: str) -> str:
    """Without the colours of a terminal."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def says_more_than_number(text: str) -> bool:
    """Whether it begins with a number, or a truth value, and says more: `3 apples`, `92!`."""
    trimmed = plain_text(text).strip()
    found = _NUMBER.match(trimmed) or _TRUTH.match(trimmed)
    if found is None:
        return False
    if _is_digits_only(found.group()):
        return True
    unit = _CLOCK.match(trimmed, found.end()) or _REST.match(trimmed, found.end())
    rest = trimmed[unit.end() if unit is not None else found.end() :]
    return _BARE_EXPONENT.match(trimmed) is not None or rest not in ("", ",", ".")


def number_in(text: str) -> Any:
    """The number that a text is; None if it is none."""
    found = _NUMBER.fullmatch(text)
    if found is None or _is_digits_only(text):
        return None
    return _number_of(text)


def _number_of(text: str) -> Any:
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def _is_digits_only(text: str) -> bool:
    """Whether digits would not come back from the number: `0110`, or more than a double holds."""
    return _BEGINS_WITH_ZERO.match(text) is not None or _is_too_long(text)


def _is_too_long(number: str) -> bool:
    return _LONG.fullmatch(number) is not None and abs(int(number)) >= 2**53


class PhraseReader:
    """Reads one call's arguments from left to right."""

    def __init__(self, with_clocks: bool = False) -> None:
        # What is called as a clock is, or has its unit, is read like any other.
        self._with_clocks = with_clocks
        self.values: List[Entry] = []
        # Words that the next value may be called by.
        self._words: List[str] = []
        # A separator, or the end of an argument, stands between them and what comes next.
        self._closed = ""
        self._had_colon = False
        # They are the end of an expression.
        self._is_partial = False
        # Nothing but words so far.
        self._is_whole = True
        self._text = ""
        self._spans: Spans = {}
        self._at = 0

    @staticmethod
    def label(text: str) -> Optional[str]:
        """The name, if a text is a label and nothing else."""
        reader = PhraseReader()
        reader.text(text)
        return reader._name() if not reader.values and reader._is_whole else None

    def text(self, text: str, spans: Spans = {}) -> None:
        """`spans`: of a text without the colours of a terminal."""
        self._text, self._spans = plain_text(text), spans
        self._at = 0
        while self._at < len(self._text):
            self._step()
        self._close_argument()

    def value(self, value: Any) -> None:
        """A value that is an argument of its own."""
        self._found(value)
        self._close_argument()

    def entries(self, entries: Sequence[Entry]) -> None:
        """A dict: its own names, behind a label with a colon `label.name`."""
        label = self._name() if self._had_colon else None
        for key, value in entries:
            if self._with_clocks or not is_measured(key):
                self.values.append((key if label is None else f"{label}.{key}", value))
        self.end()

    def end(self) -> None:
        self._words = []
        self._closed = ""
        self._had_colon = False
        self._is_partial = False
        self._is_whole = False

    def _close_argument(self) -> None:
        if self._words:
            self._closed = "argument"

    def _step(self) -> None:
        """By the first character: a text is read on the training thread."""
        is_spaced = self._eat(_SPACE) is not None or self._at == 0
        if self._at >= len(self._text):
            return
        character = self._text[self._at]
        if character in ":=" or (is_spaced and character in _DASHES):
            if self._eat(_SEPARATOR) is not None:
                return self._separator()
        if character not in _NUMBERS:
            name = self._eat(_NAME)
            if name is not None and name not in _NUMBER_WORDS:
                return self._word(name)
            self._at -= len(name or "")
        elif self._eat(_NO_NUMBER) is not None:
            return self._end_with_unit()
        if self._eat(_HELD_NUMBER) is not None:
            return self._number(HOLE)
        start, number = self._at, self._eat(_NUMBER)
        if number is not None:
            span = (start, self._at)
            if span in self._spans:
                return self._number(self._spans[span])
            return (
                self._end_with_unit() if _is_too_long(number) else self._number(_number_of(number))
            )
        is_partial = is_spaced and self._words != [] and self._closed == ""
        is_operator = self._eat(_OPERATOR) is not None
        self._at += 0 if is_operator else 1
        self.end()
        self._is_partial = is_operator and is_partial

    def _separator(self) -> None:
        if not self._words:
            return self.end()
        self._closed = "separator"
        self._had_colon = True

    def _word(self, name: str) -> None:
        if self._eat(_ADDRESS) is not None or name in _NOTHING:
            return self.end()
        if name in _TRUTHS:
            return self._found(_TRUTHS[name]) if self._had_colon else self.end()
        if self._closed != "":
            self._words = []
        self._closed = ""
        self._had_colon = False
        self._words.append(name)

    def _number(self, value: Any) -> None:
        """A number in the text, with what follows it."""
        is_clock = self._eat(_CLOCK) is not None
        if is_clock and not self._with_clocks:
            return self.end()
        if not is_clock:
            self._eat(_REST)
        if self._eat(_ADJACENT) is not None:
            return self._end_with_unit()
        self._found(value)

    def _end_with_unit(self) -> None:
        if self._eat(_CLOCK) is None:
            self._eat(_REST)
        self.end()

    def _found(self, value: Any) -> None:
        name = self._name()
        self.end()
        if name is not None and (self._with_clocks or not is_measured(name)):
            self.values.append((name, value))

    def _name(self) -> Optional[str]:
        words = [] if self._is_partial else list(self._words)
        while words and words[-1] in _FILLERS:
            words.pop()
        return "_".join(words) if 0 < len(words) <= _WORDS_MAX else None

    def _eat(self, pattern: Pattern[str]) -> Optional[str]:
        found = pattern.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found.group()


def number_spans(parts: Sequence[Tuple[str, Any]]) -> Tuple[str, Dict[Tuple[int, int], Any]]:
    """A text put together from parts, and where the numbers stand that came with them. The value of
    a part is None, or the number that its text says, rounded or not."""
    text, spans = "", {}
    for part, value in parts:
        part = plain_text(part)
        if value is not None:
            said = _NUMBER.search(part.strip())
            if said is not None:
                start = len(text) + len(part) - len(part.lstrip()) + said.start()
                rest = part.strip()[said.end() :]
                scale = 100 if rest == "%" else 1
                if said.start() == 0 and (rest == "" or rest == "%"):
                    spans[(start, start + len(said.group()))] = value * scale
        text += part
    return text, spans
