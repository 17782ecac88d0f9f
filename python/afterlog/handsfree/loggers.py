"""What a program logs by a library of its own (TensorBoard, W&B, MLflow), as log records. Which
calls these are is data (`../libraries`, "logs"); nothing is imported for them. The library's own
function is called first, with all that it was given; of calls inside of each other the outermost
logs.
"""

import functools
import os
import sys
import tempfile
from types import FrameType
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Optional, Sequence, Tuple

from ..format.console_rule import is_scalar
from ..format.console_text import Entry, is_measured
from ..record.after_import import after_import
from ..source.described_loggers import Alone, LoggingCall, kept_alone, logger_classes, logging_calls
from ..state.objects import know_loggers
from .shown_values import Reading, value_of

# More than this in one call are no values of a log.
_ENTRIES_MAX = 20_000
# Puts what is read into the run: how it is read, and where it was called.
Record = Callable[[Callable[[], Reading], FrameType, Sequence[Any]], None]


def leave_loggers() -> None:
    """From now on no checkpoint looks into what logs."""
    know_loggers(logger_classes())


def keep_alone() -> None:
    """From now on the libraries tell nobody what is logged: what a replay logs is an answer to
    somebody else than the user's dashboards."""
    for one in kept_alone():
        for name, text in one.environment.items():
            os.environ[name] = text.replace("{temporary}", tempfile.gettempdir())
        after_import(one.package, functools.partial(_hold_back, one))


def _hold_back(known: Alone) -> None:
    package: Any = sys.modules[known.package]
    for name, given in known.given.items():
        if hasattr(package, name):
            setattr(package, name, _given_always(getattr(package, name), given))
    for name in known.ignored:
        if hasattr(package, name):
            setattr(package, name, _nothing)


def _given_always(function: Callable[..., Any], always: Dict[str, Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def calling(*given: Any, **named: Any) -> Any:
        return function(*given, **{**named, **always})

    return calling


def _nothing(*given: Any, **named: Any) -> None:
    pass


class Loggers:
    """`once`: around a call that is recorded itself, so that what it calls is not."""

    def __init__(self, once: Callable[[], ContextManager[None]], record: Record) -> None:
        self._once = once
        self._record = record

    def watch(self) -> None:
        for call in logging_calls():
            module, _ = _module_and_members(call)
            after_import(module, functools.partial(self._wrap, call))
            if call.begins is not None:
                after_import(call.package, functools.partial(self._wrap_begin, call, call.begins))

    def _wrap(self, call: LoggingCall) -> None:
        module, members = _module_and_members(call)
        holder: Any = sys.modules[module]
        for member in members[:-1]:
            holder = getattr(holder, member, None)
        function = getattr(holder, "__dict__", {}).get(members[-1])
        if function is not None and callable(function):
            setattr(holder, members[-1], self._logging(call, function, isinstance(holder, type)))

    def _wrap_begin(self, call: LoggingCall, name: str) -> None:
        package: Any = sys.modules[call.package]
        begin: Optional[Callable[..., Any]] = getattr(package, name, None)
        if begin is None:
            return
        begins = begin

        @functools.wraps(begins)
        def beginning(*given: Any, **named: Any) -> Any:
            made = begins(*given, **named)
            self._wrap_own(call, made, package)
            return made

        setattr(package, name, beginning)

    def _wrap_own(self, call: LoggingCall, made: Any, package: Any) -> None:
        """Of an object that has a function of its own in the place of its class's method."""
        function = getattr(made, "__dict__", {}).get(call.method)
        if not callable(function) or hasattr(function, "__wrapped__"):
            return
        own = self._logging(call, function, False)
        made.__dict__[call.method] = own
        if package.__dict__.get(call.method) is function:
            setattr(package, call.method, own)

    def _logging(
        self, call: LoggingCall, function: Callable[..., Any], is_method: bool
    ) -> Callable[..., Any]:
        @functools.wraps(function)
        def logging(*given: Any, **named: Any) -> Any:
            with self._once():
                result = function(*given, **named)
            arguments = given[1:] if is_method else given
            shown = [*arguments, *named.values()]
            self._record(lambda: _reading(call, arguments, named), sys._getframe(1), shown)
            return result

        return logging


def _module_and_members(call: LoggingCall) -> Tuple[str, List[str]]:
    """Where a function is: modules are written small."""
    parts = call.path.split(".")
    large = [at for at, part in enumerate(parts) if part[:1].isupper()]
    first = large[0] if large else len(parts) - 1
    return ".".join([call.package, *parts[:first]]), parts[first:]


def _reading(call: LoggingCall, given: Sequence[Any], named: Dict[str, Any]) -> Reading:
    def argument(place: Optional[Tuple[str, int]]) -> Any:
        if place is None:
            return None
        name, number = place
        return named[name] if name in named else given[number] if number < len(given) else None

    name = argument(call.name)
    if call.values is None:
        found = [(name, argument(call.value))]
    else:
        before = f"{name}/" if call.name is not None else ""
        found = list(_entries_in(argument(call.values), before))
    entries = [(key, _value(value)) for key, value in found[:_ENTRIES_MAX] if type(key) is str]
    entries = [entry for entry in entries if entry[1] is not None]
    kept = [entry for entry in entries if not is_measured(entry[0])]
    return lambda with_clocks: entries if with_clocks else kept


def _entries_in(values: Any, before: str) -> Iterator[Entry]:
    if not isinstance(values, dict):
        return
    for name, value in dict.items(values):
        if type(name) is not str:
            continue
        if isinstance(value, dict):
            yield from _entries_in(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _value(value: Any) -> Any:
    """What `log` takes as it is; None for what is no value."""
    if isinstance(value, str):
        return value if is_scalar(value) else None
    return value_of(value)
