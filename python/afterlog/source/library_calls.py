"""Calls of libraries and built-ins, by what is known of them. A call that nobody knows may
change all that it gets."""

import ast
import functools
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, NamedTuple, Optional, Sequence

from . import libraries as known
from .classes import class_of
from .collate import collates
from .facts import Edge, position_of
from .foreign import FOREIGN, TOKENIZER
from .scopes import Scope
from .values import (
    A_SCALAR,
    ADDRESS,
    BATCHES,
    COLLATED,
    CONTAINER,
    DATA,
    IMMUTABLE,
    KEYED,
    KEYED_BATCHES,
    NO_VARS,
    NOTHING,
    STREAM,
    UNKNOWN,
    Tag,
    Tags,
    Value,
    join,
)

if TYPE_CHECKING:
    from .expressions import Expressions

# What no checkpoint holds, and why a loop that calls it is executed again.
_LOSING = (
    ("threads", "lets work go on beside the loops", "dark"),
    ("settings", "changes how the library works", "lost"),
    ("process", "changes the process", "lost"),
)
_OF_FIRST = frozenset("progress partial itself item items".split())
# A module that changes what it gets.
IN_PLACE: Tag = ("made", "torch.nn.Inplace")


class Arguments(NamedTuple):
    positional: List[Value]
    named: Dict[str, Value]
    # Of `*` and `**`: nobody knows which parameter gets them.
    spread: List[Value]

    @property
    def every(self) -> List[Value]:
        return [*self.positional, *self.named.values(), *self.spread]


def changed_arguments(
    entry: known.Entry, given: Arguments, node: Any, names: FrozenSet[str] = frozenset()
) -> List[Value]:
    """Those that a call changes in place, by what is said of it, or by their names."""
    found = [value for name, value in given.named.items() if name in names]
    if entry.mutates and (not entry.condition or entry.works_in_place(node)):
        places = [one for one in entry.mutates if isinstance(one, int)]
        own = [value for place in places for value in given.positional[place : place + 1]]
        own += [value for name, value in given.named.items() if name in entry.mutates]
        found += [*own, *given.spread] if own or not entry.condition else given.every
    return [value for value in found if not value.of_kind("made") or not _is_file(value)]


def _is_file(value: Value) -> bool:
    """An open file: what is written to it is no state, and is read through another one."""
    return all(tag == ("made", "io.TextIOWrapper") for tag in value.tags)


def _partial(given: Arguments) -> Value:
    """Of `functools`: what it calls, and, among what it holds, what it calls that with."""
    called = given.positional[0]
    held = join([Value(), *given.positional[1:], *given.named.values(), *given.spread])
    both = held if called.of_kind("class", "func", "lib") else join([called, held])
    tags = frozenset(("partial", tag) for tag in called.tags)
    return Value(both.srcs, both.hist, tags, held.tags | held.elems)


@functools.lru_cache(maxsize=4096)
def _handed_on(tags: Tags) -> Tags:
    """Of what an unknown call got, that which must be known again if it comes out of the result:
    all else may be anything then, and anything includes it."""
    kinds = ("func", "method", "class", "partial")
    return frozenset(tag for tag in tags if tag[0] in kinds or tag == IN_PLACE)


