"""Objects that others are put in the place of, from checkpoint to checkpoint: gradients, which
`backward` makes anew in every step. They keep their numbers as long as only their bytes differ."""

import collections
import itertools
from typing import AbstractSet, Any, Dict, List, Sequence, Tuple

from ..format.structure import references
from .kinds import Kind, Node
from .recall_values import Known, addresses, identities, picker
from .walk import Restructured, Walk

_NONE_AT = id(None)


class Parts:
    """The parts of a walk's objects."""

    def __init__(self, walk: Walk, roots: Sequence[int], known: Known, sees_memory: bool) -> None:
        owners: Dict[Kind, List[int]] = {}
        for number, kind in enumerate(walk.kinds):
            if kind.has_parts:
                owners.setdefault(kind, []).append(number)
        found = _find(_pickers(owners), known.objects)
        numbers = [known.numbers[id(part)] for part in found if part is not None]
        self._can_renew = _can_renew(walk.nodes, roots, numbers, sees_memory)
        # Those that others may stand for. The rest stays.
        self.numbers: List[int] = numbers if self._can_renew else []
        self.renewed = renewed = frozenset(self.numbers)
        self._owners = _pickers(
            {kind: [one for one in own if one not in renewed] for kind, own in owners.items()}
        )
        parts = _find(self._owners, known.objects)
        self._with = picker([at for at, part in enumerate(parts) if part is not None])
        self._without = picker([at for at, part in enumerate(parts) if part is None])
        self._are_none = identities(self._without(parts))
        self._ids = identities(parts)
        # Where they lie in memory.
        self.at = [id(known.objects[number]) for number in self.numbers]
        self._staying_at = frozenset(
            id(one) for number, one in enumerate(known.objects) if number not in renewed
        )
        self._likes = self._memos(walk.kinds, known)

    def _memos(self, kinds: Sequence[Kind], known: Known) -> List[Tuple[Kind, Any, Any]]:
        """For each kind: which of the parts are of it, and what they are like."""
        groups: Dict[Kind, List[int]] = {}
        for index, number in enumerate(self.numbers):
            groups.setdefault(kinds[number], []).append(index)
        found = []
        for kind, indices in groups.items():
            values = [known.objects[self.numbers[index]] for index in indices]
            found.append((kind, picker(indices), kind.memo(values, known)))
        return found

    def find(self, objects: Sequence[Any], taken: AbstractSet[int]) -> Tuple[Any, ...]:
        """The parts now, by the order of their numbers."""
        parts = _find(self._owners, objects)
        # Others may lie where those before did, which are gone: that changes nothing here.
        is_same = identities(parts) == self._ids
        if not is_same:
            if not self._can_renew or identities(self._without(parts)) != self._are_none:
                raise Restructured
        found = self._with(parts)
        at = addresses(found)
        if not is_same and _NONE_AT in at:
            raise Restructured
        for kind, pick, memo in self._likes:
            if not kind.are_like(pick(found), memo, taken):
                raise Restructured
        if not is_same and not self._staying_at.isdisjoint(at):
            # It is also reached in another way.
            raise Restructured
        self._ids = identities(parts)
        if not self._can_renew:
            return ()
        self.at = at
        return found


def _pickers(owners: Dict[Kind, List[int]]) -> List[Tuple[Kind, Any]]:
    return [(kind, picker(numbers)) for kind, numbers in owners.items()]


def _find(owners: Sequence[Tuple[Kind, Any]], objects: Sequence[Any]) -> Tuple[Any, ...]:
    """The part of each owner, or None."""
    if len(owners) == 1:
        kind, pick = owners[0]
        return kind.parts(pick(objects))
    return tuple(itertools.chain.from_iterable(kind.parts(pick(objects)) for kind, pick in owners))


def _can_renew(
    nodes: Sequence[Node], roots: Sequence[int], parts: Sequence[int], sees_memory: bool
) -> bool:
    """Whether others may stand for the parts: not if one of them is also reached in another way,
    has parts itself, or sees memory that others see."""
    referrers = collections.Counter(number for node in nodes for number in references(node))
    referrers.update(roots)
    seers = collections.Counter(node.get("tensor") for node in nodes)
    for number in parts:
        node = nodes[number]
        if referrers[number] != 1 or references(node):
            return False
        if sees_memory and (seers[node.get("tensor")] != 1 or node.get("raw")):
            return False
    return True


__all__ = ["Parts"]
