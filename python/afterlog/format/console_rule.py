"""What a printed line logs: `print("loss", x)`, `print(f"epoch {e} loss {x:.4f}")`,
`print({"loss": x})`, JSON lines. One rule for the run, which has values, and for the source, which
has only the shape of the call: there a hole stands for what is put in. `docs/console.md` says it
in words, and `src/format/console-rule.ts` is the same for TypeScript.

A line that fits nothing logs nothing. What sounds as if a clock had measured it is left out of a
run: it would differ each time, and make every replay look as if it had computed something else. A
replay reads it, for somebody may ask for it.
"""

import json
import re
import warnings
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Pattern, Sequence, Union

from .console_text import HOLE, Entry, PhraseReader, Spans, is_measured, number_in, plain_text
from .console_text import says_clock, says_more_than_number
from .paths import called_loop


class Text(NamedTuple):
    text: str
    # Numbers of the program that stand in it.
    spans: Spans = {}


class Scalar(NamedTuple):
    """What `log` takes as it is: a number, a list of numbers, a tensor. `text`: as printed."""

    value: Any
    text: str = "|"


class Record(NamedTuple):
    """The scalars of a dict. `is_open`: it has entries that only a run can tell."""

    entries: Sequence[Entry]
    is_open: bool = False


class Other(NamedTuple):
    """Anything else: it ends a phrase."""


Piece = Union[Text, Scalar, Record, Other]

# Longest text that is looked at: a longer one is no line of a log.
_TEXT_MAX = 10_000
# Longest string that is a value.
_STRING_MAX = 200
_DATE = re.compile(r"[0-9]{4}-[0-9][0-9]-[0-9][0-9]|\b[0-9]{1,2}:[0-9][0-9]\b")
_OBJECT = re.compile(r"\s*\{.*\}\s*", re.DOTALL)


class PrintedNames(NamedTuple):
    """Names that a call may log, by its shape: those that are written out, and patterns of
    others. `is_open`: an argument is put in as it is, and an object logs names that it has when
    the call runs."""

    names: List[str]
    patterns: List[str]
    is_open: bool = False


# Of a call that shows no name: it logs those that it has when it runs. As JavaScript reads it.
ANY_NAME = "^\\S*$"
_WORD = re.compile(r"\S*[^\W\d_]\S*")


def printed_values(
    pieces: Sequence[Piece],
    rule: Optional[Pattern[str]] = None,
    written: Optional[Sequence[str]] = None,
    with_clocks: bool = False,
) -> List[Entry]:
    """What a call with these arguments logs, in order. `rule`: the user's own. `written`: how the
    arguments are written, of a call that shows no name. `with_clocks`: it may be asked for, so what
    sounds like a clock is read too, and any text behind a label."""
    held = [_without_holes(piece) for piece in pieces]
    found = _values_of(held, rule, with_clocks)
    return found if found or written is None else _unnamed_values(held, written, with_clocks)


def printed_names(pieces: Sequence[Piece], rule: Optional[Pattern[str]] = None) -> PrintedNames:
    """What a call of this shape may log, if each hole is filled with a number."""
    every = [name for name, _ in _values_of(pieces, rule, True)]
    if not every and _is_unnamed(pieces):
        return PrintedNames([], [ANY_NAME])
    return logged_names(every, any(_is_open(piece) for piece in pieces))


def logged_names(every: Sequence[str], is_open: bool) -> PrintedNames:
    """Of names in which a hole may stand for what only a run can tell."""
    every = list(dict.fromkeys(every))
    names = [name for name in every if HOLE not in name]
    patterns = [_pattern_of(name) for name in every if HOLE in name]
    if is_open and not every:
        patterns = [ANY_NAME]
    return PrintedNames(names, patterns, is_open)


def compile_rule(rule: str) -> Pattern[str]:
    """The user's rule, written as JavaScript writes named groups; raises `re.error`."""
    text = re.sub(r"\(\?<(?![=!])", "(?P<", rule)
    with warnings.catch_warnings():
        # What Python thinks of it must not be among what the program prints.
        warnings.simplefilter("ignore")
        return re.compile(re.sub(r"\\k<(\w+)>", r"(?P=\1)", text))


def is_scalar(value: Any) -> bool:
    """Whether an entry of a dict is logged: numbers, truth values, short texts without a time."""
    if isinstance(value, str):
        return len(value) <= _STRING_MAX and not _DATE.search(value)
    return isinstance(value, (bool, int, float))


def _is_open(piece: Piece) -> bool:
    """Whether a piece of a call's shape may be a dict when the call runs."""
    return piece.is_open if isinstance(piece, Record) else piece == Text(HOLE)


def _is_unnamed(pieces: Sequence[Piece]) -> bool:
    """Whether a call shows values, and nothing that they are called by."""
    return any(isinstance(piece, Text) and HOLE in piece.text for piece in pieces)


def _unnamed_values(
    pieces: Sequence[Piece], written: Sequence[str], with_clocks: bool
) -> List[Entry]:
    """A text before a value is its name as it is; else each value is called as it is written."""
    is_clock = any(isinstance(piece, Text) and says_clock(piece.text) for piece in pieces)
    if is_clock and not with_clocks:
        return []
    label = re.sub("[:=]$", "", plain_text(pieces[0].text)) if isinstance(pieces[0], Text) else ""
    value = _value_of(pieces[1]) if len(pieces) > 1 else None
    if value is not None and _is_one_word(label):
        return [(label, value)]
    values = [(text, _value_of(piece)) for text, piece in zip(written, pieces)]
    shown = [(text, own) for text, own in values if own is not None]
    return [(text, own) for text, own in shown if with_clocks or not says_clock(text)]


