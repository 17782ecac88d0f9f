"""The walk over the places: numbers objects in the order in which it meets them, and writes one
node for each. Breadth first with an explicit queue, so that depth costs no stack."""

import contextlib
import gc
import math
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..format.clocks import thread_time
from ..format.errors import AfterlogError, describe_error
from ..materialize.materializer import Snapshot
from .held_by_functions import HOLDERS, held_by
from .made_functions import MADE_FUNCTION, says_what_it_is
from .kinds import Kind, kind_of
from .objects import OpaqueKind
from .places import DEAD_FROM, HELD_FROM, KNOWN_FROM, EntryIds, LeafNames, Place
from .places import cannot_capture, is_known, place_labels
from .scalars import NOT_A_SCALAR, encode_left, encode_scalar
from .tensor_registry import Spans, TensorRegistry
from .undeclared_state import has_elements, is_steady, why_left_out
from .unseen import unseen


OPAQUE = OpaqueKind()

# Nodes between two looks at the clock.
_LOOKED_AT_EACH = 1024


class WalkTooLong(Exception):
    """There are more objects than may be walked now."""


class StructureChanged(Exception):
    """The graph is not the one that was walked before."""


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


class _Met(NamedTuple):
    value: Any
    kind: Kind
    # The number of the object that holds it, or -1 - place, and its part of the path.
    parent: int
    segment: Any


