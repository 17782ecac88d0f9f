"""The places that a checkpoint holds now: what the program declared, and the variables that the
active loops may change (semantics, "Captured state" a and b)."""

from functools import partial
from operator import getitem, setitem
from typing import Any, Dict, List, NamedTuple, Optional

from ...state.places import Place
from ..loops.loop_frame import LoopFrame
from ..loops.loop_observer import LoopObserver


class Declaration(NamedTuple):
    ordinal: int
    # Its fields by name: what each holds now.
    record: Dict[str, Any]
    # The loop in whose iteration it was made: it ends with that iteration.
    scope: Optional[LoopFrame]
    # Where in the source, and how many outermost loops had ended before.
    site: Optional[int]
    after: int


class CapturedState(LoopObserver):
    def __init__(self) -> None:
        self.declarations: List[Declaration] = []

    def declare(self, declaration: Declaration) -> None:
        """A program that calls its training function again declares again at the same place: what
        it declared there before the loops that have ended since is of the training before."""
        site, after = declaration.site, declaration.after
        if site is not None and declaration.scope is None:
            self.declarations = [
                known
                for known in self.declarations
                if known.site != site or known.scope is not None or known.after >= after
            ]
        self.declarations.append(declaration)

    def undeclare(self, ordinal: int) -> None:
        self.declarations = [known for known in self.declarations if known.ordinal != ordinal]

    def iteration_ended(self, frame: LoopFrame, is_complete: bool) -> None:
        """The iteration of `frame` is over: what was declared in it has ended."""
        for declared in self.declarations:
            if declared.scope is frame:
                kept = [known for known in self.declarations if known.scope is not frame]
                self.declarations = kept
                return

    def places(self, innermost: Optional[LoopFrame]) -> List[Place]:
        """As a loop and those around it see them. What matters least comes last, so that it has no
        part in how the rest is numbered."""
        return [*places_of(self.declarations), *in_order(loop_places(innermost))]

    def is_empty(self, innermost: Optional[LoopFrame]) -> bool:
        frame = innermost
        while frame is not None:
            if frame.context is not None and frame.context.changes:
                return False
            frame = frame.parent
        return not self.declarations


def in_order(names: List[Place]) -> List[Place]:
    return sorted(names, key=lambda one: (one.left, one.volatile, one.known, one.dead))


def loop_places(frame: Optional[LoopFrame]) -> List[Place]:
    """Names that the active loops may change; those of the outermost loop first."""
    if frame is None:
        return []
    inner_places = frame.context.places(frame.depth) if frame.context is not None else []
    return [*loop_places(frame.parent), *inner_places]


def places_of(declarations: List[Declaration]) -> List[Place]:
    """What each field of the declared records holds now."""
    return [
        Place(
            key=f"d{declared.ordinal}.{name}",
            source="a",
            get=partial(getitem, declared.record, name),
            set=partial(setitem, declared.record, name),
        )
        for declared in declarations
        for name in list(declared.record)
    ]
