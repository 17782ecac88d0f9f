"""What a question changes is set back, and the run goes on as if nobody had asked."""

import gc
import sys
import types
import unittest
from typing import Any

from afterlog.record.replay.looked_at import LookedAt, stores_flags
from afterlog.record.replay.set_back import save_standing

from .test_state import torch


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
