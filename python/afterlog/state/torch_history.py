"""Tensors that came from a computation. What led to them is not captured; so that nobody takes them
for constants, they come back with a history that says it is not there, as soon as `backward` gets
to it. Whoever only reads their elements sees no difference, not even in what is printed."""

import functools
import sys
from typing import Any, Callable, List

torch = sys.modules["torch"]


def history_name(value: Any) -> str:
    """What printing the tensor calls its history."""
    return type(value.grad_fn).__name__


def gradient_of(value: Any) -> Any:
    """Of what is no leaf, only if somebody asked to keep it: looking for it would warn."""
    return value.grad if value.is_leaf or value.retains_grad else None


def forget_history(value: Any) -> None:
    """In place; raises if that cannot be, as with a view of another tensor that has one."""
    if value.grad_fn is not None:
        value.detach_()


def lose_history(value: Any, name: str, told: Callable[[], None]) -> None:
    """Gives the tensor, in place, a history of this name. `told` is called when `backward` needs
    it. Raises where that cannot be done."""
    forget_history(value)
    with torch.enable_grad():
        anchor = torch.zeros((), requires_grad=True)
        # In a list: a tensor that is given itself comes back as another one.
        made = _lost_history_function(name).apply(anchor, [value], told)
        if made is not value:
            value.copy_(made.clone())
    if value.grad_fn is None:
        raise RuntimeError("a tensor cannot be given a history")


@functools.lru_cache(maxsize=None)
def _lost_history_function(name: str) -> Any:
    def forward(context: Any, anchor: Any, held: List[Any], told: Callable[[], None]) -> Any:
        context.told = told
        return held[0]

    def backward(context: Any, gradient: Any) -> Any:
        context.told()
        raise RuntimeError("the history of a restored tensor is not there")

    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    made: Any = type("Lost", (torch.autograd.Function,), methods)
    made._backward_cls.__name__ = name
    return made
