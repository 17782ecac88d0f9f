"""Which checkpoints go (semantics, "Retention"; peak and end: FlorDB §6.1.3). Pure: it sees names,
sizes and times, no file and no clock. `src/store/retention/retention-policy.ts` decides the same.

Whatever the policy: the ends of outermost loops stay, and so does what a checkpoint that is kept
for its own sake is reached by (`needs`), and every file that has tensors of a kept one (`holds`).
"""

import math
from typing import Dict, List, NamedTuple, Optional, Sequence

from ..format.keep import KeepPolicy
from ..format.paths import LoopPath, format_path
from .evictions import Evictions
from .retained import References, Retained, index_of, loop_key


class RetentionRequest(NamedTuple):
    # In the order in which they were taken; at each path only one.
    checkpoints: Sequence[Retained]
    policy: KeepPolicy
    # So many of the newest stay, and so many of the newest iteration ends.
    newest: int
    # Paths of checkpoints that the next one will need.
    wanted: Sequence[str] = ()
    # Where the best value was logged; without it a `peak` policy removes nothing.
    peak: Optional[LoopPath] = None
    # Under a byte budget: so many checkpoints of steps stay, however small they are.
    steps_max: float = math.inf


def choose_removed(request: RetentionRequest) -> List[Retained]:
    """The checkpoints to remove, in the order in which they may go."""
    checkpoints, policy = request.checkpoints, request.policy
    references = References(checkpoints)
    fixed = _fixed_ones(request)
    if policy.kind == "peak" and request.peak is not None:
        best = _best_for(request.peak, checkpoints)
        return _others(checkpoints, references, [*fixed, *_last_ones(checkpoints), *best])
    if policy.kind == "every":
        nth = [one for one in checkpoints if _is_nth(one, policy.n)]
        return _others(checkpoints, references, [*fixed, *_last_ones(checkpoints), *nth])
    if policy.kind == "bytes":
        kept = set(references.reaching(fixed))
        return Evictions(checkpoints, references, kept, policy.of).until(
            policy.bytes, request.steps_max
        )
    return []


def _others(
    checkpoints: Sequence[Retained], references: References, roots: Sequence[Retained]
) -> List[Retained]:
    kept = set(references.closure(roots))
    # Only earlier ones are referred to: from the newest on, what is left is always complete.
    return [one for one in reversed(checkpoints) if one not in kept]


def _fixed_ones(request: RetentionRequest) -> List[Retained]:
    """What stays under every policy."""
    checkpoints, newest, wanted = request.checkpoints, request.newest, set(request.wanted)
    # A loop end leads nowhere without an iteration end before it: so these count by themselves.
    ends = [one for one in checkpoints if one.kind == "iteration"]
    last = {*checkpoints[-newest:], *ends[-newest:]} if newest else set()
    return [
        one
        for one in checkpoints
        if one.kind == "loop"
        and len(one.path) == 1
        or one in last
        or format_path(one.path) in wanted
    ]


def _last_ones(checkpoints: Sequence[Retained]) -> List[Retained]:
    """The last iteration end of each outermost loop."""
    last: Dict[str, Retained] = {}
    for one in checkpoints:
        if one.kind == "iteration" and len(one.path) == 1:
            last[loop_key(one.path)] = one
    return list(last.values())


def _best_for(peak: LoopPath, checkpoints: Sequence[Retained]) -> List[Retained]:
    """The end of the iteration in which the best was logged; else the nearest before it."""
    for depth in range(len(peak), 0, -1):
        path = peak[:depth]
        key = loop_key(path)
        # Of a loop around it the present iteration has not ended at that point.
        most = index_of(path) - (0 if depth == len(peak) else 1)
        before = [
            one
            for one in checkpoints
            if one.kind == "iteration" and loop_key(one.path) == key and index_of(one.path) <= most
        ]
        if before:
            return [sorted(before, key=lambda one: -index_of(one.path))[0]]
    return []


def _is_nth(one: Retained, n: int) -> bool:
    """Ends of every n-th iteration, and of the loops in it; steps only as others need them."""
    if one.step:
        return False
    around = one.path[:-1] if one.kind == "loop" else one.path
    return all((index_of(around[: depth + 1]) + 1) % n == 0 for depth in range(len(around)))
