"""The loops and log statements of a source file, and the loops around each of them.

A function is followed to where it is called if that is one place; what is called from several, or
not seen to be called, is said to be uncertain.
"""

import ast
import re
from typing import Any, Dict, List, NamedTuple, Optional

from .calls import Places, SdkNames, literal_text

_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class _Where(NamedTuple):
    # Loops around, by number in the file, and the function that it is in, None at top level.
    loops: List[int]
    function: Optional[str]


def outline(file: str, text: str) -> Dict[str, Any]:
    try:
        tree = ast.parse(text, file)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        why = f"{file}:{line} cannot be read: {error}"
        return {"error": why, "loops": [], "logs": [], "imports": []}
    return _Outline(tree, text).result()


class _Outline:
    def __init__(self, tree: ast.Module, text: str) -> None:
        self._text = text
        self._names = SdkNames(tree)
        self._places = Places(text)
        self._loops: List[Dict[str, Any]] = []
        self._logs: List[Dict[str, Any]] = []
        self._imports: List[str] = []
        # Where each function of the file is called, by its name.
        self._calls: Dict[str, List[_Where]] = {}
        self._tree = tree

    def result(self) -> Dict[str, Any]:
        self._visit(self._tree, _Where([], None))
        for log in self._logs:
            where = self._resolve(log.pop("where"), 8)
            log["loops"] = where.loops if where else []
            log["certain"] = where is not None
        for loop in self._loops:
            loop.pop("where")
        found = {"loops": self._loops, "logs": self._logs, "imports": self._imports}
        return {"error": None, **found}

    def _resolve(self, where: _Where, depth: int) -> Optional[_Where]:
        """From the function that it is in to the top level; None if nobody can say."""
        if where.function is None:
            return where
        calls = self._calls.get(where.function, [])
        around = self._resolve(calls[0], depth - 1) if len(calls) == 1 and depth else None
        return around and _Where([*around.loops, *where.loops], None)

    def _visit(self, node: ast.AST, where: _Where) -> None:
        if isinstance(node, (ast.For, ast.AsyncFor)) and self._names.called(node.iter) == "loop":
            self._visit(node.iter, where)
            inside = _Where([*where.loops, self._add_loop(node, where)], where.function)
            for child in [node.target, *node.body]:
                self._visit(child, inside)
            for child in node.orelse:
                self._visit(child, where)
            return
        if isinstance(node, ast.Call):
            self._call(node, where)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        inner = where
        if isinstance(node, _Function):
            inner = _Where([], getattr(node, "name", f"<lambda {id(node)}>"))
        for child in ast.iter_child_nodes(node):
            self._visit(child, inner)

    def _add_loop(self, node: Any, where: _Where) -> int:
        start = self._places.start(node.iter)
        literal = node.iter.args[1] if len(node.iter.args) > 1 else None
        counted = isinstance(literal, ast.Call) and getattr(literal.func, "id", "") == "range"
        self._loops.append(
            {
                **start,
                "name": literal_text(node.iter),
                "counted": counted or isinstance(literal, (ast.List, ast.Tuple)),
                "where": where,
            }
        )
        return len(self._loops) - 1

    def _call(self, node: ast.Call, where: _Where) -> None:
        called = self._names.called(node)
        if called == "log":
            text = ast.get_source_segment(self._text, node) or ""
            log = {**self._places.start(node), "name": literal_text(node), "text": text}
            pattern = _pattern_of(node)
            if log["name"] is None and pattern is not None:
                log["pattern"] = pattern
            self._logs.append({**log, "where": where})
        elif isinstance(node.func, ast.Name):
            self._calls.setdefault(node.func.id, []).append(where)

    def _import(self, node: Any) -> None:
        """Files that an import may lead to, relative to the folder of this one."""
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
            prefix = ""
        else:
            module = node.module or ""
            prefix = "../" * max(node.level - 1, 0)
            names = [module, *(f"{module}.{name.name}".lstrip(".") for name in node.names)]
        for name in filter(None, names):
            path = prefix + name.replace(".", "/")
            self._imports += [f"{path}.py", f"{path}/__init__.py"]


def _pattern_of(call: ast.Call) -> Optional[str]:
    """A regular expression for what an f-string may be."""
    first = call.args[0] if call.args else None
    if not isinstance(first, ast.JoinedStr):
        return None
    parts = [
        re.escape(part.value) if isinstance(part, ast.Constant) else ".*" for part in first.values
    ]
    return f"^{''.join(parts)}$"
