"""Which objects containers hold.

That is compared by identity, and without holding what the program may let go: what has a number in
the walk is known to be alive whenever it is compared, so where it lies in memory says which it is;
all else that a container can hold does not change, and is kept.
"""

import array
import ctypes
import itertools
import operator
import sys
import weakref
from typing import AbstractSet, Any, Callable, Collection, Dict, Iterable, Iterator, List
from typing import NamedTuple, Optional, Sequence, Tuple

from ..materialize.slots import picker
from .own_content import as_plain, values_of


class Known(NamedTuple):
    """The objects of a walk, by number, and their numbers by where they lie in memory."""

    objects: Sequence[Any]
    numbers: Dict[int, int]


def _ask_addresses(values: Tuple[Any, ...]) -> bytes:
    return array.array("Q", map(id, values)).tobytes()


def _read_addresses(values: Tuple[Any, ...]) -> bytes:
    return ctypes.string_at(id(values) + tuple.__basicsize__, len(values) * 8)


def _can_read_tuples() -> bool:
    """Whether a tuple is what it is in CPython: a head, and the addresses of its items."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    sample = (None, "a", 1, object(), _ask_addresses, tuple)
    return sample.__sizeof__() == tuple.__basicsize__ + 8 * len(sample) and (
        _read_addresses(sample) == _ask_addresses(sample)
    )


# Which objects these are, 8 bytes for each: equal for the same ones, as long as they live. Reading
# the addresses at once is thirty times quicker than asking one object after the other.
identities: Callable[[Tuple[Any, ...]], bytes] = (
    _read_addresses if _can_read_tuples() else _ask_addresses
)


def addresses(values: Tuple[Any, ...]) -> List[int]:
    """Where these lie in memory."""
    found = array.array("Q")
    found.frombytes(identities(values))
    return found.tolist()


def _flat_items(containers: Iterable[Iterable[Any]]) -> Tuple[Any, ...]:
    return tuple(itertools.chain.from_iterable(containers))


class HeldObjects:
    """What some containers hold, in one list for all: comparing that is quick."""

    def __init__(self, containers: Sequence[Collection[Any]], known: Known) -> None:
        containers = as_plain(containers)
        self._sizes = list(map(len, containers))
        items = _flat_items(containers)
        self._ids = identities(items)
        unknown = map(operator.not_, map(known.numbers.__contains__, addresses(items)))
        self._kept = list(itertools.compress(items, unknown))

    def are_in(self, containers: Sequence[Collection[Any]]) -> bool:
        """Whether these hold the same objects in the same order."""
        containers = as_plain(containers)
        return list(map(len, containers)) == self._sizes and self.are_those(_flat_items(containers))

    def are_those(self, items: Tuple[Any, ...]) -> bool:
        """Whether these are all that they held, in the same order."""
        return identities(items) == self._ids

    def differing(self, containers: Sequence[Collection[Any]]) -> Iterator[int]:
        """Indices of those that do not."""
        at = 0
        for index, (container, size) in enumerate(zip(as_plain(containers), self._sizes)):
            end = at + size * 8
            if identities(tuple(container)) != self._ids[at:end]:
                yield index
            at = end


class HeldInDicts:
    """The same for dicts: their keys, and what these lead to."""

    def __init__(self, dicts: Sequence[Dict[Any, Any]], known: Known) -> None:
        self._keys = HeldObjects(dicts, known)
        self._values = HeldObjects(values_of(dicts), known)

    def are_in(self, dicts: Sequence[Dict[Any, Any]]) -> bool:
        # As many values as keys.
        return self._keys.are_in(dicts) and self._values.are_those(_flat_items(values_of(dicts)))

    def differing(self, dicts: Sequence[Dict[Any, Any]]) -> Iterator[int]:
        yield from self._keys.differing(dicts)
        yield from self._values.differing(values_of(dicts))


class WeakObjects:
    """Reaches objects again; what can be let go is not kept alive by that."""

    def __init__(self, objects: Sequence[Any], leaves_out: AbstractSet[int]) -> None:
        # Kept ones behind the others, and behind them nothing: that stands for those left out.
        self._references: List[Callable[[], Any]] = []
        self._kept: List[Any] = []
        order = []
        for number, one in enumerate(objects):
            if number in leaves_out:
                order.append(-1)
                continue
            try:
                self._references.append(weakref.ref(one))
                order.append(len(self._references) - 1)
            except TypeError:
                self._kept.append(one)
                order.append(-1 - len(self._kept))
        self._kept.reverse()
        self._order = order
        self._pick = picker(order)
        self._alive = identities(self._now())

    def replace(self, number: int, value: Any) -> None:
        """Of those that are kept: another one has its number now."""
        assert self._order[number] < -1, "it can be let go"
        self._kept[len(self._kept) + 1 + self._order[number]] = value

    def _now(self) -> Tuple[Any, ...]:
        return tuple([reference() for reference in self._references])

    def now(self) -> Optional[List[Any]]:
        """The objects, None for one that was left out; None instead of all if one is gone."""
        alive = self._now()
        if identities(alive) != self._alive:
            return None
        return list(self._pick((*alive, *self._kept, None)))
