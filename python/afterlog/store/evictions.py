"""A byte budget: the checkpoint goes first whose loss adds least to later replays.

Between neighbours a < b < c of one loop entry, b spares whoever asks for something between b and c
the time from a to b. Questions are taken to be equally likely at every moment of the training, so
losing b costs (b - a) * (c - b). The order does not depend on the budget: a larger one keeps all
that a smaller one does.
"""

import math
from dataclasses import dataclass, field
from typing import Collection, Dict, List, Optional, Sequence, Set

from .retained import References, Retained, index_of, loop_key


@dataclass(eq=False)
class _Entry:
    # When the loop ended, or the last checkpoint of the run was taken.
    end_ms: float
    # Iteration ends whose files are left, in order.
    ends: List["_Candidate"] = field(default_factory=list)
    # All whose cost depends on these.
    dependents: List["_Candidate"] = field(default_factory=list)


@dataclass(eq=False)
class _Candidate:
    """A checkpoint with what changes while others go."""

    checkpoint: Retained
    # The loop entry whose iteration ends say what it costs, and the iteration in it.
    entry: _Entry
    index: float
    # Whether it may be given up.
    free: bool
    holders: List["_Candidate"] = field(default_factory=list)
    needs: List["_Candidate"] = field(default_factory=list)
    # How many files that are left have tensors in its file.
    holding: int = 0
    # How many that are wanted are reached by it.
    needing: int = 0
    # Still kept for its own sake; else it only has bytes of others.
    wanted: bool = True
    # None when one has gone that it depends on.
    loss: Optional[float] = None


class Evictions:
    def __init__(
        self,
        checkpoints: Sequence[Retained],
        references: References,
        fixed: Collection[Retained],
        of: str,
    ) -> None:
        self._last_ms = max((one.at_ms for one in checkpoints), default=0.0)
        self._entries: Dict[str, _Entry] = {}
        self._removed: List[Retained] = []
        counted = _counted_ones(checkpoints, of)
        # Bytes that are left of those that count, and checkpoints of steps among them.
        self._bytes = sum(one.bytes for one in counted)
        self._steps = sum(one.step for one in counted)
        by_checkpoint = {
            one: self._place(one, one in counted and one not in fixed) for one in checkpoints
        }
        self._candidates = list(by_checkpoint.values())
        for candidate in self._candidates:
            holders = references.holders_of(candidate.checkpoint)
            needs = references.needed_by(candidate.checkpoint)
            candidate.holders += [by_checkpoint[one] for one in holders]
            candidate.needs += [by_checkpoint[one] for one in needs]
            for other in candidate.holders:
                other.holding += 1
            for other in candidate.needs:
                other.needing += 1
        for entry in self._entries.values():
            entry.ends.sort(key=lambda end: end.index)

    def _place(self, checkpoint: Retained, free: bool) -> _Candidate:
        is_loop, path = checkpoint.kind == "loop", checkpoint.path
        # A loop end belongs to the iteration in which its loop ended.
        iteration = path[:-1] if is_loop else path
        entry = self._entry(loop_key(iteration))
        if is_loop:
            self._entry(loop_key(path)).end_ms = checkpoint.at_ms
        candidate = _Candidate(checkpoint, entry, index_of(iteration), free)
        entry.dependents.append(candidate)
        if not is_loop:
            entry.ends.append(candidate)
        return candidate

    def _entry(self, key: str) -> _Entry:
        if key not in self._entries:
            self._entries[key] = _Entry(self._last_ms)
        return self._entries[key]

    def until(self, size: float, steps_max: float = math.inf) -> List[Retained]:
        """What goes, in order, until the rest fits into so many bytes, with so many checkpoints of
        steps, or nothing more can go."""
        while self._bytes > size or self._steps > steps_max:
            cheapest = self._cheapest(steps_only=self._bytes <= size)
            if cheapest is None:
                break
            before = len(self._removed)
            self._give_up(cheapest)
            self._bytes -= sum(gone.bytes for gone in self._removed[before:])
            self._steps -= sum(gone.step for gone in self._removed[before:])
        return self._removed

    def _cheapest(self, steps_only: bool) -> Optional[_Candidate]:
        best: Optional[_Candidate] = None
        least, largest = math.inf, -1
        for candidate in self._candidates:
            if not candidate.free or not candidate.wanted or candidate.needing > 0:
                continue
            if steps_only and not candidate.checkpoint.step:
                continue
            if candidate.loss is None:
                candidate.loss = _loss_of(candidate)
            size = candidate.checkpoint.bytes
            if candidate.loss < least or (candidate.loss == least and size > largest):
                best, least, largest = candidate, candidate.loss, size
        return best

    def _give_up(self, candidate: _Candidate) -> None:
        """Its file goes at once, or with the last one that has tensors in it."""
        candidate.wanted = False
        for other in candidate.needs:
            other.needing -= 1
        if candidate.holding == 0:
            self._remove(candidate)

    def _remove(self, candidate: _Candidate) -> None:
        self._removed.append(candidate.checkpoint)
        if candidate.checkpoint.kind == "iteration":
            _forget(candidate)
        for other in candidate.holders:
            other.holding -= 1
            if other.holding == 0 and not other.wanted:
                self._remove(other)


def _forget(candidate: _Candidate) -> None:
    """Its neighbours, and the loop ends between them, now cost something else."""
    ends = candidate.entry.ends
    at = ends.index(candidate)
    first = ends[at - 1].index if at > 0 else -math.inf
    last = ends[at + 1].index if at + 1 < len(ends) else math.inf
    del ends[at]
    for one in candidate.entry.dependents:
        if first <= one.index <= last:
            one.loss = None


def _loss_of(candidate: _Candidate) -> float:
    checkpoint, entry, index = candidate.checkpoint, candidate.entry, candidate.index
    at_ms, entered_ms = checkpoint.at_ms, checkpoint.entered_ms
    if checkpoint.kind == "loop":
        # Whoever asks for something after the loop, before the next restore, executes all of it.
        return _span(entered_ms, at_ms) * _span(entered_ms, _next_ms(entry, index - 1))
    before = entered_ms
    for end in entry.ends:
        if end.index < index:
            before = end.checkpoint.at_ms
    return _span(before, at_ms) * _span(at_ms, _next_ms(entry, index))


def _next_ms(entry: _Entry, index: float) -> float:
    """When the first iteration end after `index` was taken, or the loop ended."""
    later = (end.checkpoint.at_ms for end in entry.ends if end.index > index)
    return next(later, entry.end_ms)


def _counted_ones(checkpoints: Sequence[Retained], of: str) -> Set[Retained]:
    """Those of steps whose bytes others than steps have too are not there for steps alone."""
    if of == "all":
        return set(checkpoints)
    held = {file for one in checkpoints if not one.step for file in one.holds}
    return {one for one in checkpoints if one.step and one.file not in held}


def _span(from_ms: float, to_ms: float) -> float:
    return max(0.0, to_ms - from_ms)
