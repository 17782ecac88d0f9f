"""Hooks of modules that a question registers: the run did not have them, so they are in no
checkpoint and no difference of the state. They have numbers that no hook of the run has, and those
of the run have the numbers that they had."""

import itertools
import sys
from typing import Any, Callable, Dict

_FIRST = 1 << 40
_next = itertools.count(_FIRST, 1 << 20)


def number_apart() -> Callable[[], None]:
    """Hooks that are registered from now on are of a question, until the result is called."""
    torch = sys.modules.get("torch")
    handle: Any = getattr(getattr(torch, "utils", None), "hooks", None)
    handle = getattr(handle, "RemovableHandle", None)
    if not isinstance(getattr(handle, "next_id", None), int):
        return lambda: None
    own = handle.next_id
    handle.next_id = next(_next)

    def number_on() -> None:
        handle.next_id = own

    return number_on


def of_run(hooks: Dict[Any, Any]) -> Dict[Any, Any]:
    """The hooks that the run has itself: the same dictionary if those are all."""
    if not any(map(is_of_question, hooks)):
        return hooks
    return type(hooks)((key, hook) for key, hook in hooks.items() if not is_of_question(key))


def is_of_question(key: Any) -> bool:
    return type(key) is int and key >= _FIRST
