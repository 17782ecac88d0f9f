"""What a DataLoader keeps from one pass to the next, and no checkpoint holds."""

import unittest
from typing import Any

from afterlog.record.checkpoints.loader_generators import LoaderGenerators

try:
    import torch
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "no torch")
class Loaders(unittest.TestCase):
    def missing(self, **given: Any) -> Any:
        loaders = LoaderGenerators()
        loaders.note("step", torch.utils.data.DataLoader([1, 2], **given), None)
        return [one["key"] for one in loaders.undeclared(None)]

    def test_what_is_missing(self) -> None:
        self.assertEqual(self.missing(num_workers=2), [])
        self.assertEqual(self.missing(generator=torch.Generator()), ["loader:step"])
        kept = self.missing(num_workers=2, persistent_workers=True)
        self.assertEqual(kept, ["loader:step:workers"])


if __name__ == "__main__":
    unittest.main()
