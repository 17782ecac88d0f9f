"""What the analysis knows of a value: which variables' objects it may be or hold, and what kind of
thing it may be. Only sets that grow, so that repeating the evaluation comes to an end."""

from typing import Any, Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Set, Tuple

from .scopes import Var

# What a value may be: ("lib", path), ("func", scope), ("method", scope), ("class", scope),
# ("inst", scope), ("made", path) for an instance of a library's class, ("module", scope),
# ("super", scope), and those below.
Tag = Tuple[Any, ...]
Tags = FrozenSet[Tag]
Vars = FrozenSet[Var]

IMMUTABLE: Tag = ("imm",)
# A list, tuple, dict or set of Python's own.
CONTAINER: Tag = ("container",)
# A tensor or array, or something made of them: not called, no module.
DATA: Tag = ("data",)
# An iterator over known things, made by a built-in: zip, enumerate.
STREAM: Tag = ("stream",)
# The same in pairs of which the first is a name or a number; a dictionary by names; such a pair.
KEYED: Tag = ("stream", "keyed")
NAMED: Tag = ("stream", "named")
PAIR: Tag = ("pair",)
UNKNOWN: Tag = ("?",)

NO_VARS: Vars = frozenset()
NO_TAGS: Tags = frozenset()


class Value(NamedTuple):
    """`srcs`: variables whose objects it may be, hold, or be part of. `hist`: those that it was
    computed from, which `backward` reaches. `elems`: what may come out of it."""

    srcs: Vars = NO_VARS
    hist: Vars = NO_VARS
    tags: Tags = NO_TAGS
    elems: Tags = NO_TAGS
    # Of those in `srcs`, the ones that it is or is part of; None: any. A variable also has in its
    # `srcs` what it holds, and what is put into it is not put into that.
    within: Optional[Vars] = None

    @property
    def holders(self) -> Vars:
        return self.srcs if self.within is None else self.within

    def of_kind(self, *kinds: str) -> bool:
        """Whether it is certainly of these kinds."""
        return bool(self.tags) and all(tag[0] in kinds for tag in self.tags)

    def may_be(self, kind: str) -> bool:
        return any(tag[0] == kind for tag in self.tags)

    def tagged(self, *tags: Tag) -> "Value":
        return self._replace(tags=frozenset(tags))

    @property
    def data(self) -> "Value":
        """A tensor that may share memory with it."""
        return Value(self.srcs, self.hist, frozenset([DATA]))

    @property
    def part(self) -> "Value":
        """Something in it, or it."""
        return self._replace(tags=frozenset([UNKNOWN]), within=None)

    @property
    def fresh(self) -> "Value":
        """Computed from it, with memory of its own."""
        return Value(hist=self.srcs | self.hist, tags=frozenset([DATA]))


NOTHING = Value()
A_SCALAR = Value(tags=frozenset([IMMUTABLE]))


def join(values: Iterable[Value]) -> Value:
    known: List[Value] = list(values)
    if len(known) == 1:
        return known[0]
    srcs = frozenset().union(*(one.srcs for one in known))
    holders = frozenset().union(*(one.holders for one in known))
    return Value(
        srcs,
        frozenset().union(*(one.hist for one in known)),
        frozenset().union(*(one.tags for one in known)),
        frozenset().union(*(one.elems for one in known)),
        holders,
    )


class _Facts:
    __slots__ = ("srcs", "hist", "tags", "elems", "within")

    def __init__(self) -> None:
        self.srcs: Set[Var] = set()
        self.within: Set[Var] = set()
        self.hist: Set[Var] = set()
        self.tags: Set[Tag] = set()
        self.elems: Set[Tag] = set()

    def add_kinds(self, value: Value) -> bool:
        before = len(self.tags) + len(self.elems)
        self.tags |= value.tags
        self.elems |= value.elems
        return len(self.tags) + len(self.elems) > before

    def add_edges(self, value: Value) -> bool:
        before = len(self.srcs) + len(self.hist) + len(self.within)
        self.srcs |= value.srcs
        self.hist |= value.hist
        self.within |= value.within or NO_VARS
        return len(self.srcs) + len(self.hist) + len(self.within) > before


class Watch:
    """What one evaluation has looked at: sets of variables, and attributes by their names."""

    def __init__(self, since: int) -> None:
        self.since = since
        self.vars: Dict[int, Iterable[Var]] = {}
        self.singles: Set[Any] = set()

    def saw(self, vars_: Vars) -> None:
        # The set itself is kept: else another one could get its number.
        self.vars[id(vars_)] = vars_


