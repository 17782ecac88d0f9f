"""Whether a text is another one with log statements added to it: then, and only then, a run of the
one can be asked what the other would have logged. Decided on the syntax trees, so that comments and
layout do not count."""

import ast
from typing import Any, Dict, List, Optional

from ..format.console_rule import PrintedNames
from .calls import Places, SdkNames, is_sdk_import, literal_text
from .printing import MakePrinting


def compare(before: str, after: str, printing: Optional[MakePrinting] = None) -> Dict[str, Any]:
    """`same`, `logs` with those added, or `differs` with a line of the newer text; and where each
    statement and call of the newer text stood in the older one. `printing`: what is printed is
    logged too."""
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        return {"kind": "differs", "line": line, "why": f"it cannot be read: {error}", "pairs": []}
    return _Comparison(before, after, printing).run(old, new)


class _Differs(Exception):
    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.why = why


class _Comparison:
    def __init__(self, before: str, after: str, printing: Optional[MakePrinting]) -> None:
        self._text = after
        self._make_printing = printing
        self._then, self._now = Places(before), Places(after)
        self._added: List[Dict[str, Any]] = []
        self._pairs: List[List[int]] = []
        self._line = 1

    def run(self, old: ast.Module, new: ast.Module) -> Dict[str, Any]:
        self._names = SdkNames(new)
        self._printing = self._make_printing(new) if self._make_printing is not None else None
        try:
            self._node(old, new)
        except _Differs as found:
            return {"kind": "differs", "line": found.line, "why": found.why, "pairs": []}
        if not self._added:
            return {"kind": "same", "pairs": self._pairs}
        return {"kind": "logs", "added": self._added, "pairs": self._pairs}

    def _node(self, old: ast.AST, new: ast.AST) -> None:
        self._line = getattr(new, "lineno", self._line)
        if type(old) is not type(new):
            raise _Differs(self._line, f"{_word(old)} has become {_word(new)}")
        if isinstance(new, (ast.stmt, ast.expr)) and isinstance(old, (ast.stmt, ast.expr)):
            self._pairs.append(
                [
                    new.lineno,
                    self._now.column(new.lineno, new.col_offset),
                    old.lineno,
                    self._then.column(old.lineno, old.col_offset),
                ]
            )
        for field in new._fields:
            self._value(getattr(old, field, None), getattr(new, field, None), field)

    def _value(self, old: Any, new: Any, field: str) -> None:
        if isinstance(new, list) and isinstance(old, list):
            if any(isinstance(item, ast.stmt) for item in (*old, *new)):
                self._statements(old, new)
            elif len(old) != len(new):
                raise _Differs(self._line, f"its {field} has changed")
            else:
                for a, b in zip(old, new):
                    self._value(a, b, field)
        elif isinstance(new, ast.AST) and isinstance(old, ast.AST):
            self._node(old, new)
        elif type(old) is not type(new) or old != new:
            raise _Differs(self._line, f"{old!r} has become {new!r}")

    def _statements(self, old: List[ast.stmt], new: List[ast.stmt]) -> None:
        """Of the same statements in the same order, logs may be added anywhere between."""
        left = list(old)
        for statement in new:
            is_log = self._is_log(statement)
            if left and not (is_log and not _equal(left[0], statement)):
                if not (is_sdk_import(statement) and not _equal(left[0], statement)):
                    self._node(left.pop(0), statement)
                    continue
            if is_log:
                self._add(statement)
            elif not is_sdk_import(statement):
                raise _Differs(statement.lineno, "there is a new statement")
        if left:
            gone = left[0].lineno
            raise _Differs(self._line, f"a statement is gone: line {gone} of the run's text")

    def _is_log(self, statement: ast.stmt) -> bool:
        return self._names.is_log_statement(statement) or self._printed(statement) is not None

    def _printed(self, statement: ast.stmt) -> Optional[PrintedNames]:
        if self._printing is None or not isinstance(statement, ast.Expr):
            return None
        return self._printing.names_of(statement.value)

    def _add(self, statement: Any) -> None:
        call = statement.value
        text = ast.get_source_segment(self._text, call) or ""
        printed = self._printed(statement)
        name = literal_text(call)
        if printed is not None:
            name = printed.names[0] if len(printed.names) == 1 else None
        self._added.append({**self._now.start(call), "name": name, "text": text})


def _equal(a: ast.AST, b: ast.AST) -> bool:
    return ast.dump(a) == ast.dump(b)


def _word(node: Optional[ast.AST]) -> str:
    return f"a {type(node).__name__}"
