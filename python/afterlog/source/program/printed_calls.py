"""Calls that print, or that log by another library, in the source of a program that knows nothing
of Afterlog, as the names that they may log. For what is printed the rule is the one of the run,
applied to the shape of the call (`format/console_rule.py`)."""

import ast
import re
import string
from typing import AbstractSet, Any, Callable, Dict, List, Match, Optional, Pattern, Sequence, Tuple

from ...format.console_rule import (
    ANY_NAME,
    Other,
    Piece,
    PrintedNames,
    Record,
    Text,
    compile_rule,
    logged_names,
    printed_names,
)
from ...format.console_text import HOLE
from .logger_calls import LoggerCalls, LoggerEntries, dict_entries

_LEVELS = frozenset(("info", "debug"))
# What people call a logger; one is recognised by its name, for it may come from anywhere.
_LOGGER = re.compile(r"_*(?:log|logger|logging)\d*", re.IGNORECASE)
_DIRECTIVE = re.compile(r"%(?:\([^()]*\))?[#0\- +]*(?:[0-9]+|\*)?(?:\.(?:[0-9]+|\*)?)?[hlL]?(.)")
_NO_SCALARS = (ast.Dict, ast.List, ast.Tuple, ast.Set, ast.Lambda, ast.ListComp, ast.DictComp)


# What is printed for an expression: a hole, or a text that is no number if it shall not count.
Show = Callable[[ast.expr], str]
# Ends a phrase, and is no number; a private character.
_NO_VALUE = "\uE001"

# For the tree of a file.
MakePrinting = Callable[[ast.AST], "Printing"]


def make_printing(rule: Optional[str]) -> MakePrinting:
    """`rule`: the user's own; one that Python does not understand finds nothing."""
    try:
        compiled = None if rule is None else compile_rule(rule)
    except re.error:
        compiled = None
    return lambda tree: Printing(tree, compiled)


class Printing:
    """Of one file. `rule`: the user's own."""

    def __init__(self, tree: ast.AST, rule: Optional[Pattern[str]] = None) -> None:
        self._rule = rule
        self._binds_print = any(_binds_name(node, "print") for node in ast.walk(tree))
        self._loggers = LoggerCalls(tree)
        self._known: Dict[ast.AST, Optional[PrintedNames]] = {}

    def names_of(self, call: ast.AST) -> Optional[PrintedNames]:
        """What a call logs if it is one that prints; None if it logs nothing that can be told from
        its text."""
        if call not in self._known:
            found = self._shown(call, lambda part: HOLE) if isinstance(call, ast.Call) else None
            shows = found is not None and (found.names or found.patterns)
            self._known[call] = found if shows else None
        return self._known[call]

    def is_of_library(self, call: ast.Call) -> bool:
        """Whether it logs by a library, and does not print."""
        return self._loggers.called(call) is not None

    def written(self, call: ast.Call, source: str) -> Optional[List[str]]:
        """How the arguments of a call are written, if it shows no name: its values are called by
        that. A text that holds one value and nothing else is written as that value."""
        found = self.names_of(call)
        if found is None or found.names or found.patterns != [ANY_NAME]:
            return None
        if self.is_of_library(call):
            return None
        if any(isinstance(one, ast.Starred) for one in call.args):
            return None
        return [_written(one, source) for one in call.args]

    def names_without(self, call: ast.Call, parts: AbstractSet[ast.expr]) -> List[str]:
        """The names that a call logs, and that none of these expressions of its line are for."""
        theirs = self._names_if(call, lambda part: part in parts)
        names = self._names_if(call, lambda part: part not in parts)
        return [name for name in names if name not in theirs]

    def _names_if(self, call: ast.Call, is_shown: Callable[[ast.expr], bool]) -> List[str]:
        found = self._shown(call, lambda part: HOLE if is_shown(part) else _NO_VALUE)
        return [] if found is None else found.names

    def _shown(self, call: ast.Call, show: Show) -> Optional[PrintedNames]:
        """What a call logs for the parts that are shown."""
        logged = self._logged(call, show)
        pieces = self._pieces(call, show) if logged is None else None
        if pieces is None:
            return logged
        # A text with a part that does not count is no value either, as in `print("model", "mlp")`.
        if any(isinstance(piece, Text) and _NO_VALUE in piece.text for piece in pieces):
            pieces = [*pieces, Other()]
        return printed_names(pieces, self._rule)

    def _logged(self, call: ast.Call, show: Show) -> Optional[PrintedNames]:
        """By a library: the names are texts of the program, as they are."""
        found = self._loggers.entries_of(call)
        return None if found is None else _names_in(found, show)

    def parts_of(self, call: ast.Call) -> List[ast.expr]:
        """The expressions that a line is put together from."""
        parts: List[ast.expr] = []

        def show(part: ast.expr) -> str:
            parts.append(part)
            return HOLE

        self._shown(call, show)
        return parts

    def _pieces(self, call: ast.Call, show: Show) -> Optional[List[Piece]]:
        callee = call.func
        if isinstance(callee, ast.Name):
            if callee.id != "print" or self._binds_print or not _to_output(call):
                return None
            return [_piece_of(one, show) for one in call.args]
        if not isinstance(callee, ast.Attribute):
            return None
        holder = _last_name(callee.value)
        if callee.attr == "write" and holder == "tqdm":
            return [_piece_of(one, show) for one in call.args[:1]]
        if not _LOGGER.fullmatch(holder):
            return None
        if callee.attr in _LEVELS:
            return _logger_message(call.args, show)
        if callee.attr == "log" and len(call.args) > 1:
            return _logger_message(call.args[1:], show)
        return None


