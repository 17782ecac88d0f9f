"""The state walked again where little has changed since.

From one checkpoint to the next a training changes numbers in its tensors, and here and there a
plain number; the objects and what refers to what stay. So each object says whether it is as the
last walk saw it, which takes a microsecond; only others are written anew. As soon as one refers to
other objects than before, or has other memory, everything is walked as if for the first time: the
graph must not depend on how it was made.
"""

import collections
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..format.errors import AfterlogError
from ..materialize.materializer import Snapshot
from .kinds import Kind, kind_of
from .places import EntryIds, Place
from .recall_values import kept
from .scalars import NOT_A_SCALAR, encode_scalar


class Restructured(Exception):
    """The graph is not the one that was walked."""


class Seen(NamedTuple):
    """An object as the last walk saw it."""

    get: Callable[[], Any]
    kind: Kind
    memo: Any
    node: Dict[str, Any]
    # Some of what it holds is known by its number at the loop's entry only.
    has_opaque: bool
    # Numbers of the parts that are often replaced.
    parts: Tuple[int, ...]


class Recalled:
    """A walk that can be repeated."""

    def __init__(
        self,
        places: List[Dict[str, Any]],
        seen: List[Seen],
        snapshot: Snapshot,
        entry: Optional[EntryIds],
    ) -> None:
        self._places = places
        self._seen = seen
        # Of the last walk, by number.
        self.objects: List[Any] = []
        self._entry = entry
        self._entry_numbers = snapshot.entry
        self._referrers = collections.Counter(
            number for one in seen for _, number in references(one.node)
        )
        self._referrers.update(
            one["value"][1] for one in places if _is_reference(one.get("value"))
        )
        # Memory that several objects see is for a walk to lay out.
        self._seers = collections.Counter(one.node.get("tensor") for one in seen)
        # Without the objects: those are their owners'.
        self._leaves = [leaf._replace(value=None) for leaf in snapshot.leaves]

    def again(self, places: Sequence[Place], entry: Optional[EntryIds]) -> Snapshot:
        """The state now; `Restructured` if it must be walked anew."""
        objects = self.objects = [one.get() for one in self._seen]
        captured = self._find(places, objects, entry)
        writer = _Writer(objects, entry)
        moved = entry is not self._entry
        nodes = []
        for number in range(len(objects)):
            value, one = objects[number], self._seen[number]
            if value is None:
                raise Restructured
            if one.parts or one.kind.parts(value):
                writer.renewed |= self._renew(one, value, objects)
            fresh = one.kind.is_same(value, one.memo) and not (moved and one.has_opaque)
            nodes.append(one.node if fresh else self._rewrite(writer, number, value))
        if moved or writer.renewed:
            self._entry = entry
            self._entry_numbers = [entry.get(value) if entry else None for value in objects]
        leaves = [leaf._replace(value=objects[leaf.number]) for leaf in self._leaves]
        return Snapshot({"places": captured, "nodes": nodes}, self._entry_numbers, leaves)

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
                if not _is_reference(reference) or objects[reference[1]] is not value:
                    raise Restructured
                known["value"] = reference
            elif _is_reference(before.get("value")):
                raise Restructured
            number = entry.places.get(place.key) if entry else None
            found.append(known if number is None else {**known, "entry": number})
        return found

    def _renew(self, owner: Seen, value: Any, objects: List[Any]) -> bool:
        """Puts parts that were made anew (gradients) in the place of those before."""
        renewed = False
        parts = owner.kind.parts(value)
        if len(parts) != len(owner.parts):
            raise Restructured
        for part, number in zip(parts, owner.parts):
            if objects[number] is part:
                continue
            one = self._seen[number]
            if self._referrers[number] != 1 or self._seers[one.node.get("tensor")] != 1:
                raise Restructured
            if kind_of(part) is not one.kind or one.node.get("raw"):
                raise Restructured
            if not one.kind.is_like(part, one.memo) or one.kind.parts(part):
                raise Restructured
            renewed = True
            objects[number] = part
            self._seen[number] = one._replace(get=kept(part), memo=one.kind.memo(part))
        return renewed

    def _rewrite(self, writer: "_Writer", number: int, value: Any) -> Dict[str, Any]:
        one = self._seen[number]
        writer.current = number
        writer.has_opaque = False
        node = one.kind.write(value, writer)  # type: ignore[arg-type]
        if references(node) != references(one.node):
            raise Restructured
        memo = one.kind.memo(value)
        self._seen[number] = one._replace(memo=memo, node=node, has_opaque=writer.has_opaque)
        return node


def _is_reference(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and value[0] == "ref"


def references(node: Any) -> List[Tuple[str, int]]:
    """Which objects a node refers to, in order."""
    found: List[Tuple[str, int]] = []
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, list):
            if _is_reference(one):
                found.append((one[0], one[1]))
            else:
                stack.extend(reversed(one))
        elif isinstance(one, dict):
            stack.extend(reversed(list(one.values())))
    return found


class _Writer:
    """What kinds ask of a walk, where every object has its number already."""

    identifying = False

    def __init__(self, objects: List[Any], entry: Optional[EntryIds]) -> None:
        self._objects = objects
        self._entry = entry
        self._numbers: Optional[Dict[int, int]] = None
        self.current = -1
        self.has_opaque = False
        self.renewed = False

    @property
    def tensors(self) -> Any:
        # Memory of its own: that is for a walk to lay out.
        raise Restructured

    def value(self, value: Any, segment: Any) -> Any:
        scalar = encode_scalar(value)
        if scalar is not NOT_A_SCALAR:
            return scalar
        if self._numbers is None:
            self._numbers = {id(one): number for number, one in enumerate(self._objects)}
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


__all__ = ["Recalled", "Restructured", "Seen"]
