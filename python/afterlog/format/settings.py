"""From what the command line said, the environment and `afterlog.toml` to the settings, each with
its origin. Pure: what is wrong is returned, and whoever asked says it once and goes on with the
default. The twin of `src/format/resolve-settings.ts`; golden files hold both together."""

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from .did_you_mean import nearest_name
from .keep import KEEP_FORMS, parse_keep
from .settings_table import SETTINGS, Setting
from .settings_text import SettingsFile

_SEED_MAX = 2**64


class Origin(NamedTuple):
    """`kind`: flag, environment, file or default; `at` names the variable, or file and line."""

    kind: str
    at: Optional[str] = None


class Resolved(NamedTuple):
    value: Any
    origin: Origin


class SettingProblem(NamedTuple):
    """Something that a user wrote and that is not used."""

    message: str
    # What is done instead.
    instead: str


class _Given(NamedTuple):
    text: str
    origin: Origin


_DEFAULT = Origin("default")


def resolve_settings(
    flags: Mapping[str, Optional[str]], env: Mapping[str, str], file: Optional[SettingsFile] = None
) -> Tuple[Dict[str, Resolved], List[SettingProblem]]:
    """Flag, else environment, else file, else default. A text that cannot be read gives the
    default."""
    problems: List[SettingProblem] = []
    in_file = {} if file is None else _file_texts(file, problems)
    settings = {}
    for row in SETTINGS:
        flag, variable = flags.get(row.key), env.get(row.variable, "")
        given = in_file.get(row.key)
        if flag is not None:
            given = _Given(flag, Origin("flag"))
        elif variable.strip():
            given = _Given(variable, Origin("environment", row.variable))
        settings[row.key] = _read_value(row, given, problems)
    return settings, problems


def _read_value(row: Setting, given: Optional[_Given], problems: List[SettingProblem]) -> Resolved:
    default = row.default
    if given is not None:
        value = parse_setting(row, given.text)
        if value is not None:
            return Resolved(value, given.origin)
        problems.append(_bad_value(row, given))
        # Whoever set it did not want what happens anyway.
        default = "off" if row.key == "record.mode" else default
    return Resolved(None if default is None else parse_setting(row, default), _DEFAULT)


def _file_texts(file: SettingsFile, problems: List[SettingProblem]) -> Dict[str, _Given]:
    """What the file says of settings that may stand in it; everything else becomes a problem."""
    texts: Dict[str, _Given] = {}
    if file.broken is not None:
        line, why = file.broken
        problems.append(SettingProblem(f"{file.path}:{line}: {why}", "the file is not used"))
    for name, line in file.sections:
        if name not in _FILE_SECTIONS:
            problems.append(_unknown_section(name, f"{file.path}:{line}"))
    rows = {row.key: row for row in SETTINGS}
    for entry in file.entries:
        if entry.section and entry.section not in _FILE_SECTIONS:
            continue
        full = f"{entry.section}.{entry.key}" if entry.section else entry.key
        at = f"{file.path}:{entry.line}"
        given, row = _Given(entry.text, Origin("file", at)), rows.get(full)
        if row is None:
            problems.append(_unknown_key(full, at))
        elif not row.in_file:
            message = f"{at}: {full} cannot stand in the file"
            problems.append(SettingProblem(message, "it is ignored"))
        elif parse_setting(row, entry.text) is None:
            problems.append(_bad_value(row, given))
        else:
            texts[full] = given
    return texts


def _unknown_key(key: str, at: str) -> SettingProblem:
    near = _nearest_key(key)
    meant = f"; did you mean {near}?" if near else ""
    return SettingProblem(f"{at}: {key} is not a setting", f"it is ignored{meant}")


def _unknown_section(section: str, at: str) -> SettingProblem:
    near = nearest_name(section, _FILE_SECTIONS)
    meant = f"; did you mean [{near}]?" if near else ""
    return SettingProblem(f"{at}: [{section}] holds no settings", f"it is ignored{meant}")