def record_names(call: ast.Call) -> Optional[PrintedNames]:
    """Of a call that is given values by their names, written out as a dict."""
    first = call.args[0] if call.args else None
    found = None if first is None else dict_entries(first)
    return None if found is None else _names_in(found, lambda part: HOLE)


def _names_in(found: LoggerEntries, show: Show) -> PrintedNames:
    before = "" if found.prefix is None else _text_of(found.prefix, lambda part: HOLE) + "/"
    values = [(key, show(value)) for key, value in found.entries]
    names = [_text_of(key, lambda part: HOLE) for key, shown in values if shown == HOLE]
    return logged_names([before + name for name in names], found.is_open)


def _written(node: ast.expr, source: str) -> str:
    parts: List[ast.expr] = []

    def show(part: ast.expr) -> str:
        parts.append(part)
        return HOLE

    if _text_of(node, show) == HOLE and isinstance(parts[0], ast.FormattedValue):
        # Older versions of Python do not know where it stands.
        return ast.unparse(parts[0].value)
    return " ".join((ast.get_source_segment(source, node) or "").split())


def _last_name(node: ast.expr) -> str:
    """`self.logger` is called `logger`."""
    if isinstance(node, ast.Call):
        # `logging.getLogger("x").info(…)`
        node = node.func
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        return "logger" if name in ("getLogger", "get_logger") else ""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _binds_name(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.arg):
        return node.arg == name
    if isinstance(node, ast.alias):
        return (node.asname or node.name) == name
    return getattr(node, "name", None) == name


def _to_output(call: ast.Call) -> bool:
    """Whether nothing says that it goes elsewhere."""
    for one in call.keywords:
        if one.arg is None:
            return False
        if one.arg == "file" and ast.dump(one.value) not in _OUTPUTS:
            return False
    return True


_OUTPUTS = frozenset(
    ast.dump(ast.parse(text, mode="eval").body) for text in ("None", "sys.stdout", "stdout")
)


def _logger_message(given: Sequence[ast.expr], show: Show) -> List[Piece]:
    """Of a logger: a text and what is put into it."""
    if not given:
        return []
    pattern = _constant_text(given[0])
    if len(given) > 1 and pattern is not None:
        return [Text(_percent_holes(pattern, given[1:], show))]
    return [_piece_of(given[0], show)]


