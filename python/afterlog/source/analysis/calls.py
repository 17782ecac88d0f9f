"""Calls: what is called may be a function of the project, which is followed, or of a library, of
which `libraries.py` knows. A call that nobody knows may change all that it gets."""

import ast
from typing import TYPE_CHECKING, Dict, List

from .. import libraries as known
from ..program.scopes import Scope
from ..program.skeletons import is_skeleton
from .abstract_values import A_SCALAR, NOTHING, UNKNOWN, Tag, Value, join, kinds_of
from .classes import class_of, find_method, has_decorator, has_library_base, is_of_class
from .classes import is_property, library_bases
from .foreign_modules import FOREIGN, TOKENIZER, is_of_modules
from .described_calls import OBJECT_TYPE, SCALAR_TYPE, is_generator, method_entry
from .library_calls import LibraryCalls
from .plain_expressions import computes_only, is_dictionary
from .project_calls import Arguments, ProjectCalls

if TYPE_CHECKING:
    from .expressions import Expressions

_PUTTING = ("update", "setdefault", "__setitem__")


class Calls:
    """Of one scope."""

    def __init__(self, evaluator: "Expressions") -> None:
        self._at = evaluator
        self.project = ProjectCalls(evaluator)
        self.library = LibraryCalls(evaluator, self.project)

    def call(self, node: ast.Call) -> Value:
        given = self._arguments(node)
        before, self._at.call = self._at.call, node
        self._draw_from(given.every)
        if isinstance(node.func, ast.Attribute):
            receiver = self._at.evaluate(node.func.value)
            if node.func.attr in _PUTTING and is_dictionary(node.func.value):
                self._at.note_in_dictionary(node.func.value, join([Value(), *given.every]))
            result = self._call_method(receiver, node.func.attr, given)
        else:
            result = self.call_value(self._at.evaluate(node.func), given)
        self._at.call = before
        return result

    def given_back(self, node: ast.expr) -> List[Value]:
        """What a call gives that gives its arguments back, each in its place: `a, b = f(a, b)`."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return []
        if any(isinstance(one, ast.Starred) for one in node.args):
            return []
        name = node.func.attr
        tags = kinds_of(self._at.evaluate(node.func.value).tags)
        if not tags or not all("respectively" in method_entry(tag, name).words for tag in tags):
            return []
        return [self._at.evaluate(one) for one in node.args]

    def _arguments(self, node: ast.Call) -> Arguments:
        positional: List[Value] = []
        named: Dict[str, Value] = {}
        spread: List[Value] = []
        for one in node.args:
            value = self._at.evaluate(one)
            (spread if isinstance(one, ast.Starred) else positional).append(value)
        for keyword in node.keywords:
            value = self._at.evaluate(keyword.value)
            if keyword.arg is None:
                spread.append(self._at.item(value))
            else:
                named[keyword.arg] = value
        return Arguments(positional, named, spread)

    def _draw_from(self, given: List[Value]) -> None:
        """Whoever gets a generator of random numbers, or what holds one, may move it on."""
        for value in given:
            if any(map(is_generator, value.tags | value.elems)):
                self._at.change(value, self._at.call)

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
        applied = self._at.evaluate(decorator)
        named = self._at.evaluate(target)
        words = [known.function(tag[1]).words for tag in named.tags if tag[0] == "lib"]
        if any("remembers" in one for one in words):
            self._at.store.remember(scope, plainly=computes_only(scope))
        if words and all("decorator" in one for one in words):
            return value
        before, self._at.call = self._at.call, decorator
        result = self.call_value(applied, Arguments([value], {}, []))
        self._at.call = before
        self.project.escape(value, [])
        return join([value, result])

    def decorated_class(self, decorator: ast.expr, value: Value) -> Value:
        """Of the project's own decorators, which may note the class somewhere; others leave it."""
        applied = self._at.evaluate(decorator)
        own = frozenset(tag for tag in applied.tags if tag[0] in ("func", "method", "inst"))
        if not own:
            return value
        before, self._at.call = self._at.call, decorator
        result = self.call_value(applied._replace(tags=own), Arguments([value], {}, []))
        self._at.call = before
        return join([value, result])

    # Methods.

    def _call_method(self, receiver: Value, name: str, given: Arguments) -> Value:
        for tag in receiver.tags:
            self._at.store.origins.asked(tag, name)
            if tag[0] in ("func", "method"):
                self._at.store.ask_memory(tag[1])
        tags = kinds_of(receiver.tags)
        functions = [tag for tag in tags if tag[0] in ("func", "method")]
        if len(functions) > 1 and "converts" not in known.method(name).words:
            # One method of a function is as good as that of another: nothing is known of them.
            tags = tags.difference(functions[1:])
        results = [self._call_method_of_tag(receiver, tag, name, given) for tag in tags]
        return join(results) if results else NOTHING

    def _call_method_of_tag(self, receiver: Value, tag: Tag, name: str, given: Arguments) -> Value:
        kind = tag[0]
        if kind == "lib":
            path = f"{tag[1]}.{name}"
            put_there = self._at.given_library(path)
            if put_there.tags - {tag}:
                return self.call_value(put_there, given)
            return self.library.function(path, given)
        if kind == "module":
            return self.call_value(self._at.module_member(tag[1], name, None), given)
        if kind in ("class", "inst", "super"):
            return self._member_call(receiver, tag, name, given)
        results = [self.library.method(receiver, tag, name, given)]
        if kind == "?" or tag == FOREIGN:
            results += self.project.methods_named(receiver, tag, name, given)
        if kind in ("?", "made"):
            stored = self._at.store.attribute(name)
            callable_ = frozenset(one for one in stored.tags if one[0] in ("func", "method"))
            results += (
                [self.call_value(stored._replace(tags=callable_), given)] if callable_ else []
            )
        return join(results)

    def _member_call(self, receiver: Value, tag: Tag, name: str, given: Arguments) -> Value:
        kind, scope = tag
        if kind == "class" and is_skeleton(self._at.root.file) and given.positional:
            return self._call_of_instances(scope, name, given)
        method = find_method(self._at, scope, name, above=kind == "super")
        if method is not None and kind != "class" and is_property(method):
            return self.call_value(self.project.member(receiver, tag, name, self._at.call), given)
        if method is not None:
            static = has_decorator(method, "staticmethod")
            of_class = has_decorator(method, "classmethod")
            unbound = kind == "class" and not of_class
            first = None if static or unbound else receiver.tagged(*_as_instance(kind, scope))
            if of_class and kind == "inst":
                first = class_of(self._at, scope)
            others = self.project.replacements(method, name, given, first)
            return join([self.project.function(method, given, first, self._at.call), *others])
        stored = self.project.member(receiver, tag, name, self._at.call)
        tags = frozenset(one for one in stored.tags if one[0] != "?")
        results = [self.call_value(stored._replace(tags=tags), given)] if tags else []
        if kind == "class" and not tags and has_library_base(self._at, scope):
            results.append(self.project.inherited_call(receiver, scope, given))
        # A part of the module may be known later; what all modules have is known at once.
        told = self._at.store.settled or is_of_modules(name)
        for path in library_bases(self._at, scope) if kind != "class" else ():
            self._at.store.origins.asked(("made", path), name)
        if not tags and kind != "class" and told:
            results.append(self.library.method(receiver, tag, name, given))
        return join(results) if results else NOTHING

    def _call_of_instances(self, scope: Scope, name: str, given: Arguments) -> Value:
        """`Class.method(x)` in a skeleton: the method of what may be an instance of the class."""
        first, rest = given.positional[0], given._replace(positional=given.positional[1:])
        tags = [
            tag for tag in first.tags if tag[0] == "inst" and is_of_class(self._at, tag[1], scope)
        ]
        results = [self._member_call(first, tag, name, rest) for tag in tags]
        return join(results) if results else NOTHING

    # Values that are called.

    def call_value(self, callee: Value, given: Arguments) -> Value:
        results = [self._call_tag(callee, tag, given) for tag in kinds_of(callee.tags)]
        return join(results) if results else NOTHING

    def _call_tag(self, callee: Value, tag: Tag, given: Arguments) -> Value:
        kind = tag[0]
        if kind == "func":
            return self.project.function(tag[1], given, None, self._at.call)
        if kind == "method":
            return self.project.function(tag[1], given, callee.tagged(UNKNOWN), self._at.call)
        if kind == "lib":
            return self.library.function(tag[1], given)
        if kind == "class":
            return self.project.instance(tag[1], given)
        if kind == "inst":
            return self.project.called_instance(callee, tag[1], given)
        if tag == SCALAR_TYPE and all(one.of_kind("imm") for one in given.every):
            return A_SCALAR
        if tag == OBJECT_TYPE:
            return join([Value(), *given.every]).part
        if kind == "apply":
            return self.project.inherited_call(callee, tag[1], given)
        if kind == "partial":
            # What it was made with comes before what it is given.
            bound = Value(callee.srcs, callee.hist, callee.elems)
            self._draw_from([bound])
            if tag[2] is None or tag[1][0] not in ("lib", "partial"):
                spread = [bound, *given.positional, *given.spread]
                return self._call_tag(callee, tag[1], Arguments([], given.named, spread))
            # What a library does with an argument depends on its place, or its name.
            named = {**{name: bound for name in tag[3]}, **given.named}
            positional = [*[bound] * tag[2], *given.positional]
            return self._call_tag(callee, tag[1], Arguments(positional, named, given.spread))
        if tag == FOREIGN:
            return self.library.called_foreign(callee, given)
        if tag == TOKENIZER:
            return join([Value(), *given.every]).fresh
        if kind == "made":
            return self.library.called_module(callee, tag[1], given)
        if kind == "data":
            # Nobody calls a tensor: it is a method of one, kept under a name.
            return self.library.unknown([callee, *given.every], frozenset())
        if kind == "?":
            self.project.any_forward(callee, given)
            self.project.escape_all(given.every, given.every)
            return self.library.unknown([callee, *given.every], frozenset())
        return NOTHING


def _as_instance(kind: str, scope: Scope) -> List[Tag]:
    return [("class", scope)] if kind == "class" else [("inst", scope)]
