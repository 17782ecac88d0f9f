"""One walk over the code of a module or a function: what its expressions may be, and what its
statements do. It is repeated until nothing new is learned (`solve.py`), for what a function gives
depends on what others give it."""

import ast
import builtins
from typing import Any, List, Optional

from .facts import Edge, Effect, LogFacts, LoopFacts, Position, Read, Region, ScopeFacts
from .facts import end_of, position_of
from .invoke import Invocations
from .knowledge import SCALAR_ATTRIBUTES, is_loader
from .plain import is_plain, is_plain_use
from .program import Program
from .scopes import Scope, Var, imported_names
from .values import (
    A_SCALAR,
    CONTAINER,
    DATA,
    KEYED,
    NO_VARS,
    NOTHING,
    PAIR,
    STREAM,
    UNKNOWN,
    Store,
    Value,
    join,
)

RETURN = "<return>"
_PATH_MAX = 6
_ANEW = ("container", "data", "imm", "stream", "generator", "pair")
_MOVED = ("stream", "generator", "?")
_BUILTINS = frozenset(dir(builtins))


class Evaluator:
    """Of one scope; used once."""

    def __init__(self, program: Program, store: Store, scope: Scope, number: Any) -> None:
        self.program = program
        self.store = store
        self.root = scope
        self.scope = scope
        self.facts = ScopeFacts()
        self.region: Region = ()
        self.here: Position = (0, 0)
        # Gives each loop of the program its number.
        self._number = number
        self._sdk = program.module_at(scope).sdk
        self._ignored = program.module_at(scope).ignored
        self._invoke = Invocations(self)
        # Inside how many expressions of which only a number or a text is taken.
        self._plain = 0

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
                    why = f"{target.id} is deleted"
                    self.effect(Effect("lost", frozenset([var]), self.here, self.region, why=why))
            elif isinstance(target, (ast.Attribute, ast.Subscript)):
                self.change(self.ev(target.value), node)

    def _do_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.store.assign(self.root.var(RETURN), self.ev(node.value))

    def _do_For(self, node: ast.For) -> None:
        if self._sdk.called(node.iter) == "loop":
            self._recorded_loop(node)
            return
        items = self.ev(node.iter)
        self.facts.repeated.append((position_of(node), end_of(node)))
        self.iterate(items, node)
        self.assign(node.target, self.item(items))
        self._block(node.body)
        self._block(node.orelse)

    _do_AsyncFor = _do_For

    def _recorded_loop(self, node: ast.For) -> None:
        call: Any = node.iter
        loop = self._loop(call, node)
        self.region = (*self.region, loop.number)
        self.iterate(loop.items, node)
        self.assign(node.target, self.item(loop.items))
        self._block(node.body)
        self.region = self.region[:-1]
        self._block(node.orelse)

    def _loop(self, call: ast.Call, statement: Optional[ast.For]) -> LoopFacts:
        first = len(self.facts.reads)
        items = NOTHING
        for index, given in enumerate([*call.args, *(one.value for one in call.keywords)]):
            value = self.ev(given)
            items = value if index == 1 else items
        reads = frozenset(read.var for read in self.facts.reads[first:])
        at = position_of(statement or call)
        number = self._number(call)
        loop = LoopFacts(number, self.root, call, statement, self.region, items, reads, at)
        self.facts.loops.append(loop)
        return loop

    def _do_While(self, node: ast.While) -> None:
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
        for name in node.names:
            if name.name == "*":
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

    def _defaults(self, arguments: ast.arguments, scope: Scope) -> None:
        positional = [*arguments.posonlyargs, *arguments.args]
        given = positional[len(positional) - len(arguments.defaults) :]
        pairs = [*zip(given, arguments.defaults), *zip(arguments.kwonlyargs, arguments.kw_defaults)]
        for parameter, default in pairs:
            if default is None:
                continue
            value = self.ev(default)
            if not isinstance(default, (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp)):
                # The same object in every call: it lives in the function, where nobody captures it.
                value = value._replace(srcs=value.srcs | {scope.var(f"{parameter.arg}=")})
            self.store.assign(scope.var(parameter.arg), value)

    def _do_ClassDef(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            self.ev(base)
        for decorator in node.decorator_list:
            self.ev(decorator)
        outer, self.scope = self.scope, self.program.scope_of(self.scope, node)
        self._block(node.body)
        made, self.scope = self.scope, outer
        self._bind_name(node.name, Value(tags=frozenset([("class", made)])), node)

    # What statements and expressions do to variables.

    def _bind_name(self, name: str, value: Value, node: ast.AST) -> None:
        var = self.scope.resolve(name)
        if var is None:
            return
        self.store.assign(var, value)
        self.effect(Effect("bind", frozenset([var]), position_of(node), self.region))

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._bind_name(target.id, value, target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, part in enumerate(target.elts):
                named = index == 0 and value.of_kind("pair")
                self.assign(part, A_SCALAR if named else self.item(value))
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value.tagged(CONTAINER)._replace(elems=value.tags))
        elif isinstance(target, ast.Attribute):
            self._assign_attribute(target, value)
        elif isinstance(target, ast.Subscript):
            holder = self.ev(target.value)
            self.ev(target.slice)
            self.change(holder, target)
            self.store.put(holder, value)
            for tag in holder.tags:
                if tag[0] == "lib":
                    self.lose(f"{tag[1]} is changed", target)

    def _assign_attribute(self, target: ast.Attribute, value: Value) -> None:
        holder = self.ev(target.value)
        for tag in holder.tags:
            if tag[0] == "lib":
                self.lose(f"{tag[1]}.{target.attr} is changed", target)
            elif tag[0] == "module":
                var = tag[1].var(target.attr)
                self.store.assign(var, value)
                self.effect(Effect("bind", frozenset([var]), position_of(target), self.region))
            elif tag[0] == "func":
                self.lose(f"an attribute of the function {tag[1].name} is changed", target)
        self.change(holder, target)
        self.store.put(holder, value)
        self.store.put_attribute(target.attr, value._replace(hist=value.hist | value.srcs))
        if target.attr == "requires_grad":
            self.wants_gradient(holder)

    def wants_gradient(self, value: Value) -> None:
        """It is no mere data: `backward` reaches it."""
        for var in value.srcs:
            if DATA in self.store.tags_of(var):
                self.store.assign(var, Value(tags=frozenset([UNKNOWN])))

    def effect(self, effect: Effect) -> None:
        self.facts.effects.append(effect)

    def change(self, value: Value, node: ast.AST, soft: bool = False) -> None:
        """Objects that the value may be, or hold, are changed in place."""
        if value.srcs:
            at = position_of(node)
            self.effect(Effect("change", value.srcs, at, self.region, soft))

    def lose(self, why: str, node: ast.AST, kind: str = "lost") -> None:
        """`dark`: it matters wherever it stands."""
        self.effect(Effect(kind, NO_VARS, position_of(node), self.region, why=why))

    def iterate(self, value: Value, node: ast.AST) -> None:
        """Going through something may move it on: a generator, a loader with its own order."""
        if not value.srcs or value.of_kind("container", "data", "imm"):
            return
        # A loader begins anew each time; an iterator in a variable has moved on.
        loaders = (tag for tag in value.tags if tag[0] not in _ANEW)
        anew = all(tag[0] == "made" and is_loader(tag[1]) for tag in loaders)
        held = any(tag[0] in _MOVED for var in value.srcs for tag in self.store.tags_of(var))
        soft = anew and not held
        self.effect(Effect("iterate", value.srcs, position_of(node), self.region, soft))

    def item(self, value: Value) -> Value:
        """What may come out of it."""
        if value.of_kind("data"):
            return value.data
        if KEYED in value.tags:
            return value._replace(tags=frozenset([PAIR]), within=None)
        tags = set(value.elems)
        for tag in value.tags:
            if tag[0] == "data" or (tag[0] == "made" and tag[1].startswith("torch.utils.data.")):
                tags.add(DATA)
            elif tag[0] == "imm":
                tags.add(tag)
            elif tag[0] not in ("container", "stream", "generator", "pair"):
                tags.add(UNKNOWN)
        if not tags and self.store.settled:
            tags.add(UNKNOWN)
        return value._replace(tags=frozenset(tags), within=None)

    # Expressions.

    def ev(self, node: ast.AST) -> Value:
        return getattr(self, f"_ev_{type(node).__name__}", self._ev_others)(node)

    def _ev_others(self, node: ast.AST) -> Value:
        """Comparisons, f-strings, slices: parts are looked at, and the result is new."""
        parts = [self.ev(child) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Compare) and not all(one.of_kind("imm") for one in parts):
            return join(parts).fresh
        return A_SCALAR

    def _ev_Name(self, node: ast.Name) -> Value:
        var = self.scope.resolve(node.id)
        if var is None:
            if node.id in ("__name__", "__file__", "__doc__"):
                return A_SCALAR
            root = "builtins" if node.id in _BUILTINS else "?"
            return Value(tags=frozenset([("lib", f"{root}.{node.id}")]))
        self._read(var, node)
        return self.store.value(var)

    def _read(self, var: Var, node: ast.AST) -> None:
        self.facts.reads.append(Read(var, position_of(node), self.region, self._plain > 0))

    def _ev_Attribute(self, node: ast.Attribute) -> Value:
        holder = self.ev(node.value)
        return join([self._attribute(holder, tag, node) for tag in holder.tags] or [holder])

    def _attribute(self, holder: Value, tag: Any, node: ast.Attribute) -> Value:
        kind, name = tag[0], node.attr
        if kind == "lib":
            # Else a path could grow for ever, in a loop that goes from attribute to attribute.
            far = tag[1].count(".") > _PATH_MAX
            return Value(tags=frozenset([UNKNOWN if far else ("lib", f"{tag[1]}.{name}")]))
        if kind == "module":
            var = tag[1].var(name)
            self._read(var, node)
            return self.store.value(var)
        if kind in ("class", "inst", "super"):
            return self._invoke.member(holder, tag, name, node)
        if name in SCALAR_ATTRIBUTES or kind == "imm":
            return A_SCALAR
        if kind == "data":
            return holder.data
        known = self.store.attribute(name)
        tags = known.tags or frozenset([UNKNOWN])
        if kind == "?":
            tags = tags | {UNKNOWN}
        return Value(holder.srcs, holder.hist | known.hist, tags, known.elems)

    def _ev_Subscript(self, node: ast.Subscript) -> Value:
        holder = self.ev(node.value)
        self.ev(node.slice)
        return self.item(holder)

    def _ev_Call(self, node: ast.Call) -> Value:
        plain = is_plain_use(node)
        self._plain += plain
        value = self._call(node)
        self._plain -= plain
        return value

    def _call(self, node: ast.Call) -> Value:
        called = self._sdk.called(node)
        if called == "log":
            return self._log(node)
        if called == "loop":
            loop = self._loop(node, None)
            self.iterate(loop.items, node)
            return loop.items
        if called in ("arg", "frame", "checkpointing"):
            return self._invoke.sdk(called, node)
        return self._invoke.call(node)

    def _log(self, node: ast.Call) -> Value:
        first, edge = len(self.facts.effects), len(self.facts.edges)
        plain = all(is_plain(one) for one in [*node.args, *(one.value for one in node.keywords)])
        self._plain += plain
        given = [self.ev(one) for one in node.args]
        given += [self.ev(one.value) for one in node.keywords]
        self._plain -= plain
        effects, edges = self.facts.effects[first:], self.facts.edges[edge:]
        self.facts.logs.append(LogFacts(self.root, node, self.region, effects, edges))
        return given[1] if len(given) > 1 else A_SCALAR

    def _ev_BinOp(self, node: ast.BinOp) -> Value:
        both = join([self.ev(node.left), self.ev(node.right)])
        if both.of_kind("imm"):
            return A_SCALAR
        if both.of_kind("imm", "data"):
            return both.fresh
        return both._replace(tags=both.tags | {DATA})

    def _ev_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.ev(node.operand)
        return A_SCALAR if isinstance(node.op, ast.Not) or value.of_kind("imm") else value.fresh

    def _ev_BoolOp(self, node: ast.BoolOp) -> Value:
        return join([self.ev(one) for one in node.values])

    def _ev_IfExp(self, node: ast.IfExp) -> Value:
        self.ev(node.test)
        return join([self.ev(node.body), self.ev(node.orelse)])

    def _ev_NamedExpr(self, node: ast.NamedExpr) -> Value:
        value = self.ev(node.value)
        self.assign(node.target, value)
        return value

    def _ev_Tuple(self, node: Any) -> Value:
        return self._container([self.ev(one) for one in node.elts])

    _ev_List = _ev_Set = _ev_Tuple

    def _ev_Dict(self, node: ast.Dict) -> Value:
        keys = [self.ev(one) for one in node.keys if one is not None]
        return self._container([*(self.ev(one) for one in node.values), *keys])

    def _container(self, parts: List[Value]) -> Value:
        every = join(parts) if parts else NOTHING
        elems = every.tags | every.elems
        # It holds them, and is part of none.
        return Value(every.srcs, every.hist, frozenset([CONTAINER]), elems, NO_VARS)

    def _ev_Starred(self, node: ast.Starred) -> Value:
        value = self.ev(node.value)
        self.iterate(value, node)
        return self.item(value)

    def _ev_Lambda(self, node: ast.Lambda) -> Value:
        scope = self.program.scope_of(self.scope, node)
        self._defaults(node.args, scope)
        return Value(tags=frozenset([("func", scope)]))

    def _ev_ListComp(self, node: Any) -> Value:
        outer, self.scope = self.scope, self.program.scope_of(self.scope, node)
        self.facts.repeated.append((position_of(node), end_of(node)))
        for part in node.generators:
            items = self.ev(part.iter)
            self.iterate(items, part.iter)
            self.assign(part.target, self.item(items))
            for test in part.ifs:
                self.ev(test)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        value = self._container([self.ev(one) for one in parts])
        self.scope = outer
        return value

    _ev_SetComp = _ev_DictComp = _ev_ListComp

    def _ev_GeneratorExp(self, node: ast.GeneratorExp) -> Value:
        return self._ev_ListComp(node).tagged(STREAM)

    def _ev_Await(self, node: ast.Await) -> Value:
        return self.ev(node.value)

    def _ev_Yield(self, node: ast.Yield) -> Value:
        if node.value is not None:
            self.store.put(Value(frozenset([self.root.var(RETURN)])), self.ev(node.value))
        return Value(tags=frozenset([UNKNOWN]))

    def _ev_YieldFrom(self, node: ast.YieldFrom) -> Value:
        value = self.ev(node.value)
        self.iterate(value, node)
        self.store.put(Value(frozenset([self.root.var(RETURN)])), self.item(value))
        return Value(tags=frozenset([UNKNOWN]))

    def variable(self, name: str) -> Optional[Var]:
        return self.scope.resolve(name)
