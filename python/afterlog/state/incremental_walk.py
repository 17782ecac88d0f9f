"""The state walked again where little has changed since.

From one checkpoint to the next a training changes numbers in its tensors, and here and there a
plain number; the objects and what refers to what stay. So all objects of a kind are asked together
whether they are as the last walk saw them, which takes a microsecond for each; only others are
written anew. A list may stand where another one stood (a schedule makes its learning rates anew in
each epoch, a scaler what it knows of optimizers). As soon as an object refers to others in any
other way, or has other memory, everything is walked as if for the first time: the graph must not
depend on how it was made.
"""

import collections
import itertools
from typing import AbstractSet, Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..format.errors import AfterlogError
from ..format.structure import is_reference, references
from ..materialize.materializer import Snapshot
from ..materialize.slots import picker
from .kinds import Kind, Node
from .object_identity import Known, WeakObjects, addresses, identities
from .places import EntryIds, LeafNames, Place, is_known
from .scalars import NOT_A_SCALAR, encode_scalar
from .tensor_registry import Spans
from .walk import Base, StructureChanged, Walk


_NONE_AT = id(None)


class ReplaceableParts:
    """Objects that others are put in the place of, from checkpoint to checkpoint: gradients, which
    `backward` makes anew in every step. They keep their numbers as long as only their bytes
    differ."""

    def __init__(self, walk: Walk, roots: Sequence[int], known: Known, sees_memory: bool) -> None:
        owners: Dict[Kind, List[int]] = {}
        for number, kind in enumerate(walk.kinds):
            if kind.has_parts:
                owners.setdefault(kind, []).append(number)
        found = _find_parts(_part_pickers(owners), known.objects)
        numbers = [known.numbers[id(part)] for part in found if part is not None]
        self._can_replace_parts = _can_replace_parts(walk.nodes, roots, numbers, sees_memory)
        # Those that others may stand for. The rest stays.
        self.numbers: List[int] = numbers if self._can_replace_parts else []
        self.renewed = renewed = frozenset(self.numbers)
        self._owners = _part_pickers(
            {kind: [one for one in own if one not in renewed] for kind, own in owners.items()}
        )
        parts = _find_parts(self._owners, known.objects)
        self._with = picker([at for at, part in enumerate(parts) if part is not None])
        self._without = picker([at for at, part in enumerate(parts) if part is None])
        self._are_none = identities(self._without(parts))
        self._ids = identities(parts)
        # Where they lie in memory.
        self.at = [id(known.objects[number]) for number in self.numbers]
        self._staying_at = frozenset(
            id(one) for number, one in enumerate(known.objects) if number not in renewed
        )
        self._likes = self._memos(walk.kinds, known)

    def replace_staying(self, before: int, now: int) -> None:
        """Where an object lay that is no part, and where the one lies that stands for it."""
        self._staying_at = (self._staying_at - {before}) | {now}

    def _memos(self, kinds: Sequence[Kind], known: Known) -> List[Tuple[Kind, Any, Any]]:
        """For each kind: which of the parts are of it, and what they are like."""
        groups: Dict[Kind, List[int]] = {}
        for index, number in enumerate(self.numbers):
            groups.setdefault(kinds[number], []).append(index)
        found = []
        for kind, indices in groups.items():
            values = [known.objects[self.numbers[index]] for index in indices]
            found.append((kind, picker(indices), kind.memo(values, known)))
        return found

    def find(self, objects: Sequence[Any], taken: AbstractSet[int]) -> Tuple[Any, ...]:
        """The parts now, by the order of their numbers."""
        parts = _find_parts(self._owners, objects)
        # Others may lie where those before did, which are gone: that changes nothing here.
        is_same = identities(parts) == self._ids
        if not is_same:
            if not self._can_replace_parts or identities(self._without(parts)) != self._are_none:
                raise StructureChanged
        found = self._with(parts)
        at = addresses(found)
        if not is_same and _NONE_AT in at:
            raise StructureChanged
        for kind, pick, memo in self._likes:
            if not kind.are_like(pick(found), memo, taken):
                raise StructureChanged
        if not is_same and not self._staying_at.isdisjoint(at):
            # It is also reached in another way.
            raise StructureChanged
        self._ids = identities(parts)
        if not self._can_replace_parts:
            return ()
        self.at = at
        return found


def _part_pickers(owners: Dict[Kind, List[int]]) -> List[Tuple[Kind, Any]]:
    return [(kind, picker(numbers)) for kind, numbers in owners.items()]


