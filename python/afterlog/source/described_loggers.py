"""Loggers of experiments (TensorBoard, W&B, MLflow), as `../libraries/*.json` describes them: which
calls log, and how a replay keeps what it logs to itself."""

import functools
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Tuple

from .libraries import UNKNOWN_ENTRY, descriptions, function, is_class


class LoggingCall(NamedTuple):
    """A function or method that logs what it is given. Arguments are told by their names and
    places, `self` not counted."""

    package: str
    # The module, from the package on, and what it has: `sdk.wandb_run:Run.log`.
    path: str
    # The value's name, and the value; or a dict of them, whose names begin with that name.
    name: Optional[Tuple[str, int]]
    value: Optional[Tuple[str, int]]
    values: Optional[Tuple[str, int]]
    step: Optional[Tuple[str, int]]
    # Arguments that are no values, where all others that are given by name are.
    named: Optional[FrozenSet[str]]
    # Whether texts are numbers as they are shown.
    shows: bool
    # What people call the object, where the method's name alone does not tell.
    called: FrozenSet[str]
    # The function of the package that makes the object, which may have a method of its own.
    begins: Optional[str]

    @property
    def module(self) -> str:
        return ".".join(one for one in (self.package, self.path.rpartition(":")[0]) if one)

    @property
    def members(self) -> List[str]:
        return self.path.rpartition(":")[2].split(".")

    @property
    def method(self) -> str:
        return self.members[-1]


@functools.lru_cache(maxsize=None)
def logging_calls() -> Tuple[LoggingCall, ...]:
    """Of loggers of experiments (TensorBoard, W&B, MLflow)."""

    return tuple(
        LoggingCall(
            package,
            path,
            name=_argument_place(one, "name"),
            value=_argument_place(one, "value"),
            values=_argument_place(one, "values"),
            step=_argument_place(one, "step"),
            named=frozenset(one["named"].split()) if "named" in one else None,
            shows=bool(one.get("shows")),
            called=frozenset(one.get("called", "").split()),
            begins=one.get("begins"),
        )
        for description in descriptions()
        for package in description.packages
        for path, one in description.logs.items()
    )


def logger_classes() -> List[str]:
    """Classes whose instances log, by module and name."""
    paths = [[one.module, *one.members[:-1]] for one in logging_calls() if len(one.members) > 1]
    return [".".join(path) for path in paths]


@functools.lru_cache(maxsize=None)
def of_logger(path: str) -> bool:
    """Whether it is a logger's package, or what is said of it there: it tells others, and computes
    nothing that the program could read."""
    packages = {one.package for one in logging_calls()}
    if any(f"{one}.".startswith(f"{path}.") for one in packages):
        return True
    within = any(path.startswith(f"{one}.") for one in packages)
    return within and (is_class(path) or function(path) is not UNKNOWN_ENTRY)


@functools.lru_cache(maxsize=None)
def logger_methods() -> FrozenSet[str]:
    """Methods of loggers' objects that are told from those of others by their names."""
    return frozenset(
        name
        for one in descriptions()
        if one.by_name
        for name, (_, entry) in one.tables["methods"].named.items()
        if entry.words >= {"computes", "shows"}
    )


class Alone(NamedTuple):
    """How a library is kept from telling anybody what is logged: a replay may not reach the user's
    dashboards. `given`: arguments by functions; `ignored`: functions that do nothing."""

    package: str
    environment: Dict[str, str]
    given: Dict[str, Dict[str, Any]]
    ignored: Tuple[str, ...]


def kept_alone() -> List[Alone]:
    return [
        Alone(
            package,
            one.alone.get("environment", {}),
            one.alone.get("given", {}),
            tuple(one.alone.get("ignored", "").split()),
        )
        for one in descriptions()
        for package in one.packages
        if one.alone
    ]


def _argument_place(given: Dict[str, Any], key: str) -> Optional[Tuple[str, int]]:
    return (given[key][0], given[key][1]) if key in given else None
