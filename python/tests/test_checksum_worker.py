"""The process that reads slots beside the training: its answers are those that would be found here,
whatever becomes of it, and a program never meets it."""

import ctypes
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from typing import Any, Callable, List, Optional, Tuple

from afterlog.format.safetensors import TensorSpec
from afterlog.materialize.checksum_worker import PROCESS_FILE, ChecksumWorker
from afterlog.materialize.file_layout import FileLayout
from afterlog.materialize.slots import SHARED_BYTES_MIN, Layout, Slot
from afterlog.store.checkpoint_index import list_checkpoints
from afterlog.store.checkpoint_reader import open_checkpoint
from afterlog.store.checkpoint_writer import checksums

_IS_LINUX = sys.platform == "linux" and os.path.isdir("/proc/self")
_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def processes_of(program: int) -> List[int]:
    """The processes beside a program; it is the last that they were told."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as stream:
                words = stream.read().split(b"\0")
        except OSError:
            continue
        if PROCESS_FILE.encode() in words and str(program).encode() in words[-2:]:
            found.append(int(name))
    return found


def ended(process: int, seconds: float = 20.0) -> bool:
    """Waits until a process that is nobody's child has ended."""
    try:
        fd = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        waiting = select.poll()
        waiting.register(fd, select.POLLIN)
        return bool(waiting.poll(seconds * 1000))
    finally:
        os.close(fd)


def forked() -> int:
    """A process that waits for ever, with all that the program has open but its output."""
    child = os.fork()
    if child == 0:
        os.close(1)
        os.close(2)
        signal.pause()
    return child


def tensors(*sizes: int) -> Layout:
    """Tensors one behind the other, each on a page of its own."""
    specs = tuple(TensorSpec(f"t{at}", "U8", (size,), size) for at, size in enumerate(sizes))
    offsets = [(8 << 20) * at for at in range(len(sizes))]
    return Layout(specs, offsets, list(range(len(sizes))), 0, 0, SHARED_BYTES_MIN)


@unittest.skipUnless(_IS_LINUX, "only Linux has memory that is passed on")
class Answers(unittest.TestCase):
    def setUp(self) -> None:
        self.slot, self.other = (Slot(SHARED_BYTES_MIN, False) for _ in range(2))
        rng = random.Random(3)
        for at in (0, 5 << 20, (13 << 20) + 77, SHARED_BYTES_MIN - 4096):
            piece = bytes(rng.getrandbits(8) for _ in range(4096))
            self.slot.view[at : at + 4096] = self.other.view[at : at + 4096] = piece
        self.other.view[(9 << 20) + 5] = 1
        self.worker = ChecksumWorker()
        self.worker.start()
        self.addCleanup(self.worker.close)

    def process(self) -> int:
        (found,) = processes_of(os.getpid())
        return found

    def check(self, meanwhile: Optional[Callable[[], Any]] = None) -> None:
        """Asks; the answer is right though something happens before it is there."""
        parts = FileLayout(tensors(9 << 20, 4096, 0, 5000 + (3 << 20)), [])
        digits = self.worker.checksums(self.slot, parts.chunks)
        if meanwhile is not None:
            meanwhile()
        expected = [
            checksums(self.slot.view[at : at + spec.bytes])
            for at, spec in zip(parts.layout.offsets, parts.layout.signature)
        ]
        self.assertEqual(parts.sums(digits()), expected)

    def test_both_ways_give_the_same(self) -> None:
        pairs = [(0, 0, 8 << 20), (8 << 20, 8 << 20, 4 << 20), (9 << 20, 9 << 20, 5), (0, 1, 9000)]
        pairs += [(5 << 20, 5 << 20, 300_000), (9 << 20, 9 << 20, 6), (1 << 20, 2 << 20, 65_537)]
        expected = [self.slot.same_bytes(a, self.other, b, size) for a, b, size in pairs]
        self.assertEqual(expected, [True, False, True, False, True, False, True])
        for _ in range(3):
            self.check()
            self.assertEqual(self.worker.same(self.slot, self.other, pairs), expected)
        self.assertEqual(len(processes_of(os.getpid())), 1)
        self.worker.close()
        self.assertEqual(self.worker.same(self.slot, self.other, pairs), expected)
        self.check()

    def test_slots_that_grow(self) -> None:
        """The memory of those before is not kept."""
        for size in (1, 2, 3):
            self.slot, self.other = (Slot(SHARED_BYTES_MIN * size, False) for _ in range(2))
            for slot in (self.slot, self.other):
                slot.view[:4] = bytes([size] * 4)
                self.check()
            self.other.view[-1] = size
            whole = [(0, 0, self.slot.bytes), (0, 0, self.slot.bytes - 1)]
            self.assertEqual(self.worker.same(self.slot, self.other, whole), [False, True])
            with open(f"/proc/{self.process()}/maps", encoding="utf-8") as stream:
                self.assertEqual(sum("memfd:afterlog" in line for line in stream), 2)

    def test_it_is_killed(self) -> None:
        def kill() -> None:
            os.kill(self.process(), signal.SIGKILL)

        self.check()
        os.kill(self.process(), signal.SIGSTOP)
        self.check(kill)
        self.check()

    def test_it_is_killed_between_two_requests(self) -> None:
        self.check()
        process = self.process()
        os.kill(process, signal.SIGKILL)
        self.assertTrue(ended(process))
        handler = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        self.addCleanup(signal.signal, signal.SIGPIPE, handler)
        self.assertEqual(self.worker.same(self.slot, self.other, [(0, 0, 1 << 20)]), [True])
        self.check()

    def test_it_does_not_answer(self) -> None:
        self.check()
        process = self.process()
        os.kill(process, signal.SIGSTOP)
        link = self.worker._link
        assert link is not None
        link.settimeout(0.01)
        self.check()
        self.assertIsNone(self.worker._link)
        os.kill(process, signal.SIGCONT)
        self.assertTrue(ended(process))

    def test_a_program_that_adopts_processes(self) -> None:
        set_adopting, libc = 36, ctypes.CDLL(None)
        self.assertEqual(libc.prctl(set_adopting, 1, 0, 0, 0), 0)
        try:
            another = ChecksumWorker()
            another.start()
        finally:
            libc.prctl(set_adopting, 0, 0, 0, 0)
        self.assertIsNone(another._link)
        self.assertEqual(another.same(self.slot, self.other, [(0, 0, 9)]), [True])

    def test_a_slot_that_cannot_be_passed_on(self) -> None:
        self.slot = Slot(SHARED_BYTES_MIN - 4096, False)
        self.assertIsNone(self.slot.fd)
        self.slot.view[:3] = b"abc"
        self.check()


