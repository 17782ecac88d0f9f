"""Has calls of packages timed whose inside nobody sees:

    model.fit(x, y)           took(since(7), model.fit(x, y))

They are found by names: what is imported of a package, and what is made of it. Calls that are a
statement, or the value of one: a training is not a part of an expression.
"""

import ast
import builtins
import sys
from typing import Any, Dict, Iterator, Optional, Set

from ..record.log.unseen_calls import TimedSite, UnseenCalls
from ..source.program.program import Program
from ..source.program.scopes import imported_names

SINCE = "__afterlog_since__"
TOOK = "__afterlog_took__"
# Packages whose calls have no training in them, and are made everywhere.
_LEFT_ALONE = frozenset("torch numpy scipy pandas matplotlib tqdm PIL afterlog".split())
_STANDARD: Any = getattr(sys, "stdlib_module_names", sys.builtin_module_names)


class UnseenCallTransform:
    """A transform of sources (`source_hook.py`)."""

    def __init__(self, program: Program, calls: UnseenCalls) -> None:
        self._calls = calls
        self._files = set(program.own_files())
        self._packages = {
            one for one in program.packages if one not in _LEFT_ALONE and one not in _STANDARD
        }
        self._names = self._outside(program) if self._packages else set()

    def install(self) -> None:
        """Makes the names known that changed code calls."""
        setattr(builtins, SINCE, self._calls.since)
        setattr(builtins, TOOK, self._calls.took)

    def wants(self, file: str) -> bool:
        return bool(self._names) and file in self._files

    def apply(self, tree: ast.Module, text: str, file: str) -> ast.Module:
        for node in ast.walk(tree):
            value = getattr(node, "value", None)
            if not isinstance(node, _STATEMENTS) or not isinstance(value, ast.Call):
                continue
            if _root_of(value) in self._names:
                name = ast.unparse(value.func)
                number = self._calls.add(TimedSite(file, value.lineno, name))
                setattr(node, "value", _timed(value, number))
        return tree

    def _outside(self, program: Program) -> Set[str]:
        """Names of what packages have, and of variables and attributes that hold what they gave."""
        trees = [program.modules[file].tree for file in program.own_files()]
        nodes = [node for tree in trees for node in ast.walk(tree)]
        names = set(self._imported(nodes))
        assigned: Dict[str, Set[str]] = {}
        for node in nodes:
            value = getattr(node, "value", None)
            if isinstance(node, ast.Assign) and isinstance(value, ast.Call):
                for target in node.targets:
                    assigned.setdefault(_last_of(target), set()).add(_root_of(value))
        found = True
        while found:
            new = {name for name, roots in assigned.items() if roots & names} - names
            found = bool(new)
            names |= new
        return names - {""}

    def _imported(self, nodes: Any) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for name, path in imported_names(node):
                    if path.partition(".")[0] in self._packages:
                        yield name


_STATEMENTS = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)


def _root_of(node: ast.expr) -> str:
    """The name that an expression begins with; of `self.x.y()` it is `x`."""
    before: Optional[str] = None
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            before, node = node.attr, node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return ""
    return before or "" if node.id == "self" else node.id


def _last_of(target: ast.expr) -> str:
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")


def _timed(node: ast.Call, number: int) -> ast.Call:
    since = ast.Call(ast.Name(SINCE, ast.Load()), [ast.Constant(number)], [])
    timed = ast.Call(ast.Name(TOOK, ast.Load()), [since, node], [])
    for one in (timed, timed.func, since, since.func, since.args[0]):
        ast.copy_location(one, node)
    return timed
