"""The state walked again where little has changed since.

From one checkpoint to the next a training changes numbers in its tensors, and here and there a
plain number; the objects and what refers to what stay. So all objects of a kind are asked together
whether they are as the last walk saw them, which takes a microsecond for each; only others are
written anew. As soon as one refers to other objects than before, or has other memory, everything
is walked as if for the first time: the graph must not depend on how it was made.
"""

import collections
import itertools
import operator
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..format.errors import AfterlogError
from ..materialize.materializer import Snapshot
from .kinds import Kind, kind_of
from .places import EntryIds, Place
from .recall_values import kept
from .scalars import NOT_A_SCALAR, encode_scalar


class Restructured(Exception):
    """The graph is not the one that was walked."""


class Walked(NamedTuple):
    """What a walk has met, by number."""

    places: List[Dict[str, Any]]
    objects: List[Any]
    kinds: List[Kind]
    nodes: List[Dict[str, Any]]
    # Numbers of nodes that hold something known by its number at the loop's entry only.
    with_opaque: Set[int]


class _Group:
    """Objects of one kind."""

    def __init__(self, kind: Kind, numbers: List[int], objects: List[Any]) -> None:
        self.kind = kind
        self.numbers = numbers
        self.memo: Any = None
        self.remember(objects)

    def values(self, objects: List[Any]) -> List[Any]:
        return [objects[number] for number in self.numbers]

    def remember(self, objects: List[Any]) -> None:
        self.memo = self.kind.memo(self.values(objects))

    def changed(self, objects: List[Any]) -> List[int]:
        found = self.kind.changed(self.values(objects), self.memo)
        return [self.numbers[index] for index in found]


