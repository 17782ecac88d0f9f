"""Statements that the run being asked did not have: the generators are saved around each, so that
asking changes nothing. They are found in the source by where they stand, when it is loaded."""

import ast
import builtins
import contextlib
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ...source.analysis.plain_expressions import is_plain, is_plain_statement
from ...source.program.sdk_calls import SourcePositions
from ..generators import Generators
from .parts import (
    COUNTED,
    END,
    GUARD,
    GUARDED,
    THREW,
    WRAPPER,
    Counters,
    Effect,
    EndOfPart,
    PartWrapping,
    counting,
    wrapper_of,
)
from .set_back import NOTHING, Standing, save_standing
from .switched_flags import Flags, Start, SwitchedFlags


Place = Tuple[int, int]


class Undisturbed:
    """Puts back what statements that the run did not have changed unseen: the generators, whether
    gradients are computed; and by their effect the modules' flags, running means and gradients."""

    def __init__(self, effect: Effect) -> None:
        self._effect = effect
        self._generators = Generators()
        self._saved: List[Tuple[List[Dict[str, Any]], Standing]] = []

    @property
    def active(self) -> bool:
        return bool(self._saved)

    @property
    def depth(self) -> int:
        return len(self._saved)

    def __enter__(self) -> None:
        is_light = self._effect is Effect.GENERATORS
        standing = NOTHING if is_light else save_standing(self._effect is Effect.GRADIENTS)
        self._saved.append((self._generators.states(), standing))

    def __exit__(self, *_: object) -> None:
        for held, flags in self.left():
            held.update(flags)

    def left(self) -> Flags:
        """Sets back all but the flags, which are returned as they were."""
        states, standing = self._saved.pop()
        self._generators.set(states)
        for put_back in standing.put_backs:
            put_back()
        return standing.flags


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

    def __init__(
        self, part: QuestionPart, flags: SwitchedFlags, start: Start, ended: Callable[[], None]
    ) -> None:
        self._part = part
        self._flags = flags
        self._start = start
        self._ended = ended

    def __enter__(self) -> None:
        self._part.__enter__()
        self._flags.begin(self._start)

    def __exit__(self, kind: object, error: Optional[BaseException], _: object) -> bool:
        self._flags.end(self._start, self._part.left())
        self._ended()
        return self._part.takes(error)


class _Inner:
    """Of a part that another one has called."""

    def __init__(self, part: QuestionPart) -> None:
        self._part = part

    def __enter__(self) -> None:
        self._part.__enter__()

    def __exit__(self, kind: object, error: Optional[BaseException], _: object) -> bool:
        self._part.__exit__()
        return self._part.takes(error)


_NOTHING: Any = contextlib.nullcontext()


# Calls of `aside` under way: what they do is not of the run.
ASIDE = Undisturbed(Effect.MODULES)


class Probes:
    """A transform of sources (`handsfree/source_hook.py`). `places`: files relative to the root,
    lines and columns of the calls, or of parts of several statements."""

    def __init__(
        self,
        places: Sequence[Dict[str, Any]],
        failed: Callable[[BaseException], None],
        path: Callable[[], Sequence[Any]],
        began: Callable[[bool], Callable[[], None]] = lambda is_part: lambda: None,
        counted: Callable[[str, bool], int] = lambda key, is_inner: 0,
    ) -> None:
        self._flags = SwitchedFlags(path)
        # Told whenever something of the question is executed, and whether it is a part; what it
        # gives is called behind that.
        self._began = began
        # What a counter lacks, and whether the part that asks was called by another one.
        self._counted = counted
        # Single calls, with the counters that they mention.
        self._places: Dict[str, Dict[Place, Counters]] = {}
        for place in places:
            if "end" not in place:
                file = os.path.normpath(place["file"])
                at = (place["line"], place["column"])
                self._places.setdefault(file, {})[at] = place.get("counters", ())
        self._parts = PartWrapping(places)
        self._failed = failed
        self._asked = [QuestionPart(effect, self._threw) for effect in Effect]
        # What the part threw that was executed last, and what made names be without a value.
        self._error: Optional[BaseException] = None
        self._causes: Dict[str, BaseException] = {}

    def install(self) -> None:
        """What wrapped statements call."""
        setattr(builtins, WRAPPER, self._part)
        setattr(builtins, THREW, self._forgets)
        setattr(builtins, GUARD, self._guard)
        setattr(builtins, GUARDED, self._guarded)
        setattr(builtins, END, EndOfPart)
        setattr(builtins, COUNTED, self._missing)

    @property
    def active(self) -> bool:
        """Whether a statement is being executed that the run did not have."""
        # No generator: this is asked at each loop that is entered.
        for one in self._asked:
            if one.active:
                return True
        return False

    def _part(self, effect: int, file: str, at: int) -> Any:
        self._error = None
        if self.active:
            return _Inner(self._asked[effect])
        return _Taking(self._asked[effect], self._flags, (file, at), self._began(True))

    def _missing(self, key: str) -> int:
        return self._counted(key, sum(one.depth for one in self._asked) > 1)

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
        self._began(False)
        return _NOTHING if self.active else _Inner(self._asked[effect])

    def _guarded(self, body: Callable[[], Any]) -> Any:
        with self._guard(Effect.GENERATORS.value):
            return body()
        return None

    def wants(self, file: str) -> bool:
        return file in self._places or self._parts.wants(file)

    def apply(self, tree: ast.Module, text: str, file: str) -> ast.Module:
        if self._parts.wants(file):
            tree = self._parts.apply(tree, text, file)
        return _Wrapping(file, SourcePositions(text), self._places.get(file, {})).visit(tree)


class _Wrapping(ast.NodeTransformer):
    def __init__(self, file: str, places: SourcePositions, wanted: Dict[Place, Counters]) -> None:
        self._file = file
        self._places = places
        self._wanted = wanted

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return self._wrapped(node, self._places.start(node.value), is_plain_statement(node))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """A name that is set for a statement that was added."""
        return self._wrapped(node, self._places.start(node), is_plain(node.value))

    def _wrapped(self, node: ast.stmt, start: Dict[str, int], plain: bool) -> ast.AST:
        counters = self._wanted.get((start["line"], start["column"]))
        if counters is None:
            return node
        effect = Effect.GENERATORS if plain else Effect.MODULES
        wrapper = wrapper_of(effect, self._file, node)
        body = [*counting(counters, node), node]
        around = ast.With(items=[ast.withitem(context_expr=wrapper)], body=body)
        return ast.copy_location(around, node)
