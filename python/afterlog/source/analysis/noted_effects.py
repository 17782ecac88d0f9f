"""What statements and expressions do to objects: noted for the questions about loops, with no more
variables than each can have to do with."""

import ast
from typing import TYPE_CHECKING, Optional, Sequence, Set, cast

from ..libraries import is_drawn_from, is_loader
from ..program.program import Program
from ..program.scopes import Scope, Var
from .abstract_values import A_SCALAR, DATA, NO_VARS, UNKNOWN, Tag, Value, Vars, join, kinds_of
from .classes import library_bases, note_set_by_name
from .facts import Effect, Region, ScopeFacts, position_of
from .plain_expressions import goes_through_parts
from .points_to import PointsToStore

if TYPE_CHECKING:
    from .expressions import Expressions

_ANEW = ("container", "data", "imm", "stream", "generator", "pair")
_MOVED = ("stream", "generator", "?")
# Of these a part is set, and nothing else happens.
_OPEN = ("imm", "container", "data", "class")
_PLAIN_BASES = (
    *("builtins.", "enum.", "typing."),
    *(f"torch.{one}." for one in ("autograd", "nn", "optim", "utils.data")),
)
# An attribute whose name only the running program knows.
ANY_NAME = "*"


class NotedEffects:
    """Of one scope."""

    def __init__(self, program: Program, store: PointsToStore, scope: Scope) -> None:
        self.program = program
        self.store = store
        self.root = scope
        self.scope = scope
        self.facts = ScopeFacts()
        self.region: Region = ()
        # Calls that make an iterator over lists and the like: nothing else moves on with it.
        self.still: Set[ast.AST] = set()

    def wants_gradient(self, value: Value) -> None:
        """It is no mere data: `backward` reaches it."""
        for var in self.store.members(value.srcs):
            if DATA in self.store.tags_of(var):
                self.store.assign(var, Value(tags=frozenset([UNKNOWN])))

    def effect(self, effect: Effect) -> None:
        self.facts.effects.append(effect)

    def change(
        self, value: Value, node: ast.AST, soft: bool = False, tensors: bool = False
    ) -> None:
        """Objects that the value may be, or hold, are changed in place."""
        if value.srcs:
            at = position_of(node)
            self.effect(Effect("change", value.srcs, at, self.region, soft, tensors=tensors))

    def change_itself(self, value: Value, node: ast.AST) -> None:
        """Objects that the value may be are changed in place, and not what they hold: by what is
        known to do no more to what it is done to."""
        if not all(map(self._is_open, value.tags)):
            self.change(value, node)
            return
        vars_ = value.holders
        if not value.may_be("container") and not value.may_be("imm"):
            for var in self.store.members(vars_):
                vars_ &= ~self.store.bit(var) if self._is_plain_data(var) else vars_
        if vars_:
            at = position_of(node)
            self.effect(Effect("change", vars_, at, self.region, shallow=True))

    def _is_open(self, tag: Tag) -> bool:
        """Whether setting a part of it executes nothing but what is in the program."""
        if tag[0] == "inst":
            at = cast("Expressions", self)
            return all(one.startswith(_PLAIN_BASES) for one in library_bases(at, tag[1]))
        return tag[0] in _OPEN or (tag[0] == "made" and is_drawn_from(tag[1]))

    def _is_plain_data(self, var: Var) -> bool:
        """Numbers, texts and lists of nothing else: no tensor and no instance is among them."""
        tags, elems = self.store.kinds_of(var)
        return bool(tags) and all(tag[0] in ("imm", "container") for tag in tags | elems)

    def change_attribute(self, holder: Value, node: ast.AST) -> None:
        """An attribute is set or deleted, of a class perhaps, or of a member of an enumeration."""
        if getattr(node, "attr", None) in self.program.set_by_methods:
            self.change(holder, node)
        else:
            self.change_itself(holder, node)
        if holder.may_be("imm"):
            self.facts.open_classes |= holder.holders
        self.open_classes(holder)

    def give_tensor(self, holder: Value, name: str, value: Value) -> None:
        """A tensor gets an attribute, which it keeps; as its `data`, the memory of another."""
        self.store.put(holder, value, objects=True)
        kept = value._replace(hist=value.hist | value.srcs)
        self.store.put_attribute(_of_tensors(name), kept)
        if name in ("data", ANY_NAME):
            self.store.share(holder, value)

    def given_tensors(self, name: str) -> Value:
        """What tensors were given under a name, beside what each has."""
        found = [self.store.attribute(_of_tensors(one)) for one in (name, ANY_NAME)]
        return join(found)

    def put_on_function(self, scope: Scope, name: str, value: Value) -> None:
        """It lives there, where nobody captures it."""
        self.store.put_attribute(_of_functions(name), A_SCALAR)
        self.store.put(Value(self.put_on(scope, name)), value)

    def put_on(self, scope: Scope, name: str) -> Vars:
        """What functions hold that have something by this name put on them."""
        given = [self.store.attribute(_of_functions(one)) for one in (name, ANY_NAME)]
        if not any(one.tags for one in given):
            return NO_VARS
        return self.store.bit(scope.var(f"{scope.name}="))

    def give_library(self, path: str, value: Value) -> None:
        """Something is put on a module of a library, or on one of its classes."""
        self.store.put(Value(self._put_on_library(path)), value)
        self.store.put_attribute(_of_libraries(path), value._replace(hist=value.hist | value.srcs))

    def given_library(self, path: str) -> Value:
        """What the program has put there; nothing if it has not."""
        given = self.store.attribute(_of_libraries(path))
        if not given.tags:
            return given
        own = self._put_on_library(path)
        return given._replace(srcs=self.store.closure(own))

    def _put_on_library(self, path: str) -> Vars:
        module = self.program.modules[self.program.entry].scopes.module
        return self.store.bit(module.var(f"{path.rpartition('.')[2]}="))

    def open_classes(self, value: Value) -> None:
        """Classes that it may be, or list, may get what their bodies do not show. Of one that an
        object holds, nobody does so who gets the object; a run looks (`unchanged_variables.py`)."""
        if value.may_be("class") or value.may_be("?"):
            self.facts.open_classes |= value.holders
        if value.may_be("container") and any(tag[0] == "class" for tag in value.elems):
            self.facts.open_classes |= value.srcs

    def lose(self, why: str, node: ast.AST, kind: str = "lost") -> None:
        """`opaque`: it matters wherever it stands."""
        self.effect(Effect(kind, NO_VARS, position_of(node), self.region, why=why))

    def iterate(self, value: Value, node: ast.AST, own: Optional[int] = None) -> None:
        """Going through something may move it on: a generator, a loader with its own order. `own`:
        the loop of the run that does so."""
        if not value.srcs or value.of_kind("container", "data", "imm", "looped"):
            return
        # A loader begins anew each time; an iterator in a variable has moved on.
        loaders = (tag for tag in value.tags if tag[0] not in _ANEW)
        anew = all(tag[0] == "made" and is_loader(tag[1]) for tag in loaders)
        vars_ = self.store.members(value.srcs)
        held = any(tag[0] in _MOVED for var in vars_ for tag in self.store.tags_of(var))
        if not held and getattr(node, "iter", node) in self.still:
            return
        of_parts = goes_through_parts(node)
        soft = (anew and not held) or of_parts
        self.effect(Effect("iterate", value.srcs, position_of(node), self.region, soft))
        if of_parts:
            # Of a module: an iterator that is made for this, whatever else the module may hold.
            return
        is_iterator = any(tag == UNKNOWN or _goes_on(tag) for tag in kinds_of(value.tags))
        self._move([var for var in vars_ if self._goes_on(var, is_iterator)], node, own)

    def _move(self, vars_: Sequence[Var], node: ast.AST, own: Optional[int]) -> None:
        """Iterators that others have go on from there, for whoever asks them next. The loop that
        goes through one brings it to where it stands itself (semantics, "Iterators")."""
        moved = NO_VARS
        for var in vars_:
            moved |= self.store.bit(var)
        if moved:
            region = tuple(number for number in self.region if number != own)
            self.effect(Effect("change", moved, position_of(node), region))

    def _goes_on(self, var: Var, deep: bool) -> bool:
        """Whether it is an iterator that whoever goes through it moves on; `deep`: or holds one."""
        held = self.store.members(self.store.closure(self.store.bit(var))) if deep else [var]
        return any(
            _goes_on(tag) for one in held for tags in self.store.kinds_of(one) for tag in tags
        )

    def move_on(self, value: Value, node: ast.AST) -> None:
        """The same for what goes through iterators only."""
        if any(tag[0] in ("stream", "generator") for tag in value.tags):
            self.iterate(value, node)


def note_attribute(store: PointsToStore, given: Sequence[Value], name: str) -> None:
    """`setattr(holder, name, value)` does what an assignment would."""
    value = join(given[2:]) if len(given) > 2 else Value()
    if name == ANY_NAME:
        note_set_by_name(store, given[0], value)
    elif value.tags:
        store.put_attribute(name, value._replace(hist=value.hist | value.srcs))


def _goes_on(tag: Tag) -> bool:
    """Whether whoever goes through it moves it on for all."""
    return tag[0] in ("stream", "generator") or tag == ("made", "io.TextIOWrapper")


def _of_tensors(name: str) -> str:
    """No attribute has such a name."""
    return f"<of tensors: {name}>"


def _of_functions(name: str) -> str:
    """No attribute has such a name."""
    return f"<of functions: {name}>"


def _of_libraries(path: str) -> str:
    """No attribute has such a name."""
    return f"<of libraries: {path}>"
