"""What a question changes is set back, and the run goes on as if nobody had asked."""

import unittest

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


if __name__ == "__main__":
    unittest.main()
