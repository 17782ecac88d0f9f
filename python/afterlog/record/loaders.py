"""Generators that a DataLoader draws its order from, when it has one of its own.

What such a generator has drawn is state. It is captured if the program declares it; if not, the
checkpoint says that it is missing, so that nobody takes it for complete.
"""

import sys
from typing import Any, Dict, List, Optional

from ..state.places import EntryIds
from .loop_frame import LoopFrame

_WHY = "the generator of its DataLoader is not declared"


class LoaderGenerators:
    def __init__(self) -> None:
        # By the names of the loops: each loop's newest one.
        self._by_block: Dict[str, List[Any]] = {}
        # A checkpoint was taken without one of them.
        self.is_missing = False

    def note(self, name: str, iterable: Any, parent: Optional[LoopFrame]) -> None:
        """A loop is about to go through `iterable`."""
        found = _generators_in(iterable)
        block = f"{parent.block}/{name}" if parent else name
        if found or block in self._by_block:
            self._by_block[block] = found

    def undeclared(self, entry: Optional[EntryIds]) -> List[Dict[str, Any]]:
        """A place without a value for each that the declared state did not hold."""
        missing = [
            {"key": f"loader:{block}", "source": "d", "absent": _WHY}
            for block, generators in self._by_block.items()
            if any(entry is None or entry.get(one) is None for one in generators)
        ]
        self.is_missing |= bool(missing)
        return missing


def _generators_in(iterable: Any) -> List[Any]:
    """The loader's own generator, and that of its sampler; none for what is no loader."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(iterable, torch.utils.data.DataLoader):
        return []
    holders = [iterable, getattr(iterable, "sampler", None)]
    batches = getattr(iterable, "batch_sampler", None)
    holders += [batches, getattr(batches, "sampler", None)]
    found = (getattr(holder, "generator", None) for holder in holders)
    distinct = {id(one): one for one in found if isinstance(one, torch.Generator)}
    return list(distinct.values())
