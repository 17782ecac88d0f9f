"""Calls of libraries and built-ins, by what is known of them. A call that nobody knows may
change all that it gets."""

import ast
import functools
from typing import TYPE_CHECKING, Any, FrozenSet, List, Sequence

from .. import libraries as known
from .abstract_values import A_SCALAR, ADDRESS, BATCHES, COLLATED, CONTAINER, DATA, IMMUTABLE, KEYED
from .abstract_values import KEYED_BATCHES, NAMED, NO_VARS, NOTHING, SET, STREAM, UNKNOWN, Tag
from .abstract_values import Tags, Value, join
from .class_fields import field_of
from .classes import class_of, has_library_base, library_bases
from .described_calls import (
    OBJECT_TYPE,
    SCALAR_TYPE,
    changed_arguments,
    constant_names,
    holds_objects,
)
from .described_calls import is_generator, is_tensor
from .described_calls import may_be_tensor, method_entry, type_of, works_in_place
from .foreign_modules import FOREIGN, TOKENIZER, is_computing, is_mere_data, is_of_modules
from .loader_batches import collates
from .noted_effects import ANY_NAME, note_attribute
from .project_calls import Arguments, ProjectCalls
from .set_elements import note_put, united

if TYPE_CHECKING:
    from .expressions import Expressions

# What no checkpoint holds, and why a loop that calls it is executed again.
_LOSING = (
    ("threads", "lets work go on beside the loops", "opaque"),
    ("settings", "changes how the library works", "lost"),
    # In a `with` they are set back.
    ("scoped", "changes how the library works", "lost"),
    ("process", "changes the process", "lost"),
)
# In which form a method gives the parts of a module.
_PARTS = {"stream": STREAM, "keyed": KEYED, "named": NAMED}
_OF_FIRST = frozenset("progress partial itself item items".split())
# A module that changes what it gets.
IN_PLACE: Tag = ("made", "torch.nn.Inplace")


def _partial(given: Arguments) -> Value:
    """Of `functools`: what it calls, and, among what it holds, what it calls that with: how many
    arguments (None: nobody knows), and under which names."""
    called = given.positional[0]
    places = None if given.spread else len(given.positional) - 1
    held = join([Value(), *given.positional[1:], *given.named.values(), *given.spread])
    both = held if called.of_kind("class", "func", "lib") else join([called, held])
    bound = (places, tuple(sorted(given.named)))
    tags = frozenset(("partial", tag, *bound) for tag in called.tags)
    return Value(both.srcs, both.hist, tags, held.tags | held.elems)


@functools.lru_cache(maxsize=4096)
def _callable_tags(tags: Tags) -> Tags:
    """Of what an unknown call got, that which must be known again if it comes out of the result:
    all else may be anything then, and anything includes it."""
    kinds = ("func", "method", "class", "partial")
    return frozenset(tag for tag in tags if tag[0] in kinds or tag == IN_PLACE)


