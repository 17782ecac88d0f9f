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
from typing import Any, Callable, ContextManager, Dict, Iterator, Optional, Sequence, Tuple

from ..format.console_rule import is_scalar
from ..format.console_text import Entry, is_measured, number_in
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
            after_import(call.module, functools.partial(self._wrap, call))
            if call.begins is not None:
                after_import(call.package, functools.partial(self._wrap_begin, call, call.begins))

    def _wrap(self, call: LoggingCall) -> None:
        holder: Any = sys.modules[call.module]
        for member in call.members[:-1]:
            holder = getattr(holder, member, None)
        function = getattr(holder, "__dict__", {}).get(call.method)
        if function is not None and callable(function):
            setattr(holder, call.method, self._logging(call, function, isinstance(holder, type)))

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
    if call.named is not None:
        found += [(key, value) for key, value in named.items() if key not in call.named]
    entries = [
        (key, _value(value, call.shows)) for key, value in found[:_ENTRIES_MAX] if type(key) is str
    ]
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


def _value(value: Any, shows: bool) -> Any:
    """What `log` takes as it is; None for what is no value. `shows`: a text may be a number."""
    if isinstance(value, str):
        number = number_in(str.__str__(value).strip()) if shows else None
        return number if number is not None else value if is_scalar(value) else None
    return value_of(value)
