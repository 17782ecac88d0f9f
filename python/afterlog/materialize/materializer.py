"""The training thread's side of persisting: copy, hand over, go on.

Two threads of ours run beside the training: one writes the log every tenth of a second, one touches
slots and persists snapshots. What they do for long (writing, syncing) releases the interpreter's
lock, or is done by a process of ours (checksums, comparing). Events come back when the training
passes by.
"""

import errno
import functools
import os
import re
import signal
import threading
from collections import deque
from typing import Any, Callable, Deque, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..format.clocks import perf_counter, thread_time
from ..format.errors import describe_error
from ..format.test_seams import crash_at
from ..store.layout import RunPaths
from ..store.line_file import LineFile, ValueFile
from .device_copy import DeviceCopies, DeviceCopy
from .free_memory import SLOTS, SMALL_BYTES, free_memory_bytes, slots_that_fit, why_fewer
from .ledger import Cost
from .persist import Job, Persister
from .slots import SHARED_BYTES_MIN, Layout, Layouts, Leaf, Slot

# Half of the 200 ms within which a line is to be on its way to the disk.
_FLUSH_S = 0.1
# Lines and logged tensors that may wait in memory.
_WAITING_BYTES_MAX = 256 << 20
# The longest that the program waits for the start of the process for checksums.
_READY_S = 0.25
# A disk that shows no sign of life for so long is given up.
_STALL_S = 120.0
# Most that a first slot has to spare.
_ROOM_BYTES_MAX = 64 << 20
# Assumed until the first snapshot is measured.
_COPY_BYTES_PER_MS_ASSUMED = 2_000_000.0
# The same for what is on a device: as quick as the way to pinned memory, if there is no room there.
_DEVICE_BYTES_PER_MS_ASSUMED = 40_000_000.0
# Snapshots smaller than this say little about how quick copying is.
_MEASURED_BYTES_MIN = 1 << 20


class Snapshot(NamedTuple):
    """A walked state: its graph, and the leaves that are still to be copied."""

    graph: Dict[str, Any]
    entry: List[Optional[int]]
    leaves: Sequence[Leaf]
    # The objects whose bytes the leaves are.
    values: Sequence[Any]


class Request(NamedTuple):
    kind: str
    path: list
    # A loop end and the iteration end after it count as one: it need not wait for that.
    paired: bool
    state: Snapshot
    needs: List[str]
    seq: int
    file: str
    generators: List[Dict[str, Any]]
    iterators: List[Dict[str, Any]]
    capture_ms: float
    wait_ms_max: float
    t: int
    # What packages keep that is as it was when the loop was entered, which stands in another one.
    still: Sequence[str] = ()
    # When the loop whose iteration ends here had drawn until now; None: not known.
    draws: Optional[List[Dict[str, Any]]] = None


class Events(NamedTuple):
    committed: Callable[[Dict[str, Any]], None]
    failed: Callable[[str, str], None]


