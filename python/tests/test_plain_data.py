"""Capturing and restoring plain data: the same graph, the same objects, the same sharing."""

import array
import builtins
import collections
import datetime
import decimal
import hashlib
import operator
import os
import pathlib
import queue
import random
import struct
import unittest
import weakref
from functools import partial
from typing import Any, Dict, List

from afterlog.format.errors import AfterlogError
from afterlog.format.values import SAFE_INTEGER_MAX
from afterlog.record.checkpoints.captured_state import in_order
from afterlog.state.places import Place
from afterlog.state.scalars import are_plain_numbers, encode_scalar
from afterlog.state.walk import capture, identify

from .test_state import Plain, Point, Slotted, hashes, load, places_of, round_trip, save


class ManyNumbers(unittest.TestCase):
    def test_are_encoded_as_one_by_one(self) -> None:
        ints, floats = list(range(-50, 50)), [0.5 * n for n in range(100)]
        table: List[Any] = [
            (ints, True),
            (floats, True),
            ([*floats, 0.0], True),
            (ints[:9], False),
            ([*ints, SAFE_INTEGER_MAX], True),
            ([*ints, SAFE_INTEGER_MAX + 1], False),
            ([*ints, -(2**70)], False),
            ([*ints, True], False),
            ([*ints, None], False),
            ([*ints, 1.5], False),
            ([*floats, -0.0], False),
            ([*floats, float("nan")], False),
            ([*floats, float("inf")], False),
            ([*floats, float("inf"), float("-inf")], False),
            ([*floats, 1.7e308, 1.7e308], False),
            ([*ints, []], False),
        ]
        for items, expected in table:
            self.assertEqual(are_plain_numbers(items), expected, items[-2:])
            for state in (items, collections.deque(items, maxlen=500)):
                record = {"x": state}
                graph = capture(places_of(record), identify(places_of(record))).graph
                encoded = [item if item == [] else encode_scalar(item) for item in items]
                found = [item if item[:1] != ["ref"] else [] for item in _lists(graph)]
                self.assertEqual(repr(found), repr([_list(item) for item in encoded]))


def _list(item: Any) -> List[Any]:
    return item if isinstance(item, list) else [item]


def _lists(graph: Dict[str, Any]) -> List[List[Any]]:
    """The items of the first node, each as a list."""
    (node, *_) = [one for one in graph["nodes"] if one["t"] == "array"]
    return [_list(item) for item in node["items"]]


