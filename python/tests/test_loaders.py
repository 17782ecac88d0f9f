"""What a DataLoader keeps from one pass to the next, and no checkpoint holds."""

import os
import runpy
import sys
import tempfile
import unittest
from typing import Any, List

from afterlog.record.checkpoints.loader_assumptions import watch_loaders
from afterlog.record.checkpoints.loader_generators import LoaderGenerators
from afterlog.record.loops.loop_analysis import LoopAnalysis, read_program

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

    def test_loaders_that_are_not_what_they_are_taken_for(self) -> None:
        """By the lines that go through them."""
        for made, lines in {
            "size = 2; l = DataLoader(d, batch_size=size)": [],
            "size = None; l = DataLoader(d, batch_size=size)": [3, 4, 5],
            "l = DataLoader(d, 2); l.collate_fn = lambda one: one[0]": [3, 4, 5],
            "l = DataLoader(d, 2, collate_fn=lambda one: torch.tensor(len(one)))": [],
            # Of these the analysis assumes nothing.
            "l = DataLoader(d, batch_size=None)": [],
            "l = DataLoader(d, 2, collate_fn=lambda one: one)": [],
        }.items():
            with self.subTest(made):
                self.assertEqual(lines_of_unlike_loaders(made), lines)


_UNLIKE = """import torch; from torch.utils.data import DataLoader; d = torch.ones(4)
{made}
for x in l: pass
for i, x in enumerate(l): pass
found = [x for x in l], next(iter(l))
"""


def lines_of_unlike_loaders(made: str) -> List[int]:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(os.path.realpath(folder), "t.py")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(_UNLIKE.format(made=made))
        analysis = LoopAnalysis(folder, read_program(folder, path, None, hands_free=True))
        lines: List[int] = []
        kind = sys.modules["torch.utils.data.dataloader"]._BaseDataLoaderIter  # type: ignore
        before = kind.__init__
        watch_loaders(analysis, lambda line: lines.append(line[1]))
        try:
            runpy.run_path(path)
        finally:
            kind.__init__ = before
    return sorted(set(lines))


if __name__ == "__main__":
    unittest.main()
