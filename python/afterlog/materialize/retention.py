"""Retention while a run is recorded: the training thread's book of its checkpoints. Small numbers
only; what they say is decided in `store/`, and done beside the training after a commit."""

from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..format.keep import KeepPolicy
from ..format.paths import LoopPath, format_path
from ..store.retained import Retained
from ..store.retention_policy import RetentionRequest, choose_removed

# Never fewer of a running run (semantics, "Retention"): one may turn out to be damaged.
_NEWEST = 2
# Checkpoints of steps, however small: each has a file and lines of its own, and is gone through.
# The rest is a ring: the next one always has room, for older ones go.
_STEPS_MAX = 1024
# From so many checkpoints on, more than one goes at a time: going through all is not for free.
_MANY = 64
_MANY_SHARE = 15 / 16


class TakenFacts(NamedTuple):
    """What the recorder knows of a checkpoint and its record does not say."""

    step: bool
    entered_ms: float


class Before(NamedTuple):
    """What a run that is continued has: its checkpoints, and files of those in parts of the run
    that are done again."""

    checkpoints: Sequence[Retained] = ()
    stale: Sequence[str] = ()


class Retention:
    def __init__(self, policy: KeepPolicy, before: Before = Before()) -> None:
        self._policy = policy
        # By path: one taken again replaces the one before.
        self._kept: Dict[str, Retained] = {}
        # Taken, and not yet durable.
        self._taken: Dict[str, TakenFacts] = {}
        # Files with tensors of checkpoints that are none of steps: not there for steps alone.
        self._shared: Set[str] = set()
        # Files that are part of the run no more, and go with the next ones.
        self._stale: List[str] = list(before.stale)
        self._bytes = 0
        self._steps = 0
        # The best value so far of the name that a `peak` policy watches, and where it was logged.
        self._peak: Optional[Tuple[float, LoopPath]] = None
        # The name whose values must be told.
        self.watched: Optional[str] = policy.name if policy.kind == "peak" else None
        for checkpoint in before.checkpoints:
            self._add(checkpoint)

    @property
    def is_blind(self) -> bool:
        """Nothing was logged under the watched name, so nothing was removed."""
        return self.watched is not None and self._peak is None

    def observe(self, value: float, path: Callable[[], LoopPath]) -> None:
        """A value of the watched name."""
        if value != value:
            return
        best = None if self._peak is None else self._peak[0]
        is_max = self._policy.best == "max"
        if best is None or (value > best if is_max else value < best):
            self._peak = (value, path())

    def taken(self, file: str, facts: TakenFacts) -> None:
        self._taken[file] = facts

    def refused(self, file: str) -> None:
        """It was not taken after all."""
        self._taken.pop(file, None)

    def committed(self, record: Dict[str, Any], wanted: Callable[[], Sequence[str]]) -> List[str]:
        """A checkpoint is durable: the files that go now. `wanted`: paths that the next needs."""
        facts = self._taken.pop(record["file"], TakenFacts(False, record["t"] / 1000))
        self._add(_retained(record, facts))
        removed = self._choose_removed(wanted()) if self._is_due else []
        for checkpoint in removed:
            self._remove(checkpoint)
        files = [*self._stale, *(one.file for one in removed)]
        self._stale = []
        return files

    @property
    def _is_due(self) -> bool:
        if self._policy.kind != "bytes":
            return self._policy.kind != "all"
        return self._bytes > self._policy.bytes or self._steps > _STEPS_MAX

    def _choose_removed(self, wanted: Sequence[str]) -> List[Retained]:
        checkpoints, policy = list(self._kept.values()), self._policy
        if len(checkpoints) > _MANY and policy.kind == "bytes":
            policy = policy._replace(bytes=policy.bytes * _MANY_SHARE)
        peak = None if self._peak is None else self._peak[1]
        steps = _STEPS_MAX * _MANY_SHARE if self._steps > _STEPS_MAX else _STEPS_MAX
        return choose_removed(RetentionRequest(checkpoints, policy, _NEWEST, wanted, peak, steps))

    def _add(self, checkpoint: Retained) -> None:
        path = format_path(checkpoint.path)
        again = self._kept.get(path)
        # Only a run that was continued comes by twice: what it took before is superseded.
        if again is not None:
            self._remove(again)
            self._stale.append(again.file)
        if not checkpoint.step:
            self._share(checkpoint.holds)
        self._kept[path] = checkpoint
        if self._counts_bytes(checkpoint):
            self._count(checkpoint, 1)

    def _share(self, files: Iterable[str]) -> None:
        if self._policy.kind != "bytes" or self._policy.of == "all":
            return
        fresh = set(files) - self._shared
        for one in self._kept.values() if fresh else ():
            if one.file in fresh and one.step and self._counts_bytes(one):
                self._count(one, -1)
        self._shared |= fresh

    def _remove(self, checkpoint: Retained) -> None:
        self._kept.pop(format_path(checkpoint.path), None)
        if self._counts_bytes(checkpoint):
            self._count(checkpoint, -1)

    def _count(self, checkpoint: Retained, sign: int) -> None:
        self._bytes += sign * checkpoint.bytes
        self._steps += sign * checkpoint.step

    def _counts_bytes(self, checkpoint: Retained) -> bool:
        if self._policy.kind != "bytes":
            return False
        alone = checkpoint.step and checkpoint.file not in self._shared
        return self._policy.of == "all" or alone


def _retained(record: Dict[str, Any], facts: TakenFacts) -> Retained:
    return Retained(
        record["file"],
        record["path"],
        record["kind"],
        record["bytes"],
        record["holds"],
        record["needs"],
        facts.step,
        facts.entered_ms,
        record["t"] / 1000,
    )


def retained_before(
    records: Sequence[Dict[str, Any]], is_stale: Callable[[Dict[str, Any]], bool]
) -> Before:
    """The checkpoints of a run that is continued. When their loops were entered is not known any
    more: at the latest when the one before was taken."""
    standing = [record for record in records if not is_stale(record)]
    with_inner = {_names_of(record["path"][:-1]) for record in standing}
    checkpoints, entered_ms = [], 0.0
    for record in standing:
        path = record["path"]
        inner = _names_of(path) in with_inner
        step = record["kind"] == "iteration" and len(path) > 1 and not inner
        checkpoints.append(_retained(record, TakenFacts(step, entered_ms)))
        entered_ms = checkpoints[-1].at_ms
    return Before(checkpoints, [record["file"] for record in records if is_stale(record)])


def _names_of(path: LoopPath) -> str:
    return "/".join(str(element[0]) for element in path)
