"""Our own work on tensors, of which the program is not told: its classes of tensors, and modes that
it has switched on, may count or print what is done with them (`__torch_function__`,
`__torch_dispatch__`)."""

import sys
from typing import Any, Callable, List, TypeVar, cast

_Work = TypeVar("_Work", bound=Callable[..., Any])
_GUARDS = ("DisableTorchFunction", "_DisableTorchDispatch")


class unseen:
    """As a context."""

    def __enter__(self) -> None:
        core = getattr(sys.modules.get("torch"), "_C", None)
        self._guards: List[Any] = []
        self._modes: List[Any] = []
        for _ in range(getattr(core, "_len_torch_function_stack", int)()):
            self._modes.append(sys.modules["torch.overrides"]._pop_mode())
        for name in _GUARDS if core is not None else ():
            guard: Any = getattr(core, name, lambda: None)()
            # Before PyTorch 2 one of them works as long as it lives.
            if hasattr(guard, "__enter__"):
                guard.__enter__()
            self._guards.append(guard)

    def __exit__(self, *how: Any) -> None:
        while self._guards:
            guard = self._guards.pop()
            if hasattr(guard, "__exit__"):
                guard.__exit__(None, None, None)
        while self._modes:
            sys.modules["torch.overrides"]._push_mode(self._modes.pop())


def unseen_work(work: _Work) -> _Work:
    """A function that is such work from its beginning to its end."""

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with unseen():
            return work(*args, **kwargs)

    return cast(_Work, wrapped)
