"""Statements that the run being asked did not have: the generators are saved around each, so that
asking changes nothing. They are found in the source by where they stand, when it is loaded."""

import ast
import builtins
import contextlib
import functools
import gc
import os
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from ...source.analysis.plain_expressions import is_plain, is_plain_statement
from ...source.program.sdk_calls import SourcePositions
from ...state.question_hooks import number_apart
from ...state.undeclared_state import generators_of
from ..generators import Generators
from .parts import END, GUARD, GUARDED, THREW, WRAPPER, Effect, EndOfPart, PartWrapping


def _name(calls: bool) -> str:
    """What a wrapped statement calls; no program has such a name."""
    return "__afterlog_calling_probe__" if calls else "__afterlog_probe__"


Place = Tuple[int, int]
PutBack = Callable[[], Any]


class Undisturbed:
    """Puts back what statements that the run did not have changed unseen: the generators, whether
    gradients are computed; and by their effect the modules' flags, running means and gradients."""

    def __init__(self, effect: Effect) -> None:
        self._effect = effect
        self._generators = Generators()
        self._saved: List[Tuple[List[Dict[str, Any]], List[PutBack]]] = []

    @property
    def active(self) -> bool:
        return bool(self._saved)

    def __enter__(self) -> None:
        modules = [] if self._effect is Effect.GENERATORS else _save_modules(self._effect)
        self._saved.append((self._generators.states(), modules))

    def __exit__(self, *_: object) -> None:
        states, modules = self._saved.pop()
        self._generators.set(states)
        for put_back in modules:
            put_back()


class QuestionPart(Undisturbed):
    """A part of a question while it is executed: what it throws does not reach the run."""

    def __init__(self, effect: Effect, failed: Callable[[BaseException], None]) -> None:
        super().__init__(effect)
        self._failed = failed

    def takes(self, error: Optional[BaseException]) -> bool:
        """Whether what was thrown ends here."""
        if error is None or isinstance(error, KeyboardInterrupt):
            return False
        if not isinstance(error, EndOfPart):
            self._failed(error)
        return True


class _Taking:
    """As the program's `with` needs it: it decides what becomes of an exception."""

    def __init__(self, part: QuestionPart) -> None:
        self._part = part

    def __enter__(self) -> None:
        self._part.__enter__()

    def __exit__(self, kind: object, error: Optional[BaseException], _: object) -> bool:
        self._part.__exit__()
        return self._part.takes(error)


_NOTHING: Any = contextlib.nullcontext()


def _save_modules(effect: Effect) -> List[PutBack]:
    """Of every module: whether it trains, its buffers, what its parameters are; the states of all
    generators that loaders have, and whether gradients are computed."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    enabled = torch.is_grad_enabled()
    saved: List[PutBack] = [functools.partial(torch.set_grad_enabled, enabled), number_apart()]
    kinds: Dict[type, bool] = {}
    for candidate in gc.get_objects():
        kind = type(candidate)
        wanted = kinds.get(kind)
        if wanted is None:
            loader = torch.utils.data.DataLoader
            wanted = kinds[kind] = issubclass(kind, torch.nn.Module) or kind is loader
        if not wanted:
            continue
        if isinstance(candidate, torch.nn.Module):
            saved.append(_module_saver(torch, candidate, effect is Effect.GRADIENTS))
            continue
        for generator in generators_of(candidate):
            saved.append(functools.partial(generator.set_state, generator.get_state()))
    return saved


def _module_saver(torch: Any, module: Any, gradients: bool) -> PutBack:
    training = module.__dict__.get("training")
    buffers = _present(module, "_buffers")
    kept = {name: value.detach().clone() for name, value in buffers.items()}
    parameters = [
        (one, one.requires_grad, one.grad) for one in _present(module, "_parameters").values()
    ]
    copies = (
        [None if grad is None else grad.clone() for _, _, grad in parameters] if gradients else []
    )

    def put_back() -> None:
        if training is not None:
            module.__dict__["training"] = training
        with torch.no_grad():
            for name, value in buffers.items():
                value.copy_(kept[name])
                module._buffers[name] = value
            for (_, _, grad), copy in zip(parameters, copies):
                if grad is not None:
                    grad.copy_(copy)
        for parameter, requires_grad, grad in parameters:
            if parameter.requires_grad != requires_grad:
                parameter.requires_grad_(requires_grad)
            parameter.grad = grad

    return put_back


def _present(module: Any, field: str) -> Dict[str, Any]:
    return {key: one for key, one in module.__dict__.get(field, {}).items() if one is not None}


# Calls of `aside` under way: what they do is not of the run.
ASIDE = Undisturbed(Effect.MODULES)


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
        self._failed = failed
        self._asked = [QuestionPart(effect, self._threw) for effect in Effect]
        # What the part threw that was executed last, and what made names be without a value.
        self._error: Optional[BaseException] = None
        self._causes: Dict[str, BaseException] = {}

    def install(self) -> None:
        """What wrapped statements call."""
        setattr(builtins, _name(False), _Taking(self._asked[Effect.GENERATORS.value]))
        setattr(builtins, _name(True), _Taking(self._asked[Effect.MODULES.value]))
        setattr(builtins, WRAPPER, self._part)
        setattr(builtins, THREW, self._forgets)
        setattr(builtins, GUARD, self._guard)
        setattr(builtins, GUARDED, self._guarded)
        setattr(builtins, END, EndOfPart)

    @property
    def active(self) -> bool:
        """Whether a statement is being executed that the run did not have."""
        return any(one.active for one in self._asked)

    def _part(self, effect: int) -> _Taking:
        self._error = None
        return _Taking(self._asked[effect])

    def _threw(self, error: BaseException) -> None:
        name = getattr(error, "name", None) if isinstance(error, NameError) else None
        # It needed what another part did not get to.
        self._error = self._causes.get(str(name), error)
        self._failed(self._error)

    def _forgets(self, *names: str) -> bool:
        """Whether the last part threw: these names of it have no value then."""
        if self._error is None:
            for name in names:
                self._causes.pop(name, None)
            return False
        self._causes.update(dict.fromkeys(names, self._error))
        return True

    def _guard(self, effect: int) -> Any:
        """Around what a function of the question does: a hook is called by the run."""
        return _NOTHING if self.active else _Taking(self._asked[effect])

    def _guarded(self, body: Callable[[], Any]) -> Any:
        with self._guard(Effect.GENERATORS.value):
            return body()
        return None

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
