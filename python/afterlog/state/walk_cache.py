"""The same places, captured and numbered again and again."""

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple, TypeVar

from ..materialize.materializer import Snapshot
from ..materialize.slots import Leaf
from .incremental_walk import RepeatedCapture, RepeatedNumbering, WalkedObjects
from .places import EntryIds, Place
from .walk import Base, PartialCapture, StructureChanged, Walk, capture, without_collecting

# Loops of a program see different places, and take turns.
_REMEMBERED_MAX = 16
# Walks that were remembered for nothing, one after the other, until only some are; and which.
_MISSES_MAX = 2
_TRIED_EACH = 8

Key = Tuple[str, ...]
Kept = TypeVar("Kept")


def _places_key(places: Sequence[Place]) -> Key:
    return tuple(place.key for place in places)


def _keep_recent(known: Dict[Key, Kept], key: Key, one: Kept) -> Kept:
    if key in known:
        del known[key]
    if len(known) >= _REMEMBERED_MAX:
        del known[next(iter(known))]
    known[key] = one
    return one


class _VolatileLeaves:
    """The leaves of a state that goes on beyond what stays. They are the same list as long as they
    are the same leaves: others know them by that."""

    def __init__(self) -> None:
        self._base: Any = None
        self._own: List[Any] = []
        self._leaves: Sequence[Leaf] = []

    def leaves(self, base: Snapshot, state: Snapshot) -> Sequence[Leaf]:
        added = state.leaves[len(base.leaves) :]
        nodes = (state.graph["nodes"][leaf.number] for leaf in added)
        own = [(leaf, node.get("dtype"), node.get("device")) for leaf, node in zip(added, nodes)]
        if base.leaves is not self._base or own != self._own:
            self._base, self._own, self._leaves = base.leaves, own, state.leaves
        return self._leaves


class _Numbered(NamedTuple):
    """Objects that have their numbers, these by their address, and which of them are functions that
    may hold something."""

    ids: EntryIds
    numbers: Dict[int, int]
    objects: List[Any]
    functions: List[Any]


class _Usefulness:
    """Whether to remember a walk: that takes nearly as long as the walk did, and is for nothing
    where the objects are others each time (a list that grows)."""

    def __init__(self) -> None:
        # Remembered, and not found again yet.
        self._unused: Set[Key] = set()
        # How many in a row were forgotten so, and walks that were not remembered since.
        self._misses: Dict[Key, int] = {}
        self._passed: Dict[Key, int] = {}

    def is_worth(self, key: Key) -> bool:
        if self._misses.get(key, 0) < _MISSES_MAX:
            return True
        passed = self._passed[key] = self._passed.get(key, 0) + 1
        return passed % _TRIED_EACH == 0

    def remembered(self, key: Key) -> None:
        self._unused.add(key)

    def found_again(self, key: Key) -> None:
        self._unused.discard(key)
        self._misses[key] = 0

    def forgotten(self) -> None:
        for key in self._unused:
            self._misses[key] = self._misses.get(key, 0) + 1
        self._unused.clear()


class WalkCache:
    def __init__(self) -> None:
        self._captured: Dict[Key, RepeatedCapture] = {}
        self._numbered: Dict[Key, RepeatedNumbering] = {}
        self._extended: Dict[Key, _VolatileLeaves] = {}
        self._captures, self._numberings = _Usefulness(), _Usefulness()

    def capture(
        self, places: Sequence[Place], entry: Optional[EntryIds], ends_at: float = math.inf
    ) -> Snapshot:
        """The state that the places hold now; nothing is copied yet. `WalkTooLong` if `thread_time`
        comes to `ends_at`."""
        steady = [place for place in places if not place.volatile]
        own = _places_key(steady)
        if own not in self._captured and not self._captures.is_worth(own):
            return capture(places, entry, ends_at=ends_at)
        with without_collecting():
            leaving = PartialCapture(steady, ends_at=ends_at)
            base = self._capture_steady(own, leaving, entry)
            if all(place.source == "a" and not place.volatile for place in places):
                return leaving.with_absent_places(base.snapshot)
            leaving.held += [place for place in places if place.volatile]
            try:
                state, _ = leaving.walk(entry, lambda walk, held: walk.extend(base, held))
            except StructureChanged:
                return capture(places, entry, ends_at=ends_at)
            key = _places_key(places)
            extended = self._extended.get(key) or _keep_recent(
                self._extended, key, _VolatileLeaves()
            )
            leaves = extended.leaves(base.snapshot, state)
            return leaving.with_absent_places(state._replace(leaves=leaves))

    def _capture_steady(self, key: Key, leaving: PartialCapture, entry: Optional[EntryIds]) -> Base:
        """What holds the same objects from checkpoint to checkpoint, most likely."""
        known = self._captured.get(key)
        if known is not None:
            try:
                base = known.again(leaving.held, entry)
                self._captures.found_again(key)
                self._tell_others(known)
                return base
            except StructureChanged:
                self._forget_walks()
        state, walk = leaving.walk(entry, lambda one, held: one.capture(held, complete=False))
        repeated = _keep_recent(self._captured, key, RepeatedCapture(walk, state, entry))
        self._captures.remembered(key)
        return repeated.base(state, walk.objects)

    def _tell_others(self, walked: WalkedObjects) -> None:
        """What one of them does not find any more must not be kept alive by others."""
        replaced, walked.replaced = walked.replaced, []
        tables: List[Dict[Key, Any]] = [self._captured, self._numbered]
        for one in replaced:
            for table in tables:
                for key, other in list(table.items()):
                    if other is not walked and not other.take_over(one):
                        del table[key]

    def _forget_walks(self) -> None:
        """What one of them does not find any more must not be kept alive by others."""
        self._captured.clear()
        self._numbered.clear()
        self._captures.forgotten()
        self._numberings.forgotten()

    def identify(self, places: Sequence[Place]) -> EntryIds:
        """Numbers the objects that the places reach now."""
        steady = [place for place in places if not place.volatile]
        with without_collecting():
            # What has a number lives until all have theirs.
            ids, numbers, _objects, functions = self._identify_steady(steady)
            if len(steady) < len(places):
                walk = Walk(True)
                volatile = [place for place in places if place.volatile or place.left]
                ids = walk.identify_more(ids, numbers, volatile)
                numbers, functions = walk.numbers, [*functions, *walk.functions]
            further = Walk(True)
            further.leave(places)
            return further.identify_held(ids, numbers, functions)

    def _identify_steady(self, steady: Sequence[Place]) -> _Numbered:
        key = _places_key(steady)
        known = self._numbered.get(key)
        if known is not None:
            try:
                ids, objects = known.again(steady)
                self._numberings.found_again(key)
                self._tell_others(known)
                return _Numbered(ids, known.numbers, objects, known.functions(objects))
            except StructureChanged:
                self._forget_walks()
        walk = Walk(True)
        ids = walk.identify(steady)
        if not self._numberings.is_worth(key):
            return _Numbered(ids, walk.numbers, walk.objects, walk.functions)
        try:
            repeated = RepeatedNumbering(walk, ids)
        except Exception:
            # Something in it cannot be looked at, as a sparse tensor: it is walked each time.
            return _Numbered(ids, walk.numbers, walk.objects, walk.functions)
        known = _keep_recent(self._numbered, key, repeated)
        self._numberings.remembered(key)
        return _Numbered(ids, known.numbers, walk.objects, walk.functions)