class Materializer:
    """Writes all files of a run directory except its manifest."""

    def __init__(
        self,
        run: str,
        folder: str,
        events: Events,
        inline: bool = False,
        positions: Optional[Dict[str, int]] = None,
    ) -> None:
        before = positions or {}
        self._paths = paths = RunPaths(folder)
        self._events = events
        self._inline = inline
        self._changed = threading.Condition()
        self._flushing = threading.Lock()
        # Queues, which several threads may use at once.
        self._lines: Dict[str, Deque[bytes]] = {"log": deque(), "profile": deque()}
        self._values: Deque[Tuple[int, bytes]] = deque()
        self._waiting_bytes = 0
        self.log_bytes = before.get("log", 0)
        self._value_position = before.get("values", 0)
        self._files = {
            "log": LineFile(paths.log, before.get("log")),
            "profile": LineFile(paths.profile, before.get("profile")),
        }
        self._value_file = ValueFile(paths.values)
        self._persister = Persister(run, paths, self._sync_log, _faults_from_environment())
        self._layouts = Layouts()
        self._device_copies = DeviceCopies()
        # The leaves of the last snapshot, and which of them are in the host's memory.
        self._leaves: Sequence[Leaf] = ()
        self._on_host: List[int] = []
        self._slots: List[Slot] = []
        self._slot_bytes = 0
        # How many there are: with one, a checkpoint waits until the one before is written.
        self._slot_count = SLOTS
        self._tasks: Deque[Callable[[], None]] = deque()
        # Tasks handed over and not done, and persists among them.
        self._under_way = 0
        self._persisting = 0
        self._idle_at = 0.0
        self._is_ready = False
        self._raised: Deque[Callable[[], None]] = deque()
        self._off: Dict[str, str] = {}
        self._ended = False
        self._ending = threading.Event()
        self.stop_requested = False
        # Processor time of our threads.
        self._ran_ms = {"lines": 0.0, "tasks": 0.0}
        self.copy_bytes_per_ms = _COPY_BYTES_PER_MS_ASSUMED
        self._threads: List[threading.Thread] = []
        for work in (self._write_lines, self._do_tasks):
            thread = threading.Thread(target=work, name="afterlog", daemon=True)
            thread.start()
            self._threads.append(thread)

    # Lines and logged tensors.

    def log(self, line: str) -> None:
        data = line.encode()
        self.log_bytes += len(data)
        self._append("log", data)

    def profile(self, line: str) -> None:
        self._append("profile", line.encode())

    def _append(self, name: str, data: bytes) -> None:
        if name in self._off:
            return
        self._lines[name].append(data)
        self._waiting_bytes += len(data)
        if self._waiting_bytes > _WAITING_BYTES_MAX:
            self.flush()

    def value(self, data: bytes) -> Optional[int]:
        """Keeps the bytes of a logged tensor; their offset, if they are kept."""
        if "values" in self._off:
            return None
        offset = self._value_position
        self._value_position += len(data)
        self._values.append((offset, data))
        self._waiting_bytes += len(data)
        if self._waiting_bytes > _WAITING_BYTES_MAX:
            self.flush()
        return offset

    def flush(self) -> None:
        """Writes what is waiting: tensors before the lines that name them."""
        with self._flushing:
            # Lines first: what they name was appended before them, and so is among the values.
            lines = {name: b"".join(_drain_queue(queue)) for name, queue in self._lines.items()}
            values = _drain_queue(self._values)
            self._waiting_bytes = 0
            for offset, data in values:
                self._guard_feature(
                    "values", functools.partial(self._value_file.write, data, offset)
                )
            for name, data in lines.items():
                if data:
                    self._guard_feature(name, functools.partial(self._files[name].write, data))

    def _sync_log(self, log_bytes: int) -> None:
        self.flush()
        if "log" in self._off or self._files["log"].position < log_bytes:
            raise OSError("the log is behind the checkpoint")
        self._guard_feature("values", self._value_file.sync)
        self._files["log"].sync()

    # Snapshots.

    def prepare(self, state: Snapshot) -> None:
        """Announces a state, so that memory for it is ready when it is first taken."""
        if "checkpoints" not in self._off:
            self._provide_slots(self._layouts.layout_for(state.leaves), state.leaves)
            is_first = self.copy_bytes_per_ms == _COPY_BYTES_PER_MS_ASSUMED
            if is_first and any(leaf.on_device for leaf in state.leaves):
                self.copy_bytes_per_ms = _DEVICE_BYTES_PER_MS_ASSUMED

    def take(self, request: Request) -> Tuple[Cost, bool]:
        """Copies the state and hands it over. False: there was no time to wait for."""
        started = perf_counter()
        state = request.state
        layout = self._layouts.layout_for(state.leaves)
        laid_out = perf_counter()
        grown = self._provide_slots(layout, state.leaves)
        if grown is None:
            return Cost((laid_out - started) * 1000 + request.capture_ms, 0.0, 0.0), False
        # Memory that is just being made ready is there for the next one: that is not waited for,
        # unless it must be, or steps are reached by this one (optimizers make their state in the
        # first step).
        wait_s = request.wait_ms_max / 1000
        is_put_off = grown and not request.paired and wait_s != float("inf")
        in_time = self._wait_until(
            lambda: bool(self._slots) and (request.paired or self._persisting == 0),
            0.0 if is_put_off else wait_s,
        )
        waited = perf_counter()
        capture_ms = (laid_out - started) * 1000 + request.capture_ms
        wait_ms = (waited - laid_out) * 1000
        if not in_time or "checkpoints" in self._off or not self._slots:
            return Cost(capture_ms, 0.0, wait_ms), False
        slot = self._slots.pop()
        # What is copied beyond its end would end the program.
        assert slot.bytes >= layout.bytes, (slot.bytes, layout.bytes)
        under_way = self._copy(state, layout, slot)
        snapshot_ms = (perf_counter() - waited) * 1000
        self._measure(layout.bytes, snapshot_ms)
        cost = Cost(capture_ms, snapshot_ms, wait_ms)
        job = _persist_job(request, cost, layout, self.log_bytes)
        self._persisting += 1
        self._hand_over_task(lambda: self._persist(job, slot, under_way))
        return cost, True

    def _copy(self, state: Snapshot, layout: Layout, slot: Slot) -> Optional[DeviceCopy]:
        """Copies what is in the host's memory, and starts the copies of what is on devices."""
        leaves, values, offsets = state.leaves, state.values, layout.offsets
        if leaves is not self._leaves:
            # They stay the same from checkpoint to checkpoint, most of the time.
            self._leaves = leaves
            self._on_host = [at for at, leaf in enumerate(leaves) if leaf.on_device is None]
        for at in self._on_host:
            leaves[at].copy(values[at], slot, offsets[at])
        if len(self._on_host) == len(leaves):
            return None
        return self._device_copies.start(leaves, values, offsets, slot)

    def _measure(self, size: int, ms: float) -> None:
        if size >= _MEASURED_BYTES_MIN and ms > 0:
            self.copy_bytes_per_ms = size / ms

    def _provide_slots(self, layout: Layout, leaves: Sequence[Leaf]) -> Optional[bool]:
        """Makes sure that slots of this size exist or are coming; whether they had to be made.
        None: there is no memory for one."""
        if layout.bytes <= self._slot_bytes:
            return False
        # A state that grows once will grow again: memory for it is then made a quarter larger.
        room = layout.bytes // 4 if self._slot_bytes else min(layout.bytes // 16, _ROOM_BYTES_MAX)
        size = layout.bytes + room
        count = self._slots_for(size)
        if count == 0:
            return None
        with self._changed:
            self._slot_bytes, self._slot_count = size, count
            too_small, self._slots = self._slots, []
        # Giving memory back lets the other thread run, which may give back a slot that is too small
        # now: it must know that by then.
        del too_small
        if size >= SHARED_BYTES_MIN:
            self._start_checksum_process()
        pin = any(leaf.on_device is not None for leaf in leaves)
        for _ in range(count):
            self._hand_over_task(lambda: self._return_slot(Slot(size, pin)))
        return True

    def _slots_for(self, size: int) -> int:
        """An end by the system for want of memory would end the training."""
        if size < SMALL_BYTES:
            return SLOTS
        free_bytes = free_memory_bytes()
        count = slots_that_fit(size, free_bytes)
        if count < SLOTS:
            want = "checkpoints for want of memory" if count == 0 else "overlap of checkpoints"
            self._turn_feature_off(want, why_fewer(size, free_bytes))
        return count

    def _start_checksum_process(self) -> None:
        """Has the process beside the training started. For a moment it is a child of the program,
        which must not be waiting for its own ones then: it waits here, some milliseconds."""
        if not self._is_ready:
            self._is_ready = True
            ready: List[bool] = []

            def start() -> None:
                self._persister.get_ready()
                ready.append(True)

            self._hand_over_task(start)
            self._wait_until(lambda: bool(ready), _READY_S)

    def _return_slot(self, slot: Slot) -> None:
        with self._changed:
            if slot.bytes >= self._slot_bytes:
                self._slots.append(slot)
            self._changed.notify_all()

    def _persist(self, job: Job, slot: Slot, under_way: Optional[DeviceCopy]) -> None:
        try:
            if under_way is not None:
                under_way.finish()
            record = self._persister.persist(job, slot, self._return_slot)
            if self._slot_count == 1:
                self._persister.forget(self._return_slot)
        except Exception as error:
            self._turn_feature_off("checkpoints", describe_error(error))
            self._return_slot(slot)
        else:
            self._raised.append(lambda: self._events.committed(record))
        finally:
            with self._changed:
                self._persisting -= 1
                self._changed.notify_all()

    def remove(self, files: Sequence[str], t: int) -> None:
        """Removes checkpoints, beside the training; a failure costs nothing but their room."""
        if files and "retention" not in self._off:
            remove = functools.partial(self._persister.remove, files, t)
            self._hand_over_task(lambda: self._guard_feature("retention", remove))

    # Waiting, and the two threads.

    @property
    def beside_ms(self) -> float:
        """Processor time of all that is done beside the program's thread."""
        return sum(self._ran_ms.values()) + self._persister.beside_ms

    @property
    def is_persisting(self) -> bool:
        """Whether a checkpoint is on its way to the disk."""
        return self._persisting > 0

    def busy_ms(self, since: float) -> float:
        """For how long since that time (of perf_counter) a persist ran beside the training."""
        if self._raised:
            self._deliver_events()
        until = perf_counter() if self._under_way else self._idle_at
        return max(0.0, (until - since) * 1000)

    def drain(self) -> None:
        """Waits until all that was handed over is done, and what follows from it."""
        while self._wait_until(lambda: self._under_way == 0) and self._under_way > 0:
            pass  # What became durable had others removed.
        self._deliver_events()

    def finish(self, status: Optional[str], lines: Callable[[], int]) -> None:
        """Seals the log, if there is a status to seal it with, and closes all files."""
        self.drain()
        self._ended = True
        self._ending.set()
        with self._changed:
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(_STALL_S)
        self.flush()
        self._guard_feature("values", self._value_file.sync)
        log, profile = self._files["log"], self._files["profile"]
        if status is not None:
            self._guard_feature(
                "log", functools.partial(lambda end: log.seal(end, lines()), status)
            )
        else:
            self._guard_feature("log", log.sync)
        self._guard_feature("profile", profile.sync)
        files: List[Any] = [log, profile, self._value_file, self._persister]
        for file in files:
            file.close()
        self._deliver_events()

    def _hand_over_task(self, task: Callable[[], None]) -> None:
        with self._changed:
            self._under_way += 1
            self._tasks.append(task)
            self._changed.notify_all()
        if self._inline:
            self._wait_until(lambda: self._under_way == 0)

    def _wait_until(self, done: Callable[[], bool], seconds: float = float("inf")) -> bool:
        deadline = perf_counter() + seconds
        with self._changed:
            while not done():
                left = deadline - perf_counter()
                if left <= 0 or "checkpoints" in self._off and self._under_way == 0:
                    return done()
                before = self._under_way
                woken = self._changed.wait(min(left, _STALL_S))
                if not woken and left > _STALL_S and before == self._under_way:
                    self._turn_feature_off(
                        "checkpoints", f"the disk has done nothing for {_STALL_S:.0f} s"
                    )
                    return False
        self._deliver_events()
        return True

    def _do_tasks(self) -> None:
        _leave_signals_to_the_program()
        while True:
            with self._changed:
                while not self._tasks and not self._ended:
                    self._changed.wait()
                if not self._tasks:
                    return
                task = self._tasks.popleft()
            try:
                task()
            except Exception as error:
                self._turn_feature_off("checkpoints", describe_error(error))
            self._ran_ms["tasks"] = thread_time() * 1000
            with self._changed:
                self._under_way -= 1
                self._idle_at = perf_counter()
                self._changed.notify_all()

    def _write_lines(self) -> None:
        _leave_signals_to_the_program()
        # By a signal of its own: what the others tell each other is nothing to get up for.
        while not self._ending.wait(_FLUSH_S):
            self.flush()
            self._ran_ms["lines"] = thread_time() * 1000
            if not self.stop_requested:
                self.stop_requested = os.path.exists(self._paths.stop)

    def _guard_feature(self, feature: str, work: Callable[[], Any]) -> None:
        if feature in self._off:
            return
        try:
            work()
        except Exception as error:
            self._turn_feature_off(feature, describe_error(error))

    def _turn_feature_off(self, feature: str, why: str) -> None:
        if feature not in self._off:
            self._off[feature] = why
            self._raised.append(lambda: self._events.failed(feature, why))

    def _deliver_events(self) -> None:
        while self._raised:
            self._raised.popleft()()


