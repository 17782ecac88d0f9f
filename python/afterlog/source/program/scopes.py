"""Scopes and variables of a program, as Python binds names: modules, functions, classes,
comprehensions. Everything that the analysis says, it says of these variables."""

import ast
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Var(NamedTuple):
    """A variable: the scope that binds it, and its name. Scopes are compared by identity."""

    scope: "Scope"
    name: str

    @property
    def key(self) -> str:
        """`file:scope:name`, stable when log statements are added."""
        return f"{self.scope.file}:{self.scope.label}:{self.name}"


class Scope:
    """`kind`: module, function (lambdas too), class or comprehension."""

    def __init__(self, kind: str, file: str, node: ast.AST, parent: Optional["Scope"]) -> None:
        self.kind = kind
        self.file = file
        self.node = node
        self.parent = parent
        self.children: List["Scope"] = []
        self.bound: Set[str] = set()
        # Names that an import binds; others may bind them too.
        self.imported: Set[str] = set()
        self.globals: Set[str] = set()
        self.nonlocals: Set[str] = set()
        # Names that functions inside read or bind: they outlive a call.
        self.captured: Set[str] = set()
        # Positional parameters, then the others; in order.
        self.params: List[str] = []
        self.vararg: Optional[str] = None
        self.kwarg: Optional[str] = None
        self.is_generator = False
        self.label = "0"
        # Of a class: its functions by name, and the decorators of each.
        self.methods: Dict[str, "Scope"] = {}
        self.decorators: List[ast.expr] = []

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "<lambda>")

    @property
    def first_line(self) -> int:
        """Where Python says that the code of the function begins."""
        lines = [one.lineno for one in self.decorators]
        return min([getattr(self.node, "lineno", 1), *lines])

    def var(self, name: str) -> Var:
        return Var(self, name)

    @property
    def function(self) -> "Scope":
        """The scope whose frame it runs in: a function, a class body or a module."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope

    @property
    def module(self) -> "Scope":
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def is_inside(self, other: "Scope") -> bool:
        scope: Optional[Scope] = self
        while scope is not None:
            if scope is other:
                return True
            scope = scope.parent
        return False

    def resolve(self, name: str) -> Optional[Var]:
        """The variable that a name means here; None: a built-in, or nobody knows."""
        scope: Optional[Scope] = self
        if name in self.function.globals:
            scope = self.module
        while scope is not None:
            own = name in scope.bound and name not in scope.nonlocals | scope.globals
            if own and (scope.kind != "class" or scope is self.function):
                return Var(scope, name)
            scope = scope.parent
        return None


def body_of(function: FunctionNode) -> Sequence[ast.AST]:
    """Its statements; of a lambda its expression."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    return function.body


