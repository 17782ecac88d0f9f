"""What names of a program stand for outside of it: `clock = time.time` is `time.time`, however it
was imported."""

import ast
from typing import Dict, Iterable, Iterator, List, Optional, Set, Tuple

from ..program.program import Program
from ..program.scopes import Scope, Scopes, imported_names

# Objects of these have no state: what their methods give comes from outside, as of a module.
STATELESS = frozenset(("random.SystemRandom", "secrets.SystemRandom"))
_NAMING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)
# A node of a file, with the scope that it is evaluated in.
Scoped = Tuple[Scope, ast.AST]


class OutsideNames:
    def __init__(self, program: Program) -> None:
        self._program = program
        # Paths by the keys of variables.
        self._paths: Dict[str, str] = {}
        # Variables by those of other files that they are imported from.
        self._passed_on: Dict[str, str] = {}
        # How often each variable is bound.
        self._bindings: Dict[str, int] = {}

    def learn(self, file: str, scopes: Scopes) -> None:
        """What the imports and assignments of a file say."""
        self.learn_from(file, scopes, with_scopes(scopes))

    def learn_from(self, file: str, scopes: Scopes, nodes: Iterable[Scoped]) -> None:
        """The same where somebody has gone through the file already (`with_scopes`)."""
        for scope in scopes.all():
            for name in (*scope.params, scope.vararg, scope.kwarg):
                if name is not None:
                    self._bind(scope, name)
        aliases: List[Tuple[Scope, str, ast.expr]] = []
        imports: List[Tuple[Scope, str, str]] = []
        for scope, node in nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                imports += [(scope, name, path) for name, path in imported_names(node)]
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self._bind(scope, node.id)
            elif isinstance(node, _NAMING) and node.name is not None:
                self._bind(scope, node.name)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    for one, given in assignments(target, node.value):
                        if isinstance(one, ast.Name):
                            aliases.append((scope, one.id, given))
        # Of a name that is imported twice the last one counts.
        for scope, name, path in dict.fromkeys(reversed(imports)):
            self._bind(scope, name)
            found, member = self._program.imported(file, path)
            if found is None:
                self._set(scope, name, path)
            elif member is not None:
                self._passed_on[scope.var(name).key] = found.scopes.module.var(member).key
        before = -1
        while before != len(self._paths):
            before = len(self._paths)
            for scope, name, value in aliases:
                stands_for = self.path(scope, value)
                if stands_for is not None:
                    self._set(scope, name, stands_for)

    def _bind(self, scope: Scope, name: str) -> None:
        var = scope.resolve(name)
        if var is not None:
            self._bindings[var.key] = self._bindings.get(var.key, 0) + 1

    def _set(self, scope: Scope, name: str, path: str) -> None:
        var = scope.resolve(name)
        if var is not None:
            self._paths.setdefault(var.key, path)

    def path(self, scope: Scope, node: ast.AST) -> Optional[str]:
        """The path of what is not of the project."""
        if isinstance(node, ast.Attribute):
            base = self.path(scope, node.value)
            return None if base is None else f"{base}.{node.attr}"
        if isinstance(node, ast.Call):
            made = self.path(scope, node.func)
            return made if made in STATELESS else None
        if not isinstance(node, ast.Name):
            return None
        var = scope.resolve(node.id)
        key = None if var is None else var.key
        seen: Set[str] = set()
        while key in self._passed_on and key not in seen:
            seen.add(key)
            key = self._passed_on[key]
        return None if key is None else self._paths.get(key)

    def is_sure(self, scope: Scope, node: ast.AST) -> bool:
        """Whether a name of which the path is known can mean nothing else."""
        while isinstance(node, (ast.Attribute, ast.Call)):
            node = node.value if isinstance(node, ast.Attribute) else node.func
        var = scope.resolve(node.id) if isinstance(node, ast.Name) else None
        return var is not None and self._bindings.get(var.key) == 1


def assignments(target: ast.expr, value: ast.expr) -> Iterator[Tuple[ast.expr, ast.expr]]:
    """Targets that are given values of their own."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, given in zip(target.elts, value.elts):
            yield from assignments(one, given)
    else:
        yield target, value


def with_scopes(scopes: Scopes) -> Iterator[Scoped]:
    """Every node of a file but annotations, each with the scope that it is evaluated in."""
    waiting: List[Scoped] = [(scopes.module, scopes.module.node)]
    while waiting:
        scope, node = waiting.pop()
        yield scope, node
        inner = scopes.of.get(node, scope)
        outside = () if inner is scope else _evaluated_outside(node)
        children: List[Scoped] = []
        for name in node._fields:
            field = getattr(node, name, None)
            if isinstance(field, ast.AST):
                if name not in ("annotation", "returns"):
                    children.append((scope if field in outside else inner, field))
            elif isinstance(field, list):
                for one in field:
                    if isinstance(one, ast.AST):
                        children.append((scope if one in outside else inner, one))
        children.reverse()
        waiting += children


def _evaluated_outside(node: ast.AST) -> List[ast.AST]:
    """Parts of a function or class that are evaluated where it is defined."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    arguments = getattr(node, "args", None)
    defaults = [arguments] if isinstance(arguments, ast.arguments) else []
    return [*getattr(node, "decorator_list", []), *defaults]