def _find_parts(owners: Sequence[Tuple[Kind, Any]], objects: Sequence[Any]) -> Tuple[Any, ...]:
    """The part of each owner, or None."""
    if len(owners) == 1:
        kind, pick = owners[0]
        return kind.parts(pick(objects))
    return tuple(itertools.chain.from_iterable(kind.parts(pick(objects)) for kind, pick in owners))


def _can_replace_parts(
    nodes: Sequence[Node], roots: Sequence[int], parts: Sequence[int], sees_memory: bool
) -> bool:
    """Whether others may stand for the parts: not if one of them is also reached in another way,
    has parts itself, or sees memory that others see."""
    referrers = collections.Counter(number for node in nodes for number in references(node))
    referrers.update(roots)
    seers = collections.Counter(node.get("tensor") for node in nodes)
    for number in parts:
        node = nodes[number]
        if referrers[number] != 1 or references(node):
            return False
        if sees_memory and (seers[node.get("tensor")] != 1 or node.get("raw")):
            return False
    return True


class _ObjectsOfKind:
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


class _ReplacedObjects(NamedTuple):
    """Objects that may stand for others: their numbers, and where those before lay in memory."""

    numbers: Sequence[int]
    before: Sequence[int]


class Replacement(NamedTuple):
    """An object that has the number now that another one had."""

    number: int
    before: Any
    now: Any


# Collections of which nobody has weak references: what is replaced is kept alive by us alone.
_REPLACEABLE = (list, dict, tuple, collections.defaultdict)


class WalkedObjects:
    """The objects of a walk by number, each with what it takes to see whether it has changed."""

    def __init__(self, walk: Walk, roots: Sequence[int], sees_memory: bool) -> None:
        """`roots`: numbers of the objects that places hold."""
        self._nodes = walk.nodes
        self._roots = roots
        # References never change; and who has them is rarely asked for.
        self._only_referrers: Optional[Dict[int, int]] = None
        # What this walk has found, until others are told; and what it was told since it was walked
        # last: that is written anew in any case.
        self.replaced: List[Replacement] = []
        self._stale: Set[int] = set()
        # Numbers that are of other objects than when the state was walked last.
        self._renumbered: Set[int] = set()
        self.numbers = walk.numbers
        known = Known(walk.objects, self.numbers)
        self._parts = ReplaceableParts(walk, roots, known, sees_memory)
        renewed = self._parts.renewed
        self._staying = {at: one for at, one in self.numbers.items() if one not in renewed}
        # ReplaceableParts are asked for each time, and need not be found.
        self._objects = WeakObjects(known.objects, self._parts.renewed)
        # Where memory begins that is not that of parts.
        self._taken: AbstractSet[int] = frozenset()
        groups: Dict[Kind, List[int]] = {}
        for number, kind in enumerate(walk.kinds):
            if number not in self._parts.renewed:
                groups.setdefault(kind, []).append(number)
        self._groups = [_ObjectsOfKind(kind, numbers, known) for kind, numbers in groups.items()]

    def find_objects(self) -> Tuple[List[Any], _ReplacedObjects]:
        """The objects now, and which of them may stand for others."""
        objects = self._objects.now()
        if objects is None:
            raise StructureChanged
        parts, before = self._parts, self._parts.at
        found = parts.find(objects, self._taken)
        for number, part in zip(parts.numbers, found):
            objects[number] = part
        if parts.at != before:
            # Others may still read those of before.
            self.numbers = self._staying.copy()
            self.numbers.update(zip(parts.at, parts.numbers))
        return objects, _ReplacedObjects(parts.numbers, before)

    def write_changed(self, objects: List[Any], walk: "_FixedWalk", again: Set[int]) -> None:
        """Writes the nodes anew that changed. Those of before may be on their way to the disk."""
        nodes = list(self._nodes)
        again = again | self._stale
        written: Set[int] = set()
        for group in self._groups:
            changed = group.changed(Known(objects, self.numbers))
            for number in {*changed, *group.among(again)}:
                walk.current = number
                node = group.kind.write(objects[number], walk)
                if walk.unknown:
                    written.update(self._adopt(number, node, objects, nodes, walk))
                    node = group.kind.write(objects[number], walk)
                # Memory of its own is for a first walk to lay out.
                if walk.tensors or references(node) != references(nodes[number]) or walk.unknown:
                    raise StructureChanged
                nodes[number] = node
                written.add(number)
        known = Known(objects, self.numbers)
        for group in self._groups:
            if group.among(written):
                group.remember(known)
        self._nodes = nodes
        self._stale = set()

    def _adopt(
        self, number: int, node: Node, objects: List[Any], nodes: List[Node], walk: "_FixedWalk"
    ) -> List[int]:
        """An object refers to others than before: those take the numbers of what stood there, if
        that is what a first walk would do. Returns these numbers."""
        before, now = references(nodes[number]), references(node)
        unknown, walk.unknown = walk.unknown, []
        if len(before) != len(now):
            raise StructureChanged
        adopted = []
        for old, new in zip(before, now):
            if new == old:
                continue
            if new >= 0 or self._only_referrer(old) is None:
                raise StructureChanged
            value, kind = unknown[-1 - new]
            if type(value) is not type(objects[old]):
                raise StructureChanged
            walk.current = old
            written = kind.write(value, walk)
            if walk.unknown or references(written) != references(nodes[old]):
                raise StructureChanged
            nodes[old] = written
            replacement = Replacement(old, objects[old], value)
            self._replace(replacement)
            self.replaced.append(replacement)
            objects[old] = value
            adopted.append(old)
        walk.use_numbers(self.numbers)
        walk.current = number
        return adopted

    def _only_referrer(self, number: int) -> Optional[int]:
        """Who refers to an object, if only one does, and once."""
        if self._only_referrers is None:
            found: Dict[int, int] = {}
            several = set(self._roots)
            for referrer, node in enumerate(self._nodes):
                for one in references(node):
                    if one in found:
                        several.add(one)
                    found[one] = referrer
            self._only_referrers = {one: by for one, by in found.items() if one not in several}
        return self._only_referrers.get(number)

    def _replace(self, replacement: Replacement) -> None:
        number, before, now = replacement
        if type(before) not in _REPLACEABLE:
            raise StructureChanged
        self._objects.replace(number, now)
        self._parts.replace_staying(id(before), id(now))
        # Others may still read those of before.
        self._staying, self.numbers = dict(self._staying), dict(self.numbers)
        for numbers in (self._staying, self.numbers):
            del numbers[id(before)]
            numbers[id(now)] = number
        self._renumbered.add(number)

    def take_over(self, replacement: Replacement) -> bool:
        """Another walk over these objects has found that one stands for another: this one must not
        keep what is gone alive. False: it cannot be used any more."""
        number = self.numbers.get(id(replacement.before))
        if number is None:
            return True
        referrer = self._only_referrer(number)
        if referrer is None:
            return False
        self._replace(replacement._replace(number=number))
        # Another object may lie there when it is looked at again.
        self._stale.update((number, referrer))
        return True


