"""One walk over the code of a module or a function: what its expressions may be, and what its
statements do. It is repeated until nothing new is learned (`solve.py`), for what a function gives
depends on what others give it."""

import ast
from typing import Any, List, Optional, Tuple

from .expressions import LOOPED, RETURN, Expressions
from .facts import Edge, Effect, LoopFacts, ScopeFacts, end_of, position_of
from .found_loops import FoundLoop
from .scopes import imported_names
from .values import A_SCALAR, NO_VARS, NOTHING, UNKNOWN, Value, join


class Evaluator(Expressions):
    """Of one scope; used once."""

    def run(self) -> ScopeFacts:
        node: Any = self.scope.node
        if isinstance(node, ast.Lambda):
            self.store.assign(self.scope.var(RETURN), self.ev(node.body))
        else:
            self._block(node.body)
        return self.facts

    # Statements.

    def _block(self, statements: List[ast.stmt]) -> None:
        for statement in statements:
            if statement in self._ignored:
                continue
            self.here = position_of(statement)
            self.facts.statements.append((position_of(statement), end_of(statement)))
            kind = type(statement).__name__
            getattr(self, f"_do_{kind}", self._do_others)(statement)

    def _do_others(self, node: ast.stmt) -> None:
        """If, Try, Raise, Assert, Expr and the like: their parts, in order."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.ev(child)
            elif isinstance(child, ast.stmt):
                self._block([child])
            else:
                self._part(child)

    def _part(self, node: ast.AST) -> None:
        """A handler, a case of `match`: with the names that it binds."""
        for name in ("name", "rest"):
            bound = getattr(node, name, None)
            if isinstance(bound, str):
                self._bind_name(bound, Value(tags=frozenset([UNKNOWN])), node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.ev(child)
            elif isinstance(child, ast.stmt):
                self._block([child])
            else:
                self._part(child)

    def _do_Match(self, node: Any) -> None:
        subject = self.ev(node.subject)
        for name in ast.walk(node):
            bound = getattr(name, "name", None) or getattr(name, "rest", None)
            if isinstance(bound, str) and type(name).__name__.startswith("Match"):
                self._bind_name(bound, self.item(subject)._replace(elems=subject.elems), name)
        for case in node.cases:
            if case.guard is not None:
                self.ev(case.guard)
            self._block(case.body)

    def _do_Assign(self, node: ast.Assign) -> None:
        if all(_fits(target, node.value) for target in node.targets):
            # All are evaluated before the first is bound, but that makes no difference here.
            parts = [self.ev(one) for one in getattr(node.value, "elts")]
            for target in node.targets:
                for each, part in zip(getattr(target, "elts"), parts):
                    self.assign(each, part)
            return
        value = self.ev(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.ev(node.value))

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        value = self.ev(node.value)
        load: Any = node.target
        old = self._load(load)
        if not old.of_kind("imm"):
            self.change(old, node)
            self.store.put(old, value)
        result = A_SCALAR if old.of_kind("imm") and value.of_kind("imm") else join([old, value])
        self.assign(node.target, result)

    def _load(self, target: Any) -> Value:
        if isinstance(target, ast.Name):
            return self._ev_Name(target)
        if isinstance(target, ast.Attribute):
            return self._ev_Attribute(target)
        return self._ev_Subscript(target)

    def _do_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                var = self.scope.resolve(target.id)
                if var is not None:
                    why, bit = f"{target.id} is deleted", self.store.bit(var)
                    self.effect(Effect("lost", bit, self.here, self.region, why=why))
            elif isinstance(target, (ast.Attribute, ast.Subscript)):
                self.change(self.ev(target.value), node)

    def _do_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.store.assign(self.root.var(RETURN), self.ev(node.value))

    def _do_For(self, node: ast.For) -> None:
        head = (len(self.facts.effects), len(self.facts.edges))
        call = self._sdk.loop_of(node.iter)
        if call is not None:
            counted = self._sdk.is_counted(node.iter)
            for start in self._beside(node.iter) if counted else ():
                self.ev(start)
            self._in_loop(node, self._loop(call, node, counted), head)
            return
        found = self._found(node)
        if found is not None:
            first = len(self.facts.reads)
            items = self.ev(node.iter)
            reads = self.read_since(first)
            self._in_loop(node, self._add_loop(found.name, node, node, items, reads), head)
            return
        items = self.ev(node.iter)
        self.facts.repeated.append((position_of(node), end_of(node)))
        self.iterate(items, node)
        self.assign(node.target, self.item(items))
        # It goes through a recorded loop by a detour: nobody knows when that is active.
        looped = LOOPED in items.tags
        self._looped += looped
        self._block(node.body)
        self._looped -= looped
        self._block(node.orelse)

    _do_AsyncFor = _do_For

    def _beside(self, call: Any) -> List[ast.expr]:
        """What a call is given after its first argument."""
        return [*call.args[1:], *(one.value for one in call.keywords)]

    def _found(self, node: ast.AST) -> Optional[FoundLoop]:
        """A loop of a program that knows nothing of Afterlog."""
        found = self.program.found
        return None if found is None else found.by_node.get(node)

    def _in_loop(self, node: ast.For, loop: LoopFacts, head: Tuple[int, int]) -> None:
        """`head`: how many effects and edges there were before what it goes through."""
        self.region = (*self.region, loop.number)
        if not loop.items.of_kind("container", "data", "imm"):
            # `map(f, items)` calls when it is asked for an item: while the loop runs.
            facts, region = self.facts, self.region
            facts.effects += [one._replace(region=region) for one in facts.effects[head[0] :]]
            facts.edges += [one._replace(region=region) for one in facts.edges[head[1] :]]
        self.iterate(loop.items, node)
        self.assign(node.target, self.item(loop.items))
        self._block(node.body)
        self.region = self.region[:-1]
        self._block(node.orelse)

    def _do_While(self, node: ast.While) -> None:
        found = self._found(node)
        if found is not None:
            loop = self._add_loop(found.name, node, node, NOTHING, NO_VARS)
            self.region = (*self.region, loop.number)
            self.ev(node.test)
            self._block(node.body)
            self.region = self.region[:-1]
            self._block(node.orelse)
            return
        self.facts.repeated.append((position_of(node), end_of(node)))
        self.ev(node.test)
        self._block(node.body)
        self._block(node.orelse)

    def _do_With(self, node: ast.With) -> None:
        for item in node.items:
            value = self.ev(item.context_expr)
            if not isinstance(item.context_expr, ast.Call):
                self.change(value, item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
        self._block(node.body)

    _do_AsyncWith = _do_With

    def _do_Import(self, node: ast.Import) -> None:
        for name, path in imported_names(node):
            self._bind_name(name, self._imported(path, isinstance(node, ast.Import), node), node)
        if isinstance(node, ast.Import):
            for one in node.names:
                self._execute_module(one.name, node)

    def _do_ImportFrom(self, node: ast.ImportFrom) -> None:
        path = "." * node.level + (node.module or "")
        self._execute_module(path, node)
        for alias in node.names:
            if alias.name == "*":
                self._import_all(path, node)
        for name, whole in imported_names(node):
            self._execute_module(whole, node)
            self._bind_name(name, self._imported(whole, False, node), node)

    def _imported(self, path: str, whole: bool, node: ast.AST) -> Value:
        module, name = self.program.imported(self.scope.file, path)
        if module is None or (whole and name is not None):
            return Value(tags=frozenset([("lib", path)]))
        if name is None:
            return Value(tags=frozenset([("module", module.scopes.module)]))
        return self.store.value(module.scopes.module.var(name))

    def _import_all(self, path: str, node: ast.AST) -> None:
        module = self.program.module_of(self.scope.file, path)
        if module is None:
            return
        for name in sorted(module.scopes.module.bound):
            self.scope.function.bound.add(name)
            self._bind_name(name, self.store.value(module.scopes.module.var(name)), node)

    def _execute_module(self, path: str, node: ast.AST) -> None:
        module = self.program.module_of(self.scope.file, path)
        if module is not None and module.scopes.module is not self.root:
            edge = Edge(module.scopes.module, position_of(node), self.region, "import")
            self.facts.edges.append(edge)

    def _do_FunctionDef(self, node: Any) -> None:
        scope = self.program.scope_of(self.scope, node)
        self._defaults(node.args, scope)
        value = Value(tags=frozenset([("func", scope)]))
        for decorator in reversed(node.decorator_list):
            value = self._invoke.decorated(decorator, value, scope)
        self._bind_name(node.name, value, node)

    _do_AsyncFunctionDef = _do_FunctionDef

    def _do_ClassDef(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            self.ev(base)
        outer, self.scope = self.scope, self.program.scope_of(self.scope, node)
        self._block(node.body)
        made, self.scope = self.scope, outer
        value = Value(tags=frozenset([("class", made)]))
        for decorator in reversed(node.decorator_list):
            value = self._invoke.decorated_class(decorator, value)
        self._bind_name(node.name, value, node)


def _fits(target: ast.expr, value: ast.expr) -> bool:
    """Whether each part of the target gets one part of the value: `a, b = 1, 2`."""
    both = (target, value)
    if not all(isinstance(one, (ast.Tuple, ast.List)) for one in both):
        return False
    targets, values = (getattr(one, "elts") for one in both)
    starred = any(isinstance(one, ast.Starred) for one in [*targets, *values])
    return len(targets) == len(values) and not starred
