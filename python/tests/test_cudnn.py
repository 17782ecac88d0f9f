"""States that a device keeps to itself, and generators that it makes when it is first used."""

import unittest
from unittest import mock

from afterlog.record.current import _Cell
from afterlog.state import cudnn

from .test_state import save

try:
    import torch
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "no torch")
class Hidden(unittest.TestCase):
    def test_dropout_of_an_rnn(self) -> None:
        for dropout, keys in ((0.0, []), (0.1, ["cudnn:dropout"])):
            with self.subTest(dropout), mock.patch.object(cudnn, "_uses_cudnn", return_value=True):
                model = torch.nn.Sequential(torch.nn.GRU(2, 2, num_layers=2, dropout=dropout))
                save({"model": model}, None)
                self.assertEqual([one["key"] for one in cudnn.hidden_places()], keys)
                del model

    def test_on_the_host(self) -> None:
        model = torch.nn.LSTM(2, 2, num_layers=2, dropout=0.1)
        save({"model": model}, None)
        self.assertEqual(cudnn.hidden_places(), [])


@unittest.skipIf(torch is None, "no torch")
class Devices(unittest.TestCase):
    """Generators of the host stand in for those of devices."""

    def begin(self, recorded: list, seed: str) -> list:
        cell = _Cell.__new__(_Cell)
        cell.seed, cell._is_given, cell.initial = seed or "1", bool(seed), []
        made = [torch.Generator(), torch.Generator()]
        for number, one in enumerate(made):
            one.manual_seed(100 + number)
        with mock.patch.object(torch.cuda, "default_generators", made, create=True):
            cell._set_devices(recorded)
        self.assertEqual([one["id"] for one in cell.initial], ["torch.cuda:0", "torch.cuda:1"])
        return [cell.initial, [torch.rand(1, generator=one).item() for one in made]]

    def test_begin_as_they_did(self) -> None:
        fresh = [torch.rand(1, generator=torch.Generator().manual_seed(7)).item()] * 2
        for seed in ("", "7"):
            with self.subTest(seed=seed):
                initial, drawn = self.begin([], seed)
                again, repeated = self.begin(initial, "")
                self.assertEqual((again, repeated), (initial, drawn))
                self.assertEqual(drawn == fresh, seed == "7")


if __name__ == "__main__":
    unittest.main()