class LibraryCalls:
    def __init__(self, evaluator: "Expressions") -> None:
        self._at = evaluator
        self._node: Any = None

    def _function(self, scope: Scope, given: Arguments, first: Optional[Value], node: Any) -> Value:
        """A call of the project's own function."""
        raise NotImplementedError

    def member(self, holder: Value, tag: Tag, name: str, node: ast.AST) -> Value:
        """An attribute of a class or of an instance of one."""
        raise NotImplementedError

    def _library(self, path: str, given: Arguments) -> Value:
        at, every = self._at, given.every
        all_ = join(every) if every else NOTHING
        root, _, name = path.partition(".")
        if root == "builtins":
            return self._builtin(name, given)
        entry = known.function(path)
        words = entry.words
        for word, why, kind in _LOSING:
            if word in words:
                at.lose(f"{path} {why}", self._node, kind)
        self._escape_all(every, every)
        self._move_on(every)
        for value in changed_arguments(entry, given, self._node, known.mutated_names()):
            at.change(value, self._node)
        if known.is_class(path) or "instance" in words:
            return self._made(path, words, given, all_)
        in_place = entry.works_in_place(self._node)
        if "changes" in words:
            for value in every:
                at.change(value, self._node)
            return all_ if "itself" in words else all_.data
        if given.positional and words & _OF_FIRST:
            return self._of_first(words, given)
        if words & {"tokenizer", "model"}:
            return self._made(path, words, given, all_)
        if "computes" in words and not in_place:
            if "copy" in words:
                return Value(hist=all_.hist | all_.srcs, tags=all_.tags, elems=all_.elems)
            fresh = all_.fresh if "requires_grad" not in given.named else all_.part
            return A_SCALAR if "scalar" in words else fresh
        if words & {"computes", "reads"}:
            return all_.data if all_.of_kind("data", "imm") and every else all_.part
        return self._unknown(every, frozenset())

    def _of_first(self, words: FrozenSet[str], given: Arguments) -> Value:
        """What is made of the first argument: an iterator over it, some of its items, itself."""
        first = given.positional[0]
        if "progress" in words:
            return self._stream("iter", [first])
        if "partial" in words:
            return _partial(given)
        if "itself" in words:
            return first
        chosen = self._at.item(first)
        return chosen if "item" in words else chosen.collected._replace(elems=chosen.tags)

    def _made(self, path: str, words: FrozenSet[str], given: Arguments, all_: Value) -> Value:
        """An instance of a library's class."""
        if "tokenizer" in words:
            return Value(all_.srcs, all_.hist, frozenset([TOKENIZER]))
        if "model" in words:
            return self._unknown(given.every, frozenset())._replace(tags=frozenset([FOREIGN]))
        elems = frozenset([DATA]) if known.is_loader(path) else all_.tags | all_.elems
        if known.class_entry(path).works_in_place(self._node):
            path, elems = IN_PLACE[1], elems | {IN_PLACE}
        batched = collates(path, self._node, given.spread)
        made = COLLATED if batched else self._at.store.origins.made(path)
        return Value(all_.srcs, all_.hist, frozenset([made]), elems, NO_VARS)

    def _builtin(self, name: str, given: Arguments) -> Value:
        at, every = self._at, given.every
        all_ = join(every) if every else NOTHING
        entry = known.builtin(name)
        words = entry.words
        if "hidden" in words:
            at.lose(f"{name}() does what the source does not tell", self._node, "dark")
        if "iterates" in words:
            for value in [*given.positional, *given.spread]:
                at.iterate(value, self._node)
        self._call_given(every)
        called = given.positional[: "calls" in words]
        changed = changed_arguments(entry, given, self._node)
        for value in [*called, *changed, *self._keys(given)]:
            at.change(value, self._node)
        if name == "super":
            return self._super()
        if name == "type" and len(every) == 1:
            classes = [class_of(at, tag[1]) for tag in all_.tags if tag[0] == "inst"]
            return join(classes or [A_SCALAR])
        if name == "getattr" and given.positional:
            return self._named_member(given)
        if entry.makes:
            return Value(tags=frozenset([("made", entry.makes)]))
        if "item" in words:
            return at.item(all_)
        if "keeps" in words and given.positional:
            at.change(given.positional[0], self._node)
            at.store.put(given.positional[0], all_)
            return A_SCALAR
        if "address" in words:
            return Value(tags=frozenset([ADDRESS]))
        if "scalar" in words or name[:1].isupper():
            return A_SCALAR
        if "stream" in words:
            return self._stream(name, every)
        # What `sorted` sorts by is not among the items.
        elems = self._items_of(given.positional + given.spread if name == "sorted" else every)
        if "container" in words:
            return Value(all_.srcs, all_.hist, frozenset([CONTAINER]), elems, NO_VARS)
        if "chosen" in words:
            chosen = join(given.positional) if given.positional else NOTHING
            elems = frozenset(tag for one in given.positional for tag in at.item(one).tags)
            inner = join([chosen, Value(tags=elems)])._replace(within=None)
            return A_SCALAR if elems <= {IMMUTABLE} and not all_.srcs else inner
        return all_.part if "reads" in words else self._unknown(every, frozenset())

    def _keys(self, given: Arguments) -> List[Value]:
        """What is called with every item, unless it is known to change nothing: `key=d.get`."""
        keys = [one.value for one in self._node.keywords if one.arg == "key"]
        harmless = known.methods_with("reads", "scalar")
        if all(isinstance(one, ast.Attribute) and one.attr in harmless for one in keys):
            return []
        return [given.named["key"]] if "key" in given.named else []

    def _named_member(self, given: Arguments) -> Value:
        """An attribute of which only the running program knows the name: any method may be it."""
        every = join(given.every)
        node: Any = self._node
        name = node.args[1] if len(node.args) > 1 else None
        classes = [tag for tag in given.positional[0].tags if tag[0] == "inst"]
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and classes:
            holder = given.positional[0]
            parts = [self.member(holder, tag, name.value, node) for tag in classes]
            return join([*parts, *given.positional[2:]])
        methods = {("method", one) for tag in classes for one in tag[1].methods.values()}
        return every.part._replace(tags=every.part.tags | methods)

    def _move_on(self, given: Sequence[Value]) -> None:
        """A function of a library may go through the iterators that it gets."""
        for value in given:
            self._at.move_on(value, self._node)

    def _items_of(self, values: Sequence[Value]) -> Tags:
        items = [self._at.item(value).tags for value in values]
        return frozenset().union(*items) if items else frozenset()

    def counted(self, items: Value) -> Value:
        """What `enumerate` gives of them."""
        return self._stream("enumerate", [items])

    def _stream(self, name: str, values: Sequence[Value]) -> Value:
        """An iterator over what is given; `name`: of the built-in that makes it."""
        still = all(value.of_kind("container", "data", "imm") for value in values)
        (self._at.still.add if still else self._at.still.discard)(self._node)
        all_ = join(values) if values else NOTHING
        if len(values) == 1 and all_.is_batched:
            own = KEYED_BATCHES if name == "enumerate" else BATCHES
            return all_.tagged(own, COLLATED)._replace(elems=frozenset([DATA]))
        steady = all(value.of_kind("container", "data", "stream") for value in values)
        kinds = ("made", "?", "inst", "generator", "looped")
        sources = {tag for value in values for tag in value.tags if tag[0] in kinds}
        own = KEYED if name == "enumerate" else STREAM
        tags = frozenset([own]) if steady else frozenset([own, *sources])
        return Value(all_.srcs, all_.hist, tags, self._items_of(values))

    def _super(self) -> Value:
        scope: Optional[Scope] = self._at.scope.function
        while scope is not None and scope.kind != "class":
            method, scope = scope, scope.parent
            if scope is not None and scope.kind == "class" and method.params:
                first = self._at.store.value(method.var(method.params[0]))
                return first.tagged(("super", scope))
        return Value(tags=frozenset([UNKNOWN]))

    def _inherited_call(self, receiver: Value, scope: Scope, given: Arguments) -> Value:
        """A library's method of the class itself (`Function.apply`): it may call all methods."""
        unknown = Value(tags=frozenset([UNKNOWN]))
        results = []
        for method in scope.methods.values():
            known_ = Arguments([unknown, *given.positional], given.named, given.spread)
            results.append(self._function(method, known_, None, self._node))
            edge = Edge(method, position_of(self._node), self._at.region, "later")
            self._at.facts.edges.append(edge)
        every = join(given.every) if given.every else NOTHING
        return join([every.part, *results])

    def _call_given(self, given: Sequence[Value]) -> None:
        """`map`, `sorted` with a key: functions among the arguments are called at once."""
        rest = [one for one in given if not one.of_kind("func", "lib", "method")]
        for value in given:
            for tag in value.tags:
                if tag[0] in ("func", "method"):
                    spread = [self._at.item(one) for one in rest]
                    self._function(tag[1], Arguments([], {}, spread), None, self._node)

    def _unknown(self, parts: List[Value], tags: Any) -> Value:
        """Nobody knows what it does: it may change all of them, and put each into each."""
        every = join(parts) if parts else NOTHING
        self._at.change(every, self._node)
        for one in parts:
            others = [other for other in parts if other is not one and other.srcs]
            if one.srcs and others:
                self._at.store.put(one, join(others))
        given = self._at.store.origins.tag(self._node)
        return Value(every.srcs, every.hist, frozenset([given]), _handed_on(every.tags))

    def _escape_all(self, given: Sequence[Value], beside: Sequence[Value]) -> None:
        for value in given:
            self._escape(value, [one for one in beside if one is not value])

    def _escape(self, value: Value, beside: Sequence[Value]) -> None:
        """A function is handed to a library, which may call it at any time."""
        for tag in value.tags | value.elems:
            if tag[0] in ("func", "method"):
                scope = tag[1]
                if tag[0] == "method":
                    self._at.store.lent.add(scope)
                for name in scope.params:
                    for one in beside:
                        self._at.store.assign(scope.var(name), one)
                        self._at.store.assign(scope.var(name), self._at.item(one))
                edge = Edge(scope, position_of(self._node), self._at.region, "later")
                self._at.facts.edges.append(edge)
