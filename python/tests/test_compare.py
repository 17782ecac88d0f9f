"""A state that was executed again, compared with the one that was recorded."""

import itertools
import unittest
from typing import Any, Dict, List, Optional, Tuple

from afterlog.record.replay.compare_state import StateNow, captured_state, compare_state
from afterlog.record.replay.compare_state import differing_places, hashes_of
from afterlog.state.places import Place
from afterlog.state.walk import identify

try:
    import numpy
except ImportError:
    numpy = None

try:
    import torch
except ImportError:
    torch = None


def places_of(held: Dict[str, Any]) -> List[Place]:
    return [Place(key, "b", lambda k=key: held[k], print, dead="dead" in key) for key in held]


@unittest.skipIf(torch is None, "no torch")
class Compare(unittest.TestCase):
    def test_what_is_around_holds_what_is_restored(self) -> None:
        """A schedule is left alone by a loop that changes the optimizer it holds."""
        for best, expected in ((1.0, []), (2.0, ["sched"])):
            states = []
            for moments, rate in (([1.0, 2.0], 1.0), ([], best)):
                opt = {"moments": moments, "w": torch.full((3,), float(len(moments)))}
                held = {"opt": opt, "sched": {"opt": opt, "best": rate}}
                states.append(StateNow(places_of(held), identify(places_of(held)), []))
            recorded = captured_state(states[0], left=True)
            left = [one for one in states[1].places if one.key == "sched"]
            self.assertEqual(differing_places(states[1], left, recorded, None), expected)

    def differing(self, kept: float) -> List[str]:
        """In the run the first `drawn` is gone when it is bound anew; who repeats it holds it."""
        hashes = []
        for repeated in (False, True):
            drawn = torch.zeros(4, 3)
            held = {"drawn": drawn, "kept": [drawn.detach()[0]]}
            entry = identify(places_of(held), hold=repeated)
            held["drawn"] = torch.ones(4, 3)
            del drawn
            if not repeated:
                recorded = captured_state(StateNow(places_of(held), entry, []), left=True)
                hashes = hashes_of(recorded).items()
                continue
            held["kept"][0] += kept
            places = [{"key": key, "crc32": crc} for key, crc in hashes]
            record = {"places": places, "absent": [], "generators": []}
            now = StateNow(places_of(held), entry, [])
            return compare_state(now, record, None, lambda: recorded)[1]
        return []

    def test_memory_of_what_only_the_repetition_holds(self) -> None:
        self.assertEqual(self.differing(kept=0), [])
        self.assertEqual(self.differing(kept=1), ["kept"])


class NamesWhatDiffers(unittest.TestCase):
    def test_an_object_more(self) -> None:
        """It shifts the numbers of all that comes behind it: that differs in nothing."""
        shared = [1]
        held: Dict[str, Any] = {"a": {}, "b": [[2], shared], "c": [shared, {"k": [3]}]}
        entry = identify(places_of(held))
        recorded = captured_state(StateNow(places_of(held), entry, []), left=True)
        places = [{"key": key, "crc32": crc} for key, crc in hashes_of(recorded).items()]
        record = {"places": places, "absent": [], "generators": []}

        def differing() -> List[str]:
            now = StateNow(places_of(held), entry, [])
            return compare_state(now, record, None, lambda: recorded)[1]

        self.assertEqual(differing(), [])
        held["a"]["more"] = []
        self.assertEqual(differing(), ["a"])
        held["c"][1]["k"].append(4)
        self.assertEqual(differing(), ["a", "c"])
        del held["a"]["more"], held["c"][1]["k"][1]
        # Only that it is the same object is not the same.
        held["c"][0] = [1]
        self.assertEqual(differing(), ["c"])


class Timer:
    def __init__(self, at: float, w: int) -> None:
        self.at, self.w = at, w


def _wrapped(timer: Timer, value: Any) -> Timer:
    timer.show = value  # type: ignore[attr-defined]
    return timer


# What varies, the place `a.py:0:t` in the run and in the repetition, and whether it differs.
VARYING: List[Tuple[str, Dict[str, Any], Any, Any, bool]] = [
    ("its own place", {"places": ["a.py:0:t"]}, 1.0, 2.0, False),
    ("one in whatever scope", {"places": ["a.py:*:t"]}, 1.0, 2.0, False),
    ("another place", {"places": ["a.py:0:u"]}, 1.0, 2.0, True),
    ("an attribute", {"fields": ["at"]}, Timer(1, 1), Timer(2, 1), False),
    ("beside an attribute", {"fields": ["at"]}, Timer(1, 1), Timer(2, 2), True),
    ("inside a list", {"fields": ["at"]}, [Timer(1, 1)], [Timer(2, 1)], False),
    ("a method that is wrapped", {"fields": []}, Timer(1, 1), _wrapped(Timer(1, 1), len), False),
    ("beside a method", {"fields": []}, Timer(1, 1), _wrapped(Timer(1, 2), len), True),
    ("what is no function", {"fields": []}, Timer(1, 1), _wrapped(Timer(1, 1), 3), True),
    ("a key", {"fields": ["at"]}, {"at": 1, "w": 1}, {"at": 2, "w": 1}, False),
    ("a key that only one has", {"fields": ["at"]}, {}, {"at": [1]}, False),
    (
        "one that shifts the numbers of others",
        {"fields": ["at"]},
        {"a": [[1], [print, [2]]]},
        {"at": [[3], print], "a": [[1], [print, [2]]]},
        False,
    ),
    (
        "beside one that shifts numbers",
        {"fields": ["at"]},
        {"a": [[1], ["ref", 5]]},
        {"at": [[3]], "a": [[1], ["ref", 7]]},
        True,
    ),
]


class NotCompared(unittest.TestCase):
    def differing(
        self, varying: Optional[Dict[str, Any]], then: Dict[str, Any], now: Dict[str, Any]
    ) -> List[str]:
        entries = [identify(places_of(held), hold=True) for held in (then, now)]
        run, again = (
            StateNow(places_of(held), entry, []) for held, entry in zip((then, now), entries)
        )
        recorded = captured_state(run, left=True)
        places = [{"key": key, "crc32": crc} for key, crc in hashes_of(recorded).items()]
        record = {"places": places, "absent": [], "generators": []}
        known = varying and {"logs": [], "places": [], "fields": [], **varying}
        return compare_state(again, record, known, lambda: recorded)[1]

    def test_what_varies(self) -> None:
        for what, varying, then, now, differs in VARYING:
            with self.subTest(what):
                states = [{"a.py:0:t#0": one, "a.py:0:w#0": [1]} for one in (then, now)]
                expected = ["a.py:0:t#0"] if differs else []
                self.assertEqual(self.differing(varying, *states), expected)

    @unittest.skipIf(numpy is None, "no NumPy")
    def test_a_view_that_varies(self) -> None:
        """Only with it the array was seen as memory that several share."""
        for change, row in itertools.product((0, 1), ("a.py:0:row#0", "a.py:0:dead#0")):
            data = numpy.arange(12.0).reshape(4, 3)
            states = [
                {"a.py:0:data#0": data, row: data[3]},
                {"a.py:0:data#0": data + change, row: {"loss": 1.5}},
            ]
            expected = ["a.py:0:data#0"] if change else []
            found = self.differing({"places": ["a.py:0:row"]}, *states)
            self.assertEqual(found, expected)
            if "dead" in row:
                self.assertEqual(self.differing(None, *states), expected)


if __name__ == "__main__":
    unittest.main()
