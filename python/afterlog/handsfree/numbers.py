"""Numbers of a program, whatever holds them: Python's own, NumPy's, tensors of one element."""

import sys
from typing import Any, NamedTuple

from ..state.unseen import unseen_work


class Held(NamedTuple):
    """What a program put into a text. `number`: None if it is none. `is_array`: it is one element
    of an array or a tensor, which may be printed with more around it than the number."""

    number: Any
    is_array: bool = False


NOTHING = Held(None)


def number_of(value: Any) -> Held:
    """The number that a value is; never raises, and calls nothing of the program's."""
    kind = type(value)
    if kind is float or kind is int:
        return Held(value)
    if kind is bool or kind is str or value is None:
        return NOTHING
    if _is_array(value):
        return _element(value)
    if isinstance(value, float):
        return Held(float.__float__(value))
    return NOTHING


def _is_array(value: Any) -> bool:
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    tensor = getattr(torch, "Tensor", None)
    if tensor is not None and isinstance(value, tensor):
        return True
    kinds: Any = getattr(numpy, "ndarray", None), getattr(numpy, "generic", None)
    return None not in kinds and isinstance(value, kinds)


@unseen_work
def _element(value: Any) -> Held:
    try:
        size = value.size if isinstance(value.size, int) else value.numel()
        item = value.item() if size == 1 else None
    except Exception:  # of a device that has none, for example
        return NOTHING
    return Held(item, True) if type(item) in (int, float) else NOTHING
