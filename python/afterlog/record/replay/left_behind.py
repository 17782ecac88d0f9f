"""What a question left behind in the captured state and the run has not touched since: a model that
is evaluated keeps its last input for the next `backward`. The run shows whether that lasts: it goes
on with it, and either sets it before it reads it, or computes another thing, which the state and
the logged values tell. So it is compared as it was before the question."""

import contextlib
import functools
import sys
import types
from collections import deque
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ...state.places import Place

# Objects and elements looked at for each part; of a larger state nothing is noted.
_OBJECTS_MAX, _ELEMENTS_MAX = 100_000, 10_000_000

# No such attribute, or no value of a variable.
_ABSENT: Any = object()

# They hold nothing that is captured through them.
_NOT_LOOKED_INTO = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.CodeType,
    types.FrameType,
    types.GeneratorType,
)
_SCALARS = (int, float, complex, bool, str, bytes, type(None))


class _Spot(NamedTuple):
    """Something of an object, or a variable."""

    # What holds it must live as long as it is known by its identity.
    holder: Any
    read: Callable[[], Any]
    write: Callable[[Any], None]
    is_same: Callable[[Any, Any], bool]


class _Changed(NamedTuple):
    spot: _Spot
    before: Any
    # As the question left it.
    after: Any


_Key = Tuple[Any, Any]
# What an object holds now: how many, which, and later what of it is not so any more.
_Changes = Iterator[Tuple[Any, _Spot, Any]]
_Content = Tuple[Sequence[Any], Callable[[], _Changes]]


class LeftBehind:
    def __init__(self) -> None:
        self._changed: Dict[_Key, _Changed] = {}

    def begin(self, places: Sequence[Place]) -> Callable[[], None]:
        """A part of a question begins; what is returned is called behind it."""
        self._forget_touched()
        own = [place for place in places if not (place.left or place.known)]
        values = [_read(place) for place in own]
        contents = _contents(values)

        def ended() -> None:
            for place, value in zip(own, values):
                if _read(place) is not value:
                    spot = _Spot(place, functools.partial(_read, place), place.set, _is)
                    self._note((place.key, ""), spot, value)
            for found, changes in contents:
                for key, spot, value in changes():
                    self._note((id(found), key), spot, value)

        return ended

    @property
    def is_any(self) -> bool:
        """Whether the run has not touched all of it yet."""
        self._forget_touched()
        return bool(self._changed)

    @contextlib.contextmanager
    def as_before(self) -> Iterator[None]:
        """Everything is as it was before the question."""
        changed = list(self._changed.values())
        for one in reversed(changed):
            one.spot.write(one.before)
        try:
            yield
        finally:
            for one in changed:
                one.spot.write(one.after)

    def clear(self) -> None:
        """The state is that of the run."""
        self._changed.clear()

    def _note(self, key: _Key, spot: _Spot, value: Any) -> None:
        known, after = self._changed.get(key), spot.read()
        # What an earlier part left is as it was before that one.
        before = value if known is None else known.before
        if spot.is_same(before, after):
            self._changed.pop(key, None)
        else:
            self._changed[key] = _Changed(spot, before, after)

    def _forget_touched(self) -> None:
        for key, (spot, _, after) in list(self._changed.items()):
            if not spot.is_same(spot.read(), after):
                del self._changed[key]


def _contents(values: Sequence[Any]) -> List[Tuple[Any, Callable[[], _Changes]]]:
    """Of all objects that can be reached: how to find what of each has changed."""
    found: Dict[int, Any] = {}
    waiting: deque[Any] = deque()
    contents: List[Tuple[Any, Callable[[], _Changes]]] = []
    elements = 0

    def add(value: Any) -> None:
        if type(value) not in _SCALARS and id(value) not in found:
            found[id(value)] = value
            waiting.append(value)

    for value in values:
        add(value)
    while waiting:
        one = waiting.popleft()
        content = _content_of(one)
        if content is None:
            continue
        held, changes = content
        elements += len(held)
        if len(found) > _OBJECTS_MAX or elements > _ELEMENTS_MAX:
            return []
        contents.append((one, changes))
        for value in held:
            add(value)
    return contents


def _content_of(value: Any) -> Optional[_Content]:
    if isinstance(value, _NOT_LOOKED_INTO):
        return None
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _array(value) if value.dtype != object and value.flags.writeable else None
    if isinstance(value, (tuple, frozenset)):
        return list(value), lambda: iter(())
    if isinstance(value, dict):
        return _mapping(value, value)
    if isinstance(value, list):
        return _list(value)
    if isinstance(value, (set, deque)):
        return _collection(value)
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return _mapping(value, attributes) if isinstance(attributes, dict) else None


def _mapping(holder: Any, held: Dict[Any, Any]) -> _Content:
    before = dict(held)

    def spot(key: Any) -> _Spot:
        def write(value: Any) -> None:
            if value is _ABSENT:
                held.pop(key, None)
            else:
                held[key] = value

        return _Spot(holder, lambda: held.get(key, _ABSENT), write, _is)

    def changes() -> _Changes:
        for key in {**before, **held}:
            value = before.get(key, _ABSENT)
            if held.get(key, _ABSENT) is not value:
                yield key, spot(key), value

    return list(before.values()), changes


def _list(held: List[Any]) -> _Content:
    before = list(held)

    def spot(at: int) -> _Spot:
        return _Spot(held, lambda: held[at], lambda value: held.__setitem__(at, value), _is)

    def changes() -> _Changes:
        if len(held) != len(before):
            whole = slice(None)
            replace = lambda value: held.__setitem__(whole, value)  # noqa: E731
            yield "", _Spot(held, lambda: list(held), replace, _are), before
            return
        for at, value in enumerate(before):
            if held[at] is not value:
                yield at, spot(at), value

    return before, changes


def _collection(held: Any) -> _Content:
    before = list(held)

    def write(value: List[Any]) -> None:
        held.clear()
        held.update(value) if isinstance(held, set) else held.extend(value)

    def changes() -> _Changes:
        if not _are(before, list(held)):
            yield "", _Spot(held, lambda: list(held), write, _are), before

    return before, changes


def _array(held: Any) -> _Content:
    before = held.copy()

    def changes() -> _Changes:
        if not _has_same_bytes(before, held):
            write = lambda value: held.__setitem__(..., value)  # noqa: E731
            yield "", _Spot(held, held.copy, write, _has_same_bytes), before

    return [], changes


def _is(one: Any, other: Any) -> bool:
    """Numbers that were computed twice are other objects."""
    return one is other or (type(one) is type(other) and type(one) in _SCALARS and one == other)


def _are(these: List[Any], those: List[Any]) -> bool:
    return len(these) == len(those) and all(_is(one, other) for one, other in zip(these, those))


def _has_same_bytes(one: Any, other: Any) -> bool:
    return bool(one.tobytes() == other.tobytes())


def _read(place: Place) -> Any:
    try:
        return place.get()
    except NameError:
        return _ABSENT