class PlainData(unittest.TestCase):
    def test_kinds(self) -> None:
        values = {
            "scalars": [None, True, 1, -0.0, 0.1, float("inf"), 2**70, "é", "\ud800"],
            "containers": [(1, (2, [3])), {1: 2, (3, 4): 5}, {(2,)}, frozenset({3})],
            "derived": [
                Point(1, [2]),
                collections.deque([1, 2], maxlen=3),
                collections.OrderedDict(b=1, a=2),
                collections.defaultdict(list, {"x": [1]}),
                collections.Counter("aab"),
            ],
            "other": [1 + 2j, b"\0\1", bytearray(b"ab"), range(3), Ellipsis, len, dict],
            "made": [datetime.datetime(2026, 1, 2), decimal.Decimal("1.5"), pathlib.Path("/x")],
            "c": [array.array("d", [1.5]), operator.itemgetter(2), struct.Struct("i").format],
            "objects": [Plain([1]), Slotted([2], {"k": 3})],
            "generator": random.Random(5),
        }

        def change(state: Dict[str, Any]) -> None:
            state.update(values)
            values["generator"].random()

        first, second, saved, again = round_trip(lambda: dict.fromkeys(values), change)
        for name in ("scalars", "containers", "derived", "other", "made", "c"):
            with self.subTest(name):
                self.assertEqual(repr(second[name]), repr(first[name]))
        self.assertEqual(second["objects"][0].value, [1])
        self.assertEqual(second["objects"][1]._Slotted__b, {"k": 3})
        self.assertEqual(second["generator"].getstate(), first["generator"].getstate())
        self.assertIs(second["derived"][3].default_factory, list)
        self.assertEqual(hashes(again), hashes(saved))

    def test_names_that_a_text_was_executed_in(self) -> None:
        def change(state: Dict[str, Any]) -> None:
            exec("n = [n]", state["names"])

        _, second, saved, again = round_trip(lambda: {"names": {"n": 1}}, change)
        self.assertEqual(second["names"]["n"], [1])
        self.assertIs(second["names"]["__builtins__"], builtins.__dict__)
        self.assertEqual([len(one[0]["nodes"]) for one in (saved, again)], [2, 2])
        self.assertEqual(hashes(again), hashes(saved))

    def test_data_that_looks_like_a_mark_of_ours(self) -> None:
        marks = [["ref", 7000], ["ref", 0], ["entry", 1], ["float", "NaN"], ["undefined"]]
        values: Dict[str, Any] = {
            "lists": marks,
            "tuples": [tuple(mark) for mark in marks],
            "keys": [{"ref": 7000}, {"ref": 1}],
            "attributes": vars(Plain(["ref", 7000])),
        }
        state = dict(values)
        saved = save(state, identify(places_of(state)))
        again: Dict[str, Any] = dict.fromkeys(values)
        load(again, identify(places_of(again), hold=True), saved)
        self.assertEqual(again, values)
        self.assertEqual([one["key"] for one in hashes(saved)], [f"d0.{name}" for name in values])

    def test_in_place_and_shared(self) -> None:
        def make() -> Dict[str, Any]:
            inner: List[Any] = [1]
            return {"a": inner, "b": {"same": inner}, "c": Plain(inner), "d": None}

        def change(state: Dict[str, Any]) -> None:
            state["a"].append(state["c"])
            state["b"]["new"] = state["d"] = [state["b"]]

        first = make()
        entry = identify(places_of(first))
        change(first)
        saved = save(first, entry)
        second = make()
        inner, record = second["a"], second["c"]
        load(second, identify(places_of(second), hold=True), saved)
        self.assertIs(second["a"], inner)
        self.assertIs(second["c"], record)
        self.assertIs(second["b"]["same"], inner)
        self.assertIs(inner[1], record)
        self.assertIs(record.value, inner)
        self.assertIs(second["d"], second["b"]["new"])
        self.assertIs(second["d"][0], second["b"])

    def test_what_nothing_reads_again_has_no_part_in_the_numbers_of_others(self) -> None:
        arms = [[1], [2], [3]]
        stays = {"model": {"w": [0]}, "best": arms[1], "arms": arms}

        def numbers(dead: Dict[str, Any]) -> Dict[str, Any]:
            values = {**stays, **dead}
            places = [
                Place(
                    f"train.py:main:{name}#0", "b", partial(values.get, name), values.update,
                    dead=name in dead, volatile=name != "model", known=name == "arms",
                )
                for name in values
            ]  # fmt: skip
            ids = identify(in_order(places))
            found = {name: ids.get(value) for name, value in stays.items()}
            return {**found, "each": [ids.get(arm) for arm in arms]}

        with open(os.devnull) as file:
            for dead in ({"file": file}, {"tmp": [1, [2]]}, {"pick": arms[0]}, {"a": stays}):
                self.assertEqual(numbers(dead), numbers({}), dead)

    def test_what_the_program_lets_go_is_gone(self) -> None:
        """A weak dictionary shows it, also while the entry of a loop is known that is restored."""
        state: Dict[str, Any] = {"items": [Plain(1), Plain(2)], "function": lambda: 1}
        seen = weakref.WeakKeyDictionary({one: 1 for one in state["items"]})
        held = identify(places_of(state), hold=True)
        saved = save(state, held)
        state["items"].pop()
        state["function"] = None
        self.assertEqual(len(seen), 1)
        load(state, held, saved)
        self.assertEqual([one.value for one in state["items"]], [1, 2])
        self.assertEqual(state["function"](), 1)

    def test_weak_references_that_were_made_in_the_loop(self) -> None:
        def change(state: Dict[str, Any]) -> None:
            state["to"] = [weakref.ref(state["kept"]), weakref.ref(Plain(2))]

        second = round_trip(lambda: {"kept": Plain(1), "to": None}, change)[1]
        self.assertEqual([one() for one in second["to"]], [second["kept"], None])

    def test_refused(self) -> None:
        def numbers() -> Any:
            yield 1

        for value in (numbers(), hashlib.sha256(), queue.SimpleQueue()):
            record: Dict[str, Any] = {"x": Plain([value])}
            with self.subTest(value), self.assertRaisesRegex(AfterlogError, r"x\.value\.0"):
                capture(places_of(record), identify(places_of(record)))
        record = {"f": None}
        entry = identify(places_of(record))
        record["f"] = lambda: 0
        with self.assertRaisesRegex(AfterlogError, "made after the loop began"):
            capture(places_of(record), entry)

    def test_a_state_that_does_not_fit_is_left_alone(self) -> None:
        class Local:
            pass

        first: Dict[str, Any] = {"a": [1], "x": None}
        entry = identify(places_of(first))
        first["a"][0], first["x"] = 2, Local()
        saved = save(first, entry)
        second: Dict[str, Any] = {"a": [1], "x": None}
        with self.assertRaisesRegex(AfterlogError, "AL071"):
            load(second, identify(places_of(second), hold=True), saved)
        self.assertEqual(second, {"a": [1], "x": None})


if __name__ == "__main__":
    unittest.main()
