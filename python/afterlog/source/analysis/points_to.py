"""What is known of variables, and of attributes by their names. It only grows; and whoever has
looked at something can ask whether it has grown since."""

import functools
from typing import Any, Callable, Dict, List, Set, Tuple

from ..program.scopes import Scope, Var
from .abstract_values import DATA, IMMUTABLE, NO_TAGS, NO_VARS, UNKNOWN, Tag, Tags, Value, Vars
from .facts import Effect
from .foreign_modules import Origins

_NUMBERS: Tags = frozenset([DATA, IMMUTABLE])
# Values of these kinds are the same objects for ever: nothing that is changed is part of them.
_STEADY = ("imm", "lib", "func", "module")
_WITHOUT_TENSORS = (*_STEADY, "class", "container")


class Watch:
    """What one evaluation has looked at: variables, and attributes by their names."""

    def __init__(self, since: int) -> None:
        self.vars: Vars = NO_VARS
        self.attributes: Set[str] = set()
        # How much of what was learned has been compared.
        self.compared = since


class _Facts:
    """Of one variable. `reach`: it, what it may be, hold or be part of, and so on from there."""

    __slots__ = ("bit", "reach", "hist", "within", "tags", "elems")

    def __init__(self, bit: Vars) -> None:
        self.bit = bit
        self.reach: Vars = bit
        self.within: Vars = bit
        self.hist: Vars = NO_VARS
        self.tags: Tags = NO_TAGS
        self.elems: Tags = NO_TAGS


