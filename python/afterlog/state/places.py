"""What is captured: places of the program, and the objects that they reach."""

import operator
import sys
import weakref
from typing import Any, Callable, Container, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from ..format.errors import AfterlogError


class Place(NamedTuple):
    """A variable of the program that is captured and restored."""

    # `d<declaration ordinal>.<field>`, or `file:scope:name#<loops around>`.
    key: str
    # `a`: declared; `b`: a variable that an active loop may change.
    source: str
    # The value now; a NameError means that it has none.
    get: Callable[[], Any]
    set: Callable[[Any], None]
    # Of `b`: it is only gone through; its value is never read again; what led to it may be.
    iterated: bool = False
    dead: bool = False
    history: bool = False
    # It may hold another object at every checkpoint, and comes after all that does not.
    volatile: bool = False
    # It is not captured: what it reaches is known by what it was when the loop was entered.
    known: bool = False
    # It is no place of its own: whatever leads to its object holds whichever object is there now.
    left: bool = False


def _own_references() -> int:
    """How often an object is referred to that only the table of `EntryIds` has."""
    table: Dict[int, Tuple[int, Any, bool]] = {0: (0, [], False)}
    for _, kept, _ in list(table.values()):
        value = kept
        return sys.getrefcount(value)
    return 0


_OWN_REFERENCES = _own_references()


# Objects of three kinds are numbered apart, so that the numbers of all else are what they would be
# without them: those that are known again and not captured; those that only places lead to which
# nothing reads again (a replay may lack them: a file that was closed); what only functions hold.
KNOWN_FROM, DEAD_FROM, HELD_FROM = 1 << 28, 1 << 29, 1 << 30


def is_known(number: int) -> bool:
    """Whether it is of an object that is known again, and not captured."""
    return KNOWN_FROM <= number < DEAD_FROM


class EntryIds:
    """The objects that the places reached at one moment, numbered in the order of the walk."""

    def __init__(self, hold: bool) -> None:
        # What can be let go is not kept alive by being known here: a program may look what is
        # (weak dictionaries). `hold`: but for what no other object can be put in the place of.
        self._hold = hold
        self._numbers: Dict[int, Any] = {}
        # The number of the object that each place held, by the place's key.
        self.places: Dict[str, int] = {}
        self.count = 0
        # Objects that were given a number and not looked into.
        self.shallow: Set[int] = set()
        # Objects that a function holds: nobody can put others in their place.
        self.held: Set[int] = set()

    def add(self, value: Any, number: int, is_opaque: bool = False) -> None:
        kept = value
        if not (self._hold and is_opaque):
            try:
                kept = weakref.ref(value)
            except TypeError:
                pass
        self._numbers[id(value)] = (number, kept, kept is not value)
        self.count = max(self.count, number + 1)

    def get(self, value: Any) -> Optional[int]:
        known = self._numbers.get(id(value))
        if known is None:
            return None
        number, kept, is_weak = known
        # The memory of an object that is gone may have been given to another one.
        return number if (kept() if is_weak else kept) is value else None

    def outside(self, numbers: Container[int]) -> List[int]:
        """Where the objects lay that have none of these numbers."""
        return [at for at in self._numbers if at not in numbers]

    def changeable(self, numbers: Container[int], among: Iterable[int]) -> List[Any]:
        """Objects that are captured wherever they are now, as far as anybody else has them, and
        without those that are numbered; `among`: where all these lay, and others perhaps."""
        left = [self._numbers[at] for at in among if at not in numbers]
        left.sort(key=operator.itemgetter(0))
        found = []
        for number, kept, is_weak in left:
            if is_known(number) or number in self.shallow:
                continue
            value = kept() if is_weak else kept
            # The table, the pair in it, and two names here: more means that it is still in use.
            if value is not None and (is_weak or sys.getrefcount(value) > _OWN_REFERENCES):
                found.append(value)
        return found

    def instances(self, kind: type) -> List[Any]:
        """Captured objects of a class, as far as they still exist."""
        found = (
            kept() if is_weak else kept
            for number, kept, is_weak in self._numbers.values()
            if not is_known(number) and number not in self.shallow
        )
        return [one for one in found if type(one) is kind]

    def known_objects(self) -> List[Any]:
        """Those that are not captured, as far as they still exist."""
        found = (
            kept() if is_weak else kept
            for number, kept, is_weak in self._numbers.values()
            if is_known(number)
        )
        return [one for one in found if one is not None]

    def get_all(self, values: List[Any]) -> List[Optional[int]]:
        """The same for many at once."""
        found = map(self._numbers.get, map(id, values))
        return [
            known[0] if known and (known[1]() if known[2] else known[1]) is value else None
            for known, value in zip(found, values)
        ]

    def discard(self, at: int) -> None:
        """Forgets the object that lay there."""
        self._numbers.pop(at, None)

    def copy(self) -> "EntryIds":
        other = EntryIds(self._hold)
        other._numbers = dict(self._numbers)
        other.places = dict(self.places)
        other.count = self.count
        other.shallow, other.held = set(self.shallow), set(self.held)
        return other

    def objects(self) -> Dict[int, Any]:
        """The objects by number, as far as they still exist."""
        known = (
            (number, kept() if weak else kept) for number, kept, weak in self._numbers.values()
        )
        return {number: value for number, value in known if value is not None}


def cannot_capture(path: str, what: str, help: Optional[str] = None) -> AfterlogError:
    default = "leave it out of checkpointing, or keep what it holds in a list, dict or tensor"
    return AfterlogError("AL070", f"{path} cannot be captured: it is {what}", [help or default])


def cannot_restore(path: str, why: str, help: Optional[str] = None) -> AfterlogError:
    default = "restore the checkpoint with the version of the program that made it"
    return AfterlogError("AL071", f"{path} cannot be restored: {why}", [help or default])


class LeafNames:
    """Names of tensors in a checkpoint: the path at which each was first met, each once."""

    _NAME_MAX = 240

    def __init__(self) -> None:
        self._taken: Dict[str, int] = {}

    def copy(self) -> "LeafNames":
        other = LeafNames()
        other._taken = dict(self._taken)
        return other

    def take(self, path: str) -> str:
        text = path
        if not path.isprintable():
            text = "".join(one if one.isprintable() else "_" for one in path)
        if len(text) > self._NAME_MAX:
            half = self._NAME_MAX // 2
            text = f"{text[:half]}…{text[-half:]}"
        # Names that begin so are the file's own.
        base = f"state.{text}" if text == "" or text.startswith("__") else text
        name = base
        while name in self._taken:
            self._taken[base] += 1
            name = f"{base}~{self._taken[base]}"
        self._taken[name] = 0
        return name


def place_labels(places: List[Place]) -> List[str]:
    """What each place is called in paths: the field alone, unless two places share it."""
    labels: List[str] = []
    for place in places:
        short = place.key.partition(".")[2] or place.key
        if place.source == "b":
            short = place.key.rpartition(":")[2].partition("#")[0]
        labels.append(place.key if short in labels else short)
    return labels
