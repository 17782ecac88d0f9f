"""What the analysis knows of a value: which variables' objects it may be or hold, and what kind of
thing it may be. Only sets that grow, so that repeating the evaluation comes to an end."""

from typing import Any, FrozenSet, Iterable, List, NamedTuple, Optional, Tuple

# What a value may be: ("lib", path), ("func", scope), ("method", scope), ("class", scope),
# ("inst", scope), ("made", path) for an instance of a library's class, ("module", scope),
# ("super", scope), and those below.
Tag = Tuple[Any, ...]
Tags = FrozenSet[Tag]
# A set of variables: a bit for each, by the numbers that the store gives them. Sets of hundreds
# are joined and compared all the time, and so these cost as much as one number.
Vars = int

IMMUTABLE: Tag = ("imm",)
# What `id()` gives, and values that are told apart by which object they are: in another process
# they mean nothing.
ADDRESS: Tag = ("imm", "address")
# A list, tuple, dict or set of Python's own.
CONTAINER: Tag = ("container",)
# A set, which is gone through in the order of the hashes of its elements.
SET: Tag = ("container", "set")
# A tensor or array, or something made of them: not called, no module.
DATA: Tag = ("data",)
# An iterator over known things, made by a built-in: zip, enumerate.
STREAM: Tag = ("stream",)
# The same in pairs of which the first is a name or a number; a dictionary by names; such a pair.
KEYED: Tag = ("stream", "keyed")
NAMED: Tag = ("stream", "named")
PAIR: Tag = ("pair",)
# Nobody knows; with where it came from, if that is known (`foreign_modules.py`).
UNKNOWN: Tag = ("?",)
# A loader that puts each batch together anew, an iterator over it, and one with numbers.
COLLATED: Tag = ("made", "torch.utils.data.DataLoader", "collated")
BATCHES: Tag = ("stream", "collated")
KEYED_BATCHES: Tag = ("stream", "keyed", "collated")
_BATCHED = frozenset([COLLATED, BATCHES, KEYED_BATCHES])

NO_VARS: Vars = 0
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

    @property
    def is_batched(self) -> bool:
        """Whether what comes out of it is made for whoever asks, and shares nothing with it."""
        return bool(self.tags) and self.tags <= _BATCHED

    def tagged(self, *tags: Tag) -> "Value":
        return self._replace(tags=frozenset(tags))

    @property
    def data(self) -> "Value":
        """A tensor that may share memory with it."""
        return Value(self.srcs, self.hist, frozenset([DATA]))

    @property
    def collected(self) -> "Value":
        """A new list, or the like, of what comes out of it."""
        tags = frozenset([CONTAINER]) | (self.tags & {SET})
        return Value(self.srcs, self.hist, tags, self.elems, NO_VARS)

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
    srcs, hist, holders = NO_VARS, NO_VARS, NO_VARS
    for one in known:
        srcs |= one.srcs
        hist |= one.hist
        holders |= one.holders
    return Value(
        srcs,
        hist,
        frozenset().union(*(one.tags for one in known)),
        frozenset().union(*(one.elems for one in known)),
        holders,
    )


def kinds_of(tags: Tags) -> Tags:
    """What it may be, without where that came from: it makes no difference to what is done."""
    origins = [tag for tag in tags if tag[0] == "?" and tag != UNKNOWN]
    return tags.difference(origins) | {UNKNOWN} if origins else tags
