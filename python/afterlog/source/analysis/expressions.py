"""Expressions: what each of them may be, and what evaluating it does to variables."""

import ast
import builtins
import functools
from typing import Any, Callable, List, Optional, Set

from ...format.console_rule import PrintedNames
from ..libraries import attribute, is_constant
from ..program.global_names import is_globals, read_from_globals
from ..program.program import Program
from ..program.scopes import Scope, Var
from ..program.sdk_calls import literal_text
from .abstract_values import A_SCALAR, ADDRESS, CONTAINER, DATA, KEYED, KEYED_BATCHES, NO_VARS
from .abstract_values import NOTHING, PAIR, SET, STREAM, UNKNOWN, Tags, Value, Vars, join, kinds_of
from .calls import Calls
from .classes import note_set_by_name, note_set_on_class
from .facts import Effect, LogFacts, LoopFacts, Read
from .facts import end_of, position_of
from .foreign_modules import FOREIGN
from .described_calls import is_tensor, may_be_tensor, type_of
from .module_names import all_values, bind_any
from .noted_effects import ANY_NAME, NotedEffects
from .plain_expressions import is_dictionary, is_plain, is_plain_use
from .points_to import PointsToStore
from .project_calls import RETURN
from .set_elements import elements_of_set, is_set

# A loop of the SDK that no `for` goes through directly.
LOOPED = ("looped",)
# The last part of a path that was not spelled out from an import on.
FAR = "far"
# For a name that an import binds and an assignment too, to an attribute of itself.
_PATH_MAX = 8
_BUILTINS = frozenset(dir(builtins))


