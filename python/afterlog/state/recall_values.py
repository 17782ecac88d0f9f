"""Whether a container holds the very objects that it held when it was walked."""

import weakref
from typing import Any, Callable, Collection, List


def kept(value: Any) -> Callable[[], Any]:
    """Reaches an object again; what can be let go is not kept alive by that."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


def kept_values(values: Collection[Any]) -> List[Any]:
    """What `same_values` compares with: values that do not change, references to others."""
    return [one if _is_constant(one) else kept(one) for one in values]


def same_values(values: Collection[Any], known: List[Any]) -> bool:
    """Whether they are the very objects that were there."""
    if len(values) != len(known):
        return False
    for value, one in zip(values, known):
        if value is not one and (_is_constant(one) or one() is not value):
            return False
    return True


_CONSTANT = (type(None), bool, int, float, str)


def _is_constant(value: Any) -> bool:
    return type(value) in _CONSTANT
