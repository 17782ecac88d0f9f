"""Views that a loop has made: restored over the memory that they share with others."""

import itertools
import unittest
from typing import Any, Callable, Dict, List

from .test_state import hashes, numpy, round_trip, torch

# What the loop has made of an array or a tensor `x` of 4 rows.
VIEWS: Dict[str, Callable[[Any], Any]] = {
    "a row": lambda x: x[3],
    "a column": lambda x: x[:, 1],
    "all of it": lambda x: x[:],
    "transposed": lambda x: x.T,
    "several": lambda x: [x[1], x[1:3], x[1]],
    "every second": lambda x: x[::2],
    "in another shape": lambda x: x.reshape(2, 6)[1],
}


class Views(unittest.TestCase):
    def restored(self, base: Callable[[], Any], view: Callable[[Any], Any]) -> None:
        def change(state: Dict[str, Any]) -> None:
            state["x"][:] += 1
            state["view"] = view(state["x"])

        held: List[Any] = []

        def make() -> Dict[str, Any]:
            # Somebody else, whom no place reaches, holds the same memory.
            held.append(base())
            return {"x": held[-1], "view": None}

        _, second, saved, again = round_trip(make, change)
        self.assertEqual(hashes(again), hashes(saved))
        self.assertIs(second["x"], held[1])
        views = second["view"] if isinstance(second["view"], list) else [second["view"]]
        for one in views:
            one[:] += 5
        mine = base()
        mine[:] += 1
        wanted = view(mine)
        for one in wanted if isinstance(wanted, list) else [wanted]:
            one[:] += 5
        self.assertEqual(held[1].tolist(), mine.tolist())

    @unittest.skipIf(numpy is None, "NumPy is not here")
    def test_arrays(self) -> None:
        whole = numpy.arange(48.0).reshape(8, 6)
        bases: Dict[str, Callable[[], Any]] = {
            "owner": lambda: numpy.arange(12.0).reshape(4, 3).copy(),
            "by columns": lambda: numpy.asfortranarray(numpy.arange(12.0).reshape(4, 3)),
            "part": lambda: whole.copy()[2:6, 1:4],
        }
        for (kind, base), (name, view) in itertools.product(bases.items(), VIEWS.items()):
            with self.subTest(base=kind, view=name):
                self.restored(base, view)

    @unittest.skipIf(torch is None, "torch is not here")
    def test_tensors(self) -> None:
        for name, view in VIEWS.items():
            with self.subTest(view=name):
                self.restored(lambda: torch.arange(12.0).reshape(4, 3).clone(), view)

    @unittest.skipIf(torch is None or numpy is None, "torch or NumPy is not here")
    def test_memory_that_tensor_and_array_share(self) -> None:
        def make() -> Dict[str, Any]:
            array = numpy.zeros((4, 3))
            return {"array": array, "tensor": torch.from_numpy(array), "row": None}

        def change(state: Dict[str, Any]) -> None:
            state["row"] = state["tensor"][2]

        _, second, _, _ = round_trip(make, change)
        second["row"] += 1
        self.assertEqual(second["array"][2].tolist(), [1, 1, 1])
