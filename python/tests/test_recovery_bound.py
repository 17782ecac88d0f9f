"""Trainings of loops in loops on a clock that is only counted, with the real loops, checkpointer
and ledger: from each checkpoint of a step a run can go on, and wherever it is killed, it loses two
intervals at most."""

import unittest
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, Dict, List, NamedTuple, Tuple
from unittest import mock

from afterlog.format.keep import KeepPolicy
from afterlog.format.paths import format_path
from afterlog.materialize.ledger import Cost, Ledger
from afterlog.materialize.retention import Retention
from afterlog.record.checkpoints.captured_state import CapturedState
from afterlog.record.checkpoints.checkpointer import Before, Checkpointer, CheckpointerOptions
from afterlog.record.loops.iterators import Iterators
from afterlog.record.loops.loop_observer import LoopSource
from afterlog.record.loops.loop_stack import LoopStack

BUDGET = 0.0667
SNAPSHOT_MS = 0.5
PERSIST_MS = 20.0
# Processor time of a persist.
BESIDE_MS = 5.0


class Loop(NamedTuple):
    name: str
    times: int
    # Of one iteration, without the loops in it.
    ms: float
    inner: Tuple["Loop", ...] = ()
    # What recording takes of an iteration.
    boundary_ms: float = 0.0


class CountedRun:
    def __init__(self, is_counted: bool) -> None:
        # The loops tell how long they are.
        self.is_counted = is_counted
        self.now_ms = self.interval_ms = self.boundary_ms = 0.0
        self.ledger = Ledger(BUDGET)
        self.taken: List[Any] = []
        # When each of them is on the disk, and those of which the checkpointer does not know yet.
        self.durable_ms: List[float] = []
        self.on_the_way: List[int] = []
        self.stop_requested = False
        self.copy_bytes_per_ms = 1e6
        self.prepare = lambda state: None
        self.remove = lambda files, t: None
        recorder = SimpleNamespace(seq=0, now=lambda: int(self.now_ms * 1000), profile=self.note)
        parts: Any = SimpleNamespace(
            materializer=self,
            ledger=self.ledger,
            retention=Retention(KeepPolicy("all")),
            recorder=recorder,
            captured=CapturedState(),
            iterators=Iterators(),
            generators=SimpleNamespace(states=list, ids=[]),
            loaders=SimpleNamespace(undeclared=lambda ids: []),
            time=_Time(self),
            left_ms=lambda: self.ledger.left_ms(self.now_ms),
        )
        audit: Any = SimpleNamespace(
            entered=lambda frame: None,
            compare=lambda frame, always: None,
            still_packages=lambda frame: (),
        )
        options = CheckpointerOptions(
            before=Before(),
            on_the_way=lambda: False,
            skips=lambda frame: False,
            turned_off=lambda why: unittest.TestCase().fail(why),
            stopped=lambda: None,
        )
        self.checkpointer = Checkpointer(parts, audit, options)
        self.loops = LoopStack([self.checkpointer], parts.iterators, None)
        self.checkpointer.declare({"w": bytearray(64)}, None, None, None)

    @property
    def is_persisting(self) -> bool:
        self.settle()
        return bool(self.on_the_way)

    def take(self, request: Any) -> Tuple[Cost, bool]:
        """There are two slots: one that is paired waits for the second, others for both."""
        self.settle()
        slots = 2 if request.paired else 1
        behind = self.on_the_way[-slots] if len(self.on_the_way) >= slots else None
        wait_ms = 0.0 if behind is None else self.durable_ms[behind] - self.now_ms
        if wait_ms > request.wait_ms_max:
            return Cost(), False
        self.taken.append(request)
        self.now_ms += wait_ms + SNAPSHOT_MS
        self.ledger.beside_ms += BESIDE_MS
        self.on_the_way.append(len(self.durable_ms))
        self.durable_ms.append(max([self.now_ms, *self.durable_ms[-1:]]) + PERSIST_MS)
        return Cost(0, SNAPSHOT_MS, wait_ms), True

    def settle(self) -> None:
        while self.on_the_way and self.durable_ms[self.on_the_way[0]] <= self.now_ms:
            request = self.taken[self.on_the_way.pop(0)]
            times = {"snapshot": SNAPSHOT_MS, "wait": 0.0, "persist": PERSIST_MS}
            record = {"kind": request.kind, "path": request.path, "needs": request.needs}
            sizes = {"bytes": 64, "stateBytes": 64, "holds": [], "t": request.t}
            record.update(file=request.file, times=times, **sizes)
            self.checkpointer.committed(record, self.loops.top)

    def note(self, line: Dict[str, Any]) -> None:
        if line["k"] == "frequency":
            self.interval_ms = max(self.interval_ms, line["interval"] * line["iterationMs"])

    def train(self, loop: Loop) -> None:
        items = range(loop.times)
        source = LoopSource(items if self.is_counted else iter(items), iter(items), {}, True)
        frame = self.loops.enter(loop.name, None, source, None)
        for index in range(loop.times):
            self.loops.end_body(frame, self.now_ms / 1000)
            self.loops.begin_body(frame, index, 0.0)
            for inner in loop.inner:
                self.train(inner)
            self.now_ms += loop.ms
            self.ledger.other_ms += loop.boundary_ms
            self.boundary_ms += loop.boundary_ms
        self.loops.end_body(frame, self.now_ms / 1000)
        self.loops.exit(frame, "exhausted")

    def share(self) -> float:
        """What checkpoints took, of what the program did: of its time, or of the processor's. While
        it waits for a persist it is that which computes."""
        ledger = self.ledger
        longer_ms = ledger.spent_ms + ledger.outermost_ms
        spent_ms = max(longer_ms, ledger.processor_ms) - self.boundary_ms
        return spent_ms / (self.now_ms - ledger.spent_ms)

    def most_at_stake_ms(self) -> float:
        """From the state that was durable, at the worst moment."""
        state_ms = most_ms = 0.0
        for request, durable_ms in zip(self.taken, self.durable_ms):
            if request.kind == "iteration" or len(request.path) == 1:
                most_ms = max(most_ms, durable_ms - state_ms)
                state_ms = request.t / 1000
        return max(most_ms, self.now_ms - state_ms)