class RepeatedCapture(WalkedObjects):
    """A captured state that can be captured again."""

    def __init__(self, walk: Walk, snapshot: Snapshot, entry: Optional[EntryIds]) -> None:
        self._places = snapshot.graph["places"]
        roots = [root[1] for root in map(_place_root, self._places) if root is not None]
        super().__init__(walk, roots, sees_memory=True)
        # Numbers of nodes that hold something known by its number at the loop's entry only.
        self._with_opaque = walk.with_opaque
        self._enter_loop(entry)
        self._entry_numbers = snapshot.entry
        self._leaves = snapshot.leaves
        self._names = LeafNames()
        for leaf in self._leaves:
            self._names.take(leaf.spec.name)
        numbers, renewed = [leaf.number for leaf in self._leaves], self._parts.renewed
        self._values = picker(numbers)
        # Memory that stays where it is; that of parts is looked at each time.
        objects = walk.objects
        self._spans = Spans(objects[one] for one in numbers if one not in renewed)
        self._moving = [one for one in numbers if one in renewed]
        self._taken = frozenset(self._spans.starts)

    def base(self, snapshot: Snapshot, objects: List[Any]) -> Base:
        def spans() -> List[Spans]:
            return [self._spans, Spans(objects[number] for number in self._moving)]

        return Base(snapshot, objects, self.numbers, self._names, self._outside, spans)

    def _enter_loop(self, entry: Optional[EntryIds]) -> None:
        self._entry = entry
        self._outside = entry.outside(self._staying) if entry else []

    def again(self, places: Sequence[Place], entry: Optional[EntryIds]) -> Base:
        """The state now; `StructureChanged` if it must be walked anew."""
        objects, renewed = self.find_objects()
        walk = _FixedWalk(self.numbers, entry, self._with_opaque)
        walk.leave(places)
        own = [place for place in places if not place.left]
        captured = [walk.capture_place(place, index) for index, place in enumerate(own)]
        if list(map(_place_identity, captured)) != list(map(_place_identity, self._places)):
            raise StructureChanged
        moved = entry is not self._entry
        self.write_changed(objects, walk, self._with_opaque if moved else set())
        if moved:
            self._entry_numbers = entry.get_all(objects) if entry else [None] * len(objects)
            _check_known(self._entry_numbers, entry)
            self._enter_loop(entry)
        elif renewed.numbers and entry is not None:
            self._entry_numbers = list(self._entry_numbers)
            parts = [objects[number] for number in renewed.numbers]
            for number, known in zip(renewed.numbers, entry.get_all(parts)):
                self._entry_numbers[number] = known
        if self._renumbered:
            self._entry_numbers = list(self._entry_numbers)
            for number in self._renumbered:
                self._entry_numbers[number] = entry.get(objects[number]) if entry else None
            self._renumbered = set()
            self._enter_loop(entry)
        graph = {"places": captured, "nodes": self._nodes}
        values = self._values(objects)
        return self.base(Snapshot(graph, self._entry_numbers, self._leaves, values), objects)


