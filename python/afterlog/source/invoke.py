"""Calls: of the project's functions, which are followed, and of libraries, by what is known of
them (`libraries.py`). A call that nobody knows may change all that it gets."""

import ast
from typing import Any, Callable, Dict, List, Optional

from . import libraries as known
from .classes import class_attribute, class_of, find_method, has_decorator, has_library_base
from .classes import is_property, library_bases
from .facts import Edge, position_of
from .foreign import FOREIGN, TOKENIZER, is_computing, is_mere_data, is_of_modules
from .library_calls import IN_PLACE, Arguments, LibraryCalls, changed_arguments
from .plain import computes_only, returns_something
from .scopes import Scope
from .values import (
    A_SCALAR,
    ADDRESS,
    CONTAINER,
    DATA,
    IMMUTABLE,
    KEYED,
    NAMED,
    NO_VARS,
    NOTHING,
    STREAM,
    UNKNOWN,
    Tag,
    Value,
    join,
    kinds_of,
)

_RETURN = "<return>"


class Invocations(LibraryCalls):
    # What the evaluator asks.

    def call(self, node: ast.Call) -> Value:
        given = self._arguments(node)
        before, self._node = self._node, node
        if isinstance(node.func, ast.Attribute):
            receiver = self._at.ev(node.func.value)
            result = self._method(receiver, node.func.attr, given)
        else:
            result = self._value(self._at.ev(node.func), given)
        self._node = before
        return result

    def _arguments(self, node: ast.Call) -> Arguments:
        positional: List[Value] = []
        named: Dict[str, Value] = {}
        spread: List[Value] = []
        for one in node.args:
            value = self._at.ev(one)
            (spread if isinstance(one, ast.Starred) else positional).append(value)
        for keyword in node.keywords:
            value = self._at.ev(keyword.value)
            if keyword.arg is None:
                spread.append(self._at.item(value))
            else:
                named[keyword.arg] = value
        return Arguments(positional, named, spread)

    def sdk(self, called: str, node: ast.Call) -> Value:
        given = self._arguments(node)
        if called != "checkpointing":
            return A_SCALAR if called == "arg" else Value(tags=frozenset([UNKNOWN]))
        for name, value in given.named.items():
            self._at.store.put_attribute(name, value._replace(hist=value.hist | value.srcs))
        every = join(given.every) if given.every else NOTHING
        return Value(every.srcs, every.hist, frozenset([("made", "afterlog.Declared")]), every.tags)

    def decorated(self, decorator: ast.expr, value: Value, scope: Scope) -> Value:
        """What a name means whose function has this decorator."""
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        applied = self._at.ev(decorator)
        named = self._at.ev(target)
        words = [known.function(tag[1]).words for tag in named.tags if tag[0] == "lib"]
        if any("remembers" in one for one in words) and not computes_only(scope):
            self._at.store.remembering.add(scope)
        if words and all("decorator" in one for one in words):
            return value
        before, self._node = self._node, decorator
        result = self._value(applied, Arguments([value], {}, []))
        self._node = before
        self._escape(value, [])
        return join([value, result])

    def decorated_class(self, decorator: ast.expr, value: Value) -> Value:
        """Of the project's own decorators, which may note the class somewhere; others leave it."""
        applied = self._at.ev(decorator)
        own = frozenset(tag for tag in applied.tags if tag[0] in ("func", "method", "inst"))
        if not own:
            return value
        before, self._node = self._node, decorator
        result = self._value(applied._replace(tags=own), Arguments([value], {}, []))
        self._node = before
        return join([value, result])

    def member(self, holder: Value, tag: Tag, name: str, node: ast.AST) -> Value:
        """An attribute of a class or of an instance of one."""
        kind, scope = tag
        method = find_method(self._at, scope, name, above=kind == "super")
        if method is not None and kind != "class" and is_property(method):
            value = self._function(method, Arguments([], {}, []), holder, node)
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
        stored = self._at.store.attribute(name)
        of_fields = has_decorator(scope, "dataclass")
        # What `super()` means is not what the class itself has under the name.
        own = NOTHING if of_fields else class_attribute(self._at, scope, name, kind == "super")
        tags = stored.tags | own.tags
        if not tags and self._at.store.settled:
            tags = frozenset([UNKNOWN])
        if kind == "class":
            return join([own, Value(holder.srcs, stored.hist, tags, stored.elems)])
        hist = holder.hist | stored.hist | own.hist
        return Value(holder.srcs | own.srcs, hist, tags, stored.elems | own.elems)

    # Methods.

    def _method(self, receiver: Value, name: str, given: Arguments) -> Value:
        for tag in receiver.tags:
            self._at.store.origins.asked(tag, name)
        tags = kinds_of(receiver.tags)
        functions = [tag for tag in tags if tag[0] in ("func", "method")]
        if len(functions) > 1 and "converts" not in known.method(name).words:
            # One method of a function is as good as that of another: nothing is known of them.
            tags = tags.difference(functions[1:])
        results = [self._method_of(receiver, tag, name, given) for tag in tags]
        return join(results) if results else NOTHING

    def _method_of(self, receiver: Value, tag: Tag, name: str, given: Arguments) -> Value:
        kind = tag[0]
        if kind == "lib":
            return self._library(f"{tag[1]}.{name}", given)
        if kind == "module":
            return self._value(self._at.store.value(tag[1].var(name)), given)
        if kind in ("class", "inst", "super"):
            return self._member_call(receiver, tag, name, given)
        results = [self._library_method(receiver, tag, name, given)]
        if kind == "?" or tag == FOREIGN:
            results += self._any_method(receiver, tag, name, given)
        if kind in ("?", "made"):
            stored = self._at.store.attribute(name)
            callable_ = frozenset(one for one in stored.tags if one[0] in ("func", "method"))
            results += [self._value(stored._replace(tags=callable_), given)] if callable_ else []
        return join(results)

    def _member_call(self, receiver: Value, tag: Tag, name: str, given: Arguments) -> Value:
        kind, scope = tag
        method = find_method(self._at, scope, name, above=kind == "super")
        if method is not None:
            static = has_decorator(method, "staticmethod")
            of_class = has_decorator(method, "classmethod")
            unbound = kind == "class" and not of_class
            first = None if static or unbound else receiver.tagged(*_as_instance(kind, scope))
            if of_class and kind == "inst":
                first = class_of(self._at, scope)
            others = self._replacements(method, name, given, first)
            return join([self._function(method, given, first, self._node), *others])
        stored = self.member(receiver, tag, name, self._node)
        tags = frozenset(one for one in stored.tags if one[0] != "?")
        results = [self._value(stored._replace(tags=tags), given)] if tags else []
        if kind == "class" and not tags and has_library_base(self._at, scope):
            results.append(self._inherited_call(receiver, scope, given))
        # A part of the module may be known later; what all modules have is known at once.
        told = self._at.store.settled or is_of_modules(name)
        for path in library_bases(self._at, scope) if kind != "class" else ():
            self._at.store.origins.asked(("made", path), name)
        if not tags and kind != "class" and told:
            results.append(self._library_method(receiver, tag, name, given))
        return join(results) if results else NOTHING

    def _replacements(
        self, method: Scope, name: str, given: Arguments, first: Optional[Value]
    ) -> List[Value]:
        """Calls of functions that a decorator or an assignment has put in a method's place."""
        body = method.parent or method
        found = self._at.store.attribute(name).tags | self._at.store.tags_of(body.var(name))
        others = [tag[1] for tag in found if tag[0] == "func" and tag[1] is not method]
        others.sort(key=lambda one: (one.file, one.label))
        ways: List[Optional[Value]] = [first] if first is None else [first, None]
        return [self._function(one, given, way, self._node) for one in others for way in ways]

    def _any_method(self, receiver: Value, tag: Tag, name: str, given: Arguments) -> List[Value]:
        """Nobody knows what it is called on: it may be any method of that name, and of a module
        any of the project's modules."""
        return [
            self._function(scope.methods[name], given, receiver, self._node)
            for scope in self._at.program.classes()
            if name in scope.methods and (tag != FOREIGN or has_library_base(self._at, scope))
        ]

    def _library_method(self, receiver: Value, tag: Tag, name: str, given: Arguments) -> Value:
        at, every = self._at, given.every
        both = join([receiver, *every])
        self._escape_all(every, [receiver, *every])
        self._move_on(every)
        if tag == IMMUTABLE:
            return A_SCALAR
        if tag == FOREIGN and not is_of_modules(name):
            return self._foreign_method(receiver, name, given)
        entry = _method_entry(tag, name)
        words = entry.words
        if entry.makes:
            return Value(tags=frozenset([("made", entry.makes)]))
        for value in changed_arguments(entry, given, self._node, known.mutated_names()):
            at.change(value, self._node)
        if "scalar" in words:
            return A_SCALAR
        if "differentiates" in words:
            self._backward(both)
            return self._unknown([receiver, *every], receiver.tags) if every else A_SCALAR
        if "converts" in words:
            if tag != DATA:
                # Of a module: in place, and it gives itself.
                at.change(receiver, self._node)
            return receiver if tag == UNKNOWN else receiver.tagged(tag)
        if "reads" in words or ("computes" in words and "copy" in given.named):
            return self._passed(receiver, tag, name)
        if "computes" in words:
            return both.fresh
        if "differentiable" in words:
            at.wants_gradient(receiver)
        # `model.train()` sets a flag; `trainer.train(model)` does not.
        is_flag = "soft" in words
        if words & {"keeps", "mutates"} and not (is_flag and any(one.srcs for one in every)):
            at.change(receiver, self._node, soft=is_flag)
            if "keeps" in words:
                at.store.put(receiver, join(every) if every else NOTHING)
            return receiver if "itself" in words else at.item(both)
        if self._is_module(tag):
            return self._foreign_method(receiver, name, given)
        return self._unknown([receiver, *every], receiver.tags)

    def _passed(self, receiver: Value, tag: Tag, name: str) -> Value:
        if tag == DATA:
            return receiver.data
        of_modules = name.rpartition("_")[2] in ("modules", "children")
        elems = frozenset([UNKNOWN if of_modules else DATA])
        if name in ("parameters", "buffers", "modules", "children"):
            return receiver.tagged(STREAM)._replace(elems=elems)
        if name == "state_dict":
            return receiver.tagged(NAMED)._replace(elems=elems)
        if name.startswith("named_"):
            return receiver.tagged(KEYED)._replace(elems=elems)
        if tag == NAMED:
            return receiver.tagged(KEYED if name == "items" else NAMED)
        if name == "get":
            return self._at.item(receiver)
        if tag[0] in ("container", "stream"):
            return receiver.tagged(tag)._replace(elems=receiver.elems | {IMMUTABLE})
        return receiver.part

    def _backward(self, receiver: Value) -> None:
        """Gradients of all that it was computed from; mere data has none."""
        store = self._at.store
        reached = store.computed_from(receiver)
        store.differentiated |= reached
        trained = NO_VARS
        for one in store.members(reached):
            trained |= NO_VARS if is_mere_data(*store.kinds_of(one)) else store.bit(one)
        self._at.change(Value(trained), self._node)

    # Values that are called.

    def _value(self, callee: Value, given: Arguments) -> Value:
        results = [self._called(callee, tag, given) for tag in kinds_of(callee.tags)]
        return join(results) if results else NOTHING

    def _called(self, callee: Value, tag: Tag, given: Arguments) -> Value:
        kind = tag[0]
        if kind == "func":
            return self._function(tag[1], given, None, self._node)
        if kind == "method":
            return self._function(tag[1], given, callee.tagged(UNKNOWN), self._node)
        if kind == "lib":
            return self._library(tag[1], given)
        if kind == "class":
            return self._instance(tag[1], given)
        if kind == "inst":
            return self._called_instance(callee, tag[1], given)
        if kind == "partial":
            # What it was made with comes before what it is given.
            bound = Value(callee.srcs, callee.hist, callee.elems)
            spread = [bound, *given.positional, *given.spread]
            return self._called(callee, tag[1], Arguments([], given.named, spread))
        if tag == FOREIGN:
            return self._called_foreign(callee, given)
        if tag == TOKENIZER:
            return join([Value(), *given.every]).fresh
        if kind == "made":
            return self._called_module(callee, tag[1], given)
        if kind == "?":
            self._any_forward(callee, given)
            self._escape_all(given.every, given.every)
            return self._unknown([callee, *given.every], frozenset())
        return NOTHING

    def _called_instance(self, callee: Value, scope: Scope, given: Arguments) -> Value:
        results = []
        for name in ("__call__", "forward"):
            method = find_method(self._at, scope, name)
            if method is not None:
                first = callee.tagged(("inst", scope))
                results.append(self._function(method, given, first, self._node))
        if has_library_base(self._at, scope):
            self._at.change(callee, self._node, soft=True)
            if not results:
                results.append(join([callee, *given.every]).data)
        return join(results) if results else NOTHING

    def _called_module(self, callee: Value, path: str, given: Arguments) -> Value:
        """A module of PyTorch, most likely: it may change itself, not what it gets."""
        every = join([callee, *given.every])
        words = known.class_entry(path).words
        if "loss" in words:
            return every.fresh
        if not known.is_torch_module(path):
            self._any_forward(callee, given)
            return self._unknown([callee, *given.every], frozenset())
        if "computes" in words:
            self._at.change(callee, self._node, soft=True)
            return every.fresh
        self._held_forward(callee, given)
        self._at.change(callee, self._node, soft=True)
        if IN_PLACE in callee.elems or IN_PLACE in callee.tags:
            for value in given.every:
                self._at.change(value, self._node)
        return every.data

    def _called_foreign(self, callee: Value, given: Arguments) -> Value:
        """It may change itself, and all that it is given but for mere data (`foreign.py`)."""
        self._escape_all(given.every, given.every)
        self._any_forward(callee, given, lambda scope: has_library_base(self._at, scope))
        if IN_PLACE in callee.elems:
            return self._unknown([callee, *given.every], frozenset())
        self._keep_given(callee, given)
        self._at.change(callee, self._node, soft=True)
        return join([callee, *given.every]).data

    def _is_module(self, tag: Tag) -> bool:
        """Whether it is a module that was written in a library, at least in part."""
        paths = [tag[1]] if tag[0] == "made" else []
        if tag[0] in ("inst", "super"):
            paths = library_bases(self._at, tag[1])
        return any(self._at.store.origins.is_module(path) for path in paths)

    def _foreign_method(self, receiver: Value, name: str, given: Arguments) -> Value:
        """One that not all modules have, or a part that is called."""
        if IN_PLACE in receiver.elems or IN_PLACE in receiver.tags:
            return self._unknown([receiver, *given.every], receiver.tags)
        self._keep_given(receiver, given)
        on_data = any(value.of_kind("data") for value in given.every)
        computes = is_computing(name, on_data)
        self._at.change(receiver, self._node, soft=computes)
        every = join([receiver, *given.every])
        if computes and on_data:
            return every.data
        result = self._at.store.origins.tag(self._node)
        return Value(every.srcs, every.hist | every.srcs, frozenset([result]), every.tags)

    def _keep_given(self, holder: Value, given: Arguments) -> None:
        for value in given.every:
            moves = value.may_be("generator") or value.may_be("stream")
            if moves or not is_mere_data(value.tags, value.elems):
                self._at.change(value, self._node)
                self._at.store.put(holder, value)

    def _held_forward(self, callee: Value, given: Arguments) -> None:
        """A container of PyTorch calls the modules that were put into it, by whatever name."""
        kinds = set(callee.elems)
        for var in self._at.store.members(callee.srcs):
            kinds |= self._at.store.kinds_of(var)[1]
        if any(tag[0] == "?" for tag in kinds):
            self._any_forward(callee, given)
            return
        for tag in sorted((one for one in kinds if one[0] == "inst"), key=lambda one: one[1].label):
            self._called_instance(callee, tag[1], given)

    def _any_forward(
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
            self._function(method, given, callee.tagged(*tags), self._node)

    def _instance(self, scope: Scope, given: Arguments) -> Value:
        """A new instance: it may hold all that it was made with."""
        every = join(given.every) if given.every else NOTHING
        made = Value(every.srcs, every.hist, frozenset([("inst", scope)]), within=NO_VARS)
        init = find_method(self._at, scope, "__init__")
        if init is not None:
            self._function(init, given, made, self._node)
            held = self._at.store.value(init.var(init.params[0])) if init.params else NOTHING
            first = self._at.store.bit(init.var(init.params[0])) if init.params else NO_VARS
            srcs, hist = made.srcs | held.srcs, made.hist | held.hist
            made = made._replace(srcs=srcs, hist=hist, elems=held.elems & {ADDRESS}, within=first)
        else:
            for name, value in given.named.items():
                self._at.store.put_attribute(name, value)
        new = find_method(self._at, scope, "__new__")
        if new is not None:
            # It may give one that was made before.
            given_by = self._function(new, given, class_of(self._at, scope), self._node)
            srcs, hist = made.srcs | given_by.srcs, made.hist | given_by.hist
            made = made._replace(srcs=srcs, hist=hist, within=None)
        if init is None or has_library_base(self._at, scope):
            self._escape_all(given.every, given.every)
        return made

    def _function(self, scope: Scope, given: Arguments, first: Optional[Value], node: Any) -> Value:
        """The project's own: parameters get what is given, and it is followed."""
        at = self._at
        positional = [*([] if first is None else [first]), *given.positional]
        names = scope.params
        for index, value in enumerate(positional):
            if index < len(names):
                at.store.assign(scope.var(names[index]), value)
            elif scope.vararg:
                at.store.assign(scope.var(scope.vararg), _held(value))
        for name, value in given.named.items():
            if name in names:
                at.store.assign(scope.var(name), value)
            elif scope.kwarg:
                at.store.assign(scope.var(scope.kwarg), _held(value))
        for value in given.spread:
            for name in names[1:] if first is not None else names:
                at.store.assign(scope.var(name), value)
            for rest in (scope.vararg, scope.kwarg):
                if rest:
                    at.store.assign(scope.var(rest), _held(value))
        at.facts.edges.append(Edge(scope, position_of(node), at.region, "call"))
        if scope in at.store.remembering:
            at.lose(f"{scope.name} remembers what it has computed", node)
        result = at.store.value(scope.var(_RETURN))
        if scope.is_generator:
            return result.tagged(("generator", scope))
        return result if returns_something(scope) else A_SCALAR


def _method_entry(tag: Tag, name: str) -> known.Entry:
    """What is said of a method, as far as what it is called on is what that is said of."""
    entry = known.method(name, tag[1] if tag[0] == "made" else "", tag == DATA)
    # Tensors are the only objects of which the form of a name tells.
    by_form = entry.by_pattern and tag[0] not in ("data", "?")
    # A dictionary's `get` changes nothing, a queue's does.
    unsure = "sure" in entry.words and tag == UNKNOWN
    computed = "computes" in entry.words and "scalar" not in entry.words
    foreign = computed and not entry.makes and tag[0] not in ("data", "?", "container", "stream")
    return known.UNKNOWN_ENTRY if by_form or unsure or foreign else entry


def _held(value: Value) -> Value:
    return value.tagged(CONTAINER)._replace(elems=value.tags | value.elems)


def _as_instance(kind: str, scope: Scope) -> List[Tag]:
    return [("class", scope)] if kind == "class" else [("inst", scope)]
