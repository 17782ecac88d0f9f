"""What something printed is, in words, where it logs nothing. No code of the program is called."""

from typing import Any, Optional, Sequence

from .numbers import number_of


def kind_of_odd(arguments: Sequence[Any]) -> Optional[str]:
    """Of what a call was given: the first that is no number, text or truth value; None if none
    is."""
    for value in arguments:
        if not isinstance(value, str) and number_of(value).number is None:
            return _kind_of(value)
    return None


def _kind_of(value: Any) -> str:
    if value is None:
        return "`None`"
    kind = type(value)
    if isinstance(value, str):
        return "a text"
    if number_of(value).number is not None:
        return "a number"
    if kind is dict:
        return "a dict" if value else "an empty dict"
    if kind is list or kind is tuple:
        return _kind_of_list(value)
    return f"an object of class {kind.__name__}"


def _kind_of_list(values: Sequence[Any]) -> str:
    kind = type(values).__name__
    if not values:
        return f"an empty {kind}"
    for value in values:
        if type(value) in (list, tuple, dict):
            return f"a {kind} of {type(value).__name__}s"
        if isinstance(value, str) or number_of(value).number is None:
            return f"a {kind} that holds {_kind_of(value)}"
    return f"a {kind} of {len(values)} numbers"
