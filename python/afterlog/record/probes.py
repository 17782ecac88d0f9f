"""Statements that the run being asked did not have: the generators are saved around each, so that
asking changes nothing. They are found in the source by where they stand, when it is loaded."""

import ast
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from types import CodeType
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from ..source.calls import Places
from .generators import Generators

# What a wrapped statement calls; no program has such a name.
_NAME = "__afterlog_probe__"

Place = Tuple[int, int]


class _Probe:
    """Puts the generators back to where they were."""

    def __init__(self) -> None:
        self._generators = Generators()
        self._saved: List[List[Dict[str, Any]]] = []

    def __enter__(self) -> None:
        self._saved.append(self._generators.states())

    def __exit__(self, *_: object) -> None:
        self._generators.set(self._saved.pop())


class Probes:
    """`places`: files relative to the root, lines and columns of the calls."""

    def __init__(self, root: str, places: Sequence[Dict[str, Any]]) -> None:
        self._places: Dict[str, Set[Place]] = {}
        for place in places:
            file = os.path.realpath(os.path.join(root, place["file"]))
            self._places.setdefault(file, set()).add((place["line"], place["column"]))

    def install(self) -> None:
        """Modules of the program are wrapped when they are imported."""
        if not self._places:
            return
        setattr(builtins, _NAME, _Probe())
        sys.meta_path.insert(0, _Finder(self))

    def has(self, file: Optional[str]) -> bool:
        return file is not None and os.path.realpath(file) in self._places

    def compile(self, source: bytes, file: str) -> CodeType:
        """The code of a source file; lines and names stay as they are."""
        places = self._places.get(os.path.realpath(file))
        if not places:
            return compile(source, file, "exec", dont_inherit=True)
        tree = ast.parse(source, file)
        text = importlib.util.decode_source(source)
        wrapped = _Wrapping(Places(text), places).visit(tree)
        return compile(ast.fix_missing_locations(wrapped), file, "exec", dont_inherit=True)


class _Wrapping(ast.NodeTransformer):
    def __init__(self, places: Places, wanted: Set[Place]) -> None:
        self._places = places
        self._wanted = wanted

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        start = self._places.start(node.value)
        if (start["line"], start["column"]) not in self._wanted:
            return node
        name = ast.Name(id=_NAME, ctx=ast.Load())
        around = ast.With(items=[ast.withitem(context_expr=name)], body=[node])
        return ast.copy_location(around, node)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, probes: Probes) -> None:
        self._probes = probes

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[Any]:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or not self._probes.has(spec.origin):
            return None
        spec.loader = _Loader(name, spec.origin or "", self._probes)
        spec.cached = None
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, probes: Probes) -> None:
        super().__init__(name, path)
        self._probes = probes

    def get_code(self, fullname: str) -> CodeType:
        with open(self.path, "rb") as stream:
            return self._probes.compile(stream.read(), self.path)
