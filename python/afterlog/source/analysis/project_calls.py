"""Calls of the project's own functions and classes, which are followed: parameters get what is
given, and the call is an edge of the program."""

import ast
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set

from ..libraries import attribute, may_change_given
from ..program.scopes import Scope
from ..program.skeletons import is_skeleton
from .abstract_values import A_SCALAR, ADDRESS, CONTAINER, NO_VARS, NOTHING, UNKNOWN, Tag, Value
from .abstract_values import join
from .class_fields import fields_of
from .classes import class_attribute, class_call, class_of, classes_given, find_method
from .classes import given_by_name, may_be_inherited
from .classes import has_decorator, has_library_base, is_autograd_function, is_property
from .classes import library_bases
from .facts import Edge, position_of
from .foreign_modules import FOREIGN
from .plain_expressions import returns_something

if TYPE_CHECKING:
    from .expressions import Expressions

RETURN = "<return>"


class Arguments(NamedTuple):
    positional: List[Value]
    named: Dict[str, Value]
    # Of `*` and `**`: nobody knows which parameter gets them.
    spread: List[Value]

    @property
    def every(self) -> List[Value]:
        return [*self.positional, *self.named.values(), *self.spread]


class ProjectCalls:
    def __init__(self, evaluator: "Expressions") -> None:
        self._at = evaluator

    def function(self, scope: Scope, given: Arguments, first: Optional[Value], node: Any) -> Value:
        """The project's own: parameters get what is given, and it is followed."""
        at = self._at
        positional = [*([] if first is None else [first]), *given.positional]
        names = scope.params
        for index, value in enumerate(positional):
            if index < len(names):
                at.store.assign(scope.var(names[index]), value)
            elif scope.vararg:
                at.store.assign(scope.var(scope.vararg), _held_in_container(value))
        for name, value in given.named.items():
            if name in names:
                at.store.assign(scope.var(name), value)
            elif scope.kwarg:
                at.store.assign(scope.var(scope.kwarg), _held_in_container(value))
        for value in given.spread:
            for name in names[1:] if first is not None else names:
                at.store.assign(scope.var(name), value)
            for rest in (scope.vararg, scope.kwarg):
                if rest:
                    at.store.assign(scope.var(rest), _held_in_container(value))
        at.facts.edges.append(Edge(scope, position_of(node), at.region, "call"))
        result = at.store.value(scope.var(RETURN))
        if at.store.remembers(scope, result):
            at.lose(f"{scope.name} remembers what it has computed", node)
        if scope.is_generator:
            return result.tagged(("generator", scope))
        return result if returns_something(scope) else A_SCALAR

    def instance(self, scope: Scope, given: Arguments) -> Value:
        """A new instance: it may hold all that it was made with."""
        init = find_method(self._at, scope, "__init__")
        every = join(given.every) if given.every else NOTHING
        # A skeleton tells what it keeps, and what it calls.
        is_told = init is not None and is_skeleton(init.file)
        if is_told:
            every = NOTHING
        made = Value(every.srcs, every.hist, frozenset([("inst", scope)]), within=NO_VARS)
        if init is not None:
            self.function(init, given, made, self._at.call)
            held = self._at.store.value(init.var(init.params[0])) if init.params else NOTHING
            first = self._at.store.bit(init.var(init.params[0])) if init.params else NO_VARS
            srcs, hist = made.srcs | held.srcs, made.hist | held.hist
            made = made._replace(srcs=srcs, hist=hist, elems=held.elems & {ADDRESS}, within=first)
        else:
            held = self._give_fields(scope, given)
            made = made._replace(srcs=made.srcs | held.srcs, hist=made.hist | held.hist)
        new = find_method(self._at, scope, "__new__")
        if new is not None:
            # It may give one that was made before.
            given_by = self.function(new, given, class_of(self._at, scope), self._at.call)
            srcs, hist = made.srcs | given_by.srcs, made.hist | given_by.hist
            made = made._replace(srcs=srcs, hist=hist, within=None)
        if not is_told and (init is None or has_library_base(self._at, scope)):
            self.escape_all(given.every, given.every)
        maker = class_call(self._at, scope)
        if maker is None:
            return made
        given_by = self.function(maker, given, class_of(self._at, scope), self._at.call)
        return join([made, given_by])._replace(within=None)

    def _give_fields(self, scope: Scope, given: Arguments) -> Value:
        """A class without `__init__`: of a dataclass, what is given is set in the order of its
        fields, and what makes others is called. Gives what these make."""
        for name, value in given.named.items():
            self._at.store.put_attribute(name, value)
        fields = fields_of(self._at, scope)
        for index, value in enumerate([*given.positional, *given.spread]):
            is_placed = fields.in_order and index < len(given.positional)
            for name in fields.names[index : index + 1] if is_placed else fields.names:
                self._at.store.put_attribute(name, value)
        made = []
        for name in fields.names:
            factory = class_attribute(self._at, scope, name)
            tags = frozenset(tag[1] for tag in factory.tags if tag[0] == "factory")
            if tags:
                named = fields.factories.get(name, NOTHING)
                # What has no name only the class holds.
                callee = (named if named.srcs else factory)._replace(tags=tags)
                made.append(self._at.calls.call_value(callee, Arguments([], {}, [])))
        return join(made) if made else NOTHING

    def call_method(
        self, receiver: Value, scope: Scope, name: str, given: Arguments
    ) -> List[Value]:
        """Of an instance of the class, if it has one by that name."""
        method = find_method(self._at, scope, name)
        first = receiver.tagged(("inst", scope))
        return [] if method is None else [self.function(method, given, first, self._at.call)]

    def called_instance(self, callee: Value, scope: Scope, given: Arguments) -> Value:
        results = self.call_method(callee, scope, "__call__", given)
        results += self.call_method(callee, scope, "forward", given)
        if has_library_base(self._at, scope):
            self._at.change(callee, self._at.call, soft=True, tensors=_is_torch(self._at, scope))
            if not results:
                results.append(join([callee, *given.every]).data)
        return join(results) if results else NOTHING

    def any_forward(
        self, callee: Value, given: Arguments, is_meant: Callable[[Scope], bool] = lambda _: True
    ) -> None:
        """It may be a module of the project, or hold some."""
        instances: Dict[Scope, List[Tag]] = {}
        for scope in filter(is_meant, self._at.program.classes()):
            for name in ("forward", "__call__"):
                method = find_method(self._at, scope, name)
                if method is not None:
                    instances.setdefault(method, []).append(("inst", scope))
        for method, tags in instances.items():
            self.function(method, given, callee.tagged(*tags), self._at.call)

    def held_forward(self, callee: Value, given: Arguments) -> None:
        """A container of PyTorch calls the modules that were put into it, by whatever name."""
        kinds = set(callee.elems)
        for var in self._at.store.members(callee.srcs):
            kinds |= self._at.store.kinds_of(var)[1]
        if any(tag[0] == "?" for tag in kinds):
            self.any_forward(callee, given)
            return
        for tag in sorted((one for one in kinds if one[0] == "inst"), key=lambda one: one[1].label):
            self.called_instance(callee, tag[1], given)

    def member(self, holder: Value, tag: Tag, name: str, node: ast.AST) -> Value:
        """An attribute of a class or of an instance of one."""
        kind, scope = tag
        method = find_method(self._at, scope, name, above=kind == "super")
        if method is not None and kind != "class" and is_property(method):
            value = self.function(method, Arguments([], {}, []), holder, node)
            if has_decorator(method, "cached_property"):
                # The first time it is asked for, the instance keeps it.
                self._at.change(holder, node)
                self._at.store.put(holder, value)
            return value
        if name == "__class__" and kind == "inst":
            return class_of(self._at, scope)
        if method is not None:
            bound = "func" if kind == "class" else "method"
            return Value(holder.srcs, holder.hist, frozenset([(bound, method)]))
        if name == "apply" and kind == "class" and is_autograd_function(self._at, scope):
            return Value(holder.srcs, holder.hist, frozenset([("apply", scope)]))
        stored = join([self._at.store.attribute(name), *given_by_name(self._at, scope)])
        of_fields = has_decorator(scope, "dataclass")
        # What `super()` means is not what the class itself has under the name.
        own = NOTHING if of_fields else class_attribute(self._at, scope, name, kind == "super")
        tags = stored.tags | own.tags
        if tags and may_be_inherited(self._at, scope, name):
            tags |= {UNKNOWN}
        if not tags and self._at.store.settled:
            tags = frozenset([UNKNOWN])
        if kind == "class":
            if not own.tags and "scalar" not in attribute(name):
                self._at.open_classes(holder)
            return join([own, Value(holder.srcs, stored.hist, tags, stored.elems)])
        hist = holder.hist | stored.hist | own.hist
        srcs = holder.srcs | own.srcs | classes_given(self._at, scope, name).srcs
        return Value(srcs, hist, tags, stored.elems | own.elems)

    def super_object(self) -> Value:
        scope: Optional[Scope] = self._at.scope.function
        while scope is not None and scope.kind != "class":
            method, scope = scope, scope.parent
            if scope is not None and scope.kind == "class" and method.params:
                first = self._at.store.value(method.var(method.params[0]))
                return first.tagged(("super", scope))
        return Value(tags=frozenset([UNKNOWN]))

    def methods_named(self, receiver: Value, tag: Tag, name: str, given: Arguments) -> List[Value]:
        """Nobody knows what it is called on: it may be any method of that name, and of a module
        any of the project's modules."""
        return [
            self.function(scope.methods[name], given, receiver, self._at.call)
            for scope in self._at.program.classes()
            if name in scope.methods and (tag != FOREIGN or has_library_base(self._at, scope))
        ]

    def replacements(
        self, method: Scope, name: str, given: Arguments, first: Optional[Value]
    ) -> List[Value]:
        """Calls of functions that a decorator or an assignment has put in a method's place."""
        body = method.parent or method
        found = self._at.store.attribute(name).tags | self._at.store.tags_of(body.var(name))
        others = [tag[1] for tag in found if tag[0] == "func" and tag[1] is not method]
        others.sort(key=lambda one: (one.file, one.label))
        ways: List[Optional[Value]] = [first] if first is None else [first, None]
        return [self.function(one, given, way, self._at.call) for one in others for way in ways]

    def inherited_call(self, receiver: Value, scope: Scope, given: Arguments) -> Value:
        """A library's method of the class itself (`Function.apply`): it may call all methods."""
        unknown = Value(tags=frozenset([UNKNOWN]))
        results = []
        for method in scope.methods.values():
            known_ = Arguments([unknown, *given.positional], given.named, given.spread)
            results.append(self.function(method, known_, None, self._at.call))
            edge = Edge(method, position_of(self._at.call), self._at.region, "later")
            self._at.facts.edges.append(edge)
        every = join(given.every) if given.every else NOTHING
        return join([every.part, *results])

    def escape_all(self, given: Sequence[Value], beside: Sequence[Value]) -> None:
        for value in given:
            self.escape(value, [one for one in beside if one is not value])

    def escape(self, value: Value, beside: Sequence[Value]) -> None:
        """A function is handed to a library, which may call it at any time; or an instance that
        can be called."""
        for tag in value.tags | value.elems:
            if tag[0] in ("func", "method"):
                self.lend(tag[1], beside, bound=tag[0] == "method")
            elif tag[0] == "inst":
                method = find_method(self._at, tag[1], "__call__")
                if method is not None:
                    self.lend(method, beside, bound=True)
            else:
                self.lend_library(tag, beside)

    def lend_library(self, tag: Tag, beside: Sequence[Value], certain: bool = False) -> None:
        """A function of a library that another one is given, which may call it with what else it
        was given. `certain`: it does, so that of one that nobody knows the worst is assumed."""
        named: Sequence[str] = ()
        while tag[0] == "partial":
            tag, named = tag[1], [*named, *tag[3]]
        if tag[0] == "lib" and may_change_given(tag[1], len(beside), named, certain):
            for one in beside:
                self._at.change(one, self._at.call)

    def lend(self, scope: Scope, beside: Sequence[Value], bound: bool) -> None:
        """A library may call the function, with what else it was given. `bound`: as a method."""
        if bound:
            self._at.store.lent.add(scope)
        for name in scope.params:
            for one in beside:
                self._at.store.assign(scope.var(name), one)
                self._at.store.assign(scope.var(name), self._at.item(one))
        edge = Edge(scope, position_of(self._at.call), self._at.region, "later")
        self._at.facts.edges.append(edge)

    def lend_members(self, names: Optional[Set[str]], beside: Sequence[Value]) -> None:
        """Methods and properties by these names, of whatever is given later; None: any."""
        for scope in self._at.program.classes():
            for name, method in scope.methods.items():
                if names is None or name in names:
                    self.lend(method, beside, bound=True)


def _is_torch(at: "Expressions", scope: Scope) -> bool:
    """Whether all that runs besides the project's own methods is PyTorch's."""
    return all(path.startswith("torch.") for path in library_bases(at, scope))


def _held_in_container(value: Value) -> Value:
    return value.tagged(CONTAINER)._replace(elems=value.tags | value.elems)
