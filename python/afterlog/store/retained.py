"""Checkpoints as retention sees them: which cannot be restored without which others."""

import math
from dataclasses import dataclass
from typing import Dict, Iterable, List, Sequence

from ..format.paths import LoopPath, format_path, path_element


@dataclass(eq=False)
class Retained:
    """A checkpoint, as far as it matters here; each is itself and no other."""

    file: str
    path: LoopPath
    # "iteration" or "loop".
    kind: str
    # Of its own file.
    bytes: int
    holds: Sequence[str]
    needs: Sequence[str]
    # An iteration end of an innermost loop that is not outermost.
    step: bool
    # When its loop was entered and when it was taken, on one clock of the program.
    entered_ms: float
    at_ms: float


class References:
    """Which cannot be restored without which."""

    def __init__(self, checkpoints: Iterable[Retained]) -> None:
        self._by_file: Dict[str, Retained] = {}
        self._by_path: Dict[str, Retained] = {}
        for one in checkpoints:
            self._by_file[one.file] = one
            self._by_path[format_path(one.path)] = one

    def holders_of(self, checkpoint: Retained) -> List[Retained]:
        """Those whose files have tensors of it: without their bytes it cannot be read."""
        return [self._by_file[file] for file in checkpoint.holds if file in self._by_file]

    def needed_by(self, checkpoint: Retained) -> List[Retained]:
        """Those that lead to it."""
        return [self._by_path[path] for path in checkpoint.needs if path in self._by_path]

    def reaching(self, roots: Iterable[Retained]) -> List[Retained]:
        """With all that leads to them."""
        reached = dict.fromkeys(roots)
        waiting = list(reached)
        while waiting:
            for other in self.needed_by(waiting.pop()):
                if other not in reached:
                    reached[other] = None
                    waiting.append(other)
        return list(reached)

    def closure(self, roots: Iterable[Retained]) -> List[Retained]:
        """With all that leads to them, and all that has their bytes. What is kept only for its
        bytes need not be reached itself: else the last step before the end of an epoch, which
        often has the bytes of that end, would keep the end of the epoch before, and so on."""
        kept = dict.fromkeys(self.reaching(roots))
        waiting = list(kept)
        while waiting:
            for other in self.holders_of(waiting.pop()):
                if other not in kept:
                    kept[other] = None
                    waiting.append(other)
        return list(kept)


def loop_key(path: LoopPath) -> str:
    """The loop entry of an iteration, by the path of its end."""
    if not path:
        return "=end"
    name, _, *entry = path[-1]
    number = entry[0] if entry else 0
    return format_path([*path[:-1], path_element(str(name), "end", int(number))])


def index_of(path: LoopPath) -> float:
    """The index of the iteration; a loop end comes after all of them."""
    index = path[-1][1] if path else "end"
    return index if isinstance(index, int) else math.inf