def _bad_value(row: Setting, given: _Given) -> SettingProblem:
    text, origin = given
    written = {
        "environment": f"{row.variable}={text}",
        "file": f"{origin.at}: {row.key} = {text}",
        "flag": f"{row.key} {text}",
    }[origin.kind]
    wrong = f"is none of: {', '.join(row.choices)}" if row.choices else _WRONG[row.type]
    return SettingProblem(f"{written} {wrong}", _INSTEAD.get(row.key, "using the default"))


_FILE_KEYS = [row.key for row in SETTINGS if row.in_file]
_FILE_SECTIONS = list(dict.fromkeys(key.partition(".")[0] for key in _FILE_KEYS))


def _nearest_key(key: str) -> Optional[str]:
    """The setting of the file that a key most likely meant: sections are mixed up easily."""
    by_name = {full.rpartition(".")[2]: full for full in _FILE_KEYS}
    return by_name.get(nearest_name(key.rpartition(".")[2], by_name) or "")


_WRONG = {
    "console": "is neither true, false nor a regular expression with a named group",
    "count": "is not a whole number from 1 to 1024",
    "keep": f"is none of: {KEEP_FORMS}",
    "number": "is not a number from 0 to 1",
    "price": "is not a price such as 2.5",
    "seconds": "is not a whole number of seconds",
    "seed": f"is not a seed (0 to {_SEED_MAX - 1})",
    "share": "is not a share between 0 and 1",
    "switch": "is neither true nor false",
    "text": "is not a text",
    "time": "is not a time such as 90s, 10m or 1h30m",
}
_INSTEAD = {"record.mode": "nothing is recorded", "record.seed": "one was drawn"}
_SWITCH = {
    **dict.fromkeys(("true", "on", "yes", "1"), True),
    **dict.fromkeys(("false", "off", "no", "0"), False),
}
_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?"


def parse_setting(row: Setting, given: str) -> Any:
    """The value that a text names; None if it names none. Words ignore case."""
    text = given.strip()
    read = _READERS.get(row.type)
    if read is not None:
        return read(text)
    if row.type == "choice":
        return text.lower() if text.lower() in row.choices else None
    return given


def _console(text: str) -> Any:
    is_rule = re.search(r"\(\?<[A-Za-z_]", text) is not None
    return _SWITCH.get(text.lower(), text if is_rule else None)


def _keep(text: str) -> Optional[str]:
    return None if parse_keep(text) is None else text


def _seed(text: str) -> Optional[str]:
    return text if re.fullmatch("[0-9]{1,20}", text) and int(text) < _SEED_MAX else None


def _number(text: str) -> Optional[float]:
    matches = re.fullmatch(_NUMBER, text.lower())
    return float(text) if matches and float(text) <= 1 else None


def _price(text: str) -> Optional[float]:
    return float(text) if re.fullmatch(r"(?:\d+\.?\d*|\.\d+)", text, re.ASCII) else None


def _share(text: str) -> Any:
    """`0.02` or `2%`; `inf` for no limit."""
    if text.lower() == "inf":
        return "inf"
    match = re.fullmatch(rf"({_NUMBER})(%?)", text.lower())
    share = None if match is None else float(match[1]) / (100 if match[2] else 1)
    return share if share is not None and share <= 1 else None


def _time(text: str) -> Optional[int]:
    """Seconds of `90s`, `10m`, `1h30m`, or of a bare number."""
    parts = r"(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s?)?"
    match = re.fullmatch(parts, text.lower().replace(" ", ""))
    hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    return hours * 3600 + minutes * 60 + seconds or None


def _whole(text: str, least: int, most: int) -> Optional[int]:
    number = int(text) if re.fullmatch("[0-9]{1,6}", text) else -1
    return number if least <= number <= most else None


_READERS = {
    "console": _console,
    "count": lambda text: _whole(text, 1, 1024),
    "keep": _keep,
    "number": _number,
    "price": _price,
    "seconds": lambda text: _whole(text, 0, 999_999),
    "seed": _seed,
    "share": _share,
    "switch": lambda text: _SWITCH.get(text.lower()),
    "time": _time,
}