class Expressions(NotedEffects):
    """Of one scope."""

    def __init__(self, program: Program, store: PointsToStore, scope: Scope) -> None:
        super().__init__(program, store, scope)
        self.sdk = program.module_at(scope).sdk
        self._printing = program.module_at(scope).printing
        self.calls = Calls(self)
        # The call, or the decorator, that is being evaluated.
        self.call: Any = None
        # Inside how many expressions of which only a number or a text is taken.
        self._plain = 0
        # What a `with` enters.
        self.entered: Set[ast.AST] = set()
        # What is only read by the names in it.
        self.named: Set[ast.AST] = set()
        # Inside how many statements that go through a recorded loop by a detour.
        self.looped = 0

    # What statements and expressions do to variables.

    def bind_name(self, name: str, value: Value, node: ast.AST) -> None:
        var = self.scope.resolve(name)
        if var is None:
            return
        self.store.assign(var, value)
        self.effect(Effect("bind", self.store.bit(var), position_of(node), self.region))

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.bind_name(target.id, value, target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.move_on(value, target)
            self._note_set(target, value)
            for index, part in enumerate(target.elts):
                named = index == 0 and value.of_kind("pair")
                self.assign(part, A_SCALAR if named else self._unpacked_part(value, index))
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value.tagged(CONTAINER)._replace(elems=value.tags))
        elif isinstance(target, ast.Attribute):
            self._assign_attribute(target, value)
        elif isinstance(target, ast.Subscript) and is_globals(self.scope, target.value):
            self.evaluate(target.slice)
            bind_any(self, value, target)
        elif isinstance(target, ast.Subscript):
            holder = self.evaluate(target.value)
            key = self.evaluate(target.slice)
            self.change_itself(holder, target)
            self.store.put(holder, value)
            if is_dictionary(target.value):
                self.give_tensor(holder, ANY_NAME, value)
                self.note_in_dictionary(target.value, value)
            if ADDRESS in key.tags or any(tag[0] == "inst" for tag in key.tags | key.elems):
                self.store.put(holder, key)
            for tag in holder.tags:
                if tag[0] == "lib":
                    self.lose(f"{tag[1]} is changed", target)

    def note_in_dictionary(self, node: ast.expr, value: Value) -> None:
        """More is put into `vars(x)`, or `x.__dict__`."""
        holder = node.args[0] if isinstance(node, ast.Call) and node.args else node
        holder = getattr(holder, "value", holder) if holder is node else holder
        note_set_by_name(self.store, self.evaluate(holder), value)

    def _assign_attribute(self, target: ast.Attribute, value: Value) -> None:
        holder = self.evaluate(target.value)
        self.set_attribute(holder, target.attr, value, target)
        if target.attr == "__dict__":
            # Whoever has the old one would have one that the object has no more.
            self.lose("the dictionary of an object is replaced", target)
        self.change_attribute(holder, target)
        self.store.put(holder, value)
        if any(map(may_be_tensor, holder.tags)):
            self.give_tensor(holder, target.attr, value)
        self.store.put_attribute(target.attr, value._replace(hist=value.hist | value.srcs))
        if target.attr == "requires_grad":
            self.wants_gradient(holder)

    def set_attribute(self, holder: Value, name: str, value: Value, node: ast.AST) -> None:
        """Of what no variable holds the attributes of: modules, functions and classes."""
        for tag in holder.tags:
            if tag[0] == "lib":
                self.lose(f"{tag[1]}.{name} is changed", node)
                self.give_library(f"{tag[1]}.{name}", value)
            elif tag[0] == "module":
                var = tag[1].var(name)
                self.store.assign(var, value)
                self.effect(Effect("bind", self.store.bit(var), position_of(node), self.region))
            elif tag[0] == "func":
                self.lose(f"an attribute of the function {tag[1].name} is changed", node)
                self.put_on_function(tag[1], name, value)
            elif tag[0] == "class":
                note_set_on_class(self.store, name)

    def _unpacked_part(self, value: Value, index: int) -> Value:
        """What an assignment takes from it for one of several targets."""
        item = self.item(value)
        parts = {self.store.origins.part(tag, index) for tag in value.tags if tag[0] == "?"}
        if not parts or UNKNOWN in value.elems:
            return item
        return item._replace(tags=(item.tags - {UNKNOWN}) | parts)

    def item(self, value: Value) -> Value:
        """What may come out of it."""
        if value.of_kind("data"):
            return value.data
        if value.is_batched:
            pairs = KEYED_BATCHES in value.tags
            return Value(tags=frozenset([PAIR if pairs else DATA]), elems=frozenset([DATA]))
        if KEYED in value.tags:
            return value._replace(tags=frozenset([PAIR]), within=None)
        tags = _item_tags(value.tags, value.elems)
        if not tags and self.store.settled:
            tags = frozenset([UNKNOWN])
        return value._replace(tags=tags, within=None)

    def sdk_loop(
        self, call: ast.Call, statement: Optional[ast.For], counted: bool = False
    ) -> LoopFacts:
        """One that `loop` of the SDK makes. `counted`: `enumerate` goes through it."""
        first = len(self.facts.reads)
        items = NOTHING
        for index, given in enumerate([*call.args, *(one.value for one in call.keywords)]):
            value = self.evaluate(given)
            items = value if index == 1 else items
        if counted:
            items = self.calls.library.counted(items)
        reads = self.read_since(first)
        loop = self.add_loop(literal_text(call), call, statement, items, reads)
        loop.counted = counted
        return loop

    def read_since(self, first: int) -> Vars:
        """Variables that were read since so many reads."""
        reads = NO_VARS
        for read in self.facts.reads[first:]:
            reads |= self.store.bit(read.var)
        return reads

    def add_loop(
        self, name: Optional[str], node: Any, statement: Any, items: Value, reads: Vars
    ) -> LoopFacts:
        at, number = position_of(statement or node), self.program.loop_numbers[node]
        facts = (number, self.root, name, node, statement, self.region, items, reads, at)
        self.facts.loops.append(LoopFacts(*facts))
        return self.facts.loops[-1]

    def evaluate_defaults(self, arguments: ast.arguments, scope: Scope) -> None:
        positional = [*arguments.posonlyargs, *arguments.args]
        given = positional[len(positional) - len(arguments.defaults) :]
        pairs = [*zip(given, arguments.defaults), *zip(arguments.kwonlyargs, arguments.kw_defaults)]
        for parameter, default in pairs:
            if default is None:
                continue
            value = self.evaluate(default)
            if not isinstance(default, (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp)):
                # The same object in every call: it lives in the function, where nobody captures it.
                own = scope.var(f"{parameter.arg}=")
                bit = self.store.bit(own)
                value = value._replace(srcs=value.srcs | bit, within=value.holders | bit)
            self.store.assign(scope.var(parameter.arg), value)

    # Expressions.

    def evaluate(self, node: ast.AST) -> Value:
        self.named.update(read_from_globals(node))
        value: Value = getattr(self, f"_ev_{type(node).__name__}", self._ev_others)(node)
        self._note_set(node, value)
        if value.is_batched:
            self.facts.batched.append(node)
        return value

    def _note_set(self, node: ast.AST, value: Value) -> None:
        if is_set(self.store, node, value):
            self.facts.sets.append((node, elements_of_set(self.store, node, value)))

    def _ev_others(self, node: ast.AST) -> Value:
        """Comparisons, f-strings, slices: parts are looked at, and the result is new."""
        parts = [self.evaluate(child) for child in ast.iter_child_nodes(node)]
        for part in parts if isinstance(node, ast.Compare) else ():
            # `x in items` goes through them.
            self.move_on(part, node)
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
        return self._told_apart(node.id, self.read_variable(var, node))

    def _told_apart(self, name: str, value: Value) -> Value:
        """A text or a number that is compared by `is`: no checkpoint keeps which one it was."""
        if name not in self.program.compared_by_is or not value.tags:
            return value
        return value.tagged(ADDRESS) if all(tag[0] == "imm" for tag in value.tags) else value

    def read_variable(self, var: Var, node: ast.AST) -> Value:
        self.facts.reads.append(Read(var, position_of(node), self.region, self._plain > 0))
        return self.store.value(var)

    def _ev_Attribute(self, node: ast.Attribute) -> Value:
        holder = self.evaluate(node.value)
        tags = kinds_of(holder.tags)
        value = join([self._attribute(holder, tag, node) for tag in tags] or [holder])
        return self._told_apart(node.attr, value)

    def _attribute(self, holder: Value, tag: Any, node: ast.Attribute) -> Value:
        kind, name = tag[0], node.attr
        if kind == "lib":
            given = self.given_library(f"{tag[1]}.{name}")
            if given.tags:
                return given
            if is_constant(f"{tag[1]}.{name}"):
                return A_SCALAR
            return Value(tags=frozenset([self._library_attribute(tag, node)]))
        if kind == "module":
            return self.module_member(tag[1], name, node)
        if kind in ("class", "inst", "super"):
            return self.calls.project.member(holder, tag, name, node)
        if kind in ("func", "method"):
            self.store.ask_memory(tag[1])
            holder = holder._replace(srcs=holder.srcs | self.put_on(tag[1], name))
        if name == "__class__":
            return Value(tags=frozenset([type_of(holder)]))
        if "scalar" in attribute(name) or kind == "imm":
            return A_SCALAR
        if kind == "data" or is_tensor(tag):
            given = self.given_tensors(name)
            own = {DATA, STREAM} if "stream" in attribute(name) else {DATA}
            return holder.data._replace(tags=given.tags | own, elems=given.elems)
        known = self.store.attribute(name)
        if "tensor" in attribute(name) and not known.tags:
            return holder.data
        tags = known.tags or frozenset([UNKNOWN])
        if tag == FOREIGN:
            # A part of such a module, or what somebody else has put there.
            tags = known.tags | {FOREIGN}
        elif kind in ("?", "made", "partial"):
            # What the program gives objects of its own by that name, this one need not have.
            tags = known.tags | {DATA if "tensor" in attribute(name) else UNKNOWN}
        return Value(holder.srcs, holder.hist | known.hist, tags, known.elems)

    def module_member(self, scope: Scope, name: str, node: Optional[ast.AST]) -> Value:
        """What a module has under a name. `node`: where it is read; None: it is called."""
        path = self.program.path_beside(scope, name)
        if path is None:
            var = scope.var(name)
            return self.store.value(var) if node is None else self.read_variable(var, node)
        module = self.program.skeleton_of(path)
        tag = ("lib", path) if module is None else ("module", module.scopes.module)
        return Value(tags=frozenset([tag]))

    def _library_attribute(self, tag: Any, node: ast.Attribute) -> Any:
        """As far as the text spells it out from an import on, and one attribute further. Else paths
        would grow in every round of a program that goes from attribute to attribute (`self.next`,
        where `self` may be a function of a library), and each path with each attribute."""
        path = f"{tag[1]}.{node.attr}"
        root: ast.AST = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            var = self.scope.resolve(root.id)
            spelled = var is not None and var.name in var.scope.imported and tag[-1] != FAR
            # A method by its class: `list.sort`.
            spelled = spelled or (var is None and root is node.value and root.id in _BUILTINS)
            if spelled and path.count(".") <= _PATH_MAX:
                return ("lib", path)
        far = tag[-1] == FAR or tag[1].startswith("builtins.")
        return UNKNOWN if far else ("lib", path, FAR)

    def _ev_Subscript(self, node: ast.Subscript) -> Value:
        holder = self.evaluate(node.value)
        self.evaluate(node.slice)
        if ("made", "collections.defaultdict") in holder.tags:
            # Looking makes an entry.
            self.change(holder, node)
        if not isinstance(node.slice, ast.Slice) or not holder.may_be("container"):
            return self.item(holder)
        # A piece of a list is another list, of the same items.
        rest = holder._replace(tags=holder.tags - {CONTAINER})
        return join([holder.collected, *([self.item(rest)] if rest.tags else [])])

    def _ev_Call(self, node: ast.Call) -> Value:
        plain = is_plain_use(node)
        self._plain += plain
        value = self._call(node)
        self._plain -= plain
        return value

    def _call(self, node: ast.Call) -> Value:
        called = self.sdk.called(node)
        if node in self.named and is_globals(self.scope, node):
            return all_values(self, node)
        if called == "log":
            return self._log(node)
        if called == "loop":
            loop = self.sdk_loop(node, None)
            self.iterate(loop.items, node)
            return loop.items._replace(tags=loop.items.tags | {LOOPED})
        if called in ("arg", "frame", "checkpointing"):
            return self.calls.sdk(called, node)
        printed = None if self._printing is None else self._printing.names_of(node)
        if printed is None or self._printing is None:
            return self.calls.call(node)
        if self._printing.is_of_library(node):
            # Its name alone tells: it may be a method of the program that does more than to log.
            return self._log(node, printed, lambda: [self.calls.call(node)])
        return self._print(node, printed)

    def _print(self, node: ast.Call, printed: PrintedNames) -> Value:
        """Printing changes nothing, whatever a logger does with it."""
        if isinstance(node.func, ast.Attribute):
            self.evaluate(node.func.value)
        self._log(node, printed)
        return A_SCALAR

    def _log(
        self,
        node: ast.Call,
        printed: Optional[PrintedNames] = None,
        evaluate: Optional[Callable[[], List[Value]]] = None,
    ) -> Value:
        first, edge = len(self.facts.effects), len(self.facts.edges)
        given = self._shown_by(node) if evaluate is None else evaluate()
        effects, edges = self.facts.effects[first:], self.facts.edges[edge:]
        vague = self.looped > 0
        facts = LogFacts(self.root, node, self.region, effects, edges, vague, printed)
        self.facts.logs.append(facts)
        return given[1] if len(given) > 1 else A_SCALAR

    def _shown_by(self, node: ast.Call) -> List[Value]:
        plain = all(is_plain(one) for one in [*node.args, *(one.value for one in node.keywords)])
        self._plain += plain
        given = [self.evaluate(one) for one in node.args]
        given += [self.evaluate(one.value) for one in node.keywords]
        self._plain -= plain
        return given

    def _ev_BinOp(self, node: ast.BinOp) -> Value:
        parts = [self.evaluate(node.left), self.evaluate(node.right)]
        both = join(parts)
        if not self.store.settled and not all(part.tags for part in parts):
            # It depends on what nothing is known of yet.
            return both.tagged()
        if both.of_kind("imm"):
            return A_SCALAR
        if both.of_kind("imm", "data"):
            return both.fresh
        if both.of_kind("imm", "container"):
            return both.collected
        return both._replace(tags=both.tags | {DATA})

    def _ev_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.evaluate(node.operand)
        return A_SCALAR if isinstance(node.op, ast.Not) or value.of_kind("imm") else value.fresh

    def _ev_BoolOp(self, node: ast.BoolOp) -> Value:
        return join([self.evaluate(one) for one in node.values])

    def _ev_IfExp(self, node: ast.IfExp) -> Value:
        self.evaluate(node.test)
        return join([self.evaluate(node.body), self.evaluate(node.orelse)])

    def _ev_NamedExpr(self, node: ast.NamedExpr) -> Value:
        value = self.evaluate(node.value)
        self.assign(node.target, value)
        return value

    def _ev_Tuple(self, node: Any) -> Value:
        return self._new_container([self.evaluate(one) for one in node.elts])

    _ev_List = _ev_Tuple

    def _ev_Set(self, node: ast.Set) -> Value:
        return self._ev_Tuple(node).tagged(SET)

    def _ev_Dict(self, node: ast.Dict) -> Value:
        keys = [self.evaluate(one) for one in node.keys if one is not None]
        return self._new_container([*(self.evaluate(one) for one in node.values), *keys])

    def _new_container(self, parts: List[Value]) -> Value:
        every = join(parts) if parts else NOTHING
        elems = every.tags | every.elems
        # It holds them, and is part of none.
        return Value(every.srcs, every.hist, frozenset([CONTAINER]), elems, NO_VARS)

    def _ev_Starred(self, node: ast.Starred) -> Value:
        value = self.evaluate(node.value)
        self.iterate(value, node)
        return self.item(value)

    def _ev_Lambda(self, node: ast.Lambda) -> Value:
        scope = self.program.scope_of(self.scope, node)
        self.evaluate_defaults(node.args, scope)
        return Value(tags=frozenset([("func", scope)]))

    def _ev_ListComp(self, node: Any) -> Value:
        outer, self.scope = self.scope, self.program.scope_of(self.scope, node)
        self.facts.repeated.append((position_of(node), end_of(node)))
        for part in node.generators:
            items = self.evaluate(part.iter)
            self.iterate(items, part.iter)
            self.assign(part.target, self.item(items))
            for test in part.ifs:
                self.evaluate(test)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        value = self._new_container([self.evaluate(one) for one in parts])
        self.scope = outer
        return value

    _ev_DictComp = _ev_ListComp

    def _ev_SetComp(self, node: ast.SetComp) -> Value:
        return self._ev_ListComp(node).tagged(SET)

    def _ev_GeneratorExp(self, node: ast.GeneratorExp) -> Value:
        return self._ev_ListComp(node).tagged(STREAM)

    def _ev_Await(self, node: ast.Await) -> Value:
        return self.evaluate(node.value)

    def _ev_Yield(self, node: ast.Yield) -> Value:
        if node.value is not None:
            self.store.put(Value(self.store.bit(self.root.var(RETURN))), self.evaluate(node.value))
        return Value(tags=frozenset([UNKNOWN]))

    def _ev_YieldFrom(self, node: ast.YieldFrom) -> Value:
        value = self.evaluate(node.value)
        self.iterate(value, node)
        given = self.item(value)
        self.store.put(Value(self.store.bit(self.root.var(RETURN))), given)
        # What the other one returns is noted beside what it yields.
        return given._replace(tags=given.tags | {UNKNOWN})

    def variable(self, name: str) -> Optional[Var]:
        return self.scope.resolve(name)


@functools.lru_cache(maxsize=1024)
def _item_tags(tags: Tags, elems: Tags) -> Tags:
    """What may come out of something, by what it may be. Kept: where everything may be everything
    these are long, and the same ones come again and again."""
    found = set(elems)
    for tag in tags:
        if tag[0] == "data" or (tag[0] == "made" and tag[1].startswith("torch.utils.data.")):
            found.add(DATA)
        elif tag[0] == "imm" or tag == FOREIGN:
            found.add(tag)
        elif tag[0] not in ("container", "stream", "generator", "pair", "looped"):
            found.add(UNKNOWN)
    return frozenset(found)