class PointsToStore:
    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self._numbers: Dict[Var, int] = {}
        self._vars: List[Var] = []
        self._facts: List[_Facts] = []
        self._attributes: Dict[str, _Facts] = {}
        self._members: Dict[Vars, List[int]] = {}
        # Variables, and names of attributes, as something new was learned of them.
        self._learned: List[Any] = []
        self._watch = Watch(0)
        # What was assigned and put before: again it teaches nothing.
        self._given: Set[Any] = set()
        # First only what is known is passed on; what nobody said anything of is unknown after that.
        self.settled = False
        # Variables whose values may be among those that `backward` goes through.
        self.differentiated: Vars = NO_VARS
        # Functions that keep what they have computed; whether that is all they do, and nobody has
        # asked them what they keep. Methods that a library may call.
        self._remembering: Dict[Scope, bool] = {}
        self.lent: Set[Scope] = set()

    # Sets of variables.

    def bit(self, var: Var) -> Vars:
        """The set of this variable alone."""
        return self._facts_of(var).bit

    def members(self, vars_: Vars) -> List[Var]:
        return [self._vars[index] for index in self._variable_numbers(vars_)]

    def _facts_of(self, var: Var) -> _Facts:
        number = self._numbers.get(var)
        if number is None:
            number = self._numbers[var] = len(self._vars)
            self._vars.append(var)
            self._facts.append(_Facts(1 << number))
        return self._facts[number]

    def _variable_numbers(self, vars_: Vars) -> List[int]:
        known = self._members.get(vars_)
        if known is None:
            digits = bin(vars_)[:1:-1]
            known = [index for index, digit in enumerate(digits) if digit == "1"]
            self._members[vars_] = known
        return known

    # What was looked at.

    def watch(self) -> Watch:
        """Notes from now on what is looked at."""
        self._watch = Watch(len(self._learned))
        return self._watch

    def is_stale(self, watch: Watch) -> bool:
        """Whether anything that was looked at has changed since the watch began. If not, the
        evaluation would give the same again."""
        for one in self._learned[watch.compared :]:
            if one in watch.attributes if isinstance(one, str) else one & watch.vars:
                return True
        watch.compared = len(self._learned)
        return False

    @property
    def learned(self) -> int:
        """How often something new was learned."""
        return len(self._learned)

    # What is learned.

    def assign(self, var: Var, value: Value) -> None:
        """The variable may hold the value."""
        given = (var, value)
        if given in self._given:
            return
        self._given.add(given)
        facts = self._facts_of(var)
        more = self._connect_variables(facts, value)
        more |= self._part_of(facts, value.holders)
        if not (value.tags <= facts.tags and value.elems <= facts.elems):
            facts.tags |= value.tags
            facts.elems |= value.elems
            more = True
        if more:
            self._learned.append(facts.bit)

    def put(self, holder: Value, value: Value, objects: bool = False) -> None:
        """Something that `holder` may be holds the value from now on. `objects`: a tensor too."""
        elems = _without_origins(value.tags | value.elems)
        self._watch.vars |= holder.holders
        srcs, hist = value.srcs, value.hist
        given = (holder.holders, srcs, hist, elems)
        if given in self._given:
            return
        passed = False
        for index in self._variable_numbers(holder.holders):
            facts = self._facts[index]
            if facts.tags and facts.tags <= _NUMBERS and not objects:
                # As an element a tensor takes over numbers, not objects.
                passed = True
                continue
            more = srcs & ~facts.reach or hist & ~facts.hist
            if more:
                self._connect_variables(facts, value)
            if facts.elems is not elems and not elems <= facts.elems:
                facts.elems |= elems
                more = 1
            if more:
                self._learned.append(facts.bit)
        if not passed:
            self._given.add(given)

    def share(self, holder: Value, value: Value) -> None:
        """Something that `holder` may be lies in the memory of the value from now on."""
        for var in self.members(holder.holders):
            self.assign(var, Value(value.srcs, value.hist, within=value.holders))

    def _connect_variables(self, facts: _Facts, value: Value) -> bool:
        """Whether it reaches more now. So does then whatever reaches it."""
        new, hist = value.srcs & ~facts.reach, value.hist
        if not new and not hist & ~facts.hist:
            return False
        reach = NO_VARS
        for index in self._variable_numbers(new):
            reach |= self._facts[index].reach
            hist |= self._facts[index].hist
        for other in self._facts:
            if other.reach & facts.bit:
                other.reach |= reach
                other.hist |= hist
        return True

    def _part_of(self, facts: _Facts, holders: Vars) -> bool:
        new = holders & ~facts.within
        if not new:
            return False
        within = NO_VARS
        for index in self._variable_numbers(new):
            within |= self._facts[index].within
        for other in self._facts:
            if other.within & facts.bit:
                other.within |= within
        return True

    def put_attribute(self, name: str, value: Value) -> None:
        facts = self._attributes.get(name)
        if facts is None:
            facts = self._attributes[name] = _Facts(NO_VARS)
        if value.hist & ~facts.hist or not (
            value.tags <= facts.tags and value.elems <= facts.elems
        ):
            facts.hist |= value.hist
            facts.tags |= value.tags
            facts.elems |= value.elems
            self._learned.append(name)

    def remember(self, scope: Scope, plainly: bool) -> None:
        """The function keeps what it has given; `plainly`: for the same it would give the same."""
        plainly = plainly and self._remembering.get(scope, True)
        if self._remembering.get(scope) is not plainly:
            self._remembering[scope] = plainly
            self._learned.append(_memory_of(scope))

    def ask_memory(self, scope: Scope) -> None:
        """What the function keeps may be looked at, or thrown away."""
        if scope in self._remembering:
            self.remember(scope, plainly=False)

    # What is known.

    def remembers(self, scope: Scope, result: Value) -> bool:
        """Whether calling the function changes what somebody can see: numbers and texts that it
        would compute again are not seen, if nobody asks how many it keeps."""
        self._watch.attributes.add(_memory_of(scope))
        plainly = self._remembering.get(scope)
        return plainly is not None and not (plainly and result.of_kind("imm"))

    def attribute(self, name: str) -> Value:
        self._watch.attributes.add(name)
        facts = self._attributes.get(name)
        return Value() if facts is None else Value(NO_VARS, facts.hist, facts.tags, facts.elems)

    def value(self, var: Var) -> Value:
        """What the variable may hold; the variable itself is among the sources of an object."""
        facts = self._facts_of(var)
        self._watch.vars |= facts.reach
        tags, elems = facts.tags, facts.elems
        if tags and all(tag[0] in _STEADY for tag in tags):
            return Value(NO_VARS, NO_VARS, tags, elems)
        if not tags and self.settled:
            tags = frozenset([UNKNOWN])
        return Value(facts.reach, facts.hist, tags, elems, facts.within)

    def tags_of(self, var: Var) -> Tags:
        return self.kinds_of(var)[0]

    def kinds_of(self, var: Var) -> Tuple[Tags, Tags]:
        """What it may be, and what may come out of it, as far as anything said so."""
        facts = self._facts_of(var)
        self._watch.vars |= facts.bit
        return facts.tags, facts.elems

    def vars_with(self, tag: Tag) -> List[Var]:
        """All that may be such a thing, or hold one; this is not watched."""
        every = zip(self._vars, self._facts)
        return [var for var, facts in every if tag in facts.tags or tag in facts.elems]

    def reaching(self, vars_: Vars) -> Vars:
        """All that may be, hold or be part of one of these; this is not watched."""
        found = NO_VARS
        for facts in self._facts:
            found |= facts.bit if facts.reach & vars_ else NO_VARS
        return found

    def vars_that(self, is_meant: Callable[[Tag], bool]) -> Vars:
        """All that may be something meant, or hold it; this is not watched."""
        tags = {tag for facts in self._facts for tag in facts.tags | facts.elems}
        meant = {tag for tag in tags if is_meant(tag)}
        found = NO_VARS
        for facts in self._facts:
            if not (meant.isdisjoint(facts.tags) and meant.isdisjoint(facts.elems)):
                found |= facts.bit
        return found

    def closure(self, vars_: Vars) -> Vars:
        """With all that they may be part of."""
        return self._closure(vars_)[0]

    def touched(self, effect: Effect) -> Vars:
        """Variables whose objects it may change."""
        if not effect.shallow:
            found = self.closure(effect.vars)
            return found & ~self._without_tensors(found) if effect.tensors else found
        found = effect.vars
        for index in self._variable_numbers(effect.vars):
            found |= self._facts[index].within
        self._watch.vars |= found
        return found

    def _without_tensors(self, vars_: Vars) -> Vars:
        """Of these, the ones that have no tensors, and nothing that may have some."""
        found = NO_VARS
        for index in self._variable_numbers(vars_):
            facts = self._facts[index]
            if facts.tags and all(tag[0] in _WITHOUT_TENSORS for tag in facts.tags | facts.elems):
                found |= facts.bit
        return found

    def _closure(self, vars_: Vars) -> Tuple[Vars, Vars]:
        found, hist, rest = NO_VARS, NO_VARS, vars_
        while rest:
            # Whatever one of them reaches has been looked at with it.
            facts = self._facts[(rest & -rest).bit_length() - 1]
            found |= facts.reach
            hist |= facts.hist
            rest &= ~found
        self._watch.vars |= found
        return found, hist

    def computed_from(self, value: Value) -> Vars:
        """All that `backward` reaches from it."""
        found = value.srcs | value.hist
        while True:
            reached, hist = self._closure(found)
            if reached | hist == found:
                return found
            found = reached | hist


def _memory_of(scope: Scope) -> str:
    """For the list of what was learned: no attribute has such a name."""
    return f"<memory of {scope.file}:{scope.label}>"


@functools.lru_cache(maxsize=4096)
def _without_origins(tags: Tags) -> Tags:
    """What anything may be put into need not say where each came from: there is too much of it."""
    if not any(tag[0] == "?" and tag != UNKNOWN for tag in tags):
        return tags
    return frozenset(UNKNOWN if tag[0] == "?" else tag for tag in tags)
