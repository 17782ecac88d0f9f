"""What containers hold, as Python itself has it: of a class of the program nothing is called that
might count, print, or give something else."""

import collections
import functools
import operator
from typing import Any, Callable, Iterable, List, Sequence, Tuple

_BASES: Tuple[Any, ...] = (
    collections.OrderedDict,
    dict,
    list,
    tuple,
    collections.deque,
    set,
    frozenset,
    bytes,
    bytearray,
)
_VIEWS: Tuple[Any, ...] = (type({}.values()), type(collections.OrderedDict().values()))
_PLAIN = frozenset([*_BASES, collections.defaultdict, *_VIEWS])
_values = operator.methodcaller("values")


def _find_base(kind: Any) -> Any:
    return next(base for base in _BASES if issubclass(kind, base))


_base_of: Callable[[Any], Any] = functools.lru_cache(maxsize=None)(_find_base)


def items_of(value: Any) -> List[Any]:
    """Of a dictionary its keys."""
    return list(_base_of(type(value)).__iter__(value))


def entries_of(value: Any) -> Iterable[Tuple[Any, Any]]:
    return _base_of(type(value)).items(value)


def size_of(value: Any) -> int:
    return _base_of(type(value)).__len__(value)


def values_of(dicts: Sequence[Any]) -> List[Any]:
    """Of each."""
    if _PLAIN.issuperset(map(type, dicts)):
        return list(map(_values, dicts))
    return [_base_of(type(one)).values(one) for one in dicts]


def as_plain(containers: Sequence[Any]) -> Sequence[Any]:
    """The same, with a list in place of each that is of another class than Python's own."""
    if _PLAIN.issuperset(map(type, containers)):
        return containers
    return [one if type(one) in _PLAIN else items_of(one) for one in containers]
