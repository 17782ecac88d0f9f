"""Variables that the program did not declare: what of them is looked at, and what is left out. A
value that cannot be captured is no error of the program then; the checkpoint says that it lacks
it."""

import sys
from types import FunctionType, ModuleType
from typing import Any, List, Optional

from .places import Place

# A value that nothing reads again is kept for who asks for it later, unless it is large.
_DEAD_BYTES_MAX = 1 << 20
_STEADY = (list, tuple, dict, set, frozenset, str, bytes, range)


def is_steady(value: Any) -> bool:
    """Whether going through it leaves it as it is."""
    if type(value) in _STEADY:
        return True
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(value, (torch.Tensor, torch.utils.data.DataLoader)):
        return True
    return numpy is not None and isinstance(value, numpy.ndarray)


def why_left_out(place: Place, value: Any) -> Optional[str]:
    """Why a variable is not captured though it could be; None: it is."""
    if place.dead and _bytes_in(value) > _DEAD_BYTES_MAX:
        return "it is large, and nothing reads it after the iteration"
    if place.history and _has_history(value):
        return "it is a tensor whose history backward() may need"
    return None


def _tensors_in(value: Any) -> List[Any]:
    """Tensors and arrays in a value of Python's own kinds."""
    found, queue, seen = [], [value], 0
    while queue and seen < 10_000:
        one = queue.pop()
        seen += 1
        if type(one) in (list, tuple, set):
            queue += one
        elif type(one) is dict:
            queue += one.values()
        elif has_elements(one):
            found.append(one)
    return found


def has_elements(value: Any) -> bool:
    """Whether it is a tensor or an array. The class is asked: attributes of an object may be
    anything, a model has a `dtype` too, and asking for one may raise what it likes."""
    kind = type(value)
    return hasattr(kind, "dtype") and (hasattr(kind, "element_size") or hasattr(kind, "nbytes"))


def _bytes_in(value: Any) -> int:
    total = 0
    for one in _tensors_in(value):
        size = getattr(one, "nbytes", None)
        if size is None:
            size = one.numel() * one.element_size()
        total += size if isinstance(size, int) else 0
    return total


def _has_history(value: Any) -> bool:
    return any(getattr(one, "grad_fn", None) is not None for one in _tensors_in(value))


def keeps_workers(value: Any) -> bool:
    """Whether it is a loader whose workers live on when it has been gone through."""
    torch = sys.modules.get("torch")
    is_loader = torch is not None and isinstance(value, torch.utils.data.DataLoader)
    return is_loader and bool(getattr(value, "persistent_workers", False))


def generators_of(value: Any) -> List[Any]:
    """What a loader or sampler draws its order from, where it has generators of its own."""
    torch = sys.modules.get("torch")
    data = getattr(getattr(torch, "utils", None), "data", None)
    if data is None or not isinstance(value, (data.DataLoader, data.Sampler)):
        return []
    return generators_in(value)


# Nobody holds a generator among more items than these, nor further away than so many objects.
_ITEMS_MAX, _LOOKED_AT_MAX = 100, 1_000
# What a loader or sampler goes through, and does not draw its order from.
_GONE_THROUGH = ("dataset", "data_source")


def generators_in(value: Any) -> List[Any]:
    """Generators of PyTorch that it is, or that it and what it holds have at hand."""
    torch = sys.modules.get("torch")
    found, queue, seen = {}, [value], {id(value)}
    if torch is None:
        return []
    for one in queue:
        if isinstance(one, torch.Generator):
            found[id(one)] = one
        for part in _at_hand(one):
            if id(part) not in seen and len(queue) < _LOOKED_AT_MAX:
                seen.add(id(part))
                queue.append(part)
    return list(found.values())


def _at_hand(value: Any) -> List[Any]:
    kind = type(value)
    if kind in (list, tuple, dict):
        parts = value.values() if kind is dict else value
        return list(parts) if len(value) <= _ITEMS_MAX else []
    if isinstance(value, (type, ModuleType, FunctionType)) or has_elements(value):
        return []
    attributes = getattr(value, "__dict__", None)
    if type(attributes) is not dict:
        return []
    return [one for name, one in list(attributes.items()) if name not in _GONE_THROUGH]
