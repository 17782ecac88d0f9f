"""The iterators that loops draw from: who they are, how far they have come, and which of them
outlive the loop entry that used them (semantics, "Iterators")."""

import json
import sys
from typing import Any, Dict, List, Optional

from ...format.errors import describe_error
from ...format.paths import LoopPath
from ...format.values import value_to_json
from .loop_frame import LoopFrame, TrackedIterator

# Of an iterator that only we hold: its entry here, and the call that counts.
_OWN_REFERENCES = 2
# Iterators that may be handed to a loop again; the oldest are forgotten beyond this.
_OUTLIVING_MAX = 64


# Iterators that execute nothing of a program when they are asked for an item.
_PLAIN = tuple(
    type(iter(one))
    for one in (range(0), [], (), "", b"", {}, {}.values(), {}.items(), set(), reversed([]))
)
# What goes through anything by its index.
_BY_INDEX: Any = type(iter(type("", (), {"__getitem__": None})()))


_OVER_RANGE = type(iter(range(0)))


def range_of(iterable: Any) -> Any:
    """The range that an iterator of one has before it: its items follow from their index. Anything
    else as it is."""
    if type(iterable) is not _OVER_RANGE:
        return iterable
    made: Any = iterable.__reduce__()
    return made[1][0][made[2] if len(made) > 2 else 0 :]


def is_plain(iterator: Any) -> bool:
    """Whether asking for an item executes no code of a program."""
    if type(iterator) in (zip, enumerate):
        return all(is_plain(one) for one in iterator.__reduce__()[1] if hasattr(one, "__next__"))
    if type(iterator) is _BY_INDEX:
        through = type(iterator.__reduce__()[1][0])
        return (through.__module__, through.__name__) == ("numpy", "ndarray")
    return type(iterator) in _PLAIN


class Iterators:
    """`first`: the first number that has not been given."""

    def __init__(self, first: int = 0) -> None:
        self._count = first
        # By identity; each is kept alive by what is known of it.
        self._tracked: Dict[int, TrackedIterator] = {}

    def track(
        self, iterable: Any, iterator: Any, created: LoopPath, known: Optional[int]
    ) -> TrackedIterator:
        """The iterator of a loop that is entered at `created`; `known`: its recorded number."""
        resumable = _as_resumable(iterator) or _as_resumable(iterable)
        # A loader makes a new iterator for each pass, but its position is the loader's own.
        key = iterator if resumable is None else resumable
        tracked = self._tracked.get(id(key))
        if tracked is None:
            number = self._count if known is None else known
            self._count += known is None
            tracked = TrackedIterator(number, created, key, resumable)
        tracked.over = False
        if resumable is not None or iterable is iterator:
            self._keep(tracked)
        return tracked

    def _keep(self, tracked: TrackedIterator) -> None:
        self._tracked.pop(id(tracked.key), None)
        self._tracked[id(tracked.key)] = tracked
        if len(self._tracked) > _OUTLIVING_MAX:
            del self._tracked[next(iter(self._tracked))]

    def ended(self, tracked: TrackedIterator, exhausted: bool) -> None:
        """Its loop entry has ended. One that has nothing more to give is of no interest."""
        tracked.over = tracked.over or exhausted
        if tracked.resumable is None and tracked.over:
            self._tracked.pop(id(tracked.key), None)

    def release(self, tracked: TrackedIterator) -> None:
        """Lets go of an iterator that nobody else holds: no loop can be given it again, and a
        generator closes itself where it would without us."""
        if sys.getrefcount(tracked.key) <= _OWN_REFERENCES:
            self._tracked.pop(id(tracked.key), None)
            tracked.key = None

    def positions(self, innermost: LoopFrame) -> List[Dict[str, Any]]:
        """Of those that the active loops use, and of those that outlive an entry."""
        found = {tracked.id: tracked for tracked in self._tracked.values()}
        in_entry: Dict[int, int] = {}
        frame: Optional[LoopFrame] = innermost
        while frame is not None:
            found[frame.iterator.id] = frame.iterator
            in_entry[frame.iterator.id] = frame.iterator.delivered - frame.delivered_before
            frame = frame.parent
        return [_position(found[number], in_entry.get(number, 0)) for number in sorted(found)]


def _position(tracked: TrackedIterator, in_entry: int) -> Dict[str, Any]:
    position = {
        "id": tracked.id,
        "created": tracked.created,
        "delivered": tracked.delivered,
        "inEntry": in_entry,
        "over": tracked.over,
    }
    if tracked.resumable is None:
        return position
    try:
        return {**position, "state": json.loads(value_to_json(tracked.resumable.state()))}
    except Exception as error:
        return {**position, "absent": describe_error(error)}


def _as_resumable(value: Any) -> Any:
    try:
        both = callable(getattr(value, "state", None)) and callable(getattr(value, "restore", None))
    except Exception:
        # An object that gives its items as attributes may raise what it likes for others.
        return None
    return value if both else None
