"""Which objects of a program something is saved of before a question is executed: found once each.
What lives when this is first asked is then taken out of what Python goes through (`gc.freeze`), so
that a look costs what was made since, and not all that the program has imported."""

import dis
import gc
import re
import sys
import weakref
from types import CodeType, FunctionType
from typing import Any, Dict, Iterator, List, Set, Tuple

from ..files.loaded_sources import is_of_package
from .switched_flags import Flags

# `training`, `is_training`, `_eval`; `mode = "train"`.
_FLAG = re.compile(
    r"_?(?:is_?)?(?:training|train|eval|evaluating|evaluation|inference)", re.IGNORECASE
)
_MODE = re.compile(r"_?(?:mode|phase)", re.IGNORECASE)

MODULE, LOADER, OWN, NOTHING = "module", "loader", "own", ""


class LookedAt:
    def __init__(self) -> None:
        # By class: what its instances are.
        self._kinds: Dict[type, str] = {}
        # By identity. Objects whose class has no room for weak references live on with the process.
        self._known: Dict[str, "weakref.WeakValueDictionary[int, Any]"] = {
            what: weakref.WeakValueDictionary() for what in (MODULE, LOADER, OWN)
        }
        self._held: Dict[int, Any] = {}
        self._is_frozen = False
        self._modules = 0
        self._has_flags = False

    def objects(self) -> List[Tuple[str, Any]]:
        torch = sys.modules.get("torch")
        self._look_for_flags()
        for candidate in gc.get_objects():
            kind = type(candidate)
            what = self._kinds.get(kind)
            if what is None:
                what = self._kinds[kind] = _what_of(kind, torch)
            if what != NOTHING:
                self._add(what, candidate)
        if not self._is_frozen:
            self._is_frozen = True
            # Garbage must not be kept with it.
            gc.collect()
            gc.freeze()
        kinds = [MODULE, LOADER, OWN] if self._has_flags else [MODULE, LOADER]
        found = [(what, one) for what in kinds for one in list(self._known[what].values())]
        return found + [(OWN, one) for one in self._held.values() if self._has_flags]

    def _add(self, what: str, found: Any) -> None:
        if id(found) in self._known[what] or id(found) in self._held:
            return
        try:
            self._known[what][id(found)] = found
        except TypeError:
            self._held[id(found)] = found
        if what == OWN and not self._has_flags:
            self._has_flags = bool(flags_of(found))

    def _look_for_flags(self) -> None:
        """Whether anything of the program, or of the question, sets an attribute that sounds like a
        flag. If nothing does, and no object has one, none is looked for."""
        if len(sys.modules) != self._modules:
            self._modules = len(sys.modules)
            own = [module for module in list(sys.modules.values()) if _is_own(module)]
            code = [frame.f_code for frame in _frames()]
            self._has_flags |= any(map(stores_flags, code)) or any(map(_holds_flags, own))


def _what_of(kind: type, torch: Any) -> str:
    if torch is not None and issubclass(kind, torch.nn.Module):
        return MODULE
    if torch is not None and kind is torch.utils.data.DataLoader:
        return LOADER
    module = sys.modules.get(getattr(kind, "__module__", ""))
    return OWN if _is_own(module) and not issubclass(kind, type) else NOTHING


def _is_own(module: Any) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and not is_of_package(file)


def _frames() -> Iterator[Any]:
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            yield frame
        frame = frame.f_back


def _holds_flags(module: Any) -> bool:
    """Whether a function or a class of a module sets one."""
    held = list(vars(module).values())
    classes = [one for one in held if isinstance(one, type)]
    annotated: Set[str] = {name for one in classes for name in vars(one).get("__annotations__", ())}
    held += [value for one in classes for value in vars(one).values()]
    functions = [one for value in held for one in _functions_of(value)]
    return any(map(_is_flag, annotated)) or any(stores_flags(one.__code__) for one in functions)


def _functions_of(value: Any) -> List[FunctionType]:
    """What decorators of Python hold counts."""
    parts = [value, *(getattr(value, name, None) for name in _FUNCTIONS)]
    return [one for one in parts if isinstance(one, FunctionType)]


# Of methods of classes, properties, and what `functools.wraps` was told of.
_FUNCTIONS = ("__func__", "fget", "fset", "__wrapped__")


def stores_flags(code: CodeType) -> bool:
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    named = any(isinstance(one, str) and _is_flag(one) for one in code.co_consts)
    return named or _stores_flag(code) or any(map(stores_flags, inner))


def _stores_flag(code: CodeType) -> bool:
    if not any(map(_is_flag, code.co_names)):
        return False
    stored = (one.argval for one in dis.get_instructions(code) if one.opname == "STORE_ATTR")
    return any(map(_is_flag, stored))


def _is_flag(name: str) -> bool:
    return _FLAG.fullmatch(name) is not None or _MODE.fullmatch(name) is not None


def flags_of(value: Any) -> Flags:
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
