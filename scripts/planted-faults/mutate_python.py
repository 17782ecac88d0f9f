"""Places of Python sources that can be changed a little, by their syntax trees: reads a JSON object
of texts by path, and writes one of lists of mutations."""

import ast
import json
import sys
from typing import Any, Dict, Iterator, List, Optional

OTHER = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"), ast.Add: ("+", "-"), ast.Sub: ("-", "+"),
}  # fmt: skip


class Mutations:
    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [0]
        for line in text.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._rows = text.splitlines()

    def all(self) -> List[Dict[str, Any]]:
        found = [one for node in self._nodes(ast.parse(self._text)) for one in self._at(node)]
        return sorted(found, key=lambda one: (one["start"], one["end"]))

    def _nodes(self, node: ast.AST) -> Iterator[ast.AST]:
        yield node
        for field, value in ast.iter_fields(node):
            # Types do not run.
            if field in ("annotation", "returns"):
                continue
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.AST):
                    yield from self._nodes(one)

    def _offset(self, line: int, column: int) -> int:
        """Columns are counted in bytes."""
        row = self._rows[line - 1].encode()[:column].decode()
        return self._lines[line - 1] + len(row)

    def _start(self, node: Any) -> int:
        return self._offset(node.lineno, node.col_offset)

    def _end(self, node: Any) -> int:
        return self._offset(node.end_lineno, node.end_col_offset)

    def _put(self, operator: str, node: Any, put: str) -> Dict[str, Any]:
        start, end = self._start(node), self._end(node)
        return {"operator": operator, "start": start, "end": end, "put": put}

    def _at(self, node: Any) -> Iterator[Dict[str, Any]]:
        if isinstance(node, (ast.If, ast.IfExp)):
            text = self._text[self._start(node.test) : self._end(node.test)]
            yield self._put("negate a condition", node.test, f"(not ({text}))")
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from self._other(node.ops[0], node.left, node.comparators[0])
        elif isinstance(node, ast.BoolOp):
            yield from self._other(node.op, node.values[0], node.values[1])
        elif isinstance(node, ast.BinOp):
            yield from self._other(node.op, node.left, node.right)
        elif isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Await)):
            yield self._put("drop a call", node, "pass")
        elif isinstance(node, ast.Return) and node.value is not None:
            yield self._put("return nothing", node, "return None")
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield self._put("swap true and false", node, str(not node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            yield self._put("one more", node, str(node.value + 1))

    def _other(self, operator: Any, left: Any, right: Any) -> Iterator[Dict[str, Any]]:
        words: Optional[Any] = OTHER.get(type(operator))
        if words is None:
            return
        was, put = words
        start = self._text.find(was, self._end(left), self._start(right))
        if start >= 0:
            end = start + len(was)
            yield {"operator": f"{was} to {put}", "start": start, "end": end, "put": put}


texts = json.load(sys.stdin)
json.dump({file: Mutations(text).all() for file, text in texts.items()}, sys.stdout)
