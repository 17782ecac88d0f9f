"""Whether a text is another one with log statements added to it: then, and only then, a run of the
one can be asked what the other would have logged. Decided on the syntax trees, so that comments and
layout do not count. What a statement brought along from another version may be added too, if its
text is named."""

import ast
from typing import Any, Dict, List, Optional, Sequence, Union

from ..format.console_rule import PrintedNames
from .program.printed_calls import MakePrinting
from .program.sdk_calls import SourcePositions, SdkCalls, is_sdk_import, literal_text


def compare(
    before: str, after: str, printing: Optional[MakePrinting] = None, also: Sequence[str] = ()
) -> Dict[str, Any]:
    """`same`, `logs` with those added, or `differs` with a line of the newer text; and where each
    statement and call of the newer text stood in the older one. `printing`: what is printed is
    logged too. `also`: texts of other statements that may be added, as they are written there."""
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        return {"kind": "differs", "line": line, "why": f"it cannot be read: {error}", "pairs": []}
    return _Comparison(before, after, printing, also).run(old, new)


class _Differs(Exception):
    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.why = why


class _Comparison:
    def __init__(
        self, before: str, after: str, printing: Optional[MakePrinting], also: Sequence[str]
    ) -> None:
        self._text = after
        self._make_printing = printing
        self._also = frozenset(also)
        self._then, self._now = SourcePositions(before), SourcePositions(after)
        self._added: List[Dict[str, Any]] = []
        self._pairs: List[List[int]] = []
        self._line = 1

    def run(self, old: ast.Module, new: ast.Module) -> Dict[str, Any]:
        self._names = SdkCalls(new)
        self._printing = self._make_printing(new) if self._make_printing is not None else None
        try:
            self._compare_nodes(old, new)
        except _Differs as found:
            return {"kind": "differs", "line": found.line, "why": found.why, "pairs": []}
        if not self._added:
            return {"kind": "same", "pairs": self._pairs}
        return {"kind": "logs", "added": self._added, "pairs": self._pairs}

    def _compare_nodes(self, old: ast.AST, new: ast.AST) -> None:
        self._line = getattr(new, "lineno", self._line)
        if type(old) is not type(new):
            raise _Differs(self._line, f"{_node_word(old)} has become {_node_word(new)}")
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
            self._compare_fields(getattr(old, field, None), getattr(new, field, None), field)

    def _compare_fields(self, old: Any, new: Any, field: str) -> None:
        if isinstance(new, list) and isinstance(old, list):
            if any(isinstance(item, ast.stmt) for item in (*old, *new)):
                self._compare_statements(old, new)
            elif len(old) != len(new):
                raise _Differs(self._line, f"its {field} has changed")
            else:
                for a, b in zip(old, new):
                    self._compare_fields(a, b, field)
        elif isinstance(new, ast.AST) and isinstance(old, ast.AST):
            self._compare_nodes(old, new)
        elif type(old) is not type(new) or old != new:
            raise _Differs(self._line, f"{old!r} has become {new!r}")

    def _compare_statements(self, old: List[ast.stmt], new: List[ast.stmt]) -> None:
        """Of the same statements in the same order, others may be added anywhere between."""
        left = list(old)
        for statement in new:
            may_be_new = self._may_be_added(statement)
            if left and not (may_be_new and not _same_statement(left[0], statement)):
                self._compare_nodes(left.pop(0), statement)
            elif may_be_new:
                self._add_statement(statement)
            else:
                raise _Differs(statement.lineno, "there is a new statement")
        if left:
            gone = left[0].lineno
            raise _Differs(self._line, f"a statement is gone: line {gone} of the run's text")

    def _may_be_added(self, statement: ast.stmt) -> bool:
        if self._names.is_log_statement(statement) or is_sdk_import(statement):
            return True
        if self._printed(statement) is not None:
            return True
        return bool(self._also) and _text_of(self._text, statement) in self._also

    def _printed(self, statement: ast.stmt) -> Optional[PrintedNames]:
        if self._printing is None or not isinstance(statement, ast.Expr):
            return None
        return self._printing.names_of(statement.value)

    def _add_statement(self, statement: ast.stmt) -> None:
        """Notes what is executed to answer: what logs, and names that are set for it."""
        if isinstance(statement, ast.Expr):
            self._note_added(statement.value, self._name_of(statement))
        elif isinstance(statement, ast.Assign):
            self._note_added(statement, None)
        elif isinstance(statement, (ast.If, ast.With, ast.AsyncWith)):
            for inner in [*statement.body, *getattr(statement, "orelse", [])]:
                self._add_statement(inner)

    def _name_of(self, statement: ast.Expr) -> Optional[str]:
        printed = self._printed(statement)
        if printed is not None:
            return printed.names[0] if len(printed.names) == 1 else None
        return literal_text(statement.value) if isinstance(statement.value, ast.Call) else None

    def _note_added(self, node: Union[ast.expr, ast.stmt], name: Optional[str]) -> None:
        text = ast.get_source_segment(self._text, node) or ""
        self._added.append({**self._now.start(node), "name": name, "text": text})


def _text_of(source: str, statement: ast.stmt) -> str:
    """A statement as it is written, with its decorators."""
    segment = ast.get_source_segment(source, statement) or ""
    decorators = getattr(statement, "decorator_list", [])
    if not decorators:
        return segment
    lines = source.splitlines(keepends=True)
    head = "".join(lines[decorators[0].lineno - 1 : statement.lineno - 1]).lstrip()
    return head + lines[statement.lineno - 1][: statement.col_offset] + segment


def _same_statement(a: ast.AST, b: ast.AST) -> bool:
    return ast.dump(a) == ast.dump(b)


def _node_word(node: Optional[ast.AST]) -> str:
    return f"a {type(node).__name__}"
