"""One walk over the statements of a module or a function: what they do, and what their expressions
may be. It is repeated until nothing new is learned (`fixpoint.py`), for what a function gives
depends on what others give it."""

import ast
from typing import Any, List, Optional, Tuple

from ..program.found_loops import FoundLoop
from ..program.scopes import Var, imported_names
from .abstract_values import A_SCALAR, NO_VARS, NOTHING, UNKNOWN, Value, join
from .expressions import LOOPED, Expressions
from .facts import Edge, Effect, LoopFacts, ScopeFacts, end_of, position_of
from .project_calls import RETURN


class Statements:
    """Of one scope; used once."""

    def __init__(self, at: Expressions) -> None:
        self._at = at
        self._ignored = at.program.module_at(at.scope).ignored

    def run(self) -> ScopeFacts:
        node: Any = self._at.scope.node
        if isinstance(node, ast.Lambda):
            self._at.store.assign(self._at.scope.var(RETURN), self._at.evaluate(node.body))
        else:
            self._block(node.body)
        return self._at.facts

    def _block(self, statements: List[ast.stmt]) -> None:
        for statement in statements:
            if statement in self._ignored:
                continue
            self._at.facts.statements.append((position_of(statement), end_of(statement)))
            kind = type(statement).__name__
            getattr(self, f"_do_{kind}", self._do_others)(statement)

    def _do_others(self, node: ast.AST) -> None:
        """If, Try, Raise, Expr and the like: their parts, in order; a handler, or a case of
        `match`, with the names that it binds."""
        for name in ("name", "rest"):
            bound = getattr(node, name, None)
            if isinstance(bound, str):
                raised = self._at.store.value(self._raised())
                caught = raised._replace(tags=raised.tags | {UNKNOWN})
                self._at.bind_name(bound, caught, node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._at.evaluate(child)
            elif isinstance(child, ast.stmt):
                self._block([child])
            else:
                self._do_others(child)

    def _raised(self) -> Var:
        """What any statement raises, whoever catches it; a module returns nothing of its own."""
        program = self._at.program
        return program.modules[program.entry].scopes.module.var(RETURN)

    def _do_Raise(self, node: ast.Raise) -> None:
        for part in (node.exc, node.cause):
            if part is not None:
                self._at.store.assign(self._raised(), self._at.evaluate(part))

    def _do_Match(self, node: Any) -> None:
        subject = self._at.evaluate(node.subject)
        for name in ast.walk(node):
            bound = getattr(name, "name", None) or getattr(name, "rest", None)
            if isinstance(bound, str) and type(name).__name__.startswith("Match"):
                self._at.bind_name(
                    bound, self._at.item(subject)._replace(elems=subject.elems), name
                )
        for pattern in ast.walk(node):
            if type(pattern).__name__ == "MatchValue":
                self._at.evaluate(getattr(pattern, "value"))
            for name in getattr(pattern, "kwd_attrs", ()):
                # A property of the class runs.
                asked = ast.Attribute(node.subject, name, ast.Load())
                self._at.evaluate(ast.copy_location(asked, node.subject))
        for case in node.cases:
            if case.guard is not None:
                self._at.evaluate(case.guard)
            self._block(case.body)

    def _do_Assign(self, node: ast.Assign) -> None:
        if all(_unpacks_pairwise(target, node.value) for target in node.targets):
            # All are evaluated before the first is bound, but that makes no difference here.
            parts = [self._at.evaluate(one) for one in getattr(node.value, "elts")]
            for target in node.targets:
                for each, part in zip(getattr(target, "elts"), parts):
                    self._at.assign(each, part)
            return
        value = self._at.evaluate(node.value)
        parts = self._at.calls.given_back(node.value)
        for target in node.targets:
            if len(parts) == 1 and not isinstance(target, (ast.Tuple, ast.List)):
                self._at.assign(target, parts[0])
            elif _has_parts(target, len(parts)):
                for each, part in zip(getattr(target, "elts"), parts):
                    self._at.assign(each, part)
            else:
                self._at.assign(target, value)

    def _do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._at.assign(node.target, self._at.evaluate(node.value))

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        value = self._at.evaluate(node.value)
        old = self._at.evaluate(node.target)
        if not old.of_kind("imm"):
            self._at.change_itself(old, node)
            self._at.store.put(old, value)
        result = A_SCALAR if old.of_kind("imm") and value.of_kind("imm") else join([old, value])
        self._at.assign(node.target, result)

    def _do_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                var = self._at.scope.resolve(target.id)
                if var is not None:
                    why, bit = f"{target.id} is deleted", self._at.store.bit(var)
                    self._at.effect(
                        Effect("lost", bit, position_of(node), self._at.region, why=why)
                    )
            elif isinstance(target, (ast.Attribute, ast.Subscript)):
                self._at.change_attribute(self._at.evaluate(target.value), node)

    def _do_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self._at.store.assign(self._at.root.var(RETURN), self._at.evaluate(node.value))

    def _do_For(self, node: ast.For) -> None:
        head = (len(self._at.facts.effects), len(self._at.facts.edges))
        call = self._at.sdk.loop_of(node.iter)
        if call is not None:
            counted = self._at.sdk.is_counted(node.iter)
            for start in self._arguments_after_first(node.iter) if counted else ():
                self._at.evaluate(start)
            self._in_loop(node, self._at.sdk_loop(call, node, counted), head)
            return
        found = self._found_loop(node)
        if found is not None:
            first = len(self._at.facts.reads)
            items = self._at.evaluate(node.iter)
            reads = self._at.read_since(first)
            self._in_loop(node, self._at.add_loop(found.name, node, node, items, reads), head)
            return
        items = self._at.evaluate(node.iter)
        self._at.facts.repeated.append((position_of(node), end_of(node)))
        self._at.iterate(items, node)
        self._at.assign(node.target, self._at.item(items))
        # It goes through a recorded loop by a detour: nobody knows when that is active.
        looped = LOOPED in items.tags
        self._at.looped += looped
        self._block(node.body)
        self._at.looped -= looped
        self._block(node.orelse)

    _do_AsyncFor = _do_For

    def _arguments_after_first(self, call: Any) -> List[ast.expr]:
        """What a call is given after its first argument."""
        return [*call.args[1:], *(one.value for one in call.keywords)]

    def _found_loop(self, node: ast.AST) -> Optional[FoundLoop]:
        """A loop of a program that knows nothing of Afterlog."""
        found = self._at.program.found
        return None if found is None else found.by_node.get(node)

    def _in_loop(self, node: ast.For, loop: LoopFacts, head: Tuple[int, int]) -> None:
        """`head`: how many effects and edges there were before what it goes through."""
        self._at.region = (*self._at.region, loop.number)
        if not loop.items.of_kind("container", "data", "imm"):
            # `map(f, items)` calls when it is asked for an item: while the loop runs.
            facts, region = self._at.facts, self._at.region
            facts.effects += [one._replace(region=region) for one in facts.effects[head[0] :]]
            facts.edges += [one._replace(region=region) for one in facts.edges[head[1] :]]
        self._at.iterate(loop.items, node, loop.number)
        self._at.assign(node.target, self._at.item(loop.items))
        self._block(node.body)
        self._at.region = self._at.region[:-1]
        self._block(node.orelse)

    def _do_While(self, node: ast.While) -> None:
        found = self._found_loop(node)
        if found is not None:
            loop = self._at.add_loop(found.name, node, node, NOTHING, NO_VARS)
            self._at.region = (*self._at.region, loop.number)
            self._at.evaluate(node.test)
            self._block(node.body)
            self._at.region = self._at.region[:-1]
            self._block(node.orelse)
            return
        self._at.facts.repeated.append((position_of(node), end_of(node)))
        self._at.evaluate(node.test)
        self._block(node.body)
        self._block(node.orelse)

    def _do_With(self, node: ast.With) -> None:
        self._at.entered |= {item.context_expr for item in node.items}
        for item in node.items:
            value = self._at.evaluate(item.context_expr)
            if not isinstance(item.context_expr, ast.Call):
                self._at.change(value, item.context_expr)
            if item.optional_vars is not None:
                self._at.assign(item.optional_vars, value)
        self._block(node.body)

    _do_AsyncWith = _do_With

    def _do_Import(self, node: ast.Import) -> None:
        for name, path in imported_names(node):
            self._at.bind_name(name, self._imported(path, isinstance(node, ast.Import), node), node)
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
            self._at.bind_name(name, self._imported(whole, False, node), node)

    def _imported(self, path: str, whole: bool, node: ast.AST) -> Value:
        module, name = self._at.program.imported(self._at.scope.file, path)
        if module is None or (whole and name is not None):
            return Value(tags=frozenset([("lib", path)]))
        if name is None:
            return Value(tags=frozenset([("module", module.scopes.module)]))
        return self._at.read_variable(module.scopes.module.var(name), node)

    def _import_all(self, path: str, node: ast.AST) -> None:
        module = self._at.program.module_of(self._at.scope.file, path)
        if module is None:
            return
        for name in sorted(module.scopes.module.bound):
            self._at.scope.function.bound.add(name)
            value = self._at.read_variable(module.scopes.module.var(name), node)
            self._at.bind_name(name, value, node)

    def _execute_module(self, path: str, node: ast.AST) -> None:
        module = self._at.program.module_of(self._at.scope.file, path)
        if module is not None and module.scopes.module is not self._at.root:
            edge = Edge(module.scopes.module, position_of(node), self._at.region, "import")
            self._at.facts.edges.append(edge)

    def _do_FunctionDef(self, node: Any) -> None:
        scope = self._at.program.scope_of(self._at.scope, node)
        self._at.evaluate_defaults(node.args, scope)
        value = Value(tags=frozenset([("func", scope)]))
        for decorator in reversed(node.decorator_list):
            value = self._at.calls.decorated(decorator, value, scope)
        self._at.bind_name(node.name, value, node)

    _do_AsyncFunctionDef = _do_FunctionDef

    def _do_ClassDef(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            self._at.evaluate(base)
        outer, self._at.scope = self._at.scope, self._at.program.scope_of(self._at.scope, node)
        self._block(node.body)
        made, self._at.scope = self._at.scope, outer
        value = Value(tags=frozenset([("class", made)]))
        for decorator in reversed(node.decorator_list):
            value = self._at.calls.decorated_class(decorator, value)
        self._at.bind_name(node.name, value, node)


def _unpacks_pairwise(target: ast.expr, value: ast.expr) -> bool:
    """Whether each part of the target gets one part of the value: `a, b = 1, 2`."""
    count = len(getattr(target, "elts", ()))
    return _has_parts(target, count) and _has_parts(value, count)


def _has_parts(node: ast.expr, count: int) -> bool:
    """Whether it spells out so many."""
    if not isinstance(node, (ast.Tuple, ast.List)):
        return False
    return len(node.elts) == count and not any(isinstance(one, ast.Starred) for one in node.elts)
