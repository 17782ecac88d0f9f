"""What the modules of a package keep between two calls, as far as Python shows it: variables of
modules, attributes of classes, what functions close over, defaults that are changed in place,
counters and generators. What a package keeps in C nobody sees, but for well-known settings.

Two different looks prove a change. Two equal ones do not prove its absence."""

import functools
import itertools
import random
import sys
import types
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from ..format.clocks import perf_counter
from .autocast import autocasts
from .fingerprint import Fingerprints
from .question_hooks import of_run

# Longer than this no look at one package may take.
_LOOK_S_MAX = 0.1
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)

Look = Dict[Tuple[str, str], int]


def _decimal_settings(decimal: Any) -> Any:
    context = decimal.getcontext()
    limits = (context.prec, context.Emin, context.Emax, context.capitals, context.clamp)
    # Not its flags: they tell what happened, and nothing is computed with them.
    return limits, context.rounding, [one for one, is_set in context.traps.items() if is_set]


def _levels(logging: Any) -> Any:
    loggers = [("", logging.root), *list(logging.root.manager.loggerDict.items())]
    return [(name, getattr(logger, "level", None)) for name, logger in loggers]


def _context(contextvars: Any) -> Any:
    items = list(contextvars.copy_context().items())
    return [(one.name, v if type(v) in (int, float, str, bool) else id(v)) for one, v in items]


def _torch_settings(torch: Any) -> Any:
    """In which modes it computes, and hooks of all modules: a `with` that is entered by hand leaves
    them set (`stack.enter_context(torch.no_grad())`)."""
    module = torch.nn.modules.module
    hooks = [
        (name, list(of_run(held)))
        for name, held in vars(module).items()
        if name.startswith("_global_") and isinstance(held, dict)
    ]
    modes = (torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.get_default_dtype())
    return modes, torch.is_anomaly_enabled(), autocasts(torch), hooks


def _hooks_of_tensors(torch: Any, instances: Callable[[type], Iterable[Any]]) -> List[List[Any]]:
    """Of tensors that are captured: what is captured of them has no hooks."""
    tensors = [one for kind in (torch.Tensor, torch.nn.Parameter) for one in instances(kind)]
    held = [one._backward_hooks for one in tensors if one.is_leaf and one._backward_hooks]
    return [list(of_run(one)) for one in held]


# What Python, NumPy and PyTorch work by, and programs set; others of theirs are described.
SETTINGS: Dict[str, Callable[[Any], Any]] = {
    "decimal": _decimal_settings,
    "locale": lambda locale: locale.setlocale(locale.LC_ALL),
    "logging": _levels,
    "contextvars": _context,
    "csv": lambda csv: csv.field_size_limit(),
    "warnings": lambda warnings: warnings.filters,
    "sys": lambda system: (system.getrecursionlimit(), system.getswitchinterval()),
    "numpy": lambda numpy: (numpy.get_printoptions(), numpy.geterr()),
    "torch": _torch_settings,
}


def look_at_package(
    package: str,
    is_captured: Callable[[Any], bool],
    instances: Callable[[type], Iterable[Any]] = lambda kind: (),
) -> Optional[Look]:
    """By module and name, a fingerprint of each variable that may change; None: not in time.
    `instances`: those of a class that are captured."""
    if package in SETTINGS:
        module = sys.modules[package]
        hooks = _hooks_of_tensors(module, instances) if package == "torch" else []
        return {(package, ""): hash(repr((SETTINGS[package](module), hooks)))}
    fingerprints = _OfPackage(package, is_captured, instances)
    until = perf_counter() + _LOOK_S_MAX
    found: Look = {(path, ""): 0 for path, _ in _modules_of(package)}
    for path, name, value in _variables_of(package):
        if not isinstance(value, types.ModuleType) and not _is_plain_function(value):
            found[(path, name)] = fingerprints.of(value)
            if perf_counter() > until:
                return None
    return found


def is_changed(before: Look, now: Look) -> bool:
    """Functions and classes may come while submodules are imported; other variables may not."""
    if any(before.get(key, mark) != mark for key, mark in now.items()):
        return True
    new = [(path, name) for path, name in now.keys() - before.keys() if (path, "") in before]
    return any(_is_variable(sys.modules[path], name) for path, name in new)


def _is_variable(module: Any, name: str) -> bool:
    return not isinstance(vars(module).get(name), _FUNCTIONS)


def _modules_of(package: str) -> List[Tuple[str, types.ModuleType]]:
    return [
        (path, module)
        for path, module in list(sys.modules.items())
        if (path == package or path.startswith(f"{package}."))
        and isinstance(module, types.ModuleType)
    ]


def _variables_of(package: str) -> Iterator[Tuple[str, str, Any]]:
    for path, module in _modules_of(package):
        for name, value in list(vars(module).items()):
            if not name.startswith("__"):
                yield path, name, value


def _is_plain_function(value: Any) -> bool:
    """It holds nothing."""
    if isinstance(value, types.BuiltinFunctionType):
        return True
    if not isinstance(value, types.FunctionType):
        return False
    return not (value.__closure__ or value.__defaults__ or value.__kwdefaults__ or vars(value))


class _OfPackage(Fingerprints):
    def __init__(
        self,
        package: str,
        is_captured: Callable[[Any], bool],
        instances: Callable[[type], Iterable[Any]],
    ) -> None:
        super().__init__(self._is_of_package, is_captured, elements=True)
        self._package = package
        self._instances = instances

    def _is_of_package(self, kind: type) -> bool:
        root, _, _ = str(kind.__module__).partition(".")
        return root == self._package

    def _add_object(self, value: Any, depth: int) -> None:
        if isinstance(value, types.FunctionType):
            if self._is_of_package(value):  # type: ignore[arg-type]
                self._add_function(value, depth)
        elif isinstance(value, type):
            if self._is_of_package(value):
                self._add_class(value, depth)
        elif isinstance(value, (itertools.count, itertools.cycle)):
            self._parts.append(repr(value.__reduce__()))
        elif isinstance(value, random.Random):
            self._parts.append(hash(random.Random.getstate(value)))
        elif isinstance(value, types.GeneratorType):
            frame = value.gi_frame
            self._parts.append(-1 if frame is None else frame.f_lasti)
            if frame is not None:
                super()._add_object(dict(frame.f_locals), depth + 1)
        elif isinstance(value, functools.partial):
            self._add_value(value.func, depth + 1)
            super()._add_object(list(value.args), depth + 1)
        elif isinstance(value, types.MethodType):
            self._add_value(value.__self__, depth + 1)
        else:
            super()._add_object(value, depth)

    def _add_function(self, value: types.FunctionType, depth: int) -> None:
        for cell in value.__closure__ or ():
            try:
                self._add_value(cell.cell_contents, depth + 1)
            except ValueError:  # nothing is in it yet
                continue
        super()._add_object(list(value.__defaults__ or ()), depth + 1)
        super()._add_object(dict(value.__kwdefaults__ or {}), depth + 1)
        super()._add_object(vars(value), depth + 1)

    def _add_class(self, value: type, depth: int) -> None:
        if depth > 1:
            return
        for name, attribute in list(vars(value).items()):
            if name.startswith("__") or _is_plain_function(attribute):
                continue
            if type(attribute) is dict and self._is_shared(value, attribute):
                continue
            self._parts.append(name)
            self._add_value(attribute, depth + 1)

    def _is_shared(self, kind: type, held: Dict[Any, Any]) -> bool:
        """Whether it is what all instances have as their attributes, and one is captured."""
        return any(vars(one) is held for one in self._instances(kind) if hasattr(one, "__dict__"))
