"""Statements that the run being asked did not have: the generators are saved around each, so that
asking changes nothing. They are found in the source by where they stand, when it is loaded."""

import ast
import builtins
import functools
import gc
import os
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from ...source.analysis.plain_expressions import is_plain, is_plain_statement
from ...source.program.sdk_calls import SourcePositions
from ...state.undeclared_state import generators_of
from ..generators import Generators
from .parts import END, WRAPPER, EndOfPart, PartWrapping


def _name(calls: bool) -> str:
    """What a wrapped statement calls; no program has such a name."""
    return "__afterlog_calling_probe__" if calls else "__afterlog_probe__"


Place = Tuple[int, int]


class Undisturbed:
    """Puts the generators back to where they were. `calls`: it may call a model, whose flags and
    running means are then put back too."""

    def __init__(self, calls: bool) -> None:
        self._calls = calls
        self._generators = Generators()
        self._saved: List[Tuple[List[Dict[str, Any]], List[Callable[[], None]]]] = []

    @property
    def active(self) -> bool:
        return bool(self._saved)

    def __enter__(self) -> None:
        modules = _save_modules() if self._calls else []
        self._saved.append((self._generators.states(), modules))

    def __exit__(self, *_: object) -> None:
        states, modules = self._saved.pop()
        self._generators.set(states)
        for put_back in modules:
            put_back()


class QuestionPart:
    """A part of a question while it is executed: what it throws does not reach the run."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self._failed = failed
        self._undisturbed = Undisturbed(calls=True)

    @property
    def active(self) -> bool:
        return self._undisturbed.active

    def __enter__(self) -> None:
        self._undisturbed.__enter__()

    def __exit__(self, kind: object, error: Optional[BaseException], _: object) -> bool:
        self._undisturbed.__exit__()
        if error is None or isinstance(error, KeyboardInterrupt):
            return False
        if not isinstance(error, EndOfPart):
            self._failed(error)
        return True


def _save_modules() -> List[Callable[[], None]]:
    """Of every module: whether it trains, and its buffers; and every generator's state."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    saved: List[Callable[[], None]] = []
    for candidate in gc.get_objects():
        kind = type(candidate)
        if issubclass(kind, torch.nn.Module):
            saved.append(_module_saver(torch, candidate))
    # Python keeps no list of what holds nothing that it would have to collect.
    for loader in (
        candidate
        for candidate in gc.get_objects()
        if type(candidate) is torch.utils.data.DataLoader
    ):
        for generator in generators_of(loader):
            saved.append(functools.partial(generator.set_state, generator.get_state()))
    return saved


def _module_saver(torch: Any, module: Any) -> Callable[[], None]:
    training = module.__dict__.get("training")
    buffers = {
        name: (value, value.detach().clone())
        for name, value in module.__dict__.get("_buffers", {}).items()
        if value is not None
    }

    def put_back() -> None:
        if training is not None:
            module.__dict__["training"] = training
        for name, (value, kept) in buffers.items():
            with torch.no_grad():
                value.copy_(kept)
            module._buffers[name] = value

    return put_back


# Calls of `aside` under way: what they do is not of the run.
ASIDE = Undisturbed(calls=True)


class Probes:
    """A transform of sources (`handsfree/source_hook.py`). `places`: files relative to the root,
    lines and columns of the calls, or of parts of several statements."""

    def __init__(
        self, places: Sequence[Dict[str, Any]], failed: Callable[[BaseException], None]
    ) -> None:
        self._places: Dict[str, Set[Place]] = {}
        for place in places:
            if "end" not in place:
                file = os.path.normpath(place["file"])
                self._places.setdefault(file, set()).add((place["line"], place["column"]))
        self._parts = PartWrapping(places)
        self._part = QuestionPart(failed)
        self._probes = [Undisturbed(calls) for calls in (False, True)]

    def install(self) -> None:
        """What wrapped statements call."""
        for calls, probe in enumerate(self._probes):
            setattr(builtins, _name(bool(calls)), probe)
        setattr(builtins, WRAPPER, self._part)
        setattr(builtins, END, EndOfPart)

    @property
    def active(self) -> bool:
        """Whether a statement is being executed that the run did not have."""
        return self._part.active or any(probe.active for probe in self._probes)

    def wants(self, file: str) -> bool:
        return file in self._places or self._parts.wants(file)

    def apply(self, tree: ast.Module, text: str, file: str) -> ast.Module:
        if self._parts.wants(file):
            tree = self._parts.apply(tree, text, file)
        return _Wrapping(SourcePositions(text), self._places.get(file, set())).visit(tree)


class _Wrapping(ast.NodeTransformer):
    def __init__(self, places: SourcePositions, wanted: Set[Place]) -> None:
        self._places = places
        self._wanted = wanted

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return self._wrapped(node, self._places.start(node.value), is_plain_statement(node))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """A name that is set for a statement that was added."""
        return self._wrapped(node, self._places.start(node), is_plain(node.value))

    def _wrapped(self, node: ast.stmt, start: Dict[str, int], plain: bool) -> ast.AST:
        if (start["line"], start["column"]) not in self._wanted:
            return node
        name = ast.Name(id=_name(not plain), ctx=ast.Load())
        around = ast.With(items=[ast.withitem(context_expr=name)], body=[node])
        return ast.copy_location(around, node)