_PROGRAM = """
import json, os, signal, sys
sys.path.insert(0, {packages!r})
import afterlog as al
from tests.test_checksum_worker import forked, processes_of

SIZE = 17 << 20
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
state = al.checkpointing(changing=bytearray(SIZE), frozen=bytearray(range(250)) * (SIZE // 250))
waited = []
for epoch in al.loop("epoch", range(3)):
    state.changing[:] = bytes([epoch + 1]) * SIZE
    children = {{os.posix_spawn({true!r}, ["true"], {{}}) for _ in range(2)}}
    try:
        while True:
            waited.append(os.wait()[0] in children)
    except ChildProcessError:
        pass
    al.log("epoch", epoch)
    if epoch == 1:
        beside = processes_of(os.getpid())
        {then}
print(json.dumps([waited, beside]))
"""


@unittest.skipUnless(_IS_LINUX, "only Linux has memory that is passed on")
class Programs(unittest.TestCase):
    def run_program(self, then: str) -> Tuple[int, str, str, Any]:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = os.path.join(folder.name, "train.py")
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(_PROGRAM.format(packages=_PACKAGES, then=then, true=shutil.which("true")))
        env = {**os.environ, "AFTERLOG_OVERHEAD": "inf", "AFTERLOG_DIR": f"{folder.name}/.afterlog"}
        env.pop("AFTERLOG_MODE", None)
        # Its output is read to the end: nobody may have it open any longer.
        done = subprocess.run(
            [sys.executable, file],
            cwd=folder.name,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        runs = os.path.join(folder.name, ".afterlog", "runs")
        run = os.path.join(runs, os.listdir(runs)[0])
        records = list_checkpoints(run)
        for record in records:
            with open_checkpoint(run, record) as reader:
                reader.verify()
        return done.returncode, done.stdout, done.stderr, (run, records)

    def check(self, then: str) -> List[int]:
        """The program sees its own children alone, and all checkpoints are right; the processes
        that were beside it."""
        code, out, err, (run, records) = self.run_program(then)
        self.assertEqual(code, 0, err)
        waited, beside = json.loads(out)
        self.assertEqual(waited, [True] * 6)
        self.assertTrue(all(map(ended, beside)))
        self.assertEqual(len(records), 4)
        for epoch, record in enumerate(records[:3]):
            with open_checkpoint(run, record) as reader:
                texts = [bytes(reader.tensor(name)[:3]) for name in reader.header.tensors]
                self.assertIn(bytes([epoch + 1] * 3), texts)
                self.assertEqual(len(reader.header.held), 0 if epoch == 0 else 1)
        with open(os.path.join(run, "log.jsonl"), encoding="utf-8") as stream:
            # Starting it is not what the program does.
            started = [line for line in stream if '"file":"*"' in line]
        self.assertEqual(len(started), 1)
        return beside

    def test_it_is_nobodys_child_and_ends_with_the_program(self) -> None:
        self.assertEqual(len(self.check("pass")), 1)

    def test_killed_while_it_is_used(self) -> None:
        self.assertEqual(len(self.check("os.kill(beside[0], signal.SIGKILL)")), 1)

    def test_the_program_is_killed(self) -> None:
        """One that it has forked lives on, with all that it had open."""
        then = "print(beside[0], forked(), flush=True); os.kill(os.getpid(), signal.SIGKILL)"
        code, out, err, _ = self.run_program(then)
        self.assertEqual(code, -signal.SIGKILL, err)
        beside, child = map(int, out.split())
        try:
            self.assertTrue(ended(beside))
        finally:
            os.kill(child, signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
