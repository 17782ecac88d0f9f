"""The state walked again where little has changed since.

From one checkpoint to the next a training changes numbers in its tensors, and here and there a
plain number; the objects and what refers to what stay. So all objects of a kind are asked together
whether they are as the last walk saw them, which takes a microsecond for each; only others are
written anew. As soon as one refers to other objects than before, or has other memory, everything
is walked as if for the first time: the graph must not depend on how it was made.
"""

from typing import (
    AbstractSet,
    Any,
    Callable,
    Dict,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from ..format.errors import AfterlogError
from ..format.structure import is_reference, references
from ..materialize.materializer import Snapshot
from .kinds import Kind, kind_of
from .lenient import why_left_out
from .places import EntryIds, LeafNames, Place
from .recall_parts import Parts, Restructured, Walked
from .recall_values import Known, Reached, picker
from .scalars import NOT_A_SCALAR, encode_scalar
from .tensor_book import Spans


class _Group:
    """Objects of one kind."""

    def __init__(self, kind: Kind, numbers: List[int], known: Known) -> None:
        self.kind = kind
        self.numbers = numbers
        self.values = picker(numbers)
        self.memo: Any = None
        self.remember(known)

    def remember(self, known: Known) -> None:
        self.memo = self.kind.memo(self.values(known.objects), known)

    def changed(self, known: Known) -> List[int]:
        found = self.kind.changed(self.values(known.objects), self.memo, known)
        return [self.numbers[index] for index in found]

    def among(self, numbers: Set[int]) -> Set[int]:
        return numbers.intersection(self.numbers) if numbers else numbers


class _Renewed(NamedTuple):
    """Objects that may stand for others: their numbers, and where those before lay in memory."""

    numbers: Sequence[int]
    before: Sequence[int]


class _Remembered:
    """The objects of a walk by number, each with what it takes to see whether it has changed."""

    def __init__(self, walked: Walked, sees_memory: bool) -> None:
        self._nodes = walked.nodes
        self.numbers = {id(one): number for number, one in enumerate(walked.objects)}
        known = Known(walked.objects, self.numbers)
        self._parts = Parts(walked, known, sees_memory)
        renewed = self._parts.renewed
        self._staying = {at: one for at, one in self.numbers.items() if one not in renewed}
        # Parts are asked for each time, and need not be found.
        self._reached = Reached(walked.objects, self._parts.renewed)
        # Where memory begins that is not that of parts.
        self._taken: AbstractSet[int] = frozenset()
        groups: Dict[Kind, List[int]] = {}
        for number, kind in enumerate(walked.kinds):
            if number not in self._parts.renewed:
                groups.setdefault(kind, []).append(number)
        self._groups = [_Group(kind, numbers, known) for kind, numbers in groups.items()]

    def reach(self) -> Tuple[List[Any], _Renewed]:
        """The objects now, and which of them may stand for others."""
        objects = self._reached.now()
        if objects is None:
            raise Restructured
        parts, before = self._parts, self._parts.at
        found = parts.find(objects, self._taken)
        for number, part in zip(parts.numbers, found):
            objects[number] = part
        if parts.at != before:
            # Others may still read those of before.
            self.numbers = self._staying.copy()
            self.numbers.update(zip(parts.at, parts.numbers))
        return objects, _Renewed(parts.numbers, before)

    def rewrite(self, objects: List[Any], writer: "_Writer", again: Set[int]) -> None:
        """Writes the nodes anew that changed. Those of before may be on their way to the disk."""
        nodes = list(self._nodes)
        known = Known(objects, self.numbers)
        for group in self._groups:
            changed = group.changed(known)
            for number in {*changed, *group.among(again)}:
                writer.current = number
                # It has what kinds ask of a walk, and is none.
                node = group.kind.write(objects[number], writer)  # type: ignore[arg-type]
                if references(node) != references(nodes[number]):
                    raise Restructured
                nodes[number] = node
            if changed:
                group.remember(known)
        self._nodes = nodes


class Base(NamedTuple):
    """A captured state that a walk can go on from."""

    snapshot: Snapshot
    objects: List[Any]
    # By where the objects lie in memory.
    numbers: Dict[int, int]
    names: LeafNames
    # Where objects lay when the loop was entered that it may not reach any more.
    outside: List[int]
    # Which memory it sees.
    spans: Callable[[], List[Spans]]


class Recalled(_Remembered):
    """A captured state that can be captured again."""

    def __init__(self, walked: Walked, snapshot: Snapshot, entry: Optional[EntryIds]) -> None:
        super().__init__(walked, sees_memory=True)
        self._places = snapshot.graph["places"]
        self._with_opaque = walked.with_opaque
        self._enter(entry)
        self._entry_numbers = snapshot.entry
        self._leaves = snapshot.leaves
        self._names = LeafNames()
        for leaf in self._leaves:
            self._names.take(leaf.spec.name)
        numbers, renewed = [leaf.number for leaf in self._leaves], self._parts.renewed
        self._values = picker(numbers)
        # Memory that stays where it is; that of parts is looked at each time.
        self._spans = Spans(walked.objects[one] for one in numbers if one not in renewed)
        self._moving = [one for one in numbers if one in renewed]
        self._taken = frozenset(self._spans.starts)

    def base(self, snapshot: Snapshot, objects: List[Any]) -> Base:
        def spans() -> List[Spans]:
            return [self._spans, Spans(objects[number] for number in self._moving)]

        return Base(snapshot, objects, self.numbers, self._names, self._outside, spans)

    def _enter(self, entry: Optional[EntryIds]) -> None:
        self._entry = entry
        self._outside = entry.outside(self._staying) if entry else []

    def again(self, places: Sequence[Place], entry: Optional[EntryIds]) -> Base:
        """The state now; `Restructured` if it must be walked anew."""
        objects, renewed = self.reach()
        captured = self._find(places, entry)
        moved = entry is not self._entry
        writer = _Writer(self.numbers, entry, self._with_opaque)
        self.rewrite(objects, writer, self._with_opaque if moved else set())
        if moved:
            self._entry_numbers = entry.get_all(objects) if entry else [None] * len(objects)
            _check_known(self._entry_numbers, entry)
            self._enter(entry)
        elif renewed.numbers and entry is not None:
            self._entry_numbers = list(self._entry_numbers)
            parts = [objects[number] for number in renewed.numbers]
            for number, known in zip(renewed.numbers, entry.get_all(parts)):
                self._entry_numbers[number] = known
        graph = {"places": captured, "nodes": self._nodes}
        values = self._values(objects)
        return self.base(Snapshot(graph, self._entry_numbers, self._leaves, values), objects)

    def _find(self, places: Sequence[Place], entry: Optional[EntryIds]) -> List[Dict[str, Any]]:
        if [place.key for place in places] != [known["key"] for known in self._places]:
            raise Restructured
        writer = _Writer(self.numbers, entry, set())
        found = []
        for place, before in zip(places, self._places):
            found.append(self._look(place, before, writer))
            number = entry.places.get(place.key) if entry else None
            if number is not None and "value" in found[-1]:
                found[-1]["entry"] = number
        return found

    def _look(self, place: Place, before: Dict[str, Any], writer: "_Writer") -> Dict[str, Any]:
        """What a place holds now, if that is no other object than before."""
        known: Dict[str, Any] = {"key": place.key, "source": place.source}
        try:
            value = place.get()
        except (NameError, AttributeError):
            known["unbound"] = True
        else:
            why = why_left_out(place, value) if place.source == "b" else None
            known.update({"value": writer.value(value, "")} if why is None else {"absent": why})
        if _root(known) != _root(before):
            raise Restructured
        return known


def _root(place: Dict[str, Any]) -> Any:
    """The object that a place leads to, among those of the walk."""
    value = place.get("value")
    return value if is_reference(value) else None


def _check_known(numbers: List[Optional[int]], entry: Optional[EntryIds]) -> None:
    """What the loop leaves alone is not captured."""
    first = entry.known_from if entry else None
    if first is not None and any(one is not None and one >= first for one in numbers):
        raise Restructured


class RecalledIds(_Remembered):
    """Objects that were numbered, and can be numbered again."""

    def __init__(self, walked: Walked, ids: EntryIds) -> None:
        super().__init__(walked, sees_memory=False)
        self._ids = ids

    def again(self, places: Sequence[Place]) -> Tuple[EntryIds, List[Any]]:
        """The numbers now, and the objects; `Restructured` if all must be walked anew."""
        objects, renewed = self.reach()
        for place in places:
            if self._number_of(place) != self._ids.places.get(place.key):
                raise Restructured
        self.rewrite(objects, _Writer(self.numbers, None, set(), identifying=True), set())
        if renewed.numbers:
            # Loops around go on with what they know.
            self._ids = self._ids.copy()
            for at in renewed.before:
                self._ids.discard(at)
            for number in renewed.numbers:
                self._ids.add(objects[number], number)
        return self._ids, objects

    def _number_of(self, place: Place) -> Optional[int]:
        try:
            value = place.get()
        except (NameError, AttributeError):
            return None
        number = self.numbers.get(id(value))
        if number is None and encode_scalar(value) is NOT_A_SCALAR:
            raise Restructured
        return number


class _Writer:
    """What kinds ask of a walk, where every object has its number already."""

    def __init__(
        self,
        numbers: Dict[int, int],
        entry: Optional[EntryIds],
        with_opaque: Set[int],
        identifying: bool = False,
    ) -> None:
        self.identifying = identifying
        self._numbers = numbers
        self._entry = entry
        self._with_opaque = with_opaque
        self.current = -1

    @property
    def tensors(self) -> Any:
        # Memory of its own: that is for a walk to lay out.
        raise Restructured

    def value(self, value: Any, segment: Any) -> Any:
        scalar = encode_scalar(value)
        if scalar is not NOT_A_SCALAR:
            return scalar
        number = self._numbers.get(id(value))
        if number is not None:
            return ["ref", number]
        known = self._entry.get(value) if self._entry else None
        if known is None or not (kind_of(value).is_opaque or self._is_left_alone(known)):
            raise Restructured
        self._with_opaque.add(self.current)
        return ["entry", known]

    def _is_left_alone(self, number: int) -> bool:
        first = self._entry.known_from if self._entry else None
        return first is not None and number >= first

    def values(self, items: Sequence[Tuple[Any, Any]]) -> List[Any]:
        return [self.value(item, segment) for segment, item in items]

    def knows(self, value: Any) -> bool:
        return False

    def refuse(self, what: str, help: Optional[str] = None) -> AfterlogError:
        raise Restructured


__all__ = ["Base", "Recalled", "RecalledIds"]