class Recalled:
    """A walk that can be repeated."""

    def __init__(self, walked: Walked, snapshot: Snapshot, entry: Optional[EntryIds]) -> None:
        objects = walked.objects
        self._places = walked.places
        self._kinds = walked.kinds
        self._nodes = walked.nodes
        self._with_opaque = walked.with_opaque
        self._get: List[Callable[[], Any]] = [kept(one) for one in objects]
        # Of the last walk, by number.
        self.objects: List[Any] = []
        self._entry = entry
        self._entry_numbers = snapshot.entry
        self._leaves = snapshot.leaves
        self._numbers = {id(one): number for number, one in enumerate(objects)}
        self._owners = [at for at, kind in enumerate(walked.kinds) if kind.has_parts]
        self._parts = self._parts_of(objects)
        self._renews = self._can_renew()
        renewed = set(self._parts) if self._renews else set()
        groups: Dict[Kind, List[int]] = {}
        for number, kind in enumerate(walked.kinds):
            if number not in renewed:
                groups.setdefault(kind, []).append(number)
        self._groups = [_Group(kind, numbers, objects) for kind, numbers in groups.items()]
        by_kind: Dict[Kind, List[int]] = {}
        for number in sorted(renewed - {None}):
            by_kind.setdefault(walked.kinds[number], []).append(number)
        self._part_groups = [_Group(kind, numbers, objects) for kind, numbers in by_kind.items()]

    def _parts_of(self, objects: List[Any]) -> List[Optional[int]]:
        """Numbers of the parts, in the order of their owners."""
        parts = [self._kinds[at].part(objects[at]) for at in self._owners]
        return [None if part is None else self._numbers[id(part)] for part in parts]

    def _can_renew(self) -> bool:
        """Whether others may stand for the parts: not if one of them is also reached in another
        way, or sees memory that others see."""
        referrers = collections.Counter(
            number for node in self._nodes for number in references(node)
        )
        referrers.update(one["value"][1] for one in self._places if is_reference(one.get("value")))
        seers = collections.Counter(node.get("tensor") for node in self._nodes)
        for number in self._parts:
            if number is None:
                continue
            node = self._nodes[number]
            if referrers[number] != 1 or seers[node.get("tensor")] != 1 or node.get("raw"):
                return False
        return True

    def again(self, places: Sequence[Place], entry: Optional[EntryIds]) -> Snapshot:
        """The state now; `Restructured` if it must be walked anew."""
        objects = self.objects = [get() for get in self._get]
        renewed = self._renew(objects)
        if any(map(operator.is_, objects, itertools.repeat(None))):
            raise Restructured
        captured = self._find(places, objects, entry)
        moved = entry is not self._entry
        self._rewrite(objects, entry, moved)
        get_number = entry.get if entry else _no_number
        if moved:
            self._entry = entry
            self._entry_numbers = list(map(get_number, objects))
        elif renewed:
            self._entry_numbers = list(self._entry_numbers)
            for number in renewed:
                self._entry_numbers[number] = get_number(objects[number])
        values = [objects[leaf.number] for leaf in self._leaves]
        graph = {"places": captured, "nodes": self._nodes}
        return Snapshot(graph, self._entry_numbers, self._leaves, values)

    def _renew(self, objects: List[Any]) -> List[int]:
        """Puts parts that were made anew (gradients) in the place of those before."""
        renewed: List[int] = []
        for owner, number in zip(self._owners, self._parts):
            value = objects[owner]
            part = None if value is None else self._kinds[owner].part(value)
            if number is None or part is None:
                if part is not None or number is not None:
                    raise Restructured
            elif part is not objects[number]:
                if not self._renews or kind_of(part) is not self._kinds[number]:
                    raise Restructured
                renewed.append(number)
                objects[number] = part
                self._get[number] = kept(part)
        for group in self._part_groups:
            if not group.kind.are_like(group.values(objects), group.memo):
                raise Restructured
        if renewed:
            self._numbers = {id(one): number for number, one in enumerate(objects)}
        return renewed

    def _find(
        self, places: Sequence[Place], objects: List[Any], entry: Optional[EntryIds]
    ) -> List[Dict[str, Any]]:
        if [place.key for place in places] != [known["key"] for known in self._places]:
            raise Restructured
        found = []
        for place, before in zip(places, self._places):
            try:
                value = place.get()
            except (NameError, AttributeError):
                raise Restructured from None
            known = {"key": place.key, "source": place.source, "value": encode_scalar(value)}
            if known["value"] is NOT_A_SCALAR:
                reference = before.get("value")
                if not is_reference(reference) or objects[reference[1]] is not value:
                    raise Restructured
                known["value"] = reference
            elif is_reference(before.get("value")):
                raise Restructured
            number = entry.places.get(place.key) if entry else None
            found.append(known if number is None else {**known, "entry": number})
        return found

    def _rewrite(self, objects: List[Any], entry: Optional[EntryIds], moved: bool) -> None:
        """Writes the nodes anew that changed. Those of before may be on their way to the disk."""
        nodes = list(self._nodes)
        writer = _Writer(self._numbers, entry)
        for group in self._groups:
            changed = group.changed(objects)
            again = self._with_opaque.intersection(group.numbers) if moved else ()
            for number in {*changed, *again}:
                writer.has_opaque = False
                writer.current = number
                node = group.kind.write(objects[number], writer)  # type: ignore[arg-type]
                if references(node) != references(nodes[number]):
                    raise Restructured
                nodes[number] = node
                if writer.has_opaque:
                    self._with_opaque.add(number)
            if changed:
                group.remember(objects)
        self._nodes = nodes


def _no_number(_: Any) -> None:
    return None


def is_reference(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and value[0] == "ref"


def references(node: Any) -> List[int]:
    """Which objects a node refers to, in order."""
    found: List[int] = []
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, list):
            if is_reference(one):
                found.append(one[1])
            else:
                stack.extend(reversed(one))
        elif isinstance(one, dict):
            stack.extend(reversed(list(one.values())))
    return found


class _Writer:
    """What kinds ask of a walk, where every object has its number already."""

    identifying = False

    def __init__(self, numbers: Dict[int, int], entry: Optional[EntryIds]) -> None:
        self._numbers = numbers
        self._entry = entry
        self.current = -1
        self.has_opaque = False

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
        if known is None or not kind_of(value).is_opaque:
            raise Restructured
        self.has_opaque = True
        return ["entry", known]

    def values(self, items: Sequence[Tuple[Any, Any]]) -> List[Any]:
        return [self.value(item, segment) for segment, item in items]

    def refuse(self, what: str, help: Optional[str] = None) -> AfterlogError:
        raise Restructured


__all__ = ["Recalled", "Restructured", "Walked"]
