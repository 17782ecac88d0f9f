"""How long the parts of a program take: what is before, between and after its outermost loops, and
each iteration. Plans are priced by it."""

from time import perf_counter
from typing import Any, Dict, List, Optional, Tuple

from ..loops.iteration_batch import TICK_MS
from ..loops.loop_frame import LoopFrame
from ..loops.loop_observer import LoopObserver, LoopSource
from ..run_parts import RunParts
from .recorder import ms_between

# Iterations whose times are written to the profile together.
_TIMES_MAX = 512

# Of an iteration, in milliseconds: its item, and its body before, in and after inner loops; and of
# how many iterations these are the mean.
IterationTime = Tuple[float, float, float, float, int]


class IterationTimes:
    """Times not yet written, from iteration `start` on."""

    def __init__(self) -> None:
        self.start = 0
        self.rows: List[IterationTime] = []


class LoopProfile(LoopObserver):
    def __init__(self, parts: RunParts) -> None:
        self._ledger = parts.ledger
        self._materializer = parts.materializer
        self._recorder = parts.recorder
        self._is_prefix_written = False
        # The outermost loop that ended last.
        self._outermost: Optional[LoopFrame] = None

    def entered(self, frame: LoopFrame, source: LoopSource) -> None:
        frame.times = IterationTimes()
        if frame.parent is not None:
            return
        if not self._is_prefix_written:
            self._write_prefix()
        elif self._outermost is not None:
            ms = ms_between(self._outermost.clock.left_at, perf_counter())
            gap = {"k": "gap", "after": self._outermost.name, "before": frame.name, "ms": ms}
            self._recorder.profile(gap)

    def iteration_ended(self, frame: LoopFrame, is_complete: bool) -> None:
        clock, rows, ledger = frame.clock, frame.times.rows, self._ledger
        count = clock.count
        if count > 1:
            ledger.book((count - 1) * TICK_MS, ledger.booked_ms)
        next_ms = clock.next_ms / count
        if clock.first_inner_at < 0:
            rows.append((next_ms, clock.body_ms, 0.0, 0.0, count))
        else:
            head_ms = (clock.first_inner_at - clock.body_at) * 1000
            inner_ms = (clock.last_inner_at - clock.first_inner_at) * 1000 - clock.blocked_ms
            tail_ms = (clock.ended_at - clock.last_inner_at) * 1000
            rows.append((next_ms, head_ms, max(0.0, inner_ms), max(0.0, tail_ms), count))
        if len(rows) >= _TIMES_MAX:
            self._write(frame)
        if not frame.has_inner:
            busy_ms = self._materializer.busy_ms(clock.body_at)
            ledger.observe(frame.block, clock.body_ms, busy_ms, count)

    def loop_ended(self, frame: LoopFrame, how: str, is_unwound: bool) -> None:
        self._write(frame)
        if frame.parent is None:
            self._ledger.settle()
            self._outermost = frame

    def arrived(self, frame: LoopFrame, restored: Optional[Dict[str, Any]]) -> None:
        frame.times.start = frame.index + 1

    def finish(self, innermost: Optional[LoopFrame]) -> None:
        """The process ends: writes the times of loops that never ended, and what came after the
        last."""
        frame = innermost
        while frame is not None:
            clock = frame.clock
            # Those that went by unreported before the one that it ends in.
            passed = clock.count - 1
            if frame.in_body and passed > 0:
                mean_ms = ms_between(clock.body_at, perf_counter()) / clock.count
                row = (clock.next_ms / clock.count, mean_ms, 0.0, 0.0, passed)
                frame.times.rows.append(row)
            self._write(frame)
            frame = frame.parent
        # Without a loop, all that the program does is what comes before one.
        if not self._is_prefix_written:
            self._write_prefix()
        if self._outermost is not None:
            ms = ms_between(self._outermost.clock.left_at, perf_counter())
            self._recorder.profile({"k": "suffix", "ms": ms})

    def _write_prefix(self) -> None:
        self._is_prefix_written = True
        ms = round(self._recorder.now() / 1000, 3)
        self._recorder.profile({"k": "prefix", "ms": ms})

    def _write(self, frame: LoopFrame) -> None:
        times = frame.times
        if not times.rows:
            return
        each = [row[4] for row in times.rows]
        # To the microsecond; means of many iterations to the nanosecond.
        is_mean = any(count > 1 for count in each)
        digits = 6 if is_mean else 3
        columns = [[round(row[column], digits) for row in times.rows] for column in range(4)]
        next_, head, inner, tail = columns
        record: Dict[str, Any] = {
            "k": "iterations",
            "path": frame.entry_path,
            "loop": frame.name,
            "entry": frame.entry,
            "from": times.start,
            "next": next_,
            "head": head,
        }
        if any(inner) or any(tail):
            record.update(inner=inner, tail=tail)
        if is_mean:
            record["each"] = each
        self._recorder.profile(record)
        times.start += sum(each)
        times.rows.clear()
