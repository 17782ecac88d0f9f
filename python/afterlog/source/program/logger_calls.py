"""Calls of loggers of experiments (`writer.add_scalar("loss", x, i)`, `wandb.log({"loss": x})`), in
the source of a program that knows nothing of Afterlog. Which there are, and what their arguments
mean, is data (`../../libraries`, "logs")."""

import ast
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Tuple

from ..described_loggers import LoggingCall, logging_calls


class LoggerEntries(NamedTuple):
    """What a call logs: names, which begin with the `prefix`, and values. `is_open`: there is a
    dict that is not written out, or not all of it, and only a run can tell the rest."""

    prefix: Optional[ast.expr]
    entries: List[Tuple[ast.expr, ast.expr]]
    is_open: bool


# Names with values, and whether there are more that only a run can tell.
_Entries = Tuple[List[Tuple[ast.expr, ast.expr]], bool]


class LoggerCalls:
    """Of one file."""

    def __init__(self, tree: ast.AST) -> None:
        # The package of each name of the file that stands for one.
        self._packages: Dict[str, str] = {}
        # Functions that were imported by their names.
        self._functions: Dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for one in node.names:
                    self._packages[one.asname or one.name] = one.name
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for one in node.names:
                    self._functions[one.asname or one.name] = f"{node.module}.{one.name}"

    def called(self, call: ast.Call) -> Optional[LoggingCall]:
        """Which of the calls that log it is, as far as its text tells."""
        callee = call.func
        if isinstance(callee, ast.Name):
            path = self._functions.get(callee.id)
            every = logging_calls()
            return next((one for one in every if f"{one.module}.{one.method}" == path), None)
        if not isinstance(callee, ast.Attribute):
            return None
        found = (one for one in logging_calls() if one.method == callee.attr)
        return next((one for one in found if self._may_be_called_on(one, callee.value)), None)

    def entries_of(self, call: ast.Call) -> Optional[LoggerEntries]:
        known = self.called(call)
        if known is None:
            return None
        name = _argument(call, known.name)
        if known.values is None:
            value = _argument(call, known.value)
            if name is None or value is None:
                return None
            return LoggerEntries(None, [(name, value)], False)
        values = _argument(call, known.values)
        if known.name is not None and name is None:
            return None
        found = None if values is None else _entries_in(values, within=True)
        named = _named_entries(call, known.named)
        if found is None and named is None:
            return None
        every = [one for one in (found, named) if one is not None]
        entries = [entry for own, _ in every for entry in own]
        return LoggerEntries(name, entries, any(is_open for _, is_open in every))

    def _may_be_called_on(self, known: LoggingCall, holder: ast.expr) -> bool:
        """Of a method whose name others have too by what people call the object, where the file
        has to do with the package."""
        name = _last_name(holder)
        if self._packages.get(name) == known.package:
            return True
        if not known.called:
            # A function of the package, or a method that has its name alone.
            return len(known.members) > 1
        root = known.package.partition(".")[0]
        if root in name:
            return True
        others = [*self._packages.values(), *self._functions.values()]
        knows = any(one.partition(".")[0] == root for one in others)
        return knows and name.lstrip("_") in known.called


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _argument(call: ast.Call, place: Optional[Tuple[str, int]]) -> Optional[ast.expr]:
    if place is None:
        return None
    name, number = place
    named = next((one.value for one in call.keywords if one.arg == name), None)
    if named is not None or len(call.args) <= number:
        return named
    before = call.args[: number + 1]
    return None if any(isinstance(one, ast.Starred) for one in before) else before[-1]


def _named_entries(call: ast.Call, others: Optional[FrozenSet[str]]) -> Optional[_Entries]:
    """Arguments that are given by the names of values; `others` are none."""
    given = [one for one in call.keywords if one.arg is None or one.arg not in (others or ())]
    if others is None or not given:
        return None
    entries: List[Tuple[ast.expr, ast.expr]] = [
        (ast.Constant(one.arg), one.value) for one in given if one.arg is not None
    ]
    return entries, len(entries) < len(given)


def dict_entries(values: ast.expr) -> Optional[LoggerEntries]:
    """Of a dict that is written out; None: it is none."""
    is_made = isinstance(values, ast.Call) and getattr(values.func, "id", None) == "dict"
    if not is_made and not isinstance(values, ast.Dict):
        return None
    return LoggerEntries(None, *_entries_in(values, within=False))


def _entries_in(values: ast.expr, within: bool) -> _Entries:
    """Of a dict, as far as it is written out; and whether there is more. `within`: a dict in it has
    values of its own."""
    if isinstance(values, ast.Call) and getattr(values.func, "id", None) == "dict":
        if values.args:
            return [], True
        keys = [None if one.arg is None else ast.Constant(one.arg) for one in values.keywords]
        values = ast.Dict(list(keys), [one.value for one in values.keywords])
    if not isinstance(values, ast.Dict):
        return [], True
    entries: List[Tuple[ast.expr, ast.expr]] = []
    is_open = False
    for key, value in zip(values.keys, values.values):
        if key is None:
            is_open = True
        elif within and isinstance(value, ast.Dict):
            inner, has_more = _entries_in(value, within)
            entries += [(_joined(key, name), one) for name, one in inner]
            is_open = is_open or has_more
        else:
            entries.append((key, value))
    return entries, is_open


def _joined(outer: ast.expr, inner: ast.expr) -> ast.expr:
    """The name of a value in a dict of a dict."""
    return ast.BinOp(ast.BinOp(outer, ast.Add(), ast.Constant(".")), ast.Add(), inner)
