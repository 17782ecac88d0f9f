"""Memory for snapshots, which two threads hand to each other."""

import tempfile
import threading
import unittest
from typing import Any, List

from afterlog.format.safetensors import TensorSpec
from afterlog.materialize.materializer import Events, Materializer, Snapshot
from afterlog.materialize.slots import Leaf, Slot


def _state(size: int) -> Any:
    spec = TensorSpec("w", "U8", (size,), size)
    return Snapshot({"nodes": [], "places": []}, [], [Leaf(spec, 0, lambda *_: None)], [None])


class GivenBackMeanwhile(Slot):
    """When its memory is freed, another thread gives back a slot, as it may: that frees the
    interpreter's lock."""

    def __init__(self, size: int, materializer: Materializer, other: Slot) -> None:
        super().__init__(size, pin=False)
        give = lambda: materializer._return_slot(other)
        self._thread = threading.Thread(target=give, daemon=True)

    def __del__(self) -> None:
        self._thread.start()
        self._thread.join(10)


class SlotsOfAStateThatGrows(unittest.TestCase):
    def test_none_is_kept_that_has_become_too_small(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            failed: List[str] = []
            events = Events(lambda record: None, lambda feature, why: failed.append(why))
            materializer = Materializer("run", folder, events)
            materializer.prepare(_state(5000))
            materializer.drain()
            small = materializer._slots.pop()
            materializer._slots = [GivenBackMeanwhile(small.bytes, materializer, small)]
            materializer.prepare(_state(500_000))
            materializer.drain()
            sizes = [slot.bytes for slot in materializer._slots]
            materializer.finish(None, lambda: 0)
        self.assertEqual((len(sizes), failed), (2, []))
        self.assertGreaterEqual(min(sizes), 500_000)


if __name__ == "__main__":
    unittest.main()