def _drain_queue(queue: Deque[Any]) -> List[Any]:
    """Takes what is in the queue now."""
    return [queue.popleft() for _ in range(len(queue))]


def _persist_job(request: Request, cost: Cost, layout: Layout, log_bytes: int) -> Job:
    times = {"capture": cost.capture_ms, "snapshot": cost.snapshot_ms, "wait": cost.wait_ms}
    return Job(
        kind=request.kind,
        path=request.path,
        seq=request.seq,
        file=request.file,
        needs=request.needs,
        generators=request.generators,
        iterators=request.iterators,
        t=request.t,
        graph=request.state.graph,
        entry=request.state.entry,
        layout=layout,
        log_bytes=log_bytes,
        times={name: round(ms, 3) for name, ms in times.items()},
        still=request.still,
        draws=request.draws,
    )


def _leave_signals_to_the_program() -> None:
    """A signal wakes the thread that the program waits in, not one of ours."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))


def _faults_from_environment() -> Callable[[str], None]:
    """What tests ask for (`format/test_seams.py`)."""
    named = re.match(r"(?:(ENOSPC|EIO):)?(.*?)(?:#(\d+))?$", crash_at())
    action, wanted, nth = named.groups() if named else (None, "", None)
    left = [int(nth or 1)]

    def at(point: str) -> None:
        if not wanted or point != wanted:
            return
        left[0] -= 1
        if left[0] > 0:
            return
        if action:
            raise OSError(getattr(errno, action), f"injected at {point}")
        os.kill(os.getpid(), signal.SIGKILL)

    return at
