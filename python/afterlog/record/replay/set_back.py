"""What code that the run did not have may change of it unseen: noted before, and set back."""

import functools
import gc
import re
import sys
from typing import Any, Callable, Dict, List, NamedTuple

from ...state.question_hooks import number_apart
from ...state.undeclared_state import generators_of
from ..files.loaded_sources import is_of_package
from .switched_flags import Flags

PutBack = Callable[[], Any]


class Standing(NamedTuple):
    put_backs: List[PutBack]
    flags: Flags


NOTHING = Standing([], [])


def save_standing(gradients: bool) -> Standing:
    """Of every module: whether it trains, its buffers, what its parameters are; of other objects of
    the program whether they train; the states of all generators that loaders have, and whether
    gradients are computed."""
    torch = sys.modules.get("torch")
    saved: List[PutBack] = []
    flags: Flags = []
    if torch is not None:
        enabled = torch.is_grad_enabled()
        saved += [functools.partial(torch.set_grad_enabled, enabled), number_apart()]
    for candidate in gc.get_objects():
        kind = type(candidate)
        what = _kinds.get(kind)
        if what is None:
            what = _kinds[kind] = _what_of(kind, torch)
        if what == "module":
            saved.append(_module_saver(torch, candidate, gradients))
            flags += _flags_of(candidate)
        elif what == "loader":
            for generator in generators_of(candidate):
                saved.append(functools.partial(generator.set_state, generator.get_state()))
        elif what == "own":
            flags += _flags_of(candidate)
    return Standing(saved, flags)


# What is saved of the instances of a class.
_kinds: Dict[type, str] = {}
# `training`, `is_training`, `_eval`; `mode = "train"`.
_FLAG = re.compile(
    r"_?(?:is_?)?(?:training|train|eval|evaluating|evaluation|inference)", re.IGNORECASE
)
_MODE = re.compile(r"_?(?:mode|phase)", re.IGNORECASE)


def _what_of(kind: type, torch: Any) -> str:
    if torch is not None and issubclass(kind, torch.nn.Module):
        return "module"
    if torch is not None and kind is torch.utils.data.DataLoader:
        return "loader"
    module = sys.modules.get(getattr(kind, "__module__", ""))
    file = getattr(module, "__file__", None)
    is_own = isinstance(file, str) and not is_of_package(file)
    return "own" if is_own and not issubclass(kind, type) else ""


def _flags_of(value: Any) -> Flags:
    """Programs have models of their own, with flags of their own."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return []
    flags = {
        name: flag
        for name, flag in held.items()
        if (type(flag) is bool and _FLAG.fullmatch(name))
        or (type(flag) is str and _MODE.fullmatch(name))
    }
    return [(held, flags)] if flags else []


def _module_saver(torch: Any, module: Any, gradients: bool) -> PutBack:
    buffers = _present(module, "_buffers")
    kept = {name: value.detach().clone() for name, value in buffers.items()}
    parameters = [
        (one, one.requires_grad, one.grad) for one in _present(module, "_parameters").values()
    ]
    copies = (
        [None if grad is None else grad.clone() for _, _, grad in parameters] if gradients else []
    )

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
