"""The order of a set, which is that of the table behind it: which slots its items took when they
came, past which others, and past what has left. A set of the same items made in another order, or
without what has left, is gone through in another order, and so would be all that follows.

Where the items' hashes are the same in every process, the table is read when the set is captured,
and an order of coming is found that leads to it: an item comes after all that it had to pass.
What has left is an item that comes and goes. A set whose table cannot be led to again is refused.
Only of CPython; elsewhere sets keep no more than their items."""

import ctypes
import itertools
import struct
import sys
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from .hash_seed import HASH_SEED
from .own_content import items_of

# CPython's Objects/setobject.c: slots that are looked at side by side before the next jump, bits
# of the hash that a jump takes, and the table that every set begins with.
_PROBES = 9
_SHIFT = 5
_SLOTS_MIN = 8
# It cannot be set back to 0, but to what is taken for 0 in all tables that are not larger.
_FINGER_MAX = 1 << 16
_WORD = ctypes.sizeof(ctypes.c_ssize_t)
_FIELDS = struct.Struct("6n")
_NUMBERS = (int, float, bool, complex)
_TEXTS = (str, bytes)


class Table(NamedTuple):
    """`items`: in an order of coming. `gone`: before which of them something came that has left,
    and its slot. `finger`: where `pop` looks next."""

    items: List[Any]
    slots: int
    gone: List[Tuple[int, int]]
    finger: int

    def to_json(self) -> Dict[str, Any]:
        finger = 0 if self.finger == _FINGER_MAX else self.finger
        return {"slots": self.slots, "gone": [list(one) for one in self.gone], "finger": finger}


class _Placeholder:
    """An item for one slot."""

    def __init__(self, slot: int) -> None:
        self._slot = slot
        self.armed = False

    def __hash__(self) -> int:
        return self._slot

    def __eq__(self, other: object) -> bool:
        if self.armed or (isinstance(other, _Placeholder) and other.armed):
            raise LookupError
        return self is other


def is_ordered(items: Iterable[Any]) -> bool:
    """Whether their hashes, and so their order, are the same in every process."""
    return _KNOWN and all(_is_steady(item) for item in items)


def _is_steady(item: Any) -> bool:
    kind = type(item)
    if kind in _NUMBERS or _is_of_numpy(kind, ("number", "bool_", "bool")):
        # That of what is no number follows from where it lies.
        return bool(item == item)
    if kind in _TEXTS or _is_of_numpy(kind, ("character",)):
        return (HASH_SEED or "").isdigit()
    return kind in (tuple, frozenset) and all(map(_is_steady, item))


def _is_of_numpy(kind: type, bases: Tuple[str, ...]) -> bool:
    """A scalar of NumPy, which has the hash of the value that Python has for it."""
    return any(one.__module__ == "numpy" and one.__name__ in bases for one in kind.__mro__)


# How far items are followed for an order of their own, and how many parts of one are looked at.
_DEPTH_MAX = 3
_PARTS_MAX = 32


def content_key(item: Any, depth: int = 0) -> str:
    """Says the same of items that hold the same, in every process; calls nothing of theirs."""
    kind = type(item)
    if item is None or kind in _NUMBERS or kind in _TEXTS:
        return f"{kind.__name__} {item!r}"
    if depth == _DEPTH_MAX:
        return kind.__name__
    if kind in (tuple, list):
        inner = [content_key(one, depth + 1) for one in item[:_PARTS_MAX]]
        return f"{kind.__name__} {len(item)} {inner}"
    try:
        own = object.__getattribute__(item, "__dict__")
    except AttributeError:
        return kind.__name__
    held = list(itertools.islice(dict.items(own), _PARTS_MAX))
    return f"{kind.__qualname__} {[(name, content_key(one, depth + 1)) for name, one in held]}"


def _word(address: int, index: int) -> int:
    return ctypes.c_ssize_t.from_address(address + index * _WORD).value


def _fields(value: Any) -> Tuple[int, int, int, int, int]:
    """What the interpreter keeps: fill, used, mask, address of the table, finger."""
    words = ctypes.string_at(id(value) + object.__basicsize__, _FIELDS.size)
    fill, used, mask, table, _, finger = _FIELDS.unpack(words)
    return fill, used, mask, table, finger


def _is_known_layout() -> bool:
    """Whether a set of this interpreter looks as it is read here."""
    # Without the interpreter's lock another thread may put the table elsewhere meanwhile.
    is_locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    if sys.implementation.name != "cpython" or not is_locked:
        return False
    probe = {8, 16, 3}
    probe.discard(16)
    fill, used, mask, table, finger = _fields(probe)
    if (fill, used, mask, finger) != (3, 2, 7, 0):
        return False
    return sorted(_word(table, 2 * slot + 1) for slot in range(8)) == [-1, 0, 0, 0, 0, 0, 3, 8]


_KNOWN = _is_known_layout()


