"""Flags that a part of a question switched, while the run executes statements between its parts:
the run has its own values there, and the later parts have those of the question. What a part
switched counts for the parts that follow it in the text, in the same iteration of all loops."""

from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

# The attributes of an object that has flags, and its flags.
Flags = List[Tuple[Dict[str, Any], Dict[str, Any]]]
# A file, and where a part begins in it.
Start = Tuple[str, int]


class _Switched(NamedTuple):
    held: Dict[str, Any]
    name: str
    value: Any
    start: Start
    path: Sequence[Any]


class SwitchedFlags:
    """`path`: the iteration that is executed, of all loops."""

    def __init__(self, path: Callable[[], Sequence[Any]]) -> None:
        self._path = path
        self._switched: List[_Switched] = []
        self._own: Flags = []

    def begin(self, start: Start) -> None:
        """A part begins: it finds what the parts before it have switched."""
        self._own = []
        if not self._switched:
            return
        path = self._path()
        self._switched = [one for one in self._switched if _holds(one, start, path)]
        for one in self._switched:
            if one.name in one.held:
                self._own.append((one.held, {one.name: one.held[one.name]}))
                one.held[one.name] = one.value

    def end(self, start: Start, flags: Flags) -> None:
        """It is over: all flags are as the run has them. `flags`: as they were before `begin`."""
        kept = {(id(one.held), one.name): one for one in self._switched}
        path = self._path() if flags or self._own else ()
        self._switched = []
        for held, own in [*flags, *self._own]:
            for name, value in own.items():
                if name not in held or held[name] == value:
                    continue
                known = kept.get((id(held), name))
                new = _Switched(held, name, held[name], start, path)
                is_known = known is not None and known.value == new.value
                self._switched.append(known if known is not None and is_known else new)
                held[name] = value
        self._own = []


def _holds(one: _Switched, start: Start, path: Sequence[Any]) -> bool:
    is_before = one.start[0] == start[0] and one.start[1] < start[1]
    return is_before and list(path[: len(one.path)]) == list(one.path)