class Store:
    """What is known of variables, and of attributes by their names."""

    def __init__(self) -> None:
        # Variables, and names of attributes, as something new was learned of them.
        self._learned: List[Any] = []
        self._watch = Watch(0)
        # What was assigned and put before: again it teaches nothing.
        self._given: Set[Any] = set()
        self._vars: Dict[Var, _Facts] = {}
        self._attributes: Dict[str, _Facts] = {}
        # Until an edge is added.
        self._closures: Dict[Var, Tuple[Vars, Vars]] = {}
        self._withins: Dict[Var, Vars] = {}
        # First only what is known is passed on; what nobody said anything of is unknown after that.
        self.settled = False
        # Variables whose values may be among those that `backward` goes through.
        self.differentiated: Set[Var] = set()

    def watch(self) -> Watch:
        """Notes from now on what is looked at."""
        self._watch = Watch(len(self._learned))
        return self._watch

    def is_stale(self, watch: Watch) -> bool:
        """Whether anything that was looked at has changed since the watch began. If not, the
        evaluation would give the same again."""
        learned = set(self._learned[watch.since :])
        if not learned:
            return False
        sets = watch.vars.values()
        return not learned.isdisjoint(watch.singles) or not all(map(learned.isdisjoint, sets))

    @property
    def learned(self) -> int:
        """How often something new was learned."""
        return len(self._learned)

    def assign(self, var: Var, value: Value) -> None:
        """The variable may hold the value."""
        given = (var, value)
        if given in self._given:
            return
        self._given.add(given)
        own = value._replace(srcs=value.srcs - {var}, within=value.holders - {var})
        self._add(self._vars, var, own)

    def _add(self, known: Dict[Any, _Facts], key: Any, value: Value) -> None:
        facts = known.get(key)
        if facts is None:
            facts = known[key] = _Facts()
        more = facts.add_kinds(value)
        if facts.add_edges(value):
            more = True
            # What could be reached before by another way changes no closure.
            reached = self._closures.get(key)
            if reached is None or not (value.srcs <= reached[0] and value.hist <= reached[1]):
                self._closures.clear()
            within = self._withins.get(key)
            if within is None or not (value.within or NO_VARS) <= within:
                self._withins.clear()
        if more:
            self._learned.append(key)

    def put(self, holder: Value, value: Value) -> None:
        """Something that `holder` may be holds the value from now on."""
        inner = Value(value.srcs, value.hist, NO_TAGS, value.tags | value.elems)
        self._watch.saw(holder.holders)
        given = (holder.holders, inner)
        if given in self._given:
            return
        passed = 0
        for var in holder.holders:
            facts = self._vars.get(var)
            if facts and facts.tags and facts.tags <= {DATA, IMMUTABLE}:
                # A tensor takes over numbers, not objects.
                passed += 1
                continue
            own = inner._replace(srcs=inner.srcs - {var}) if var in inner.srcs else inner
            self._add(self._vars, var, own)
        if not passed:
            self._given.add(given)

    def put_attribute(self, name: str, value: Value) -> None:
        self._add(self._attributes, name, value._replace(within=NO_VARS))

    def attribute(self, name: str) -> Value:
        self._watch.singles.add(name)
        facts = self._attributes.get(name)
        if facts is None:
            return NOTHING
        return Value(NO_VARS, frozenset(facts.hist), frozenset(facts.tags), frozenset(facts.elems))

    def value(self, var: Var) -> Value:
        """What the variable may hold; the variable itself is among the sources of an object."""
        srcs, hist = self._closure(var)
        within = self._within(var)
        facts = self._vars.get(var)
        tags = frozenset(facts.tags) if facts else NO_TAGS
        elems = frozenset(facts.elems) if facts else NO_TAGS
        if tags and all(tag[0] in ("imm", "lib", "func", "module") for tag in tags):
            return Value(NO_VARS, NO_VARS, tags, elems)
        if not tags and self.settled:
            tags = frozenset([UNKNOWN])
        return Value(srcs, hist, tags, elems, within)

    def _within(self, var: Var) -> Vars:
        """What the variable may be, or be part of."""
        known = self._withins.get(var)
        if known is not None:
            return known
        seen: Set[Var] = {var}
        queue = [var]
        while queue:
            facts = self._vars.get(queue.pop())
            for one in facts.within - seen if facts else ():
                seen.add(one)
                queue.append(one)
        self._withins[var] = frozenset(seen)
        return self._withins[var]

    def tags_of(self, var: Var) -> Tags:
        self._watch.singles.add(var)
        facts = self._vars.get(var)
        return frozenset(facts.tags) if facts else NO_TAGS

    def kinds_of(self, var: Var) -> Tuple[Tags, Tags]:
        """What it may be, and what may come out of it, as far as anything said so."""
        self._watch.singles.add(var)
        facts = self._vars.get(var)
        return (frozenset(facts.tags), frozenset(facts.elems)) if facts else (NO_TAGS, NO_TAGS)

    def vars_with(self, tag: Tag) -> List[Var]:
        """All of them; this is not watched."""
        return [var for var, facts in self._vars.items() if tag in facts.tags]

    def closure(self, vars_: Iterable[Var]) -> Set[Var]:
        """With all that they may be part of."""
        found: Set[Var] = set()
        for var in vars_:
            found |= self._closure(var)[0]
        return found

    def _closure(self, var: Var) -> Tuple[Vars, Vars]:
        known = self._closures.get(var)
        if known is not None:
            self._watch.saw(known[0])
            return known
        seen: Set[Var] = {var}
        hist: Set[Var] = set()
        queue = [var]
        while queue:
            facts = self._vars.get(queue.pop())
            if facts is None:
                continue
            hist |= facts.hist
            for one in facts.srcs - seen:
                seen.add(one)
                queue.append(one)
        known = (frozenset(seen), frozenset(hist))
        self._closures[var] = known
        self._watch.saw(known[0])
        return known
