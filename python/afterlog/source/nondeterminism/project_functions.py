"""Functions of a program by the names under which they may be called."""

import ast
from typing import Dict, Iterator, List, Optional, Tuple

from ..program.program import Program
from ..program.scopes import Scope, Var, imported_names, own_imports
from .flow_graph import Flow, FlowGraph


class ProjectFunctions:
    def __init__(self, program: Program) -> None:
        # By name, each with the scope that binds it.
        self._functions: Dict[str, List[Tuple[Scope, Scope]]] = {}
        # What the bodies of classes bind.
        self.fields: Dict[str, List[str]] = {}
        # Variables with those of other files that they are imported from.
        self.imported: List[Tuple[Var, Var]] = []
        for module in program.modules.values():
            for scope in module.scopes.all():
                self._learn(scope)
        for var, source in _imports(program):
            self.imported.append((var, source))
            found = [one for _, one in self._functions.get(source.name, [])]
            own = self._functions.setdefault(var.name, [])
            own.extend((var.scope, one) for one in found)

    def _learn(self, scope: Scope) -> None:
        binds = scope if scope.parent is None else scope.parent.function
        own = self._functions.setdefault(scope.name, [])
        if scope.kind == "function":
            own.append((binds, scope))
        if scope.kind == "class":
            self.fields[scope.name] = sorted(scope.bound)
            made = (scope.methods.get(one) for one in ("__init__", "__new__"))
            own.extend((binds, one) for one in made if one is not None)

    def named(self, scope: Scope, node: ast.expr) -> List[Scope]:
        """Functions that a name may mean in a scope; of a method, all of that name."""
        if isinstance(node, ast.Attribute):
            return [one for _, one in self._functions.get(node.attr, [])]
        var = scope.resolve(node.id) if isinstance(node, ast.Name) else None
        if var is None:
            return []
        return [one for binds, one in self._functions.get(var.name, []) if binds is var.scope]


def _imports(program: Program) -> Iterator[Tuple[Var, Var]]:
    for module in program.modules.values():
        for scope in module.scopes.all():
            for name, path in (one for node in own_imports(scope) for one in imported_names(node)):
                var = scope.resolve(name)
                found, member = program.imported(module.file, path)
                if var is not None and found is not None and member is not None:
                    yield var, found.scopes.module.var(member)


def pass_arguments(
    graph: FlowGraph,
    control: Flow,
    scope: Scope,
    positional: List[Flow],
    named: Dict[str, Flow],
    rest: Flow,
) -> None:
    """Gives arguments to a function; `rest`: to each of its parameters."""
    function = f"{scope.file}:{scope.label}"
    graph.add(f"{function} called", control)
    is_method = scope.parent is not None and scope.parent.kind == "class"
    is_static = any(getattr(one, "id", "") == "staticmethod" for one in scope.decorators)
    params = scope.params[1:] if is_method and not is_static else scope.params
    for at, flow in enumerate(positional):
        name = params[at] if at < len(params) else scope.vararg
        if name is not None:
            graph.assign(f"{function} gets {name}", flow)
    for name, flow in named.items():
        target: Optional[str] = name if name in params else scope.kwarg
        if target is not None:
            graph.assign(f"{function} gets {target}", flow)
    for param in [*params, scope.vararg, scope.kwarg] if rest else []:
        if param is not None:
            graph.assign(f"{function} gets {param}", rest)
