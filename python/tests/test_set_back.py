"""What a question changes is set back, and the run goes on as if nobody had asked."""

import gc
import sys
import types
import unittest
from typing import Any

from afterlog.record.replay.left_behind import LeftBehind
from afterlog.record.replay.looked_at import LookedAt, stores_flags
from afterlog.record.replay.set_back import save_standing
from afterlog.state.places import Place

from .test_state import numpy, torch


@unittest.skipIf(torch is None, "torch is not here")
class SetBackTest(unittest.TestCase):
    def test_backward_of_the_run_still_has_what_it_needs(self) -> None:
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
        data = torch.arange(8.0).reshape(4, 2)
        loss = model(data).square().sum()
        before = model[1].running_mean.clone()
        standing = save_standing(gradients=True)
        model(data + 1)
        for put_back in standing.put_backs:
            put_back()
        self.assertTrue(torch.equal(model[1].running_mean, before))
        loss.backward()
        self.assertIsNotNone(model[0].weight.grad)


def _place(held: Any, name: str) -> Place:
    return Place(name, "b", lambda: getattr(held, name), lambda value: setattr(held, name, value))


class LeftBehindTest(unittest.TestCase):
    def setUp(self) -> None:
        self.net = types.SimpleNamespace(w=[0.5], x=1.0, seen={1}, kept={"a": 1})
        self.held = types.SimpleNamespace(net=self.net, last=None)
        self.left = LeftBehind()

    def ask(self, part: Any) -> None:
        ended = self.left.begin([_place(self.held, "net"), _place(self.held, "last")])
        part()
        ended()

    def before(self) -> str:
        with self.left.as_before():
            return repr(self.held)

    def test_everything_is_as_before_for_a_look(self) -> None:
        was = repr(self.held)

        def part() -> None:
            self.net.x, self.net.more, self.held.last = 2.0, [3], 7
            self.net.w[0] = 0.7
            self.net.w.append(1)
            self.net.seen.add(2)
            self.net.kept["b"] = 2

        self.ask(part)
        now = repr(self.held)
        self.assertEqual(self.before(), was)
        self.assertEqual(repr(self.held), now)

    def test_what_the_run_sets_is_the_runs(self) -> None:
        self.ask(lambda: setattr(self.net, "x", 2.0))
        self.assertTrue(self.left.is_any)
        self.net.x = 3.0
        self.assertFalse(self.left.is_any)
        self.assertIn("x=3.0", self.before())

    def test_two_parts_are_one_question(self) -> None:
        self.ask(lambda: setattr(self.net, "x", 2.0))
        self.ask(lambda: setattr(self.net, "x", 4.0))
        self.assertIn("x=1.0", self.before())
        self.ask(lambda: setattr(self.net, "x", 1.0))
        self.assertFalse(self.left.is_any)

    @unittest.skipIf(numpy is None, "NumPy is not here")
    def test_arrays_by_what_is_in_them(self) -> None:
        self.net.out = numpy.zeros(3)
        self.ask(lambda: self.net.out.fill(2))
        with self.left.as_before():
            self.assertEqual(self.net.out.tolist(), [0, 0, 0])
        self.assertEqual(self.net.out.tolist(), [2, 2, 2])
        self.net.out[1] = 5
        self.assertFalse(self.left.is_any)


class LookedAtTest(unittest.TestCase):
    def test_a_look_costs_what_was_made_since(self) -> None:
        looked_at = LookedAt()
        held = [[number] for number in range(100_000)]
        looked_at.objects()
        made = [[number] for number in range(1000)]
        try:
            self.assertLess(len(gc.get_objects()), 10_000 + len(made))
        finally:
            gc.unfreeze()
        self.assertEqual(len(held), 100_000)

    def test_what_flags_are_stored(self) -> None:
        def sets(self: Any) -> None:
            self.is_training = True

        def calls(model: Any) -> None:
            model.eval()

        def inside() -> Any:
            return lambda one: setattr(one, "mode", "train")

        found = [stores_flags(one.__code__) for one in (sets, calls, inside)]
        self.assertEqual(found, [True, False, True])

    def test_objects_without_flags_are_not_looked_at(self) -> None:
        looked_at = LookedAt()
        module = types.ModuleType("own_module")
        module.__file__ = "/nowhere/own_module.py"
        sys.modules["own_module"] = module
        try:
            exec("class One: pass", vars(module))
            held = [vars(module)["One"]() for _ in range(3)]
            kind = type(held[0])
            found = lambda: sum(isinstance(one, kind) for _, one in looked_at.objects())
            looked_at._modules = len(sys.modules)
            self.assertEqual(found(), 0)
            held.append(kind())
            held[-1].mode = "eval"
            self.assertEqual(found(), 4)
        finally:
            del sys.modules["own_module"]
            gc.unfreeze()

    def test_objects_are_found_once_they_are_there(self) -> None:
        looked_at = LookedAt()
        found = lambda: [one for what, one in looked_at.objects() if isinstance(one, Own)]
        try:
            before = Own(True)
            self.assertEqual(found(), [before])
            after = Own(False)
            self.assertEqual(found(), [before, after])
            del before
            self.assertEqual(found(), [after])
        finally:
            gc.unfreeze()


class Own:
    def __init__(self, training: bool) -> None:
        self.training = training


if __name__ == "__main__":
    unittest.main()
