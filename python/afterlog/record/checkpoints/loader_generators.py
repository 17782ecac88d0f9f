"""Generators that a DataLoader draws its order from, when it has one of its own.

What such a generator has drawn is state. It is captured if the program declares it; if not, the
checkpoint says that it is missing, so that nobody takes it for complete. So it does with workers
that live as long as the loader: each has generators, and a copy of the dataset, which nobody can
reach.
"""

from typing import Any, Dict, List, Optional, Set

from ...state.places import EntryIds
from ...state.undeclared_state import generators_of, keeps_workers
from ..loops.loop_frame import LoopFrame

_WHY = "the generator of its DataLoader is not declared"
_WORKERS = "the workers of its DataLoader keep their state from pass to pass (persistent_workers)"


class LoaderGenerators:
    def __init__(self) -> None:
        # By the names of the loops: each loop's newest one.
        self._by_block: Dict[str, List[Any]] = {}
        # The loops whose loader's workers outlive a pass.
        self._with_workers: Set[str] = set()
        # A checkpoint was taken without one of them.
        self.is_missing = False

    def note(self, name: str, iterable: Any, parent: Optional[LoopFrame]) -> None:
        """A loop is about to go through `iterable`."""
        generators = generators_of(iterable)
        block = f"{parent.block}/{name}" if parent else name
        if generators or block in self._by_block:
            self._by_block[block] = generators
        if keeps_workers(iterable):
            self._with_workers.add(block)

    def undeclared(self, entry: Optional[EntryIds]) -> List[Dict[str, Any]]:
        """A place without a value for each that the declared state did not hold."""
        missing = [
            {"key": f"loader:{block}", "source": "d", "absent": _WHY}
            for block, generators in self._by_block.items()
            if any(entry is None or entry.get(generator) is None for generator in generators)
        ]
        self.is_missing |= bool(missing)
        return missing + [
            {"key": f"loader:{block}:workers", "source": "d", "absent": _WORKERS}
            for block in sorted(self._with_workers)
        ]
