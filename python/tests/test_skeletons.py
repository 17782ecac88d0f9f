"""Which versions of a library have the loops that a skeleton tells of."""

import importlib.metadata
import unittest
from typing import Any, Optional
from unittest import mock

from afterlog.source.model import Model
from afterlog.source.program.program import Program
from afterlog.source.program.skeletons import Skeleton

_MODULE = """
import lightning as L
from lightning.pytorch.callbacks import EarlyStopping

trainer = L.Trainer()

class Net(L.LightningModule):
    def training_step(self, batch, index):
        print("p_step", 1)

    def validation_step(self, batch, index):
        print("p_val", 1)

    def test_step(self, batch, index):
        print("p_test", 1)

"""
# How the program trains, and the loops in which each name is logged; "?": it is not certain.
_WAYS = {
    "trainer.fit(Net(), [])": ("epoch step", "top, epoch", "?"),
    "trainer.callbacks = [EarlyStopping()]; trainer.fit(Net(), [])": (
        "epoch step",
        "top, epoch",
        "?",
    ),
    "trainer.fit(Net(), []); trainer.validate(); trainer.test()": (
        "epoch step",
        "top, top, epoch",
        "top",
    ),
    "trainer.val_check_interval = 2; trainer.fit(Net(), [])": (
        "epoch step",
        "top, epoch, epoch step",
        "?",
    ),
    "from lightning.pytorch.cli import LightningCLI; LightningCLI(Net)": (
        "epoch step",
        "top, top, epoch, epoch step",
        "top",
    ),
}


class Versions(unittest.TestCase):
    def test_which_fit(self) -> None:
        # The oldest that has them, the one that is installed, and whether that fits.
        table: Any = [
            ([2, 2], "2.6.6", True),
            ([2, 2], "2.2.0rc1", True),
            ([2, 2], "2.1.4", False),
            ([2, 2], None, True),
            (None, "5.17.0", False),
            (None, None, True),
        ]
        for least, installed, expected in table:
            with mock.patch("importlib.metadata.version", side_effect=self._version(installed)):
                skeleton = Skeleton("trainer", 1, ["trainer"], "", {}, {"trainer": least})
                self.assertEqual(skeleton.fits_installed(), expected, (least, installed))

    def _version(self, installed: Optional[str]) -> Any:
        return [installed] if installed else importlib.metadata.PackageNotFoundError("trainer")


class Ways(unittest.TestCase):
    def test_where_a_trainer_calls_a_program(self) -> None:
        for text, expected in _WAYS.items():
            program = Program("a.py", {"a.py": _MODULE + text}.get, hands_free=True)
            with self.subTest(text=text), mock.patch.object(
                Skeleton, "fits_installed", return_value=True
            ):
                model = Model(program).to_json()
                names = {one["id"]: one["name"] for one in model["loops"]}
                self.assertEqual(set(names.values()), {"epoch", "step"})
                for name, ways in zip(("p_step", "p_val", "p_test"), expected):
                    logs = [one for one in model["logs"] if one["name"] == name]
                    chains = [
                        [names[loop] for loop in one["chain"]] if one["certain"] else ["?"]
                        for one in logs
                    ]
                    found = [" ".join(one) or "top" for one in sorted(chains)]
                    self.assertEqual(", ".join(found), ways, name)


if __name__ == "__main__":
    unittest.main()