class Walk:
    """One walk. It is used once."""

    def __init__(
        self, identifying: bool, entry: Optional[EntryIds] = None, hold: bool = False
    ) -> None:
        # True when objects are only numbered: nothing costly may be done.
        self.identifying = identifying
        self._entry = entry
        self._ids = EntryIds(hold)
        # Objects that were met before, by another walk: those of this one are numbered after them.
        self._first = 0
        self._met: List[_Met] = []
        self._numbers: Dict[int, int] = {}
        # One for each object; empty where one could not be looked at, and need not be.
        self.nodes: List[Dict[str, Any]] = []
        self._labels: List[str] = []
        # The number of the object that is being written, or -1 - place.
        self.current = -1
        self.tensors = TensorRegistry()
        # What no place reaches any more is being captured; objects that are passed over then, by
        # identity; None: all.
        self.is_left = False
        self.passes_over: Optional[Set[int]] = set()
        # Numbers of the nodes that hold something opaque.
        self.with_opaque: Set[int] = set()
        # Functions that it has met, and that may hold something.
        self.functions: List[Any] = []
        # Walks that went on from it to what is numbered apart.
        self._apart: List[Walk] = []
        # Objects that are left as they are, by where they lie: the keys of their places.
        self.left_now: Dict[int, str] = {}
        # `thread_time` at which it is given up.
        self.ends_at = math.inf
        # Where objects lay at entry that the state which it goes on from may not reach any more.
        self._outside: Optional[List[int]] = None

    def identify(self, places: Sequence[Place]) -> EntryIds:
        """Numbers everything that the places reach. Never raises on what cannot be captured."""
        self.leave(places)
        places = [one for one in places if not one.left]
        self._number_places([one for one in places if not (one.known or one.dead)])
        self._number_apart(KNOWN_FROM, [one for one in places if one.known])
        self._number_apart(DEAD_FROM, [one for one in places if one.dead and not one.known])
        return self._ids

    def _number_apart(self, first: int, places: Sequence[Place]) -> None:
        walk = Walk(True)
        walk._first, walk._numbers, walk._ids = first, self._numbers, self._ids
        walk.left_now = self.left_now
        walk._number_places(places)
        self.functions += walk.functions
        # What has a number lives until all have theirs.
        self._apart.append(walk)

    def _number_places(self, places: Sequence[Place]) -> None:
        for index, place in enumerate(places):
            if place.volatile:
                # Only once all that stays has its number.
                self._write_pending_nodes()
            self.current = -1 - index
            try:
                value = place.get()
            except (NameError, AttributeError):
                continue
            if place.iterated and not place.known and is_steady(value):
                self._number_only(value)
            else:
                self.value(value, "")
            number = self._numbers.get(id(value))
            if number is not None:
                self._ids.places[place.key] = number
        self._write_pending_nodes()
        for number, met in enumerate(self._met, self._first):
            self._ids.add(met.value, number, met.kind.is_opaque)

    def identify_more(
        self, ids: EntryIds, numbers: Dict[int, int], places: Sequence[Place]
    ) -> EntryIds:
        """Goes on from objects that are numbered already, to others."""
        self._first, self._numbers, self._ids = len(numbers), dict(numbers), ids.copy()
        return self.identify(places)

    def identify_held(
        self, ids: EntryIds, numbers: Dict[int, int], functions: Sequence[Any]
    ) -> EntryIds:
        """Goes on from objects that are numbered already, to what only functions hold."""
        captured = [one for one in functions if not is_known(numbers[id(one)])]
        if not captured:
            return ids
        self._first, self._numbers, self._ids = HELD_FROM, dict(numbers), ids.copy()
        self.functions = captured
        # While it is gone through, it grows.
        for function in self.functions:
            for held in held_by(function):
                self.current = -1
                self.value(held, "")
                self._ids.held.add(self._numbers[id(held)])
            self._write_pending_nodes()
        for number, met in enumerate(self._met, self._first):
            self._ids.add(met.value, number, met.kind.is_opaque)
        return self._ids

    def capture(self, places: Sequence[Place], complete: bool = True) -> Snapshot:
        """The graph of everything that the places reach; AL070 if something cannot be captured.
        `complete`: no more places follow."""
        self.leave(places)
        places = [one for one in places if not one.left]
        self._labels = place_labels(list(places))
        captured = self._capture_places(places, 0, complete)
        leaves = self.tensors.finish(LeafNames(), self.path_of)
        values = [self._value_of(leaf.number) for leaf in leaves]
        return Snapshot(
            {"places": captured, "nodes": self.nodes}, self._entry_numbers_of_met(), leaves, values
        )

    def _value_of(self, number: int) -> Any:
        return self._met[number - self._first].value

    def _capture_places(
        self, places: Sequence[Place], first: int, complete: bool
    ) -> List[Dict[str, Any]]:
        captured = []
        for index, place in enumerate(places[first:], first):
            if place.volatile:
                self._write_pending_nodes()
            captured.append(self.capture_place(place, index))
        self._write_pending_nodes()
        if complete and any(place.source == "b" for place in places):
            self._capture_left(len(places))
            self._check_known(places)
        return captured

    def leave(self, places: Sequence[Place]) -> None:
        """What some of these lead to is left as it is."""
        self.left_now = {id(place.get()): place.key for place in places if place.left}

    def _capture_left(self, places: int) -> None:
        """What the places reached when the loop was entered, and reach no more: the loop may have
        changed it, and somebody else may hold it still."""
        if self._entry is None or self.passes_over is None:
            return
        self.is_left = True
        among = self._entry.outside(self._numbers) if self._outside is None else self._outside
        for value in self._entry.changeable(self._numbers, among):
            kind = kind_of(value)
            if kind.is_opaque or id(value) in self.passes_over:
                continue
            self.current = -1 - places
            if self._entry.get(value) in self._entry.held and not kind.can_refill(value):
                raise self.refuse(f"{kind.describe(value)} that a function holds")
            self.value(value, "")
        self._write_pending_nodes()
        self.is_left = False

    def _check_known(self, places: Sequence[Place]) -> None:
        """A new view of a tensor that is not captured would come back as a copy of it."""
        for part in self.tensors.sharing_with(self._value_of, self._known_spans):
            self.current = part.number
            value = self._value_of(part.number)
            place = places[min(self.root, len(places) - 1)]
            is_new = self._entry is None or self._entry.get(value) is None
            if is_new and place.source == "b" and not place.dead:
                raise self.refuse("a tensor in the memory of one that the loop leaves alone")

    def _known_spans(self) -> List[Spans]:
        known = self._entry.known_objects() if self._entry else []
        return [Spans(one for one in known if has_elements(one))]

    def _entry_numbers_of_met(self) -> List[Optional[int]]:
        if self._entry is None:
            return [None] * len(self._met)
        return self._entry.get_all([met.value for met in self._met])

    def extend(self, base: Base, places: Sequence[Place]) -> Snapshot:
        """Goes on from a state of which the first of the places are captured already;
        `StructureChanged` if the others share memory with it: that is to be laid out together."""
        before = base.snapshot
        first = len(before.graph["places"])
        self.leave(places)
        places = [one for one in places if not one.left]
        self._first, self._numbers = len(base.objects), dict(base.numbers)
        self._outside = base.outside
        self._labels = place_labels(list(places))
        captured = self._capture_places(places, first, complete=True)
        if self.tensors.sharing_with(self._value_of, base.spans):
            raise StructureChanged
        leaves = self.tensors.finish(base.names.copy(), self.path_of)
        graph = {
            "places": [*before.graph["places"], *captured],
            "nodes": [*before.graph["nodes"], *self.nodes],
        }
        values = [self._value_of(leaf.number) for leaf in leaves]
        return Snapshot(
            graph,
            [*before.entry, *self._entry_numbers_of_met()],
            [*before.leaves, *leaves],
            [*before.values, *values],
        )

    @property
    def objects(self) -> List[Any]:
        """What it has met, by number."""
        return [met.value for met in self._met]

    @property
    def kinds(self) -> List[Kind]:
        return [met.kind for met in self._met]

    @property
    def numbers(self) -> Dict[int, int]:
        """The number of each, by its address."""
        return dict(self._numbers)

    def capture_place(self, place: Place, index: int) -> Dict[str, Any]:
        known: Dict[str, Any] = {"key": place.key, "source": place.source}
        try:
            value = place.get()
        except (NameError, AttributeError):
            return {**known, "unbound": True}
        self.current = -1 - index
        why = why_left_out(place, value) if place.source == "b" else None
        if why is not None:
            return {**known, "absent": why}
        if place.iterated and is_steady(value) and id(value) not in self._numbers:
            known["value"] = self._opaque_value(value, OPAQUE, "")
        else:
            known["value"] = self.value(value, "")
        entry = self._entry.places.get(place.key) if self._entry else None
        return known if entry is None else {**known, "entry": entry}

    def _is_known(self, value: Any) -> bool:
        """Whether it belongs to what the loop leaves alone."""
        if self.identifying or self._entry is None:
            return False
        number = self._entry.get(value)
        return number is not None and is_known(number)

    def _number_only(self, value: Any) -> None:
        """Gives a value a number, and does not look into it."""
        if id(value) not in self._numbers and encode_scalar(value) is NOT_A_SCALAR:
            self._ids.shallow.add(self._meet(value, OPAQUE, ""))

    def _write_pending_nodes(self) -> None:
        while len(self.nodes) < len(self._met):
            met = self._met[len(self.nodes)]
            self.current = number = self._first + len(self.nodes)
            if len(self.nodes) % _LOOKED_AT_EACH == 0 and thread_time() > self.ends_at:
                raise WalkTooLong
            node: Dict[str, Any] = {}
            try:
                node = met.kind.write(met.value, self)
            except AfterlogError:
                if not self.identifying:
                    raise
            except Exception as error:  # a property or method of the program raised
                if not self.identifying:
                    what = f"a value that fails when it is read ({describe_error(error)})"
                    raise cannot_capture(self.path_of(number), what) from error
            self.nodes.append(node)

    # What kinds ask of the walk.

    def value(self, value: Any, segment: Any) -> Any:
        """Encodes a value met under the present node; `segment` is its part of the path."""
        scalar = encode_scalar(value)
        if scalar is not NOT_A_SCALAR:
            return scalar
        number = self._numbers.get(id(value))
        if number is not None:
            return ["ref", number]
        kind = kind_of(value)
        if self.left_now and id(value) in self.left_now:
            return encode_left(self.left_now[id(value)])
        if self._is_known(value) or (kind.is_opaque and not self.identifying):
            if not self.knows(value) and says_what_it_is(value):
                return ["ref", self._meet(value, MADE_FUNCTION, segment)]
            return self._opaque_value(value, kind, segment)
        return ["ref", self._meet(value, kind, segment)]

    def items(self, values: Sequence[Any]) -> List[Any]:
        """Encodes what a list or a tuple holds. Most numbers are their own encoding."""
        value, found = self.value, []
        for index, one in enumerate(values):
            kind = type(one)
            # What is not finite is no number less itself, and zero may be minus zero.
            if (kind is float and one and one - one == 0) or one is None or kind is bool:
                found.append(one)
            else:
                found.append(value(one, index))
        return found

    def _meet(self, value: Any, kind: Kind, segment: Any) -> int:
        """Gives an object the next number."""
        number = self._first + len(self._met)
        self._numbers[id(value)] = number
        self._met.append(_Met(value, kind, self.current, segment))
        if kind.is_opaque and isinstance(value, HOLDERS):
            self.functions.append(value)
        return number

    def _opaque_value(self, value: Any, kind: Kind, segment: Any) -> Any:
        """Known only as the object that was there when the loop was entered."""
        number = self._entry.get(value) if self._entry else None
        if number is not None:
            self.with_opaque.add(self.current)
            return ["entry", number]
        what = f"{kind.describe(value)}, made after the loop began"
        raise self.refuse(what, "make it before the loop, or leave it out", str(segment))

    def values(self, items: Sequence[Tuple[Any, Any]]) -> List[Any]:
        return [self.value(item, segment) for segment, item in items]

    def knows(self, value: Any) -> bool:
        """Whether it was there when the loop was entered."""
        return self._entry is not None and self._entry.get(value) is not None

    def refuse(self, what: str, help: Optional[str] = None, inner: str = "") -> AfterlogError:
        """AL070 for the present value, or for a part of it."""
        return cannot_capture(self.path_of(self.current, inner), what, help)

    @property
    def root(self) -> int:
        """Which of the places leads to the present value."""
        number = self.current
        while number >= 0:
            number = self._met[number - self._first].parent
        return -1 - number

    def path_of(self, number: int, inner: str = "") -> str:
        """Where a node was met first."""
        segments = [inner] if inner else []
        while number >= 0:
            met = self._met[number - self._first]
            if met.segment != "":
                segments.append(str(met.segment))
            number = met.parent
        label = self._labels[-1 - number] if -1 - number < len(self._labels) else "state"
        return ".".join([label, *reversed(segments)])


