"""What a library's own loop changes: its skeleton names it, and a description says where the
function that has the loop keeps it (docs/libraries.md)."""

from functools import partial
from types import FrameType
from typing import Any, Callable, List, Optional

from ...source.program.skeletons import LibraryLoop, is_skeleton
from ...state.places import Place
from .frame_variables import Variables


class LibraryVariables:
    """Of one frame of a library's function. They are expressions: objects that are captured are
    refilled where they are, and nothing is bound."""

    def __init__(self, loop: LibraryLoop, frame: FrameType) -> None:
        self._loop = loop
        self._frame = frame

    def get(self, name: str) -> Any:
        return _evaluate(self._loop.variables[name], self._frame)

    def set(self, name: str, value: Any) -> None:
        pass


def find_in_library(
    loop: LibraryLoop, others: Callable[[FrameType, Any], Any], frame: FrameType, changed: Any
) -> Any:
    """Where a variable is held, seen from the library's frame. `others`: finds the program's."""
    if changed.scope is None or not is_skeleton(changed.scope.file):
        return others(frame, changed)
    return LibraryVariables(loop, frame) if changed.name in loop.variables else None


def local_places(loop: LibraryLoop, frame: FrameType, file: str, depth: int) -> List[Place]:
    """What the function itself keeps from one iteration to the next."""
    held = Variables(frame)
    return [
        Place(
            f"{file}:{loop.name}:{name}#{depth}",
            "b",
            get=partial(held.get, name),
            set=partial(held.set, name),
            volatile=True,
        )
        for name in loop.own
    ]


def left_places(
    loop: LibraryLoop, frame: FrameType, file: str, depth: int, captured: List[Place]
) -> List[Place]:
    """What a library holds and a checkpoint need not: loaders begin anew, progress is shown."""
    places: List[Place] = []
    own = {id(_value_of(one)) for one in captured if not (one.iterated or one.known)}
    for index, text in enumerate(loop.left):
        for number, value in enumerate(_several(text, frame)):
            if value is not None and id(value) not in own:
                key = f"{file}:{loop.name}.left:{index}.{number}#{depth}"
                places.append(Place(key, "b", _giving(value), _ignore, left=True))
    return places


def _several(text: str, frame: FrameType) -> List[Any]:
    """What an expression gives; with a star before it, one after the other."""
    try:
        value = _evaluate(text.lstrip("*"), frame)
        return list(value) if text.startswith("*") else [value]
    except Exception:  # of the library, which has it otherwise in another version
        return []


def _evaluate(text: str, frame: FrameType) -> Any:
    try:
        return eval(text, frame.f_globals, dict(frame.f_locals))
    except AttributeError as error:
        raise NameError(str(error)) from error


def _value_of(place: Place) -> Optional[Any]:
    try:
        return place.get()
    except (NameError, AttributeError):
        return None


def _giving(value: Any) -> Callable[[], Any]:
    return lambda: value


def _ignore(value: Any) -> None:
    pass
