"""The loops of a program that names none (Flor §3.3, decisions 0019, 0051): which of its `for`
and `while` statements are loops of the run, and what they are called. Decided on the text alone,
without what is logged: the text that is recorded and the text with a probe in it must agree.
"""

import ast
import re
from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, Union

from ...format.manifest import LOOPS_BY_ATTRIBUTE, LOOPS_BY_FUNCTION
from .scopes import Scope, Scopes
from .skeletons import is_skeleton
from .trivial_loops import TrivialLoops

if TYPE_CHECKING:
    from .program import Module, Program

LoopNode = Union[ast.For, ast.While]
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# A file, and where in it.
Place = Tuple[str, int, int]
_ADDED = "it was added to ask"
_COMMENT = re.compile(r"#\s*afterlog:\s*loop\s+([A-Za-z_][\w.-]*)")


class FoundLoop(NamedTuple):
    node: LoopNode
    scope: Scope
    name: str
    # That it stands in, empty outside of all; None: somebody has named the loop.
    function: Optional[str]


class LeftAlone(NamedTuple):
    """A loop that is executed as it is, and why."""

    node: ast.stmt
    file: str
    why: str


class Statement(NamedTuple):
    """A loop statement, and the function that it stands in."""

    node: ast.stmt
    scope: Scope


class FoundLoops:
    """Of all files of a program. Loops that go over `afterlog.loop` name themselves. `recorded`: of
    the same texts without what was added to ask; no other loop is one. `rules`: by which they are
    named (`format/manifest.py`)."""

    def __init__(
        self, program: "Program", rules: int, recorded: Optional["FoundLoops"] = None
    ) -> None:
        self._rules = rules
        self.left_alone: List[LeftAlone] = []
        self.by_node: Dict[ast.AST, FoundLoop] = {}
        statements = {module.file: _loops_of(module) for module in _in_order(program)}
        trivial = TrivialLoops(program, statements)
        known = None if recorded is None else recorded._places()
        kept = []
        for module in _in_order(program):
            for one in statements[module.file]:
                if _is_named_loop(module, one.node):
                    continue
                if known is not None:
                    why = None if _place_of(one.scope, one.node) in known else _ADDED
                else:
                    why = _why_left_alone(one) or trivial.why_trivial(one.node)
                if why is None:
                    kept.append((module, one))
                else:
                    self.left_alone.append(LeftAlone(one.node, module.file, why))
        self._name_loops(
            kept, {name for module in _in_order(program) for name in _own_names(module)}
        )

    def _places(self) -> Set[Place]:
        return {_place_of(one.scope, node) for node, one in self.by_node.items()}

    def _name_loops(self, kept: List[Tuple["Module", Statement]], taken: Set[str]) -> None:
        """What a person has chosen comes first; no two are alike, nor like the column of runs that
        stands beside them in every table."""
        taken.add("run")
        lines = {module.file: module.text.splitlines() for module, _ in kept}
        chosen = [commented_loop_name(lines[module.file], one.node) for module, one in kept]
        by_function = self._rules >= LOOPS_BY_FUNCTION
        before = "." if by_function else "_"
        names = [None if name is None else _unique(name, taken, before) for name in chosen]
        called = [_called_name(one, self._rules) for _, one in kept]
        chosen_names = set(taken)
        others = [one for one, name in zip(called, names) if name is None]
        for (_, one), name, own in zip(kept, names, called):
            node = one.node
            assert isinstance(node, (ast.For, ast.While)), node
            if name is not None:
                self.by_node[node] = FoundLoop(node, one.scope, name, None)
                continue
            is_shared = own in chosen_names or others.count(own) > 1
            written = _full_name(one, self._rules) if by_function and is_shared else own
            unique = _unique(written, taken, before)
            self.by_node[node] = FoundLoop(node, one.scope, unique, _function_name(one.scope))


def _loops_of(module: "Module") -> List[Statement]:
    """Of a skeleton those that it names: others are no more than a way to say something."""
    every = list(loop_statements(module.scopes))
    if not is_skeleton(module.file):
        return every
    lines = module.text.splitlines()
    return [one for one in every if commented_loop_name(lines, one.node) is not None]


def _place_of(scope: Scope, node: ast.AST) -> Place:
    assert isinstance(node, ast.stmt), node
    return scope.file, node.lineno, node.col_offset


def loop_statements(scopes: Scopes) -> Iterator[Statement]:
    """In the order of the text."""
    stack: List[Tuple[ast.AST, Scope]] = [(scopes.module.node, scopes.module)]
    while stack:
        node, scope = stack.pop()
        inner = scopes.of.get(node, scope)
        if isinstance(node, _LOOPS):
            yield Statement(node, scope)
        stack.extend((child, inner) for child in reversed(list(ast.iter_child_nodes(node))))


def _in_order(program: "Program") -> List["Module"]:
    """The program's own file first, then files by name."""
    return sorted(program.modules.values(), key=lambda one: (one.file != program.entry, one.file))


def _is_named_loop(module: "Module", node: ast.stmt) -> bool:
    return isinstance(node, ast.For) and module.sdk.loop_of(node.iter) is not None


def _own_names(module: "Module") -> Iterator[str]:
    """Names that calls of `afterlog.loop` give."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and module.sdk.called(node) == "loop" and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def _why_left_alone(statement: Statement) -> Optional[str]:
    node, scope = statement
    if isinstance(node, ast.AsyncFor):
        return "an async for"
    if scope.function.kind == "class":
        return "it stands in the body of a class"
    if _yields(node):
        # Whoever takes the items runs in its iterations.
        return "its function yields in it"
    return None


def _yields(node: ast.AST) -> bool:
    """Whether the function that the node stands in yields in it."""
    stack: List[ast.AST] = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(one, (*_FUNCTIONS, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(one))
    return False


def commented_loop_name(lines: List[str], node: ast.stmt) -> Optional[str]:
    """By a comment on the line before, or on the same line."""
    for line in (node.lineno - 1, node.lineno - 2):
        text = lines[line] if 0 <= line < len(lines) else ""
        found = _COMMENT.search(text)
        if found and (line == node.lineno - 1 or text.lstrip().startswith("#")):
            return found.group(1)
    return None


def _called_name(statement: Statement, rules: int) -> str:
    """The loop's variable, else the function and the kind: a condition changes between versions."""
    return _variable(statement.node, rules) or _full_name(statement, rules)


def _full_name(statement: Statement, rules: int) -> str:
    node, scope = statement
    called = _variable(node, rules) or ("while" if isinstance(node, ast.While) else "for")
    return ".".join(part for part in (_function_name(scope), called) if part)


def _variable(node: ast.stmt, rules: int) -> Optional[str]:
    """The first one; of `self.epoch` the attribute."""
    if not isinstance(node, ast.For):
        return None
    for one in ast.walk(node.target):
        is_attribute = isinstance(one, ast.Attribute) and rules >= LOOPS_BY_ATTRIBUTE
        if is_attribute or isinstance(one, ast.Name):
            name: str = getattr(one, "attr" if is_attribute else "id")
            return name if name.strip("_") else None
    return None


def _function_name(scope: Scope) -> str:
    function = scope.function
    while function.kind != "module" and function.name == "<lambda>" and function.parent:
        function = function.parent.function
    return "" if function.kind == "module" else function.name


def _unique(name: str, taken: Set[str], before: str) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}{before}{number}", number + 1
    taken.add(found)
    return found