def identify(places: Sequence[Place], hold: bool = False) -> EntryIds:
    """The objects that the places reach now. `hold`: keeps functions and the like, for
    restoring: no other can stand for them."""
    with without_collecting():
        walk = Walk(True, hold=hold)
        ids = walk.identify(places)
        further = Walk(True, hold=hold)
        further.leave(places)
        return further.identify_held(ids, walk.numbers, walk.functions)


def capture(
    places: Sequence[Place], entry: Optional[EntryIds], left: bool = True, ends_at: float = math.inf
) -> Snapshot:
    """The state that the places hold now; nothing is copied yet. A variable that was not declared
    and cannot be captured is left out, and the state says so. `left`: with what the places reached
    at entry and reach no more. `WalkTooLong` if `thread_time` comes to `ends_at`."""
    with without_collecting():
        leaving = PartialCapture(places, left, ends_at)
        state, _ = leaving.walk(entry, lambda walk, held: walk.capture(held))
        return leaving.with_absent_places(state)


class PartialCapture:
    """Walks until nothing is left that cannot be captured; says what it has left out."""

    def __init__(
        self, places: Sequence[Place], left: bool = True, ends_at: float = math.inf
    ) -> None:
        self.held = list(places)
        self._ends_at = ends_at
        self._absent: List[Dict[str, Any]] = []
        self._passes_over: Optional[Set[int]] = set() if left else None

    def walk(
        self, entry: Optional[EntryIds], go: Callable[[Walk, List[Place]], Snapshot]
    ) -> Tuple[Snapshot, Walk]:
        while True:
            walk = Walk(False, entry=entry)
            walk.passes_over, walk.ends_at = self._passes_over, self._ends_at
            try:
                return go(walk, self.held), walk
            except AfterlogError as error:
                why = describe_error(error).partition("\n")[0]
                if walk.is_left:
                    self._give_up_what_is_left(why)
                    continue
                place = [one for one in self.held if not one.left][walk.root]
                if place.source == "a":
                    raise
                self._leave_out(place, why)

    def _leave_out(self, place: Place, why: str) -> None:
        self._note_absent_place(place, why)
        self.held = [one for one in self.held if one is not place]
        if not place.dead:
            # Without it the checkpoint is not complete: no more need be in it.
            self._passes_over = None
        elif self._passes_over is not None:
            self._passes_over.add(id(place.get()))

    def _give_up_what_is_left(self, why: str) -> None:
        """Nobody knows who holds it: the checkpoint must not be taken for complete."""
        self._passes_over = None
        for place in self.held:
            if place.source == "b" and not place.dead and not place.known:
                self._note_absent_place(place, why)
                return

    def _note_absent_place(self, place: Place, why: str) -> None:
        self._absent.append({"key": place.key, "source": "b", "absent": why})

    def with_absent_places(self, state: Snapshot) -> Snapshot:
        state.graph["places"] = [*state.graph["places"], *self._absent]
        return state


@contextlib.contextmanager
def without_collecting() -> Iterator[None]:
    """A walk makes many objects and drops none: looking for garbage would triple its time. Nor is
    the program told of what a walk asks its tensors."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with unseen():
            yield
    finally:
        if was_enabled:
            gc.enable()
