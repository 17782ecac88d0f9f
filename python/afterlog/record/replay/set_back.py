"""What code that the run did not have may change of it unseen: noted before, and set back."""

import functools
import sys
from typing import Any, Callable, Dict, List, NamedTuple

from ...state.question_hooks import number_apart
from ...state.undeclared_state import generators_of
from ...state.unseen import unseen_work
from .looked_at import LOADER, MODULE, LookedAt, flags_of
from .switched_flags import Flags

PutBack = Callable[[], Any]


class Standing(NamedTuple):
    put_backs: List[PutBack]
    flags: Flags


NOTHING = Standing([], [])


@unseen_work
def save_standing(gradients: bool) -> Standing:
    """Of every module: whether it trains, its buffers, what its parameters are; of other objects of
    the program whether they train; the states of all generators that loaders have, and whether
    gradients are computed."""
    torch = sys.modules.get("torch")
    saved: List[PutBack] = []
    flags: Flags = []
    if torch is not None:
        enabled = torch.is_grad_enabled()
        set_back = unseen_work(functools.partial(torch.set_grad_enabled, enabled))
        saved += [set_back, number_apart()]
    for what, found in _looked_at.objects():
        if what == MODULE:
            saved.append(_module_saver(torch, found, gradients))
        if what == LOADER:
            for generator in generators_of(found):
                saved.append(functools.partial(generator.set_state, generator.get_state()))
        else:
            flags += flags_of(found)
    return Standing(saved, flags)


_looked_at = LookedAt()


def _module_saver(torch: Any, module: Any, gradients: bool) -> PutBack:
    buffers = _present(module, "_buffers")
    kept = {name: value.detach().clone() for name, value in buffers.items()}
    parameters = [
        (one, one.requires_grad, one.grad) for one in _present(module, "_parameters").values()
    ]
    copies = (
        [None if grad is None else grad.clone() for _, _, grad in parameters] if gradients else []
    )

    @unseen_work
    def put_back() -> None:
        # By `data`: `backward` of the run refuses what it needs and was written to since, though it
        # is what it was.
        for name, value in buffers.items():
            value.data.copy_(kept[name])
            module._buffers[name] = value
        for (_, _, grad), copy in zip(parameters, copies):
            if grad is not None:
                grad.data.copy_(copy)
        for parameter, requires_grad, grad in parameters:
            if parameter.requires_grad != requires_grad:
                parameter.requires_grad_(requires_grad)
            parameter.grad = grad

    return put_back


def _present(module: Any, field: str) -> Dict[str, Any]:
    return {key: one for key, one in module.__dict__.get(field, {}).items() if one is not None}
