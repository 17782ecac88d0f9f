"""Whether it is noticed that a shared random generator was drawn from."""

import random
import unittest
from typing import Any, Callable, List, Tuple

from afterlog.record.generator_marks import CudaMarks
from afterlog.record.generators import Generators

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

Draw = Tuple[str, Callable[[], Any]]


def _standard() -> List[Draw]:
    return [
        ("a number", random.random),
        ("a normal number", lambda: random.gauss(0, 1)),
        ("the normal number that was kept", lambda: random.gauss(0, 1)),
        ("all words", lambda: random.getrandbits(32 * 624)),
        ("another seed", lambda: random.seed(5)),
        ("a state", lambda: random.setstate(random.Random(6).getstate())),
    ]


def _numpy() -> List[Draw]:
    return [
        ("a number", numpy.random.rand),
        ("normal numbers", lambda: numpy.random.randn(3)),
        ("the normal number that was kept", numpy.random.randn),
        ("all words", lambda: numpy.random.randint(0, 2**32, 624, dtype=numpy.uint32)),
        ("another seed", lambda: numpy.random.seed(5)),
    ]


def _torch() -> List[Draw]:
    return [
        ("a number", lambda: torch.rand(1)),
        ("a normal number", lambda: torch.randn(1)),
        ("the normal number that was kept", lambda: torch.randn(1)),
        ("all words", lambda: torch.rand(624)),
        ("dropout", lambda: torch.nn.functional.dropout(torch.ones(8))),
        ("another seed", lambda: torch.manual_seed(5)),
        ("a seed that differs in its upper half", lambda: torch.manual_seed(5 + 2**32)),
    ]


class Drawn(unittest.TestCase):
    def check(self, name: str, draws: List[Draw], quick: bool) -> None:
        generators = Generators()
        generators.look()
        at = generators.ids.index(name)
        if not quick:
            # What an interpreter or library does whose memory is laid out differently.
            holder: Any = generators._known[at].mark.__self__
            holder._words = None
        generators.look()
        for what, draw in draws:
            with self.subTest(generator=name, draw=what, quick=quick):
                before = generators.look()
                draw()
                after = generators.look()
                others = [one for one in range(len(after)) if one != at]
                self.assertGreater(after[at], before[at])
                self.assertEqual([after[one] for one in others], [before[one] for one in others])
                self.assertIs(generators.look(), after)
                fresh = Generators()
                states = [[one["state"] for one in two.states()] for two in (generators, fresh)]
                self.assertEqual(states[0], states[1])

    def check_both(self, name: str, draws: List[Draw]) -> None:
        generators = Generators()
        generators.look()
        words, _kept = generators._known[generators.ids.index(name)].mark()
        self.assertLess(len(words), 64, "the quick way was not found")
        for quick in (True, False):
            self.check(name, draws, quick)

    def test_random(self) -> None:
        self.check_both("random", _standard())

    @unittest.skipIf(numpy is None, "no numpy")
    def test_numpy(self) -> None:
        self.check_both("numpy.random", _numpy())

    @unittest.skipIf(torch is None, "no torch")
    def test_torch(self) -> None:
        self.check_both("torch", _torch())

    @unittest.skipIf(numpy is None, "no numpy")
    def test_another_algorithm(self) -> None:
        if not hasattr(numpy.random, "set_bit_generator"):
            self.skipTest("NumPy before 1.24")
        before = numpy.random.get_bit_generator()
        try:
            numpy.random.set_bit_generator(numpy.random.PCG64(1))
            self.check("numpy.random", _numpy()[:3], True)
        finally:
            numpy.random.set_bit_generator(before)


class _DeviceGenerator:
    """As torch 2 has one for each CUDA device; while a graph is captured it says nothing."""

    def __init__(self) -> None:
        self.offset = 0
        self.capturing = False

    def initial_seed(self) -> int:
        return 1

    def get_offset(self) -> int:
        if self.capturing:
            raise RuntimeError("Cannot call get_offset during CUDA graph capture")
        return self.offset


class DrawnOnDevice(unittest.TestCase):
    def test_by_the_offset(self) -> None:
        generator = _DeviceGenerator()
        marks = CudaMarks(generator, lambda: b"whole")
        before = marks.mark()
        self.assertEqual(marks.mark(), before)
        generator.offset += 4
        self.assertNotEqual(marks.mark(), before)
        generator.capturing = True
        self.assertEqual(marks.mark(), b"whole")


if __name__ == "__main__":
    unittest.main()
