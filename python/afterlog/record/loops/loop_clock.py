"""The time that a loop's iterations take. It stands while observers are told something: only the
program's own time counts. `loop_stack.py` sets it; who blocks the program says for how long."""

from time import perf_counter


class LoopClock:
    def __init__(self) -> None:
        self.entered_at = self.left_at = perf_counter()
        # When the present body began, and how long the iterator took for its item.
        self.body_at = self.next_ms = 0.0
        # Time that recording took inside the present body.
        self.blocked_ms = 0.0
        # When the first loop inside the present body was entered, and the last one left; -1: none.
        self.first_inner_at = self.last_inner_at = -1.0
        # Iterations since `body_at`: more than one if some went by unreported.
        self.count = 1
        # Of the iterations that ended last: when, and how long one took.
        self.ended_at = self.body_ms = 0.0

    def begin(self, next_ms: float) -> None:
        self.blocked_ms = 0.0
        self.first_inner_at = -1.0
        self.count = 1
        self.next_ms = next_ms
        self.body_at = perf_counter()

    def end(self, now: float) -> None:
        self.ended_at = now
        body_ms = (now - self.body_at) * 1000 - self.blocked_ms
        self.body_ms = body_ms / self.count if body_ms > 0.0 else 0.0