class LibraryCalls:
    """Of one scope. A function of the project that a library gets may be called by it."""

    def __init__(self, evaluator: "Expressions", project: ProjectCalls) -> None:
        self._at = evaluator
        self._project = project

    # Functions and classes.

    def function(self, path: str, given: Arguments) -> Value:
        at, every = self._at, given.every
        all_ = join(every) if every else NOTHING
        root, _, name = path.partition(".")
        if root == "builtins":
            return self._builtin(name, given)
        entry = known.function(path)
        words = entry.words
        for word, why, kind in _LOSING:
            if word in words and not (word == "scoped" and self._at.call in at.entered):
                at.lose(f"{path} {why}", self._at.call, kind)
        self._project.escape_all(every, every)
        if "dispatches" in words:
            self._project.lend_members(constant_names(self._at.call), every)
        self._move_on(given)
        for value in changed_arguments(entry, given, self._at.call, known.mutated_names()):
            at.change(value, self._at.call)
        if known.is_class(path) or "instance" in words:
            return self._library_instance(path, words, given, all_)
        if "calls" in words:
            self._call_given_functions(every, certain=True)
        in_place = works_in_place(entry, given, self._at.call)
        if "shares" in words and every:
            self._give_attribute(every[0].data, every[1:])
        if "closes" in words:
            self._project.lend_members({"close"}, every)
        if "printed" in words and not all_.of_kind("made", "imm") and not at.region:
            at.lose(f"{path} lets prints change what it is given", self._at.call, "opaque")
        if "changes" in words:
            for value in every:
                at.change(value, self._at.call)
                at.open_classes(value)
            return all_ if "itself" in words else all_.data
        if "remembers" in words:
            return self._remembering(path, given)
        if "field" in words:
            return field_of(given, all_)
        if given.positional and words & _OF_FIRST:
            return self._from_first_argument(words, given)
        if words & {"tokenizer", "model"}:
            return self._library_instance(path, words, given, all_)
        if root == "numpy" and holds_objects(self._at.call, given):
            return all_.part
        if "computes" in words and not in_place:
            if "copy" in words:
                copied = Value(hist=all_.hist | all_.srcs, tags=all_.tags, elems=all_.elems)
                return copied.data if "data" in words else copied
            fresh = all_.fresh if "requires_grad" not in given.named else all_.part
            return A_SCALAR if "scalar" in words else fresh
        if "stream" in words:
            return all_.part._replace(tags=frozenset([UNKNOWN, STREAM]))
        if words & {"computes", "reads"}:
            return all_.data if all_.of_kind("data", "imm") and every else all_.part
        return self.unknown(every, frozenset())

    def _from_first_argument(self, words: FrozenSet[str], given: Arguments) -> Value:
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

    def _remembering(self, path: str, given: Arguments) -> Value:
        """`lru_cache(f)` calls `f`, and `lru_cache(8)` makes a decorator."""
        called = [one for one in given.positional if not one.of_kind("imm")]
        for tag in {tag for one in called for tag in one.tags}:
            if tag[0] in ("func", "method"):
                self._at.store.remember(tag[1], plainly=False)
        return join(called or [Value(tags=frozenset([("lib", path)]))])

    def _library_instance(
        self, path: str, words: FrozenSet[str], given: Arguments, all_: Value
    ) -> Value:
        """An instance of a library's class."""
        if "tokenizer" in words:
            return Value(all_.srcs, all_.hist, frozenset([TOKENIZER]))
        if "model" in words:
            return self.unknown(given.every, frozenset())._replace(tags=frozenset([FOREIGN]))
        elems = all_.tags | all_.elems
        if known.is_loader(path):
            elems = frozenset([DATA])
        elif "container" in words:
            # It holds the items of what it is made of, and not the iterator that gave them.
            own = self._items_of(given.positional + given.spread)
            elems = own.union(all_.elems, *(one.tags for one in given.named.values()))
        if known.class_entry(path).works_in_place(self._at.call):
            path, elems = IN_PLACE[1], elems | {IN_PLACE}
        batched = collates(path, self._at.call, given, self._at.store)
        if batched and "collate_fn" in given.named:
            self._at.facts.collating += [scope for _, scope in given.named["collate_fn"].tags]
        made = COLLATED if batched else self._at.store.origins.made(path)
        # A tensor may lie in the memory of what it is made of, and a generator go on with another.
        shares = bool(known.class_entry(path).words & {"tensor", "drawn"})
        return Value(all_.srcs, all_.hist, frozenset([made]), elems, None if shares else NO_VARS)

    def _builtin(self, name: str, given: Arguments) -> Value:
        at, every = self._at, given.every
        all_ = join(every) if every else NOTHING
        entry = known.builtin(name)
        words = entry.words
        if "hidden" in words:
            at.lose(f"{name}() does what the source does not tell", self._at.call, "opaque")
        if "iterates" in words:
            compared = name in ("min", "max") and len(given.positional) > 1 and not given.spread
            for value in [] if compared else self._gone_through(given):
                at.iterate(value, self._at.call)
        self._call_given_functions(every, "calls" in words or "key" in given.named)
        if "decorator" in words:
            self._lend_accessors(every)
        called = given.positional[: "calls" in words]
        changed = changed_arguments(entry, given, self._at.call)
        for value in [*called, *changed, *self._key_functions(given)]:
            at.change(value, self._at.call)
            at.open_classes(value)
        if name == "super":
            return self._project.super_object()
        if name == "type" and len(every) == 1:
            classes = [class_of(at, tag[1]) for tag in all_.tags if tag[0] == "inst"]
            return join(classes or [Value(tags=frozenset([type_of(all_)]))])
        if name == "getattr" and given.positional:
            return self._named_member(given)
        if entry.makes:
            return Value(tags=frozenset([("made", entry.makes)]))
        if "item" in words:
            return at.item(all_)
        if "keeps" in words and given.positional:
            at.change_attribute(given.positional[0], self._at.call)
            at.store.put(given.positional[0], all_)
            self._give_attribute(given.positional[0], given.positional[1:])
            named = getattr(at.call.args[1], "value", None) if len(at.call.args) > 1 else None
            attribute = named if isinstance(named, str) else ANY_NAME
            note_attribute(at.store, given.positional, attribute)
            at.set_attribute(given.positional[0], attribute, all_, at.call)
            return A_SCALAR
        if "address" in words:
            return Value(tags=frozenset([ADDRESS]))
        if name[:1].isupper():
            # An exception holds what it is made with, and more can be put there.
            return Value(
                all_.srcs, all_.hist, frozenset([UNKNOWN]), all_.tags | all_.elems, NO_VARS
            )
        if "scalar" in words:
            return A_SCALAR
        if "stream" in words:
            return self._stream(name, every)
        # What `sorted` sorts by is not among the items.
        through = given.positional + given.spread if name in ("sorted", "dict") else every
        elems = self._items_of(through)
        if name == "dict":
            elems |= frozenset().union(*(one.tags for one in given.named.values()))
        if "container" in words:
            own = SET if name in ("set", "frozenset") else CONTAINER
            return Value(all_.srcs, all_.hist, frozenset([own]), elems, NO_VARS)
        if "chosen" in words:
            chosen = join(given.positional) if given.positional else NOTHING
            elems = frozenset(tag for one in given.positional for tag in at.item(one).tags)
            inner = join([chosen, Value(tags=elems)])._replace(within=None)
            inner = A_SCALAR if elems <= {IMMUTABLE} and not all_.srcs else inner
            return join([inner, given.named["default"]]) if "default" in given.named else inner
        return all_.part if "reads" in words else self.unknown(every, frozenset())

    def _give_attribute(self, holder: Value, given: Sequence[Value]) -> None:
        """By `setattr`, or by a method of a tensor that does as much."""
        if given and any(map(may_be_tensor, holder.tags)):
            self._at.give_tensor(holder, ANY_NAME, join(given))

    def _key_functions(self, given: Arguments) -> List[Value]:
        """What is called with every item, unless it is known to change nothing: `key=d.get`."""
        keys = [one.value for one in self._at.call.keywords if one.arg == "key"]
        harmless = known.methods_with("reads", "scalar")
        if all(isinstance(one, ast.Attribute) and one.attr in harmless for one in keys):
            return []
        return [given.named["key"]] if "key" in given.named else []

    def _named_member(self, given: Arguments) -> Value:
        """An attribute of which only the running program knows the name: any method may be it."""
        every = join(given.every)
        node: Any = self._at.call
        name = node.args[1] if len(node.args) > 1 else None
        classes = [tag for tag in given.positional[0].tags if tag[0] == "inst"]
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and classes:
            holder = given.positional[0]
            parts = [self._project.member(holder, tag, name.value, node) for tag in classes]
            return join([*parts, *given.positional[2:]])
        methods = {("method", one) for tag in classes for one in tag[1].methods.values()}
        return every.part._replace(tags=every.part.tags | methods)

    def _move_on(self, given: Arguments) -> None:
        """A function of a library may go through the iterators that it gets."""
        for value in [*self._gone_through(given), *given.named.values()]:
            self._at.move_on(value, self._at.call)

    def _gone_through(self, given: Arguments) -> List[Value]:
        """What a function may go through. What a generator goes through that is made for the call
        was noted where that is written."""
        nodes = getattr(self._at.call, "args", [])
        if any(isinstance(node, ast.Starred) for node in nodes):
            return [*given.positional, *given.spread]
        own = zip(given.positional, nodes)
        made = [value for value, node in own if not isinstance(node, ast.GeneratorExp)]
        return [*made, *given.positional[len(nodes) :], *given.spread]

    def _items_of(self, values: Sequence[Value]) -> Tags:
        items = [self._at.item(value).tags for value in values]
        return frozenset().union(*items) if items else frozenset()

    def counted(self, items: Value) -> Value:
        """What `enumerate` gives of them."""
        return self._stream("enumerate", [items])

    def _stream(self, name: str, values: Sequence[Value]) -> Value:
        """An iterator over what is given; `name`: of the built-in that makes it."""
        still = all(value.of_kind("container", "data", "imm") for value in values)
        (self._at.still.add if still else self._at.still.discard)(self._at.call)
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

    def _call_given_functions(self, given: Sequence[Value], certain: bool) -> None:
        """`map`, `sorted` with a key: functions among the arguments are called at once, and so are
        instances that can be. `certain`: so is what nobody knows of a library."""
        rest = [one for one in given if not one.of_kind("func", "lib", "method")]
        for value in given:
            for tag in value.tags:
                spread = [self._at.item(one) for one in rest if one is not value]
                items = Arguments([], {}, spread)
                if tag[0] in ("func", "method"):
                    self._project.function(tag[1], items, None, self._at.call)
                elif tag[0] == "inst":
                    self._project.call_method(value, tag[1], "__call__", items)
                elif certain:
                    self._project.lend_library(tag, rest, certain)

    def _lend_accessors(self, given: Sequence[Value]) -> None:
        """`property(get, set)` in the body of a class: they run where no call is written."""
        for tag in {tag for value in given for tag in value.tags}:
            if tag[0] == "func":
                self._project.lend(tag[1], [], bound=True)

    def unknown(self, parts: List[Value], tags: Any, tensors: bool = False) -> Value:
        """Nobody knows what it does: it may change all of them, and put each into each."""
        every = join(parts) if parts else NOTHING
        self._at.change(every, self._at.call, tensors=tensors)
        for one in parts:
            self._at.open_classes(one)
            others = [other for other in parts if other is not one and other.srcs]
            if one.srcs and others:
                self._at.store.put(one, join(others))
        given = self._at.store.origins.tag(self._at.call)
        return Value(every.srcs, every.hist, frozenset([given]), _callable_tags(every.tags))

    # Methods.

    def method(self, receiver: Value, tag: Tag, name: str, given: Arguments) -> Value:
        at, every = self._at, given.every
        both = join([receiver, *every])
        self._project.escape_all(every, [receiver, *every])
        self._move_on(given)
        if tag in (IMMUTABLE, SCALAR_TYPE):
            return A_SCALAR
        if tag == OBJECT_TYPE:
            return self.unknown(every, frozenset())
        if is_tensor(tag):
            tag = DATA
        if tag == FOREIGN and not is_of_modules(name):
            return self._foreign_method(receiver, name, given)
        entry = method_entry(tag, name)
        words = entry.words
        if entry.makes:
            return Value(tags=frozenset([("made", entry.makes)]))
        for value in changed_arguments(entry, given, self._at.call, known.mutated_names()):
            at.change(value, self._at.call)
        if "scalar" in words:
            return A_SCALAR
        if "differentiates" in words:
            self._backward(both)
            return self.unknown([receiver, *every], receiver.tags) if every else A_SCALAR
        if "converts" in words:
            if tag != DATA:
                # Of a module: in place, and it gives itself.
                at.change(receiver, self._at.call)
            return receiver if tag == UNKNOWN else receiver.tagged(tag)
        if "reads" in words or ("computes" in words and "copy" in given.named):
            parts = self._parts_of_receiver(receiver, tag, name, words)
            if "item" in words:
                # The second argument is for a key that is not there.
                parts = join([parts, *given.positional[1:], *given.named.values(), *given.spread])
            return united(parts, every) if tag == SET else parts
        if "computes" in words:
            return both.fresh
        if "differentiable" in words:
            at.wants_gradient(receiver)
        # `model.train()` sets a flag; `trainer.train(model)` does not.
        is_flag = "soft" in words
        if "shares" in words:
            self._give_attribute(receiver, every)
        if words & {"keeps", "mutates"} and not (is_flag and any(one.srcs for one in every)):
            self._change_receiver(receiver, tag, is_flag)
            if "keeps" in words:
                at.store.put(receiver, join(every) if every else NOTHING)
                note_put(at.store, self._at.call, every)
            return receiver if "itself" in words else at.item(both)
        if self._is_module(tag):
            return self._foreign_method(receiver, name, given)
        if is_generator(tag):
            # It keeps nothing of what it is given, and gives nothing of itself.
            at.change_itself(receiver.tagged(tag), self._at.call)
            return self.unknown(every, frozenset())
        return self.unknown([receiver, *every], receiver.tags, tensors=self._is_torch(tag))

    def _is_torch(self, tag: Tag) -> bool:
        """Whether it is an object of PyTorch's own: an optimizer, a schedule, a module."""
        is_own = tag[0] == "made" and tag != IN_PLACE and tag != FOREIGN
        return is_own and tag[1].startswith(("torch.nn.", "torch.optim.", "torch.cuda.amp."))

    def _change_receiver(self, receiver: Value, tag: Tag, is_flag: bool) -> None:
        if is_flag or tag[0] not in ("container", "data"):
            tensors = self._is_torch(tag)
            self._at.change(receiver, self._at.call, soft=is_flag, tensors=tensors)
        else:
            self._at.change_itself(receiver.tagged(tag), self._at.call)

    def _parts_of_receiver(
        self, receiver: Value, tag: Tag, name: str, words: FrozenSet[str]
    ) -> Value:
        """What a method that only reads gives of its receiver."""
        if tag == DATA:
            return receiver.data
        for word, own in _PARTS.items():
            if word in words:
                elems = frozenset([UNKNOWN if "submodules" in words else DATA])
                return receiver.tagged(own)._replace(elems=elems)
        if tag == NAMED:
            return receiver.tagged(KEYED if name == "items" else NAMED)
        if "item" in words:
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
        self._at.change(Value(trained), self._at.call, tensors=True)

    # Modules of PyTorch, and what may be one.

    def called_module(self, callee: Value, path: str, given: Arguments) -> Value:
        """A module of PyTorch, most likely: it may change itself, not what it gets."""
        every = join([callee, *given.every])
        words = known.class_entry(path).words
        if "loss" in words:
            return every.fresh
        if not known.is_torch_module(path):
            self._project.any_forward(callee, given)
            return self.unknown([callee, *given.every], frozenset())
        if "computes" in words:
            self._at.change(callee, self._at.call, soft=True, tensors=True)
            return every.fresh
        self._project.held_forward(callee, given)
        self._at.change(callee, self._at.call, soft=True, tensors=True)
        if IN_PLACE in callee.elems or IN_PLACE in callee.tags:
            for value in given.every:
                self._at.change(value, self._at.call)
        return every.data

    def called_foreign(self, callee: Value, given: Arguments) -> Value:
        """It may change itself, and what it is given but for mere data (`foreign_modules.py`)."""
        self._project.escape_all(given.every, given.every)
        self._project.any_forward(callee, given, lambda scope: has_library_base(self._at, scope))
        if IN_PLACE in callee.elems:
            return self.unknown([callee, *given.every], frozenset())
        self._keep_given(callee, given)
        self._at.change(callee, self._at.call, soft=True)
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
            return self.unknown([receiver, *given.every], receiver.tags)
        self._keep_given(receiver, given)
        on_data = any(value.of_kind("data") for value in given.every)
        computes = is_computing(name, on_data)
        self._at.change(receiver, self._at.call, soft=computes)
        self._at.open_classes(receiver)
        every = join([receiver, *given.every])
        if computes and on_data:
            return every.data
        result = self._at.store.origins.tag(self._at.call)
        return Value(every.srcs, every.hist | every.srcs, frozenset([result]), every.tags)

    def _keep_given(self, holder: Value, given: Arguments) -> None:
        for value in given.every:
            moves = value.may_be("generator") or value.may_be("stream")
            if moves or not is_mere_data(value.tags, value.elems):
                self._at.change(value, self._at.call)
                self._at.open_classes(value)
                self._at.store.put(holder, value)
