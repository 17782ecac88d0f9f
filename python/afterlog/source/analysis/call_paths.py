"""How the program gets to a statement: through which calls, inside which loops; and what comes
before what."""

from typing import Dict, List, NamedTuple, Optional, Tuple

from ..program.scopes import Scope
from .facts import Edge, Position, Region
from .fixpoint import Analysis

# Ways to a place beyond this are not told apart.
_PATHS_MAX = 64
# Where functions call each other in circles there may be more ways than anybody can count.
_STEPS_MAX = 4096


class Hop(NamedTuple):
    """One function on the way: where in it the next is called, or the place is."""

    scope: Scope
    at: Position
    region: Region
    how: str


class CallPath(NamedTuple):
    # From the program's first file on.
    hops: Tuple[Hop, ...]

    @property
    def chain(self) -> List[int]:
        """Loops around, outermost first."""
        return [loop for hop in self.hops for loop in hop.region]


class CallPaths:
    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._callers: Dict[Scope, List[Tuple[Scope, Edge]]] = {}
        for callee, callers in analysis.callers().items():
            # A file runs when it is imported first.
            known = callers[:1] if callee.kind == "module" else callers
            self._callers[callee] = known
        entry = analysis.program.modules.get(analysis.program.entry)
        self._entry = entry.scopes.module if entry else None
        # How many were looked at: a test counts what that costs.
        self.steps = 0
        self._begun = analysis.reached([] if self._entry is None else [self._entry])

    def to(self, scope: Scope, at: Position, region: Region) -> Tuple[List[CallPath], bool]:
        """All ways to a place, and whether these are surely all; none where they are too many."""
        found: List[CallPath] = []
        complete = True
        queue: List[Tuple[Hop, ...]] = [(Hop(scope, at, region, "call"),)]
        for _ in range(_STEPS_MAX):
            if not queue:
                return found, complete
            hops = queue.pop()
            self.steps += 1
            first = hops[0].scope
            if first is self._entry:
                found.append(CallPath(hops))
                continue
            if first in self._analysis.unseen:
                complete = False
            callers = self._callers.get(first, [])
            if not callers or len(found) + len(queue) > _PATHS_MAX:
                complete = False
                continue
            for caller, edge in callers:
                # From what never begins no way leads back to the program's first file.
                if caller not in self._begun or any(hop.scope is caller for hop in hops):
                    complete = False
                else:
                    queue.append((Hop(caller, edge.at, edge.region, edge.how), *hops))
        return [], False

    def is_before(self, path: CallPath, other: CallPath) -> bool:
        """Whether, within an iteration of the innermost loop of `path` (or in the run), the other
        place is reached only after this one has been left for the last time."""
        innermost = path.chain[-1] if path.chain else None
        own_from, its_from = 0, 0
        if innermost is not None:
            own_from = max(i for i, hop in enumerate(path.hops) if hop.region)
            inside = [i for i, hop in enumerate(other.hops) if innermost in hop.region]
            if not inside:
                return False
            its_from = inside[0]
        pairs = zip(path.hops[own_from:], other.hops[its_from:])
        for index, (own, its) in enumerate(pairs):
            if own.scope is not its.scope:
                return False
            if own.at != its.at:
                return self._is_ordered(own, its, innermost if index == 0 else None)
            if own.how == "import" or its.how == "import":
                return False
        return False

    def _is_ordered(self, own: Hop, its: Hop, innermost: Optional[int]) -> bool:
        """One statement is left before the other begins, and no plain loop comes back to it."""
        facts = self._analysis.facts[own.scope]
        begin: Position = (0, 0)
        if innermost is not None:
            begin = self._analysis.loops[innermost].at
        for start, end in facts.repeated:
            if start > begin and start <= own.at < end and start <= its.at < end:
                return False
        return any(start <= own.at < end <= its.at for start, end in facts.statements)