class Scopes:
    """All scopes of one file, by the node that opens each."""

    def __init__(self, file: str, tree: ast.Module) -> None:
        self.module = Scope("module", file, tree, None)
        self.of: Dict[ast.AST, Scope] = {tree: self.module}
        self._file = file
        self._labels: Dict[str, int] = {}
        for statement in tree.body:
            self._visit(statement, self.module)
        for scope in list(self.of.values()):
            self._note_captured(scope)

    def all(self) -> Iterator[Scope]:
        return iter(self.of.values())

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, _FUNCTIONS):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        elif isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, scope)
        else:
            _note_bindings(node, scope)
            for child in ast.iter_child_nodes(node):
                self._visit(child, scope)

    def _open_scope(self, kind: str, node: ast.AST, parent: Scope, name: str) -> Scope:
        scope = Scope(kind, self._file, node, parent)
        label = name if parent.label == "0" else f"{parent.label}.{name}"
        number = self._labels.get(label, 0)
        self._labels[label] = number + 1
        scope.label = f"{label}~{number}" if number else label
        self.of[node] = scope
        parent.children.append(scope)
        return scope

    def _function(self, node: FunctionNode, parent: Scope) -> None:
        name = getattr(node, "name", "<lambda>")
        scope = self._open_scope("function", node, parent, name)
        if not isinstance(node, ast.Lambda):
            parent.function.bound.add(name)
            scope.decorators = node.decorator_list
            if parent.kind == "class" and not _adds_to_property(node, parent):
                parent.methods[name] = scope
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        scope.params = [one.arg for one in [*positional, *arguments.kwonlyargs]]
        scope.vararg = arguments.vararg.arg if arguments.vararg else None
        scope.kwarg = arguments.kwarg.arg if arguments.kwarg else None
        rest = (one for one in (scope.vararg, scope.kwarg) if one)
        scope.bound.update(scope.params, rest)
        # What stands in the head is evaluated outside.
        for outside in [*scope.decorators, *arguments.defaults, *arguments.kw_defaults]:
            if outside is not None:
                self._visit(outside, parent)
        for inner in body_of(node):
            self._visit(inner, scope)

    def _class(self, node: ast.ClassDef, parent: Scope) -> None:
        scope = self._open_scope("class", node, parent, node.name)
        parent.function.bound.add(node.name)
        scope.decorators = node.decorator_list
        for outside in [*node.bases, *node.decorator_list, *(one.value for one in node.keywords)]:
            self._visit(outside, parent)
        for statement in node.body:
            self._visit(statement, scope)

    def _comprehension(self, node: Any, parent: Scope) -> None:
        scope = self._open_scope("comprehension", node, parent, "<comprehension>")
        for target in [one.target for one in node.generators]:
            for name in ast.walk(target):
                if isinstance(name, ast.Name):
                    scope.bound.add(name.id)
        for child in ast.iter_child_nodes(node):
            parts = ast.iter_child_nodes(child) if isinstance(child, ast.comprehension) else [child]
            for part in parts:
                if not isinstance(child, ast.comprehension) or part is not child.target:
                    self._visit(part, scope)

    def _note_captured(self, scope: Scope) -> None:
        """Names that the code of this scope uses and another function binds."""
        for name in used_names(scope):
            var = scope.resolve(name)
            if var is not None and var.scope.function is not scope.function:
                var.scope.captured.add(name)


def _adds_to_property(node: Any, parent: Scope) -> bool:
    """Whether it sets or deletes a property that stands above it, by the same name."""
    return node.name in parent.methods and any(
        isinstance(one, ast.Attribute)
        and one.attr in ("setter", "deleter")
        and isinstance(one.value, ast.Name)
        and one.value.id == node.name
        for one in node.decorator_list
    )


def used_names(scope: Scope) -> Set[str]:
    """Names in the scope's own code, not in functions inside it."""
    found: Set[str] = set(scope.nonlocals)
    stack: List[Any] = list(ast.iter_child_nodes(scope.node))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            found.add(node.id)
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(node))
    return found


def _note_bindings(node: ast.AST, scope: Scope) -> None:
    """Notes what a node binds in the scope, without what is inside it."""
    function = scope.function
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        function.bound.add(node.id)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        function.bound.update(name for name, _ in imported_names(node))
        function.imported.update(name for name, _ in imported_names(node))
    elif isinstance(node, ast.ExceptHandler) and node.name:
        function.bound.add(node.name)
    elif isinstance(node, ast.Global):
        function.globals.update(node.names)
        function.module.bound.update(node.names)
    elif isinstance(node, ast.Nonlocal):
        function.nonlocals.update(node.names)
    elif isinstance(node, (ast.Yield, ast.YieldFrom)):
        function.is_generator = True
    elif type(node).__name__ in ("MatchAs", "MatchStar") and getattr(node, "name", None):
        function.bound.add(getattr(node, "name"))
    elif type(node).__name__ == "MatchMapping" and getattr(node, "rest", None):
        function.bound.add(getattr(node, "rest"))


def imported_names(node: Union[ast.Import, ast.ImportFrom]) -> List[Tuple[str, str]]:
    """Names that an import binds, each with the dotted path that it comes from."""
    if isinstance(node, ast.Import):
        return [
            (one.asname, one.name) if one.asname else (one.name.partition(".")[0],) * 2
            for one in node.names
        ]
    module = "." * node.level + (node.module or "")
    dot = "" if module.endswith(".") else "."
    return [
        (one.asname or one.name, f"{module}{dot}{one.name}")
        for one in node.names
        if one.name != "*"
    ]


def own_imports(scope: Scope) -> List[Any]:
    found: List[Any] = []
    waiting: List[Tuple[ast.AST, bool]] = [(scope.node, True)]
    while waiting:
        node, is_first = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        if is_first or not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            waiting += [(child, False) for child in ast.iter_child_nodes(node)]
    return found
