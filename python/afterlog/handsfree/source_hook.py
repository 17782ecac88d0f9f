"""Changes the project's own sources while Python loads them. Lines, columns and names stay as they
are, so that tracebacks, debuggers and coverage show the author's text; nothing is written, the
interpreter's cache of compiled files included."""

import ast
import importlib.machinery
import importlib.util
import os
import sys
from types import CodeType
from typing import Any, Callable, List, Optional, Protocol

from ..store.real_paths import real_path


class Transform(Protocol):
    """One kind of change. `file`: relative to the project's root."""

    def wants(self, file: str) -> bool:
        """Whether something in the file is to be changed."""

    def apply(self, tree: ast.Module, text: str, file: str) -> ast.Module:
        """The changed tree; the one given may be changed in place."""


class PackageTransform(Protocol):
    """The same for what is not of the project, by the names of modules."""

    def wants_module(self, module: str, file: str) -> bool:
        """Whether something in a module from elsewhere is to be changed."""

    def apply_to_module(self, tree: ast.Module, module: str) -> ast.Module:
        """The changed tree."""

    def known_code(self, module: str, file: str) -> Optional[CodeType]:
        """The code of a module that nobody else changes, if it was kept."""

    def keep_code(self, module: str, file: str, code: CodeType) -> None:
        """Of a module that nobody else changes."""


class SourceHook:
    """`failed`: told of a file that is executed as it is though it was to be changed."""

    def __init__(
        self, root: str, failed: Callable[[str, Exception], None] = lambda file, error: None
    ) -> None:
        self._root = os.path.realpath(root)
        self._failed = failed
        self._transforms: List[Transform] = []
        # What changes modules that are not of the project, in this order.
        self.packages: List[PackageTransform] = []

    def add(self, transform: Transform) -> None:
        """Transforms are applied in the order in which they were added."""
        self._transforms.append(transform)

    def install(self) -> None:
        """Where Python looks for files: what is built in comes before, as without us."""
        kinds = sys.meta_path
        at = kinds.index(_FILES) if _FILES in kinds else 0
        kinds.insert(at, _Finder(self))

    def wants(self, file: Optional[str]) -> bool:
        return file is not None and bool(self._wanting(self._name(file)))

    def _name(self, file: str) -> str:
        return os.path.relpath(real_path(file), self._root)

    def _wanting(self, name: str) -> List[Transform]:
        return [transform for transform in self._transforms if transform.wants(name)]

    def wants_module(self, module: str, file: Optional[str]) -> bool:
        return file is not None and any(one.wants_module(module, file) for one in self.packages)

    def compile_module(self, source: bytes, file: str, module: str) -> CodeType:
        """The code of a module that is not of the project."""
        wanting = [one for one in self.packages if one.wants_module(module, file)]
        alone = wanting[0] if len(wanting) == 1 else None
        try:
            known = None if alone is None else alone.known_code(module, file)
            if known is not None:
                return known
            tree = ast.parse(importlib.util.decode_source(source), file)
            for one in wanting:
                tree = one.apply_to_module(tree, module)
            code = compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)
            if alone is not None:
                alone.keep_code(module, file, code)
            return code
        except Exception:  # of the package, which Python tells of below, or ours
            return compile(source, file, "exec", dont_inherit=True)

    def compile(self, source: bytes, file: str) -> CodeType:
        """The code of a source file."""
        name = self._name(file)
        wanting = self._wanting(name)
        if wanting:
            try:
                return self._changed(source, file, name, wanting)
            except SyntaxError:
                pass  # the program's own, which is told below as Python tells it
            except Exception as error:  # ours
                self._failed(name, error)
        return compile(source, file, "exec", dont_inherit=True)

    def _changed(self, source: bytes, file: str, name: str, wanting: List[Transform]) -> CodeType:
        text = importlib.util.decode_source(source)
        tree = ast.parse(text, file)
        for transform in wanting:
            tree = transform.apply(tree, text, name)
        return compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)


# Finds the files of modules.
_FILES: Any = importlib.machinery.PathFinder


class _Finder:
    """Finds modules as Python itself does, once, and loads the project's changed."""

    def __init__(self, hook: SourceHook) -> None:
        self._hook = hook

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[Any]:
        spec = _FILES.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
            return spec
        if self._hook.wants(spec.origin):
            spec.loader = _Loader(name, spec.origin or "", self._hook)
        elif self._hook.wants_module(name, spec.origin):
            spec.loader = _PackageLoader(name, spec.origin or "", self._hook)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, hook: SourceHook) -> None:
        super().__init__(name, path)
        self._hook = hook

    def get_code(self, fullname: str) -> CodeType:
        return self._hook.compile(self.get_data(self.path), self.path)


class _PackageLoader(_Loader):
    def get_code(self, fullname: str) -> CodeType:
        return self._hook.compile_module(self.get_data(self.path), self.path, fullname)
