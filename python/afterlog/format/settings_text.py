"""The text of `afterlog.toml`: TOML with one key a line, so that every problem has a line and all
readers accept the same texts. The twin of `src/format/settings-text.ts`. A value is read by
`tomllib` where Python has it (3.11), else by `read_scalar`."""

import math
import re
from typing import Any, Callable, List, NamedTuple, Optional, Set, Tuple


class FileEntry(NamedTuple):
    # Empty above the first section.
    section: str
    key: str
    # What a variable of the environment would say.
    text: str
    line: int


class SettingsFile(NamedTuple):
    # As messages name it.
    path: str
    sections: List[Tuple[str, int]]
    entries: List[FileEntry]
    # The first line that cannot be read, and why; then nothing else is told.
    broken: Optional[Tuple[int, str]] = None


# Compiled when they are used: most projects have no such file.
_NAME = "[A-Za-z0-9_-]+"
_COMMENT = r"(?:#[^\x00-\x08\x0a-\x1f\x7f]*)?"
_EMPTY = rf"[ \t]*{_COMMENT}"
_SECTION = rf"[ \t]*\[[ \t]*({_NAME})[ \t]*\][ \t]*{_COMMENT}"
_ENTRY = rf"[ \t]*({_NAME})[ \t]*=[ \t]*([^\r]*)"
# Lists, tables, and texts over several lines.
_NO_SCALAR = r"[\[{]|\"\"\"|'''"
# Escapes of TOML 1.1, which not every reader knows.
_NEW_ESCAPE = r'"(?:[^"\\]|\\[^ex])*\\[ex]'

ReadTomlValue = Callable[[str], Any]


def read_settings_text(path: str, text: str, read: Optional[ReadTomlValue] = None) -> SettingsFile:
    """Reads the text of a file; `path` is how messages name it."""
    read = read or toml_reader()
    sections: List[Tuple[str, int]] = []
    entries: List[FileEntry] = []
    seen: Set[Tuple[str, str]] = set()
    section = ""
    lines = re.split("\r?\n", text[1:] if text.startswith("\ufeff") else text)
    for line, content in enumerate(lines, 1):
        if re.fullmatch(_EMPTY, content):
            continue
        head, entry = re.fullmatch(_SECTION, content), re.fullmatch(_ENTRY, content)
        if head is not None:
            name = ("", f"[{head[1]}]")
        elif entry is not None:
            name = (section, entry[1])
        else:
            why = "a line is [section], or key = value, or a # comment"
            return SettingsFile(path, [], [], (line, why))
        if name in seen:
            return SettingsFile(path, [], [], (line, f"{name[1]} stands there twice"))
        seen.add(name)
        if head is not None:
            section = head[1]
            sections.append((section, line))
        elif entry is not None:
            value = _scalar_text(entry[2], read)
            if value is None:
                return SettingsFile(path, [], [], (line, _why_unreadable(entry[1], entry[2])))
            entries.append(FileEntry(section, entry[1], value, line))
    return SettingsFile(path, sections, entries)


def _scalar_text(rest: str, read: ReadTomlValue) -> Optional[str]:
    """The text of a text, a number, true or false; None if it is none of them."""
    if re.match(_NO_SCALAR, rest) or re.match(_NEW_ESCAPE, rest):
        return None
    try:
        value = read(rest)
    except ValueError:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_text(value)
    return str(value) if isinstance(value, (str, int)) else None


def _float_text(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return str(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)


def _why_unreadable(key: str, rest: str) -> str:
    """The mistakes that everybody makes once are named."""
    if re.match(r'"[^"]*\\', rest):
        return f"{key}: a text with \\ stands in single quotes: {key} = '…'"
    if re.fullmatch(r"""(["'])(?:(?!\1).)*""", rest):
        return f"{key}: the quote is not closed"
    word = re.match(r"""[^"'\[{#]*[A-Za-z%][^"'\[{#]*""", rest)
    if word:
        return f'{key}: a text stands in quotes: {key} = "{word[0].rstrip()}"'
    return f"{key} is neither a text in quotes, a number, true nor false"


def toml_reader() -> ReadTomlValue:
    """Loaded when there is something to read."""
    try:
        import tomllib
    except ImportError:
        return read_scalar
    return lambda text: tomllib.loads(f"value = {text}")["value"]


_TAIL = rf"[ \t]*{_COMMENT}"
_BASIC = r'"((?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\(?:[btnfr"\\]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}))*)"'
_LITERAL = r"'([^'\x00-\x08\x0a-\x1f\x7f]*)'"
_DIGITS = "(?:0|[1-9](?:_?[0-9])*)"
_SCALARS: List[Tuple[str, Callable[[str], Any]]] = [
    (_BASIC, lambda text: _unescape(text)),
    (_LITERAL, str),
    ("(true|false)", lambda text: text == "true"),
    (f"([+-]?{_DIGITS})", int),
    (r"(0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*)", lambda text: int(text, 16)),
    (r"(0o[0-7](?:_?[0-7])*)", lambda text: int(text, 8)),
    (r"(0b[01](?:_?[01])*)", lambda text: int(text, 2)),
    (r"([+-]?(?:inf|nan))", float),
    (
        rf"([+-]?{_DIGITS}(?:\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?)",
        lambda text: float(text.replace("_", "")),
    ),
]
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


def read_scalar(text: str) -> Any:
    """A text, a number, true or false of TOML 1.0, on one line; ValueError if it is none."""
    for pattern, convert in _SCALARS:
        match = re.fullmatch(pattern + _TAIL, text)
        if match is not None:
            return convert(match[1])
    raise ValueError("no scalar of TOML")


def _unescape(text: str) -> str:
    def replaced(match: "re.Match[str]") -> str:
        if match[1] is not None:
            return _ESCAPES[match[1]]
        code = int(match[2] or match[3], 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise ValueError("no character of Unicode")
        return chr(code)

    return re.sub(r"\\(?:([^uU])|u(.{4})|U(.{8}))", replaced, text)
