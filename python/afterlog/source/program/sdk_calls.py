"""Calls of the SDK in a source file, under whatever names it has imported it."""

import ast
from typing import Dict, List, Optional, Union


class SdkCalls:
    """What names of a file stand for: the package, or a function of it."""

    def __init__(self, tree: ast.AST) -> None:
        self._packages: List[str] = []
        self._functions: Dict[str, str] = {}
        self._counts = not any(_binds_enumerate(node) for node in ast.walk(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    if name.name == "afterlog":
                        self._packages.append(name.asname or name.name)
            elif isinstance(node, ast.ImportFrom) and node.module == "afterlog":
                for name in node.names:
                    self._functions[name.asname or name.name] = name.name

    def called(self, node: ast.AST) -> Optional[str]:
        """The SDK's function that a call is of."""
        if not isinstance(node, ast.Call):
            return None
        target = node.func
        if isinstance(target, ast.Name):
            return self._functions.get(target.id)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            return target.attr if target.value.id in self._packages else None
        return None

    def loop_of(self, node: ast.AST) -> Optional[ast.Call]:
        """The call of `loop` that a `for` goes over, be it by way of `enumerate`."""
        if isinstance(node, ast.Call):
            if self.called(node) == "loop":
                return node
            if self.is_counted(node):
                inner = node.args[0]
                return inner if isinstance(inner, ast.Call) else None
        return None

    def is_counted(self, node: ast.AST) -> bool:
        """Whether it is an `enumerate` of a loop."""
        if not (isinstance(node, ast.Call) and node.args and self._counts):
            return False
        is_enumerate = isinstance(node.func, ast.Name) and node.func.id == "enumerate"
        return is_enumerate and self.called(node.args[0]) == "loop"

    def is_log_statement(self, node: ast.AST) -> bool:
        """Whether a statement does nothing but log."""
        return isinstance(node, ast.Expr) and self.called(node.value) == "log"


def _binds_enumerate(node: ast.AST) -> bool:
    """Whether the name may mean something else than Python's own."""
    if isinstance(node, ast.Name):
        return node.id == "enumerate" and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.alias):
        return node.name == "*" or (node.asname or node.name) == "enumerate"
    return "enumerate" in (getattr(node, "name", None), getattr(node, "arg", None))


def is_sdk_import(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return all(name.name == "afterlog" for name in node.names)
    return isinstance(node, ast.ImportFrom) and node.module == "afterlog"


def literal_text(call: ast.Call) -> Optional[str]:
    """The first argument, if it is a text as it stands."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    return None


class SourcePositions:
    """Lines and columns from 1, columns in UTF-16 units, as the engine counts."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()

    def column(self, line: int, offset: int) -> int:
        """`offset` counts bytes of UTF-8, as Python does."""
        prefix = self._lines[line - 1].encode()[:offset].decode("utf-8", "replace")
        return len(prefix.encode("utf-16-le")) // 2 + 1

    def start(self, node: Union[ast.expr, ast.stmt]) -> Dict[str, int]:
        return {"line": node.lineno, "column": self.column(node.lineno, node.col_offset)}

    def end(self, node: Union[ast.expr, ast.stmt]) -> Dict[str, int]:
        line, offset = node.end_lineno or node.lineno, node.end_col_offset or 0
        return {"line": line, "column": self.column(line, offset)}