def _is_one_word(text: str) -> bool:
    is_short = len(text) <= _STRING_MAX
    return is_short and _WORD.fullmatch(text) is not None and number_in(text) is None


def _value_of(piece: Piece) -> Any:
    """A value that is an argument of its own, or a text that is nothing but a number."""
    if isinstance(piece, Scalar):
        return piece.value
    if not isinstance(piece, Text):
        return None
    return piece.spans.get((0, len(piece.text)), number_in(piece.text.strip()))


def _pattern_of(name: str) -> str:
    """As JavaScript reads it."""
    parts = (re.sub(r"[\\^$.*+?()\[\]{}|/]", r"\\\g<0>", part) for part in name.split(HOLE))
    return "^" + "\\S*".join(parts) + "$"


def _without_holes(piece: Piece) -> Piece:
    """The private character in a text of the run is only a character."""
    if isinstance(piece, Text) and HOLE in piece.text:
        return piece._replace(text=piece.text.replace(HOLE, "\ufffd"))
    return piece


def _values_of(
    pieces: Sequence[Piece], rule: Optional[Pattern[str]], with_clocks: bool
) -> List[Entry]:
    own = _by_rule(pieces, rule) if rule is not None else []
    if own:
        return own
    reader = PhraseReader(with_clocks)
    for piece in pieces:
        _take(reader, _json_line(piece) or piece)
    values = reader.values
    if len(pieces) != 2:
        return values
    label, text = pieces
    if not isinstance(label, Text) or not isinstance(text, Text):
        return values
    told = _text_of(label.text, text.text, with_clocks)
    # What only begins with a number is a text, if the number is not one of the program.
    is_text = len(values) == 1 and not text.spans and says_more_than_number(text.text)
    if not values or is_text:
        return told
    # The text has names of its own; who asks for the label means all that stands behind it.
    names = {name for name, _ in values}
    return [*values, *(entry for entry in told if entry[0] not in names)] if with_clocks else values


def _by_rule(pieces: Sequence[Piece], rule: Pattern[str]) -> List[Entry]:
    """What the user's rule finds in a line: its named groups, numbers where they are some."""
    line, spans = _line_of(pieces)
    found: List[Entry] = []
    start = 0
    for each in line.split("\n"):
        match = rule.search(each)
        for name in rule.groupindex if match is not None else ():
            text = match.group(name) if match is not None else None
            if match is None or text is None:
                continue
            span = (start + match.start(name), start + match.end(name))
            number = spans.get(span, number_in(text))
            found.append((name, text if number is None else number))
        start += len(each) + 1
    return found


def _line_of(pieces: Sequence[Piece]) -> "tuple[str, Dict[Any, Any]]":
    """The arguments as they are printed, and where numbers of the program stand in that."""
    texts: List[str] = []
    spans: Dict[Any, Any] = {}
    at = 0
    for piece in pieces:
        text = "|"
        own: Mapping[Any, Any] = {}
        if isinstance(piece, Text):
            text, own = plain_text(piece.text).replace(HOLE, "0"), piece.spans
        elif isinstance(piece, Scalar):
            text, own = piece.text, {(0, len(piece.text)): piece.value}
        spans.update({(at + begin, at + end): value for (begin, end), value in own.items()})
        texts.append(text)
        at += len(text) + 1
    return " ".join(texts), spans


def _take(reader: PhraseReader, piece: Piece) -> None:
    if isinstance(piece, Text):
        if len(piece.text) > _TEXT_MAX:
            reader.end()
        else:
            reader.text(piece.text, piece.spans)
    elif isinstance(piece, Scalar):
        reader.value(piece.value)
    elif isinstance(piece, Record):
        reader.entries(piece.entries)
    else:
        reader.end()


def _json_line(piece: Piece) -> Optional[Record]:
    """A text that is one JSON object: its scalars."""
    if not isinstance(piece, Text) or len(piece.text) > _TEXT_MAX:
        return None
    if not _OBJECT.fullmatch(piece.text):
        return None
    try:
        found = json.loads(piece.text.replace(HOLE, "0"))
    except (ValueError, RecursionError):
        return None
    return Record([(name, value) for name, value in found.items() if is_scalar(value)])


def _text_of(label: str, text: str, with_clocks: bool) -> List[Entry]:
    """`print("model", "mlp")`, and nothing else in the call."""
    name = PhraseReader.label(label)
    if name is None:
        return []
    if with_clocks:
        return [(name, text)] if len(text) <= _TEXT_MAX else []
    is_one_line = text.strip() != "" and "\n" not in text
    return [(name, text)] if is_one_line and is_scalar(text) and not is_measured(name) else []


def is_name_of_loop(name: str, loop: str) -> bool:
    """Whether a printed name is that of a loop: `Epoch` is `epoch`, but `R` is not `r`."""
    names = (loop, called_loop(loop))
    return any(name == one or (len(name) > 1 and name.lower() == one.lower()) for one in names)
