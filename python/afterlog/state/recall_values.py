"""Which objects a container holds, by where they lie in memory.

That tells objects apart as long as they are alive. Those that have a number in the walk are held by
it while it compares; all others, which do not change, are kept.
"""

import weakref
from typing import Any, Callable, Iterable, List, Tuple

from .kinds import kind_of

_CONSTANT = frozenset((type(None), bool, int, float, str))


def ids_of(values: Iterable[Any]) -> Tuple[List[int], List[Any]]:
    """The identities, and the objects that must be kept for them to mean something."""
    held = list(values)
    kept = [one for one in held if type(one) in _CONSTANT or kind_of(one).is_opaque]
    return list(map(id, held)), kept


def kept(value: Any) -> Callable[[], Any]:
    """Reaches an object again; what can be let go is not kept alive by that."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value
