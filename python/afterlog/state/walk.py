"""The walk over the places: numbers objects in the order in which it meets them, and writes one
node for each. Breadth first with an explicit queue, so that depth costs no stack."""

import contextlib
import gc
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..format.errors import AfterlogError, describe_error
from ..materialize.materializer import Snapshot
from .kinds import Kind, kind_of
from .places import EntryIds, LeafNames, Place, cannot_capture, place_labels
from .recall import Recalled, Restructured, Seen
from .recall_values import kept
from .scalars import NOT_A_SCALAR, encode_scalar
from .tensor_book import TensorBook


class _Met(NamedTuple):
    value: Any
    kind: Kind
    # The number of the object that holds it, or -1 - place, and its part of the path.
    parent: int
    segment: str


class Walk:
    """One walk. It is used once."""

    def __init__(
        self, identifying: bool, entry: Optional[EntryIds] = None, hold: bool = False
    ) -> None:
        # True when objects are only numbered: nothing costly may be done.
        self.identifying = identifying
        self._entry = entry
        self._ids = EntryIds(hold)
        self._met: List[_Met] = []
        self._numbers: Dict[int, int] = {}
        self._nodes: List[Optional[Dict[str, Any]]] = []
        self._labels: List[str] = []
        self._current = -1
        self.tensors = TensorBook()
        # Numbers of the nodes that hold something opaque.
        self._with_opaque: Set[int] = set()

    def identify(self, places: Sequence[Place]) -> EntryIds:
        """Numbers everything that the places reach. Never raises on what cannot be captured."""
        for index, place in enumerate(places):
            self._current = -1 - index
            try:
                value = place.get()
            except (NameError, AttributeError):
                continue
            self.value(value, "")
            number = self._numbers.get(id(value))
            if number is not None:
                self._ids.places[place.key] = number
        self._drain()
        for number, met in enumerate(self._met):
            self._ids.add(met.value, number)
        return self._ids

    def capture(self, places: Sequence[Place]) -> Snapshot:
        """The graph of everything that the places reach; AL070 if something cannot be captured."""
        self._labels = place_labels(list(places))
        captured = [self._capture_place(place, index) for index, place in enumerate(places)]
        self._drain()
        leaves = self.tensors.finish(LeafNames(), self.path_of)
        entry = [self._entry.get(met.value) if self._entry else None for met in self._met]
        return Snapshot({"places": captured, "nodes": self._nodes}, entry, leaves)

    def recalled(self, snapshot: Snapshot) -> Recalled:
        """What it takes to capture the same objects again."""
        seen = [
            Seen(
                kept(met.value),
                met.kind,
                met.kind.memo(met.value),
                node or {},
                number in self._with_opaque,
                tuple(self._numbers[id(part)] for part in met.kind.parts(met.value)),
            )
            for number, (met, node) in enumerate(zip(self._met, self._nodes))
        ]
        return Recalled(snapshot.graph["places"], seen, snapshot, self._entry)

    def _capture_place(self, place: Place, index: int) -> Dict[str, Any]:
        known: Dict[str, Any] = {"key": place.key, "source": place.source}
        try:
            value = place.get()
        except (NameError, AttributeError):
            return {**known, "unbound": True}
        self._current = -1 - index
        known["value"] = self.value(value, "")
        entry = self._entry.places.get(place.key) if self._entry else None
        return known if entry is None else {**known, "entry": entry}

    def _drain(self) -> None:
        number = 0
        while number < len(self._met):
            met = self._met[number]
            self._current = number
            node: Optional[Dict[str, Any]] = None
            try:
                node = met.kind.write(met.value, self)
            except AfterlogError:
                if not self.identifying:
                    raise
            except Exception as error:  # a property or method of the program raised
                if not self.identifying:
                    what = f"a value that fails when it is read ({describe_error(error)})"
                    raise cannot_capture(self.path_of(number), what) from error
            self._nodes.append(node)
            number += 1

    # What kinds ask of the walk.

    @property
    def current(self) -> int:
        return self._current

    def value(self, value: Any, segment: Any) -> Any:
        """Encodes a value met under the present node; `segment` is its part of the path."""
        scalar = encode_scalar(value)
        if scalar is not NOT_A_SCALAR:
            return scalar
        number = self._numbers.get(id(value))
        if number is not None:
            return ["ref", number]
        kind = kind_of(value)
        if kind.is_opaque and not self.identifying:
            return self._opaque(value, kind, segment)
        number = len(self._met)
        self._numbers[id(value)] = number
        self._met.append(_Met(value, kind, self._current, str(segment)))
        return ["ref", number]

    def _opaque(self, value: Any, kind: Kind, segment: Any) -> Any:
        """Known only as the object that was there when the loop was entered."""
        number = self._entry.get(value) if self._entry else None
        if number is not None:
            self._with_opaque.add(self._current)
            return ["entry", number]
        path = self.path_of(self._current, str(segment))
        what = f"{kind.describe(value)}, made after the loop began"
        raise cannot_capture(path, what, "make it before the loop, or leave it out")

    def values(self, items: Sequence[Tuple[Any, Any]]) -> List[Any]:
        return [self.value(item, segment) for segment, item in items]

    def refuse(self, what: str, help: Optional[str] = None) -> AfterlogError:
        """AL070 for the present value."""
        return cannot_capture(self.path_of(self._current), what, help)

    def path_of(self, number: int, inner: str = "") -> str:
        """Where a node was met first."""
        segments = [inner] if inner else []
        while number >= 0:
            met = self._met[number]
            if met.segment:
                segments.append(met.segment)
            number = met.parent
        label = self._labels[-1 - number] if -1 - number < len(self._labels) else "state"
        return ".".join([label, *reversed(segments)])


def identify(places: Sequence[Place], hold: bool = False) -> EntryIds:
    """The objects that the places reach now. `hold`: keeps all of them, for restoring."""
    with _without_collecting():
        return Walk(True, hold=hold).identify(places)


def capture(places: Sequence[Place], entry: Optional[EntryIds]) -> Snapshot:
    """The state that the places hold now; nothing is copied yet."""
    with _without_collecting():
        return Walk(False, entry=entry).capture(places)


class StateMemory:
    """Captures the same places again and again."""

    def __init__(self) -> None:
        self._recalled: Optional[Recalled] = None

    def capture(self, places: Sequence[Place], entry: Optional[EntryIds]) -> Snapshot:
        """The state that the places hold now; nothing is copied yet."""
        with _without_collecting():
            if self._recalled is not None:
                try:
                    return self._recalled.again(places, entry)
                except Restructured:
                    self._recalled = None
            walk = Walk(False, entry=entry)
            snapshot = walk.capture(places)
            self._recalled = walk.recalled(snapshot)
            return snapshot


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """A walk makes many objects and drops none: looking for garbage would triple its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
