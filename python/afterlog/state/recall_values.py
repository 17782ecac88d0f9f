"""Which objects containers hold.

That is compared by identity, and without holding what the program may let go: what has a number in
the walk is found by that; all else that a container can hold does not change, and is kept.
"""

import itertools
import operator
import weakref
from typing import Any, Callable, Collection, Dict, Iterator, List, NamedTuple, Sequence


class Known(NamedTuple):
    """The objects of a walk, by number, and their numbers by where they lie in memory."""

    objects: List[Any]
    numbers: Dict[int, int]


class Held:
    """What some containers hold, in one list for all: comparing that is quick."""

    def __init__(self, containers: Sequence[Collection[Any]], known: Known) -> None:
        self._sizes = list(map(len, containers))
        self._kept: List[Any] = []
        # Into the objects and, behind them, those that are kept.
        self._at: List[int] = []
        for one in itertools.chain.from_iterable(containers):
            number = known.numbers.get(id(one))
            self._at.append(len(known.objects) + len(self._kept) if number is None else number)
            if number is None:
                self._kept.append(one)

    def _expected(self, known: Known) -> Iterator[Any]:
        return map([*known.objects, *self._kept].__getitem__, self._at)

    def are_in(self, containers: Sequence[Collection[Any]], known: Known) -> bool:
        """Whether these hold the same objects in the same order."""
        held = itertools.chain.from_iterable(containers)
        return list(map(len, containers)) == self._sizes and all(
            map(operator.is_, held, self._expected(known))
        )

    def differing(self, containers: Sequence[Collection[Any]], known: Known) -> Iterator[int]:
        """Indices of those that do not."""
        expected = self._expected(known)
        for index, (container, size) in enumerate(zip(containers, self._sizes)):
            own = list(itertools.islice(expected, size))
            if len(container) != size or not all(map(operator.is_, container, own)):
                yield index


def kept(value: Any) -> Callable[[], Any]:
    """Reaches an object again; what can be let go is not kept alive by that."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value
