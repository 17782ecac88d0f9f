"""A set comes back with the order in which it is gone through, and stays in step from then on."""

import os
import random
import unittest
from typing import Any, Callable, Dict, List

from afterlog.format.errors import AfterlogError
from afterlog.state.set_order import Table, fill_set, is_ordered, make_frozen, read_table
from afterlog.state.walk import identify

from .test_state import hashes, places_of, save

_STEPS = 40


def _items(draw: random.Random) -> Callable[[], Any]:
    """Numbers that meet in the table, or all kinds of items."""
    span = draw.choice([60, 10**6, 2**63])
    if draw.random() < 0.5:
        return lambda: draw.randrange(span) - 5
    return lambda: draw.choice([draw.randrange(50), draw.random(), (draw.randrange(9), 1.5)])


def _change(values: List[set], draw: random.Random, item: Callable[[], Any]) -> None:
    """Does the same to all of them."""
    how, one, more = draw.random(), item(), {item() for _ in range(draw.randrange(5))}
    for value in values:
        if how < 0.5:
            value.add(one)
        elif how < 0.6 and value:
            value.pop()
        elif how < 0.7 and value:
            value.discard(next(iter(value)))
        elif how < 0.85:
            value |= more
        elif how < 0.95:
            value -= more
        elif how > 0.99:
            value.clear()


class _Point:
    def __init__(self, x: float) -> None:
        self.x = x


class SetOrder(unittest.TestCase):
    def test_random_sets(self) -> None:
        refused = 0
        for seed in range(120):
            draw = random.Random(seed)
            item = _items(draw)
            value: set = set()
            for _ in range(draw.choice([3, 20, 60, 200])):
                _change([value], draw, item)
            with self.subTest(seed):
                found = read_table(value)
                if found is None:
                    refused += 1
                    continue
                described: Dict[str, Any] = found.to_json()
                again: set = {"another", 1}
                fill_set(again, Table(found.items, **described))
                self.assertEqual(list(again), list(value))
                for _ in range(_STEPS):
                    _change([value, again], draw, item)
                    self.assertEqual(list(again), list(value))
        self.assertLess(refused, 5)

    def test_sets_without_items(self) -> None:
        emptied, popped = {3, 8, 16}, {3, 8, 16}
        for item in (3, 8, 16):
            emptied.discard(item)
            popped.pop()
        large = set(range(1000))
        large.clear()
        for value in (set(), emptied, popped, large):
            table = read_table(value)
            self.assertIsNotNone(table)
            again: set = set()
            fill_set(again, table or Table([], 0, [], 0))
            for one in (value, again):
                one |= {11, 19, 35}
            self.assertEqual(list(again), list(value))
            self.assertEqual([again.pop() for _ in range(3)], [value.pop() for _ in range(3)])

    def test_frozen_sets(self) -> None:
        refused = 0
        for seed in range(50):
            draw = random.Random(seed)
            value = frozenset(draw.randrange(1000) for _ in range(draw.randrange(40)))
            found = read_table(value)
            if found is None:
                refused += 1
            else:
                again = make_frozen(Table(found.items, **found.to_json()))
                self.assertEqual(list(again), list(value))
        self.assertLess(refused, 10)

    def test_frozen_sets_that_cannot_be_made_again(self) -> None:
        """They are refused, unless they were there when the loop was entered."""
        for seed in range(500):
            draw = random.Random(seed)
            items = [draw.randrange(10**6) for _ in range(60)]
            value = frozenset(items) - frozenset(items[::2])
            if read_table(value) is None:
                break
        else:
            self.fail("all can")
        state = {"pool": value}
        save(state, identify(places_of(state)))
        with self.assertRaisesRegex(AfterlogError, "whose order cannot be made again"):
            save(state, None)

    def test_objects_that_lie_elsewhere(self) -> None:
        """What a set holds is the same, in whatever order the interpreter goes through it."""
        saved = []
        for seed in range(8):
            made = [_Point(value) for value in range(12)]
            random.Random(seed).shuffle(made)
            for value, point in enumerate(made):
                point.x = value / 8
            state = {"points": set(made)}
            saved.append(hashes(save(state, identify(places_of({"points": set()})))))
        self.assertEqual(saved, saved[:1] * 8)

    def test_hashes_that_are_not_the_same_everywhere(self) -> None:
        self.assertTrue(is_ordered([1, 2.5, (3, True)]))
        self.assertFalse(is_ordered([1, float("nan")]))
        self.assertFalse(is_ordered([1, object()]))
        steady = os.environ.get("PYTHONHASHSEED", "random").isdigit()
        self.assertEqual(is_ordered(["a"]), steady)


if __name__ == "__main__":
    unittest.main()
