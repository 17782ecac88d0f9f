"""Puts a captured graph back into the places (semantics, "Restore").

First every node gets its object: the live one that had the node's number at entry of the loop, or a
new one. Only when all fit is anything filled, so that a checkpoint of another state leaves the
program's untouched.
"""

from typing import Any, Callable, Dict, List, Sequence, Set, Tuple

from ..format.errors import AfterlogError
from ..format.structure import is_reference, references
from .kinds import Kind, Node, all_kinds, class_name, node_type
from .places import EntryIds, Place, cannot_restore
from .scalars import decode_scalar, find_imported, left_key
from .shared_texts import with_shared_texts
from .unseen import unseen_work

_ABSENT = object()


def refuse_lacking(path: str, what: str) -> None:
    raise cannot_restore(path, f"the checkpoint lacks {what}")


class Restoration:
    """One restoration. It is used once."""

    def __init__(
        self,
        structure: Dict[str, Any],
        entry: EntryIds,
        read: Callable[[str], memoryview],
        needs: Callable[[str, str], None],
    ) -> None:
        self._live = entry.objects()
        self._structure = structure = with_shared_texts(structure, self._live.values())
        self._nodes: List[Node] = structure["nodes"]
        self._held = entry.held
        # The bytes of a tensor.
        self.bytes = read
        self._objects: Dict[int, Any] = {}
        self._kinds = {name: kind for kind in all_kinds() for name in kind.node_types}
        self._reused: Set[int] = set()
        self._live_nodes: Set[int] = set()
        self._filled: Set[int] = set()
        self._current = -1
        # What kinds found out for all nodes of this restoration.
        self.memo: Dict[str, Any] = {}
        self._needs = needs
        # Objects that are left as they are, by the keys of their places.
        self._left: Dict[str, Any] = {}

    @unseen_work
    def run(self, places: Sequence[Place]) -> None:
        self._left = {place.key: place.get() for place in places if place.left}
        for number in range(len(self._nodes)):
            self.object(number)
        self._check_held()
        bindings = self._bindings(places)
        self._filled.clear()
        for number in range(len(self._nodes)):
            self._fill(number)
        # What a state contains has a higher number than the object that loads it.
        for number in range(len(self._nodes) - 1, -1, -1):
            self._current = number
            node = self._nodes[number]
            self._kind_of_node(node).load(node, self._objects[number], self)
        for place, value in bindings:
            place.set(value)

    def _check_held(self) -> None:
        """What a function holds stays what it holds: it must have been refilled."""
        for number, entry in enumerate(self._structure["entry"]):
            if entry in self._held and entry in self._live and not self.is_live(number):
                self._current = number
                raise self.mismatch("a function holds it, and cannot be given another one")

    def _bindings(self, places: Sequence[Place]) -> List[Tuple[Place, Any]]:
        """What each place will hold; AL071 if there is no such place."""
        by_key = {place.key: place for place in places}
        bindings = []
        for captured in self._structure["places"]:
            if "value" not in captured:
                continue
            key = captured["key"]
            place = by_key.get(key)
            if place is None:
                name = key.partition(".")[2] or key
                raise cannot_restore(name, "the program has no such variable now")
            bindings.append((place, self.value(captured["value"])))
        return bindings

    def object(self, number: int) -> Any:
        """The object of a node."""
        known = self._objects.get(number, _ABSENT)
        if known is not _ABSENT:
            return known
        before, self._current = self._current, number
        node = self.node(number)
        live = self._live_for(number)
        value = self._kind_of_node(node).allocate(node, live, self)
        if live is not None and value is live:
            self._live_nodes.add(number)
        self._objects[number] = value
        self._current = before
        return value

    def _live_for(self, number: int) -> Any:
        """The object that had the node's number at entry; none is refilled twice."""
        entry = self._structure["entry"][number]
        live = None if entry is None else self._live.get(entry)
        if live is None or id(live) in self._reused:
            return None
        self._reused.add(id(live))
        return live

    def peek_live(self, number: int) -> Any:
        """The same, without taking it."""
        entry = self._structure["entry"][number]
        return None if entry is None else self._live.get(entry)

    def is_live(self, number: int) -> bool:
        """Whether the object of a node is one that was there before."""
        return number in self._live_nodes

    def node(self, number: int) -> Node:
        if not 0 <= number < len(self._nodes):
            raise self.mismatch(f"it names object {number}, which is not there")
        return self._nodes[number]

    @property
    def nodes(self) -> List[Node]:
        return self._nodes

    def _kind_of_node(self, node: Node) -> Kind:
        kind = self._kinds.get(node_type(node))
        if kind is None:
            raise self.mismatch(f"it is of a kind that is not known here ({node['t']})")
        return kind

    def value(self, encoded: Any) -> Any:
        """The value; an object may not be filled yet."""
        if isinstance(encoded, list) and encoded[0] == "ref":
            return self.object(encoded[1])
        if isinstance(encoded, list) and encoded[0] == "entry":
            if encoded[1] not in self._live:
                why = "it holds a function that the program does not have at this point"
                raise self.mismatch(why)
            return self._live[encoded[1]]
        key = left_key(encoded)
        if key is not None:
            return self._left.get(key)
        try:
            return decode_scalar(encoded)
        except LookupError as error:
            raise self.mismatch(str(error)) from error

    def _fill(self, number: int) -> None:
        if number in self._filled:
            return
        self._filled.add(number)
        before, self._current = self._current, number
        node = self._nodes[number]
        self._kind_of_node(node).fill(node, self._objects[number], self)
        self._current = before

    def key(self, encoded: Any) -> Any:
        """The value, to be put where its hash counts: its class may make that of all it holds."""
        if is_reference(encoded):
            queue, seen = [encoded[1]], {encoded[1]}
            for number in queue:
                inner = [] if number in self._filled else references(self._nodes[number])
                queue += [one for one in inner if one not in seen]
                seen.update(inner)
            for number in reversed(queue):
                self._fill(number)
        return self.value(encoded)

    def filled_value(self, encoded: Any) -> Any:
        """The value, for somebody who copies what is in it, or asks for its hash: containers and
        instances of it that are not those of the program have their content already."""
        if is_reference(encoded):
            self._fill_early(encoded[1])
        return self.value(encoded)

    def _fill_early(self, number: int) -> None:
        value, node = self.object(number), self.node(number)
        if number in self._filled or self.is_live(number):
            return
        is_plain = isinstance(value, tuple) or type(value) in (list, dict, set, bytearray)
        if is_plain or node["t"] == "object":
            self._filled.add(number)
            for inner in references(node):
                self._fill_early(inner)
            self._kind_of_node(node).fill(node, value, self)

    def class_of(self, node: Node, usual: type) -> Any:
        """The class of a node; AL071 if nobody knows it."""
        name = node.get("class")
        if name is None:
            return usual
        if name["module"] is not None:
            try:
                return find_imported(name["module"], name["export"])
            except LookupError:
                pass
        found = {type(one) for one in self._live.values() if type(one).__name__ == name["name"]}
        if len(found) == 1:
            return found.pop()
        why = f"it is an instance of {name['name']} made in the loop, and that class is not known"
        help = f"let the state hold an instance of {name['name']} before the loop"
        raise self.mismatch(why, help)

    def live_or_new(self, node: Node, live: Any, usual: type) -> Any:
        """The live object, if it is of the node's class, else an empty one of it."""
        if live is not None and class_name(type(live)) == node.get("class"):
            # Nobody need find the class again, which may have been made for this object.
            return live
        made_of = self.class_of(node, usual)
        if live is not None and type(live) is made_of:
            return live
        return made_of.__new__(made_of)

    def lacking(self, what: str) -> Callable[[], None]:
        """To be called when the program needs of the present node's value what is not there."""
        # The restoration must not live on with the value: it holds every object of the state.
        path, needs = self._node_path(self._current), self._needs
        return lambda: needs(path, what)

    def mismatch(self, why: str, help: Any = None) -> AfterlogError:
        """AL071 for the present node."""
        return cannot_restore(self._node_path(self._current), why, help)

    def _node_path(self, number: int) -> str:
        """A place that leads to the node, for messages."""
        for captured in self._structure["places"]:
            if captured.get("value") == ["ref", number]:
                return captured["key"].partition(".")[2] or captured["key"]
        return f"object {number} of the checkpoint"


def restore(
    places: Sequence[Place],
    structure: Dict[str, Any],
    entry: EntryIds,
    read: Callable[[str], memoryview],
    needs: Callable[[str, str], None] = refuse_lacking,
) -> None:
    """Gives the places the state of a checkpoint. `entry`: the objects they reached when the
    checkpoint's loop was entered, held. `needs` is called, with the path of a value, when the
    program later comes to what the checkpoint does not have of it: a tensor's history, for one."""
    Restoration(structure, entry, read, needs).run(places)
