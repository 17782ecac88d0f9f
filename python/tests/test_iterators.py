"""Iterators as part of the state: each goes on from where it was, as the one of the run does."""

import itertools
import sys
import unittest
from typing import Any, Callable, Dict

from afterlog.record.loops.iterators import range_of
from afterlog.state.walk import identify

from .test_state import hashes, round_trip, save

# Each gives at least 12 items.
ITERATORS: Dict[str, Callable[[], Any]] = {
    "a list's": lambda: iter([*range(20)]),
    "a range's": lambda: iter(range(20)),
    "enumerate": lambda: enumerate([*range(20)]),
    "zip": lambda: zip(range(20), [*range(20)]),
    "count": lambda: itertools.count(3, 2),
    "cycle": lambda: itertools.cycle([1, 2, 3]),
    "cycle of a text": lambda: itertools.cycle("abcde"),
    "cycle of an iterator": lambda: itertools.cycle(iter([[1], [2]])),
    "accumulate": lambda: itertools.accumulate([*range(20)]),
    "chain": lambda: itertools.chain([1, 2, 3], range(20)),
    "islice": lambda: itertools.islice([*range(40)], 1, 40, 2),
    "product": lambda: itertools.product([1, 2], [3, 4, 5], [6, 7]),
}


def advanced(iterator: Any, items: int) -> Any:
    return [next(iterator) for _ in range(items)]


@unittest.skipIf(sys.version_info >= (3, 14), "iterators of itertools cannot be copied")
class Iterators(unittest.TestCase):
    def goes_on(self, make: Callable[[], Any], before: int, inside: int) -> None:
        def entered() -> Dict[str, Any]:
            iterator = make()
            advanced(iterator, before)
            return {"x": iterator}

        def change(state: Dict[str, Any]) -> None:
            advanced(state["x"], inside)

        first, second, saved, again = round_trip(entered, change)
        self.assertEqual(hashes(again), hashes(saved))
        for items in (1, 1, 1, 2):
            self.assertEqual(advanced(second["x"], items), advanced(first["x"], items))
            # Also in what a later checkpoint would say.
            states = [hashes(save(state, identify([]))) for state in (first, second)]
            self.assertEqual(states[1], states[0])

    def test_going_on(self) -> None:
        for (name, make), before, inside in itertools.product(
            ITERATORS.items(), range(4), range(4)
        ):
            with self.subTest(iterator=name, before=before, inside=inside):
                self.goes_on(make, before, inside)


class Ranges(unittest.TestCase):
    def test_what_an_iterator_has_before_it(self) -> None:
        begun = reversed(range(1, 10, 2))
        next(begun)
        over = iter(range(2))
        advanced(over, 2)
        items = [1, 2]
        for iterable, expected in (
            (reversed(range(4)), range(3, -1, -1)),
            (begun, range(7, -1, -2)),
            (over, range(0)),
            (range(3), range(3)),
            (items, items),
        ):
            self.assertEqual(range_of(iterable), expected)
