"""What a value may come from, as a graph over variables, attributes and values on the way. Order
does not count. Each node has a second one for what its value *holds*: a list of times holds a
clock, and so does the object of which one attribute is a time, though its others do not."""

from typing import Dict, Iterable, List

Flow = List[str]

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


class FlowGraph:
    def __init__(self) -> None:
        self._from: Dict[str, Dict[str, None]] = {}
        self._causes: Dict[str, str] = {}
        self._count = 0

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

    def cause(self, text: str) -> Flow:
        """A value that comes from outside, with the words for it."""
        self._causes[f"!{text}"] = text
        return [f"!{text}"]

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

    def causes_of(self, node: str) -> List[str]:
        """The causes that a node depends on, the nearest first."""
        seen = {node: None}
        waiting = [node]
        for one in waiting:  # grows while it is gone through
            new = [source for source in self._from.get(one, ()) if source not in seen]
            seen.update(dict.fromkeys(new))
            waiting += new
        return [self._causes[one] for one in waiting if one in self._causes]
