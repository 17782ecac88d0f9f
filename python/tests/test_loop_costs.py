"""Which loops a recording gives up, by what they cost. The same as `loop-costs.test.ts` has it."""

import math
import unittest
from typing import List, Tuple

from afterlog.record.loops.loop_costs import LoopCosts

BUDGET = 0.1

Entries = Tuple[int, int, float]

CASES: List[Tuple[str, List[Entries], float, List[int]]] = [
    ("cheap loops", [(1, 1000, 0.01)], 0, []),
    ("a costly one", [(1, 20_000, 0.01)], 0, [1]),
    ("a costly one in a long training", [(1, 20_000, 0.01)], 10_000, []),
    ("the costlier one alone, if enough", [(2, 2000, 0.01), (1, 9000, 0.01)], 0, [1]),
    ("both, if it is not", [(2, 11_000, 0.01), (1, 12_000, 0.01)], 0, [1, 2]),
    ("one that is entered rarely", [(0, 60, 1), (2, 60, 1)], 0, []),
    ("calls that were interrupted", [(1, 99, 1000)], 0, []),
]


def booked(entries: List[Entries]) -> LoopCosts:
    costs = LoopCosts()
    for number, calls, ms in entries:
        cost = costs.of(number)
        for _ in range(calls):
            cost.calls += 1
            costs.book(cost, ms)
    return costs


def given_up(costs: LoopCosts, program_ms: float, budget: float = BUDGET) -> List[int]:
    numbers = []
    cost = costs.too_costly(budget, program_ms)
    while cost is not None:
        costs.give_up(cost, [])
        numbers.append(cost.number)
        cost = costs.too_costly(budget, program_ms)
    return numbers


class Costs(unittest.TestCase):
    def test_the_costliest_is_given_up(self) -> None:
        for what, entries, program_ms, expected in CASES:
            with self.subTest(what):
                self.assertEqual(given_up(booked(entries), program_ms), expected)

    def test_one_in_another_loop_may_cost_by_its_iterations(self) -> None:
        costs = booked([(1, 3, 1), (0, 60, 1), (2, 60, 1)])
        costs.of(1).nested = 3
        self.assertEqual(given_up(costs, 0), [1])

    def test_one_whose_iterations_are_looked_at_is_kept(self) -> None:
        costs = booked([(1, 20_000, 0.01)])
        costs.of(1).logged = True
        self.assertEqual(given_up(costs, 0), [])

    def test_one_that_costs_little_of_its_own_time_is_kept(self) -> None:
        costs = booked([(1, 20_000, 0.01)])
        costs.of(1).bodies_ms = 200 / BUDGET * 2.1
        self.assertEqual(given_up(costs, 0), [])
        costs.of(1).bodies_ms = 200 / BUDGET * 1.9
        self.assertEqual(given_up(costs, 0), [1])

    def test_those_around_one_that_is_given_up_begin_anew(self) -> None:
        costs = booked([(1, 20_000, 0.01), (2, 15_000, 0.01)])
        costs.give_up(costs.of(1), [costs.of(2)])
        self.assertEqual(given_up(costs, 0), [])

    def test_one_is_hot_that_costs_much_of_its_own_time(self) -> None:
        for what, ms, bodies_ms, budget, expected in [
            ("one that has just begun", 19, 0, BUDGET, False),
            ("quick iterations", 21, 50, BUDGET, True),
            ("slow ones", 21, 1000, BUDGET, False),
            ("no budget", 1000, 1, math.inf, False),
        ]:
            with self.subTest(what):
                cost = LoopCosts().of(1)
                cost.ms, cost.bodies_ms = ms, bodies_ms
                self.assertEqual(cost.is_hot(budget), expected)

    def test_without_a_budget_none_is(self) -> None:
        self.assertEqual(given_up(booked([(1, 100_000, 1)]), 0, math.inf), [])

    def test_nobody_looks_before_there_is_something_to_see(self) -> None:
        self.assertFalse(booked([(1, 99, 1)]).is_due)
        costs = booked([(1, 101, 1)])
        self.assertTrue(costs.is_due)
        costs.too_costly(BUDGET, 1000)
        self.assertFalse(costs.is_due)
