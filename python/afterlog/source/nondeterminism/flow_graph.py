"""What a value may come from, as a graph over variables, attributes and values on the way. Order
does not count. Each node has a second one for what its value *holds*: a list of times holds a
clock, and so does the object of which one attribute is a time, though its others do not."""

import ast
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from ..program.printed_calls import Printing

Flow = List[str]

# Begins the name of a node for what an attribute of an object is given.
_FIELD = "in ."
# Ends the name of the node that stands for what is in a value.
_HELD = "~"


def is_held(node: str) -> bool:
    return node.endswith(_HELD)


def value_of(place: str) -> Flow:
    """A value that somebody gets from a place, with what is in it."""
    return [place, place + _HELD]


def bare(flow: Flow) -> Flow:
    """The value without what is in it."""
    return [node for node in flow if not is_held(node)]


class Cause(NamedTuple):
    """Something that is another each time, in words. `call`: where the call stands whose result is
    recorded and given again; None: it is not."""

    words: str
    call: Optional[Dict[str, Any]]


class LoggedParts(NamedTuple):
    """Of a call that logs: what decides whether it is executed, and what its line is put together
    from."""

    printing: Optional[Printing]
    control: Flow
    parts: List[Tuple[ast.expr, Flow]]


class FlowGraph:
    def __init__(self) -> None:
        self._from: Dict[str, Dict[str, None]] = {}
        self._causes: Dict[str, Cause] = {}
        self._count = 0
        # Attributes that objects of the program are given.
        self.fields: Set[str] = set()

    def node(self) -> str:
        self._count += 1
        return f"#{self._count}"

    def whole(self, flow: Flow) -> Flow:
        """A new node that depends on a flow as a whole."""
        return self._new("", flow)

    def holding(self, flow: Flow) -> Flow:
        """A new value that holds what flows into it."""
        return self._new(_HELD, flow)

    def _new(self, end: str, flow: Flow) -> Flow:
        if not flow:
            return flow
        node = self.node() + end
        self.add(node, flow)
        return [node]

    def cause(self, cause: Cause) -> Flow:
        """A value that comes from outside."""
        column = "" if cause.call is None else cause.call["column"]
        node = f"!{cause.words}:{column}"
        self._causes[node] = cause
        return [node]

    def field(self, name: str, flow: Flow) -> Flow:
        """What is put into an object as its attribute of a name: it is known to be in no other."""
        self.fields.add(name)
        if not flow:
            return flow
        node = f"{_FIELD}{name} {self.node()}"
        self.add(node, flow)
        return [node]

    def add(self, node: str, flow: Iterable[str]) -> None:
        self._from.setdefault(node, {}).update(dict.fromkeys(flow))

    def assign(self, place: str, flow: Iterable[str]) -> None:
        """A place gets a value: what is put into one is in the other too, for they may be one
        object."""
        for node in flow:
            self.add(place + _HELD if is_held(node) else place, [node])
            if is_held(node):
                self.add(node, [place + _HELD])

    def put(self, objects: Flow, flow: Flow) -> None:
        """Something is put into the objects that a flow may be."""
        for node in objects:
            if is_held(node):
                self.add(node, flow)

    def causes_of(self, node: str) -> List[Cause]:
        """The causes that a node depends on, the nearest first."""
        seen = {node: None}
        waiting = [node]
        for one in waiting:  # grows while it is gone through
            new = [source for source in self._from.get(one, ()) if source not in seen]
            seen.update(dict.fromkeys(new))
            waiting += new
        return [self._causes[one] for one in waiting if one in self._causes]

    def varying(self, given: bool) -> Tuple[Set[str], Set[str]]:
        """All that may be another in every execution; and the same, but an object is none because
        of an attribute that is known by its name: only what is computed from it is. `given`: where
        recorded results are given again."""
        affected = self._affected(given)
        return {node for node, _ in affected}, {node for node, in_field in affected if not in_field}

    def _affected(self, given: bool) -> Set[Tuple[str, bool]]:
        """Nodes that a cause flows into, each with whether it does so inside of an attribute."""
        to: Dict[str, List[str]] = {}
        for node, sources in self._from.items():
            for source in sources:
                to.setdefault(source, []).append(node)
        causes = [node for node, one in self._causes.items() if not (given and one.call)]
        waiting = [(cause, False) for cause in causes]
        seen = set(waiting)
        for one, in_field in waiting:  # grows while it is gone through
            for node in to.get(one, ()):
                state = (node, node.startswith(_FIELD) or (in_field and is_held(node)))
                if state not in seen:
                    seen.add(state)
                    waiting.append(state)
        return seen