class _Time:
    def __init__(self, run: CountedRun) -> None:
        self._run = run

    @property
    def exact_ms(self) -> float:
        return self._run.now_ms


def _needed_before(path: Any, outermost: Loop) -> List[str]:
    """What is restored before a step: the end before it at each level, and of the loops before it
    in each body."""
    needed: List[str] = []
    here: Tuple[Loop, ...] = (outermost,)
    for depth, (name, index) in enumerate(path):
        around, names = path[:depth], [loop.name for loop in here]
        at = names.index(name)
        needed += [format_path([*around, [before, "end"]]) for before in names[:at]]
        if depth < len(path) - 1 and index > 0:
            needed.append(format_path([*around, [name, index - 1]]))
        here = here[at].inner
    return needed


HOT = Loop("b", 20, 0.03, boundary_ms=0.002)
COSTLY = HOT._replace(boundary_ms=0.05)


class LoopsInLoops(unittest.TestCase):
    def test_two_intervals_are_lost_at_any_depth(self) -> None:
        batches = Loop("step", 4, 1, (Loop("b", 100, 10),))
        steps = lambda hot: Loop("step", 40, 12, (hot,))
        warm = (Loop("warm", 3, 1), Loop("step", 100, 10, (HOT,)))
        both = (Loop("step", 100, 10), Loop("val", 60, 10, (HOT,)))
        table = {
            "a hot loop in each step": (Loop("epoch", 12, 1, (steps(HOT),)), 600),
            "one that spends the budget": (Loop("epoch", 12, 1, (steps(COSTLY),)), 1100),
            "four": (Loop("fold", 3, 1, (Loop("epoch", 6, 1, (steps(HOT),)),)), 1100),
            "hot outside": (
                Loop("i", 3000, 0.5, (Loop("j", 3, 0.1, (Loop("k", 4, 0.05),)),)),
                2200,
            ),
            "a short one first": (Loop("epoch", 8, 1, warm), 1500),
            "two long ones": (Loop("epoch", 6, 1, both), 800),
            "long at each level": (Loop("fold", 3, 1, (Loop("epoch", 3, 1, (batches,)),)), 1500),
            "short epochs": (
                Loop("fold", 4, 1, (Loop("epoch", 60, 1, (Loop("step", 4, 5),)),)),
                1100,
            ),
        }
        for name, (outermost, lost_ms_max) in table.items():
            for is_counted in (True, False):
                with self.subTest(name, is_counted=is_counted):
                    self.check(outermost, lost_ms_max, is_counted)

    def check(self, outermost: Loop, lost_ms_max: float, is_counted: bool) -> None:
        run: Any = SimpleNamespace(now_ms=0.0)
        now = lambda: run.now_ms / 1000
        with ExitStack() as patched:
            for place in _CLOCKS:
                patched.enter_context(mock.patch(f"{place}.perf_counter", now))
            run = CountedRun(is_counted)
            run.train(outermost)
        for request in run.taken:
            if request.kind == "iteration" and len(request.path) > 1:
                needed = _needed_before(request.path, outermost)
                self.assertEqual(request.needs, needed, format_path(request.path))
        most_ms = run.most_at_stake_ms()
        if run.interval_ms > 0:
            self.assertLessEqual(most_ms, 2.2 * run.interval_ms)
        self.assertLessEqual(most_ms, lost_ms_max)
        self.assertLessEqual(run.share(), 1.1 * BUDGET)


_CLOCKS = (
    "afterlog.record.checkpoints.checkpointer",
    "afterlog.record.checkpoints.step_policy",
    "afterlog.record.loops.loop_clock",
    "afterlog.record.loops.loop_stack",
)


if __name__ == "__main__":
    unittest.main()