def _piece_of(node: ast.expr, show: Show) -> Piece:
    if isinstance(node, ast.Starred):
        # As many as there are, of which the first comes next.
        return Text(show(node.value))
    if isinstance(node, ast.Dict):
        spread = [value for key, value in zip(node.keys, node.values) if key is None]
        if spread and len(spread) == len(node.keys):
            # Its names only a run can tell: it is like a dict that is not written out.
            return Text(show(spread[0]))
        return Record(_record_entries(zip(node.keys, node.values), show), bool(spread))
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else None
        if called == "dumps" and node.args and isinstance(node.args[0], ast.Dict):
            return _piece_of(node.args[0], show)
        if getattr(node.func, "id", None) == "dict" and not node.args:
            keys = (None if one.arg is None else ast.Constant(one.arg) for one in node.keywords)
            values = [one.value for one in node.keywords]
            return _piece_of(ast.Dict(list(keys), values), show)
    return Text(_text_of(node, show))


def _record_entries(pairs: Any, show: Show) -> List[Tuple[str, Any]]:
    found: List[Tuple[str, Any]] = []
    for key, value in pairs:
        if key is not None and not isinstance(value, _NO_SCALARS) and show(value) == HOLE:
            name = _constant_text(key)
            found.append((HOLE if name is None else name, HOLE))
    return found


def _constant_text(node: ast.expr) -> Optional[str]:
    """A text that is written out."""
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def _text_of(node: ast.expr, show: Show) -> str:
    """A text with holes: what is written out, and a hole for everything else."""
    if isinstance(node, ast.Constant):
        is_shown = isinstance(node.value, (str, int, float)) and type(node.value) is not bool
        return str(node.value) if is_shown else show(node)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text_of(one, show) for one in node.values)
    if isinstance(node, ast.BinOp):
        pattern = _constant_text(node.left)
        if isinstance(node.op, ast.Mod) and pattern is not None:
            given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return _percent_holes(pattern, given, show)
        if isinstance(node.op, ast.Add) and (_is_text(node.left) or _is_text(node.right)):
            return _text_of(node.left, show) + _text_of(node.right, show)
        return show(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        pattern = _constant_text(node.func.value)
        if node.func.attr == "format" and pattern is not None:
            return _format_holes(pattern, node, show)
    return show(node)


def _is_text(node: ast.expr) -> bool:
    """Whether it is one for certain."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_text(node.left) or _is_text(node.right)
    called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
    known = called in ("str", "repr", "format")
    return known or isinstance(node, ast.JoinedStr) or _constant_text(node) is not None


def _percent_holes(pattern: str, given: Sequence[ast.expr], show: Show) -> str:
    """Of `%`: a hole for each directive."""
    waiting = list(given)
    is_plain = "*" not in pattern and "%(" not in pattern
    is_plain = is_plain and not any(isinstance(one, ast.Starred) for one in given)
    texts = [] if is_plain else [show(one) for one in given]

    def fill(found: Match[str]) -> str:
        if found[1] == "%":
            return "%"
        if is_plain:
            return show(waiting.pop(0)) if waiting else HOLE
        # Which value it is for is not told apart.
        return next((one for one in texts if one != HOLE), HOLE)

    return _DIRECTIVE.sub(fill, pattern)


def _format_holes(pattern: str, call: ast.Call, show: Show) -> str:
    try:
        parts = list(string.Formatter().parse(pattern))
    except ValueError:
        return show(call)
    given = [*call.args, *(one.value for one in call.keywords)]
    texts = [show(one) for one in given]
    fields = [name for _, name, _, _ in parts if name is not None]
    # In order, one for each; else which value it is for is not told apart.
    is_plain = not any(fields) and len(fields) == len(texts) == len(call.args)
    anything = next((one for one in texts if one != HOLE), HOLE)
    waiting = texts if is_plain else [anything] * len(fields)
    filled = iter(waiting)
    return "".join(
        literal + ("" if name is None else next(filled)) for literal, name, _, _ in parts
    )