def _place_root(place: Dict[str, Any]) -> Any:
    """The object that a place leads to, among those of the walk."""
    value = place.get("value")
    return value if is_reference(value) else None


def _place_identity(place: Dict[str, Any]) -> Any:
    return place["key"], _place_root(place)


def _check_known(numbers: List[Optional[int]], entry: Optional[EntryIds]) -> None:
    """What the loop leaves alone is not captured."""
    if entry is not None and any(one is not None and is_known(one) for one in numbers):
        raise StructureChanged


class RepeatedNumbering(WalkedObjects):
    """Objects that were numbered, and can be numbered again."""

    def __init__(self, walk: Walk, ids: EntryIds) -> None:
        super().__init__(walk, list(ids.places.values()), sees_memory=False)
        self._ids = ids
        # They are no parts that others stand for.
        self._functions = [walk.numbers[id(one)] for one in walk.functions]

    def functions(self, objects: Sequence[Any]) -> List[Any]:
        """Those of the objects that may hold something apart."""
        return [objects[number] for number in self._functions]

    def again(self, places: Sequence[Place]) -> Tuple[EntryIds, List[Any]]:
        """The numbers now, and the objects; `StructureChanged` if all must be walked anew."""
        objects, renewed = self.find_objects()
        for place in places:
            if not place.left and self._number_of(place) != self._ids.places.get(place.key):
                raise StructureChanged
        walk = _FixedWalk(self.numbers, None, set(), identifying=True)
        walk.leave(places)
        self.write_changed(objects, walk, set())
        if renewed.numbers:
            # Loops around go on with what they know.
            self._ids = self._ids.copy()
            for at in renewed.before:
                self._ids.discard(at)
            for number in renewed.numbers:
                self._ids.add(objects[number], number)
        return self._ids, objects

    def _replace(self, replacement: Replacement) -> None:
        super()._replace(replacement)
        # At once: what is known here is kept alive.
        self._ids = self._ids.copy()
        self._ids.discard(id(replacement.before))
        self._ids.add(replacement.now, replacement.number)

    def _number_of(self, place: Place) -> Optional[int]:
        try:
            value = place.get()
        except (NameError, AttributeError):
            return None
        number = self.numbers.get(id(value))
        if number is None and encode_scalar(value) is NOT_A_SCALAR:
            raise StructureChanged
        return number


class _FixedWalk(Walk):
    """A walk over objects that all have their numbers: meeting another ends it, unless that may
    stand for one of them."""

    def __init__(
        self,
        numbers: Dict[int, int],
        entry: Optional[EntryIds],
        with_opaque: Set[int],
        identifying: bool = False,
    ) -> None:
        super().__init__(identifying, entry)
        self._numbers = numbers
        self.with_opaque = with_opaque
        # Plain objects that have no number: the first is called -1, the next -2.
        self.unknown: List[Tuple[Any, Kind]] = []

    def use_numbers(self, numbers: Dict[int, int]) -> None:
        self._numbers = numbers

    def _meet(self, value: Any, kind: Kind, segment: str) -> int:
        if type(value) not in _REPLACEABLE:
            raise StructureChanged
        self.unknown.append((value, kind))
        return -len(self.unknown)

    def refuse(self, what: str, help: Optional[str] = None, inner: str = "") -> AfterlogError:
        raise StructureChanged
