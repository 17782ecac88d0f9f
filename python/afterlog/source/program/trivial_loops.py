"""Which loops are no loops of the run though nothing else speaks against them: arithmetic inside
two others (a matrix product in a training step). A loop is trivial if its body, with the functions
of the program that it calls, computes and calls only what is built in, or if it goes through the
parts of a model. Where two loops may be around a trivial one, over all calls, it is executed as it
is.

Names tell what is called, not what the analysis finds of values, since a probe may hand other
objects to a function. An error costs time, or a way to skip, never a value.
"""

import ast
from typing import TYPE_CHECKING, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ..libraries import attributes_with, builtins_with, methods_with, packages_with
from .scopes import Scope

if TYPE_CHECKING:
    from .found_loops import Statement
    from .program import Module, Program

# Loops around a trivial one that is still a loop of the run.
_AROUND_MAX = 1
_WHY = "a small loop inside two others"

_BUILTINS = builtins_with("trivial")
_MODULES = packages_with("trivial")
_METHODS = methods_with("trivial")
# Tensors and arrays have methods of these names too, which take their time.
_OF_TENSORS = methods_with("trivial-alone")
# What a model consists of: nobody asks for one of them by its number.
_PARTS = methods_with("parts").intersection(methods_with("module")) | attributes_with("parts")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class TrivialLoops:
    """`statements`: the loops of each file."""

    def __init__(self, program: "Program", statements: Mapping[str, Sequence["Statement"]]) -> None:
        self._program = program
        self._loops = {one.node for file in statements.values() for one in file}
        # Functions and methods of the program by their names; classes stand for their __init__.
        self._named: Dict[str, Set[Scope]] = {}
        self._uses_packages = any(_uses_packages(program, one) for one in program.modules.values())
        for scope in (*program.scopes(), *program.classes()):
            made = scope.methods.get("__init__") if scope.kind == "class" else scope
            if made is not None and scope.kind != "module":
                self._named.setdefault(scope.name, set()).add(made)
        self._nontrivial = self._nontrivial_functions()
        self._around = self._loop_depths()

    def why_trivial(self, node: ast.stmt) -> Optional[str]:
        """Why a loop statement is no loop of the run; None: it is one."""
        around = self._around.get(node, 0)
        if around <= _AROUND_MAX or not self._is_trivial(node):
            return None
        return _WHY

    def _is_trivial(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.For) and _names_of(node.iter) & _PARTS:
            return True
        called = self._called(node)
        return called is not None and not called & self._nontrivial

    def _nontrivial_functions(self) -> Set[Scope]:
        calls = {scope: self._called(scope.node) for scope in self._program.scopes()}
        nontrivial = {scope for scope, called in calls.items() if called is None}
        while True:
            more = {scope for scope, called in calls.items() if called and called & nontrivial}
            if more <= nontrivial:
                return nontrivial
            nontrivial |= more

    def _called(self, node: ast.AST) -> Optional[Set[Scope]]:
        """Functions of the program that the code may call; None: it calls something else, too."""
        found: Set[Scope] = set()
        for one in _own_code(node):
            if isinstance(one, (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.With, ast.Import)):
                return None
            if isinstance(one, ast.Call):
                called = self._callees(one.func)
                if called is None:
                    return None
                found |= called
        return found

    def _callees(self, target: ast.expr) -> Optional[Set[Scope]]:
        if isinstance(target, ast.Name):
            own = self._named.get(target.id)
            return own if own is not None else set() if target.id in _BUILTINS else None
        if not isinstance(target, ast.Attribute):
            return None
        own = self._named.get(target.attr)
        if own is not None:
            return own
        if isinstance(target.value, ast.Name) and target.value.id in _MODULES:
            return set()
        known = target.attr in _METHODS
        known |= target.attr in _OF_TENSORS and not self._uses_packages
        return set() if known else None

    def _loop_depths(self) -> Dict[ast.stmt, int]:
        """The most loops around each loop statement, over all calls; two and more are alike."""
        limit = _AROUND_MAX + 1
        uses = [
            (scope, around, used)
            for scope in self._program.scopes()
            for around, used in self._function_uses(scope)
        ]
        depths: Dict[Scope, int] = {}
        changed = True
        while changed:
            changed = False
            for scope, around, used in uses:
                depth = min(limit, depths.get(scope, 0) + around)
                for callee in used:
                    if depth > depths.get(callee, 0):
                        depths[callee] = depth
                        changed = True
        found: Dict[ast.stmt, int] = {}
        for scope in self._program.scopes():
            for node, around in _with_depth(scope.node, self._loops):
                if isinstance(node, ast.stmt) and node in self._loops:
                    found[node] = depths.get(scope, 0) + around
        return found

    def _function_uses(self, scope: Scope) -> Iterator[Tuple[int, Set[Scope]]]:
        """Functions that are named in the code of a function, and the loops of it around that."""
        for node, around in _with_depth(scope.node, self._loops):
            name = getattr(node, "id", None) or getattr(node, "attr", None)
            used = self._named.get(name) if isinstance(name, str) else None
            if used:
                yield around, used


def _uses_packages(program: "Program", module: "Module") -> bool:
    """Whether a file imports something that is neither of the program nor small and built in."""
    for node in ast.walk(module.tree):
        names: List[str] = []
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        for name in names:
            small = name.partition(".")[0] in (*_MODULES, "afterlog", "__future__", "typing")
            if not small and program.module_of(module.file, name) is None:
                return True
    return False


def _names_of(node: ast.AST) -> Set[str]:
    return {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


def _is_logging(node: ast.AST) -> bool:
    """A statement that only says something: a probe is one, so none may count."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    target = node.value.func
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    return name in ("log", "print", "debug", "info", "warning", "error", "critical")


def _own_code(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what is in it, without other functions and what is logged."""
    return (one for one, _ in _with_depth(node, set()))


def _with_depth(node: ast.AST, loops: Set[ast.stmt]) -> Iterator[Tuple[ast.AST, int]]:
    """What is in the code of a function, with the number of these loops around it."""
    stack: List[Tuple[ast.AST, int]] = [(node, 0)]
    while stack:
        one, around = stack.pop()
        if _is_logging(one) or (one is not node and isinstance(one, _FUNCTIONS)):
            continue
        yield one, around
        is_loop = one in loops
        for field, value in ast.iter_fields(one):
            inside = around + (is_loop and field in ("body", "test"))
            parts = value if isinstance(value, list) else [value]
            stack.extend((part, inside) for part in parts if isinstance(part, ast.AST))
