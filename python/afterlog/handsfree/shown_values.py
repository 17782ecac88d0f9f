"""Values that a program shows, as far as they are looked into, and how a call is read that shows
them. No code of the program is called."""

import sys
from typing import Any, Callable, List, Optional, Sequence

from ..format.console_rule import Other, Piece, Record, Scalar, Text, is_scalar
from ..format.console_text import Entry
from ..state.unseen import unseen_work
from .numbers import number_of

# More than this is no line of a log.
_ENTRIES_MAX = 100
_LIST_MAX = 1000
_TENSOR_BYTES_MAX = 1 << 20

# What a call logs, with what sounds like a clock or without that.
Reading = Callable[[bool], List[Entry]]


def piece_of(value: Any) -> Piece:
    """A value as far as the rule looks into it; nothing of the program's is called."""
    if isinstance(value, str):
        return Text(str.__str__(value))
    if type(value) is bool:
        return Scalar(value, str(value))
    held = number_of(value)
    if held.number is not None:
        return Scalar(held.number, repr(held.number))
    if isinstance(value, dict):
        return _record_of(value)
    if type(value) in (list, tuple):
        numbers = _numbers_of(value)
        return Other() if numbers is None else Scalar(numbers)
    return Scalar(value) if _is_small_tensor(value) else Other()


def value_of(value: Any) -> Any:
    """What `log` takes as it is: a number, a truth value, a list of numbers, a small tensor. None:
    it is something else."""
    piece = piece_of(value)
    return piece.value if isinstance(piece, Scalar) else None


def _record_of(value: Any) -> Record:
    entries = []
    for name, entry in dict.items(value):
        held = number_of(entry)
        scalar = entry if held.number is None else held.number
        if type(name) is str and is_scalar(scalar):
            entries.append((name, scalar))
    return Record(entries[:_ENTRIES_MAX])


def _numbers_of(values: Sequence[Any]) -> Optional[List[Any]]:
    if not 0 < len(values) <= _LIST_MAX:
        return None
    numbers = [number_of(value).number for value in values]
    return None if None in numbers else numbers


@unseen_work
def _is_small_tensor(value: Any) -> bool:
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    try:
        if torch is not None and isinstance(value, torch.Tensor):
            return value.numel() * value.element_size() <= _TENSOR_BYTES_MAX
        return (
            numpy is not None
            and type(value) is numpy.ndarray
            and (value.nbytes <= _TENSOR_BYTES_MAX)
        )
    except Exception:  # one that has no elements of its own
        return False