def _bytes_of(value: Any) -> Tuple[bytes, int]:
    """The whole table, and where `pop` looks next."""
    _, _, mask, table, finger = _fields(value)
    return ctypes.string_at(table, 2 * _WORD * (mask + 1)), finger


# Of a set that nothing was in.
_NEW = (bytes(2 * _WORD * _SLOTS_MIN), 0)


def read_table(value: Any) -> Optional[Table]:
    """How to come to the table of a set again; None: nobody knows. The items are `value`'s own."""
    if not _KNOWN:
        return None
    _, _, mask, _, finger = _fields(value)
    items = items_of(value)
    if not items and _bytes_of(value) == _NEW:
        # Every module has one.
        return Table([], _SLOTS_MIN, [], 0)
    simple = Table(items, mask + 1, [], finger)
    found = _in_order_of_coming(value, simple) or simple
    frozen = isinstance(value, frozenset)
    ways = [simple, found]
    ways += [one._replace(slots=0) for one in ways if frozen]
    return next((one for one in ways if _leads_to(one, value, frozen)), None)


def _leads_to(table: Table, value: Any, frozen: bool) -> bool:
    if frozen:
        # Nothing will be added to it.
        return list(make_frozen(table)) == items_of(value)
    return _bytes_of(make_set(table)) == _bytes_of(value)


def make_set(table: Table) -> set:
    value: set = set()
    fill_set(value, table)
    return value


def make_frozen(table: Table) -> frozenset:
    """Of a set as the table says, or, where that has no slots, of the items one by one."""
    return frozenset(make_set(table) if table.slots else table.items)


def _in_order_of_coming(value: Any, simple: Table) -> Optional[Table]:
    _, _, mask, table, _ = _fields(value)
    words = (ctypes.c_ssize_t * (2 * simple.slots)).from_address(table)
    hashes = [hashed if key else None for key, hashed in zip(words[0::2], words[1::2])]
    filled = [at for at, hashed in enumerate(hashes) if hashed is not None]
    items = dict(zip((at for at in filled if hashes[at] != -1), simple.items))
    order: List[int] = []
    placed: Dict[int, bool] = {}
    # The slots that each must have passed come first; none is visited twice.
    for start in filled:
        stack = [start]
        while stack:
            at = stack[-1]
            if at in placed:
                stack.pop()
                if not placed[at]:
                    placed[at] = True
                    order.append(at)
                continue
            before = [] if hashes[at] == -1 else _passed(hashes[at] or 0, mask, at)
            if before is None or any(hashes[one] is None for one in before):
                return None
            placed[at] = False
            stack += [one for one in before if one not in placed]
    come: List[Any] = []
    gone: List[Tuple[int, int]] = []
    for at in order:
        if at in items:
            come.append(items[at])
        else:
            gone.append((len(come), at))
    return Table(come, simple.slots, gone, simple.finger)


def _passed(hashed: int, mask: int, slot: int) -> Optional[List[int]]:
    """Slots that an item looks at before it takes this one."""
    seen: List[int] = []
    perturb, at = hashed & (2 * sys.maxsize + 1), hashed & mask
    while len(seen) <= 8 * (mask + 1):
        ahead = _PROBES if at + _PROBES <= mask else 0
        for one in range(at, at + ahead + 1):
            if one == slot:
                return seen
            seen.append(one)
        perturb >>= _SHIFT
        at = (at * 5 + 1 + perturb) & mask
    return None


def fill_set(value: set, table: Table) -> None:
    """Gives a set its items, in a table as it was."""
    set.clear(value)
    if _KNOWN and _fields(value)[4] != table.finger:
        _move_finger(value, table.finger or _FINGER_MAX)
    holders = [(at, _Placeholder(slot)) for at, slot in table.gone]
    coming: List[Any] = list(table.items)
    for at, holder in reversed(holders):
        coming.insert(at, holder)
    if coming:
        _make_room(value, table.slots, coming[0])
        set.update(value, coming[1:])
    for _, holder in holders:
        set.discard(value, holder)


def _move_finger(value: set, finger: int) -> None:
    """`pop` goes on behind what it took last, in a set that was cleared too."""
    slots = _SLOTS_MIN
    while slots < finger:
        slots *= 2
    _make_room(value, slots, _Placeholder(finger - 1))
    set.pop(value)
    set.clear(value)


def _make_room(value: set, slots: int, first: Any) -> None:
    """Gives an empty set a table of so many slots, and its first item. A set that is given a
    dictionary makes room for all of it at once; the second key ends that."""
    if slots > _SLOTS_MIN:
        stop = _Placeholder(hash(first))
        # Room is made for twice as many, and more than that.
        count = slots // 4 + 1
        given = {first: None, stop: None, **dict.fromkeys(range(count))}
        while len(given) > count:
            given.popitem()
        stop.armed = True
        try:
            set.update(value, given)
        except LookupError:
            pass
    set.add(value, first)
