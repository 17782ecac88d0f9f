"""A captured state without the program: what `afterlog.restore(row)` gives."""

import collections
import datetime
import decimal
import json
import pathlib
import random
import unittest
from typing import Any, Dict

from afterlog.format.errors import AfterlogError
from afterlog.restored_state import restore_state
from afterlog.state.places import place_labels
from afterlog.state.plain_state import plain_values
from afterlog.state.walk import identify

from .test_state import Plain, Point, Slotted, places_of, save, torch


def plain(record: Dict[str, Any]) -> Dict[str, Any]:
    places = places_of(record)
    structure, data = save(record, identify(places))
    found = plain_values(structure, lambda name: memoryview(data[name]), "/elsewhere")
    labels = dict(zip((place.key for place in places), place_labels(places)))
    return {labels[key]: value for key, value in found.items()}


class PlainState(unittest.TestCase):
    def test_values(self) -> None:
        rows = {
            "scalars": [None, True, 1, -0.0, 2**70, "é", float("inf")],
            "containers": [(1, (2, [3])), {1: 2, (3, 4): 5}, {(2,)}, frozenset({3})],
            "numbers": [1 + 2j, range(3), b"\0\1", bytearray(b"ab")],
            "times": [datetime.datetime(2026, 1, 2), decimal.Decimal("1.5"), pathlib.Path("/x")],
            "queue": collections.deque([1, 2], maxlen=3),
        }
        self.assertEqual(repr(plain(rows)), repr(rows))

    def test_classes_are_attributes(self) -> None:
        record = {
            "best": Plain([1, Plain(2)]),
            "slots": Slotted([2], {"k": 3}),
            "point": Point(1, [2]),
            "counts": collections.Counter("aab"),
            "keyed": {Plain(1): 2},
            "generator": random.Random(5),
            "act": len,
            "made": lambda: 1,
        }
        found = plain(record)
        self.assertEqual(repr(found["best"])[:7], "<Plain ")
        self.assertEqual(found["best"].value[0], 1)
        self.assertEqual(found["best"].value[1].value, 2)
        self.assertIsNot(type(found["best"]), Plain)
        self.assertEqual(found["slots"].a, [2])
        self.assertEqual(found["point"], (1, [2]))
        self.assertEqual(found["counts"], {"a": 2, "b": 1})
        self.assertIs(type(found["counts"]), dict)
        self.assertEqual([one.value for one in found["keyed"]], [1])
        self.assertEqual(found["generator"].state, random.Random(5).getstate())
        self.assertNotIn("made", found)

    def test_nothing_is_called_that_only_looks_like_a_date(self) -> None:
        record = {"at": datetime.date(2026, 1, 2)}
        structure, data = save(record, identify(places_of(record)))
        text = json.dumps(structure).replace("py:datetime:date", "py:os:getcwd")
        found = plain_values(json.loads(text), lambda name: memoryview(data[name]), "/")
        self.assertEqual(found["d0.at"].state[0], "os.getcwd")

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_modules_and_optimizers_load_it(self) -> None:
        def make() -> Any:
            net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
            net.register_buffer("scratch", torch.zeros(1), persistent=False)
            return net, torch.optim.Adam(
                [{"params": net[0].parameters()}, {"params": net[1].parameters(), "lr": 1.0}]
            )

        net, optimizer = make()
        net(torch.randn(8, 2)).sum().backward()
        optimizer.step()
        found = plain({"net": net, "optimizer": optimizer, "part": net[0].weight})
        self.assertEqual(list(found["net"]), list(net.state_dict()))
        self.assertTrue(found["part"] is found["net"]["0.weight"])
        self.assertFalse(found["part"].requires_grad)
        again, other = make()
        again.load_state_dict(found["net"])
        other.load_state_dict(found["optimizer"])
        for ours, theirs in zip(net.state_dict().values(), again.state_dict().values()):
            self.assertTrue(torch.equal(ours, theirs))
        self.assertEqual(str(other.state_dict()), str(optimizer.state_dict()))

    def test_what_is_no_row(self) -> None:
        for row in ({"loss": 1}, [{"run": "a"}], 3, None):
            with self.subTest(row), self.assertRaises(AfterlogError) as caught:
                restore_state(row, ".")
            self.assertEqual(caught.exception.code, "AL061")


if __name__ == "__main__":
    unittest.main()
