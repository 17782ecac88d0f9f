"""Doing something right after a module was imported, before anything of it is used."""

import importlib.machinery
import sys
from typing import Any, Callable, Dict, List, Optional, Set


class _ImportFinder:
    """A finder that lets the others find, and wraps what they found."""

    def __init__(self) -> None:
        self._actions: Dict[str, List[Callable[[], None]]] = {}

    def add(self, name: str, action: Callable[[], None]) -> None:
        self._actions.setdefault(name, []).append(action)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[Any]:
        if name not in self._actions:
            return None
        actions = self._actions.pop(name)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            # Not one of the abstract classes: it has what the import system asks for.
            loader: Any = _Loader(spec.loader, actions)
            spec.loader = loader
        return spec


class _Loader:
    def __init__(self, loader: Any, actions: List[Callable[[], None]]) -> None:
        self._loader = loader
        self._actions = actions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        # The module sees the loader that it would have had.
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _executed.add(module.__name__)
        for action in self._actions:
            action()


_finder = _ImportFinder()
# Modules whose code has run, though their import is still under way.
_executed: Set[str] = set()


def is_imported(name: str) -> bool:
    """Whether a module is there, and not half of it: a module that it imports may ask."""
    module = sys.modules.get(name)
    if module is None:
        return False
    return name in _executed or not getattr(module.__spec__, "_initializing", False)


def after_import(name: str, action: Callable[[], None]) -> None:
    """Does it now if the module is there, else when it is imported."""
    if name in sys.modules:
        action()
    else:
        _finder.add(name, action)
