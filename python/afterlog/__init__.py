"""Hindsight logging for model training: train once, ask later.

    import afterlog as al

    epochs = al.arg("epochs", 20)
    with al.checkpointing(model=model, optimizer=optimizer):
        for epoch in al.loop("epoch", range(epochs)):
            for x, y in al.loop("step", batches):
                ...
                al.log("loss", loss.item())
            al.log("accuracy", evaluate(model))
"""

import sys
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, TypeVar, overload

from .own_modules import own_modules

with own_modules():
    from .format.errors import AfterlogError
    from .queries import frame
    from .record.current import current, unrecorded_argument
    from .record.declared import Declared, fields_of
    from .record.loops.loops import Loop
    from .record.replay.probes import ASIDE
    from .record.restore_record import restore_record
    from .record.session import Session
    from .restored_state import RestoredState, restore_state
    from .version import VERSION as __version__

T = TypeVar("T")


def arg(name: str, default: T) -> T:
    """A hyperparameter: from `name=value` or `--name value` on the command line, else `default`.
    Recorded; in a replay the recorded value. AL005 if the text does not fit the default's type."""
    session = current()
    if session is None:
        return unrecorded_argument(name, default)
    return session.arg(name, default)


@overload
def log(name: str, value: T) -> T:
    ...


@overload
def log(name: Dict[str, T]) -> Dict[str, T]:
    ...


def log(name: Any, value: Any = None) -> Any:
    """Logs a value at the present place in the loops, and returns it: numbers, texts, booleans,
    None, lists and dicts of them, tensors and arrays; given a dict alone, each of its values by its
    key. Names repeat freely. Of a name that cannot be one it says so, with the place, and logs
    nothing."""
    session = current()
    if session is None:
        return name if isinstance(name, dict) else value
    caller = sys._getframe(1)
    if not isinstance(name, dict):
        if session.is_log_name(name, caller):
            session.log(name, value, caller)
        return value
    for key, one in name.items():
        if session.is_log_name(key, caller):
            session.log(key, one, caller)
    return name


def loop(name: str, iterable: Iterable[T]) -> Iterable[T]:
    """Goes through `iterable` as a loop of that name."""
    session = _run()
    site = None
    if session is not None:
        frame_ = session.frame
        site = session.sites.find("loop", frame_.site if frame_ else None)
    return Loop(session, name, iterable, site)


def aside(function: Callable[[], T]) -> T:
    """Calls `function` and returns what it returns, so that the training around it notices nothing:
    the random generators, the training flags and buffers of modules, and the generators of loaders
    are set back afterwards, also if it raises. Loops and declarations inside are not recorded. What
    else it changes stays changed: `al.log("f1", al.aside(lambda: evaluate(model)))`."""
    if current() is None:
        return function()
    with ASIDE:
        return function()


@overload
def restore(record: Declared, file: str, declaration: int = 0) -> None:
    ...


@overload
def restore(row: Any, *, folder: str = ".") -> RestoredState:
    ...


def restore(  # type: ignore[misc]
    row: Any, file: Optional[str] = None, declaration: int = 0, *, folder: str = "."
) -> Optional[RestoredState]:
    """`restore(row)`: the state at a row of a frame, or at a point of a run (`"RUN@epoch=3"`), as a
    dict by name: tensors and arrays, Python's own values, what `load_state_dict` takes of modules
    and optimizers. A row without a checkpoint of its own gives the newest before it, with a warning
    (`exact` is then False). AL035 if there is none.

    `restore(record, file)`: gives what `checkpointing` returned the state of a checkpoint file
    (`.afterlog/runs/RUN/checkpoints/…`): objects are refilled in place, fields rebound where they
    held something new, the shared generators set back. `declaration`: which call of `checkpointing`
    it belongs to, counted from 0. AL040 if the file is damaged, AL071 if it does not fit."""
    if isinstance(row, Declared):
        if file is None:
            raise AfterlogError(
                "AL061",
                "restore() into a record needs the checkpoint file",
                ['name it:  restore(state, ".afterlog/runs/RUN/checkpoints/epoch=3.safetensors")'],
            )
        restore_record(object.__getattribute__(row, "_fields"), file, declaration)
        return None
    return restore_state(row, folder)


def _run() -> Optional[Session]:
    """The run, unless this is called inside `aside`: what happens there is not of the run."""
    session = current()
    return None if ASIDE.active else session


def checkpointing(record: Optional[Mapping[str, Any]] = None, **named: Any) -> Declared:
    """Declares what the loops change: `checkpointing(model=model, optimizer=optimizer)`, as a
    context or as a plain call. What is changed in place needs nothing; rebind fields of the record
    that it returns. AL070 if something in it cannot be captured."""
    fields = fields_of(record, named)
    declared = Declared(fields)
    session = _run()
    if session is not None:
        frame_ = session.frame
        site = session.sites.find("checkpointing", frame_.site if frame_ else None)
        ordinal = session.declare(fields, site)
        if ordinal is not None:
            undeclare = session.parts.captured.undeclare
            object.__setattr__(declared, "_undeclare", lambda: undeclare(ordinal))
    return declared


def __dir__() -> List[str]:
    """What is for programs, and nothing of what it is made from."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


__all__ = [
    "AfterlogError",
    "arg",
    "aside",
    "checkpointing",
    "frame",
    "log",
    "loop",
    "restore",
    "__version__",
]
