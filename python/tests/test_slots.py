"""Memory for snapshots, which two threads hand to each other."""

import math
import os
import tempfile
import threading
import unittest
from typing import Any, List
from unittest import mock

from afterlog.format.safetensors import TensorSpec
from afterlog.materialize.free_memory import free_memory_bytes
from afterlog.materialize.materializer import Events, Materializer, Request, Snapshot
from afterlog.materialize.slots import Leaf, Slot


def _state(size: int) -> Any:
    spec = TensorSpec("w", "U8", (size,), size)
    return Snapshot({"places": [], "nodes": []}, [], [Leaf(spec, 0, lambda *_: None)], [None])


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


class SlotsWhereMemoryIsScarce(unittest.TestCase):
    """The training goes on, with less overlap or without checkpoints."""

    def take(self, materializer: Materializer, epoch: int) -> bool:
        path, file = [["epoch", epoch]], f"epoch={epoch}.safetensors"
        state = _state(500_000)
        request = Request(
            "iteration", path, True, state, [], epoch, file, [], [], 0.0, float("inf"), 0
        )
        return materializer.take(request)[1]

    def test_one_slot_or_none(self) -> None:
        module = "afterlog.materialize.materializer."
        table: List[Any] = [
            (4e6, [True] * 3, []),
            (7e5, [True] * 3, ["overlap of checkpoints"]),
            (3e5, [False] * 3, ["checkpoints for want of memory"]),
        ]
        for free, taken, said in table:
            with tempfile.TemporaryDirectory() as folder, mock.patch.multiple(
                module[:-1], SMALL_BYTES=0, free_memory_bytes=lambda free=free: free
            ):
                failed: List[str] = []
                durable: List[Any] = []
                events = Events(durable.append, lambda feature, why: failed.append(feature))
                materializer = Materializer("run", folder, events)
                got = [self.take(materializer, epoch) for epoch in range(3)]
                self.assertEqual(got, taken, failed)
                materializer.finish("done", lambda: 0)
                self.assertEqual((len(durable), failed), (sum(taken), said))

    def test_what_groups_and_limits_allow(self) -> None:
        meminfo = "MemTotal:       16000 kB\nMemAvailable:   8000 kB\n"
        group = "sys/fs/cgroup/jobs/train/memory."
        old = "sys/fs/cgroup/memory/memory."
        table: List[Any] = [
            ({}, math.inf),
            ({"proc/meminfo": meminfo}, 8000 * 1024),
            (
                {
                    "proc/meminfo": meminfo,
                    "proc/self/cgroup": "0::/jobs/train\n",
                    group + "max": "5000000\n",
                    group + "current": "3000000\n",
                    group + "stat": "anon 1\ninactive_file 500000\n",
                },
                2_500_000,
            ),
            (
                {
                    "proc/self/cgroup": "0::/jobs/train\n",
                    group + "max": "max\n",
                    group + "current": "3000000\n",
                    "sys/fs/cgroup/jobs/memory.max": "4000000\n",
                    "sys/fs/cgroup/jobs/memory.current": "3500000\n",
                },
                500_000,
            ),
            (
                {
                    "proc/self/cgroup": "12:cpu,cpuacct:/docker/a1\n9:memory:/docker/a1\n",
                    old + "limit_in_bytes": "2000000\n",
                    old + "usage_in_bytes": "1900000\n",
                    old + "stat": "cache 1\ntotal_inactive_file 50000\n",
                },
                150_000,
            ),
        ]
        limits = "Max data size             3000000              unlimited            bytes\n"
        status = "Name:\tpython\nVmSize:\t  900000 kB\nVmData:\t    2000 kB\n"
        own = {"proc/self/limits": limits, "proc/self/status": status}
        table.append(({"proc/meminfo": meminfo, **own}, 3_000_000 - 2000 * 1024))
        space = limits.replace("data size   ", "address space")
        table.append(({**own, "proc/self/limits": space}, 0))
        for files, expected in table:
            with tempfile.TemporaryDirectory() as root:
                for name, text in files.items():
                    os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
                    with open(os.path.join(root, name), "w") as stream:
                        stream.write(text)
                self.assertEqual(free_memory_bytes(root), expected)


if __name__ == "__main__":
    unittest.main()
