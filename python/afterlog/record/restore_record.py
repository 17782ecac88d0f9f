"""The state of a checkpoint file back into a declared record, by hand."""

from typing import Any, Dict, List, Optional, Set, Tuple

from ..format.errors import AfterlogError
from ..format.structure import is_reference, references
from ..state.places import EntryIds
from ..state.restore import restore
from ..state.walk import capture, identify
from ..store.checkpoint_reader import CheckpointReader
from .checkpoints.captured_state import Declaration, places_of
from .generators import Generators


def restore_record(fields: Dict[str, Any], file: str, declaration: int) -> None:
    with CheckpointReader(file) as reader:
        structure = reader.structure()
        prefix = f"d{declaration}."
        saved = [place for place in structure["places"] if place["key"].startswith(prefix)]
        if not saved:
            held = ", ".join(place["key"] for place in structure["places"])
            raise AfterlogError(
                "AL071",
                f"{file} holds no declaration {declaration}",
                ["give the number of the checkpointing call:  restore(state, file, declaration=1)"],
                [f"it holds {held}"],
            )
        places = places_of([Declaration(declaration, fields, None, None, 0)])
        ids = identify(places, hold=True)
        now = capture(places, ids)
        pairs = _Pairs(structure["nodes"], now.graph["nodes"])
        held_now = {place["key"]: place for place in now.graph["places"]}
        for place in saved:
            pairs.pair(place.get("value"), held_now.get(place["key"], {}).get("value"))
        # The program is another one than the run: its objects are known by where they are found.
        live, objects = EntryIds(hold=True), ids.objects()
        first = 1 + max([0, *pairs.opaque])
        for number, known in pairs.opaque.items():
            live.add(objects[known], number)
        entry: List[Optional[int]] = [None] * len(structure["nodes"])
        for number, known in pairs.nodes.items():
            at = now.entry[known]
            if at is not None:
                entry[number] = first + at
                live.add(objects[at], first + at)
        nodes = _reached(saved, structure["nodes"])
        own = {**structure, "places": saved, "nodes": nodes, "entry": entry}
        restore(places, own, live, reader.tensor)
        Generators().set(structure["generators"])


def _reached(places: List[Any], nodes: List[Any]) -> List[Any]:
    """The nodes, with nothing in the place of those that belong to others."""
    waiting = [place["value"][1] for place in places if is_reference(place.get("value"))]
    found: Set[int] = set()
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting += references(nodes[number])
    nothing = {"t": "array", "items": []}
    return [node if number in found else nothing for number, node in enumerate(nodes)]


class _Pairs:
    """Which node of a checkpoint and which of the present graph are at the same place."""

    def __init__(self, saved: List[Any], now: List[Any]) -> None:
        self._saved = saved
        self._now = now
        self.nodes: Dict[int, int] = {}
        self._taken: Set[int] = set()
        # What is known only as the object that was there, by its numbers then and now.
        self.opaque: Dict[int, int] = {}

    def pair(self, saved: Any, now: Any) -> None:
        waiting: List[Tuple[Any, Any]] = [(saved, now)]
        while waiting:
            saved, now = waiting.pop()
            if is_reference(saved) and is_reference(now):
                number, known = saved[1], now[1]
                if number in self.nodes or known in self._taken:
                    continue
                ours, theirs = self._now[known], self._saved[number]
                if ours["t"] == theirs["t"] and ours.get("class") == theirs.get("class"):
                    self.nodes[number] = known
                    self._taken.add(known)
                    waiting.append((theirs, ours))
            elif isinstance(saved, dict) and isinstance(now, dict):
                waiting += [(saved[key], now[key]) for key in saved.keys() & now.keys()]
            elif isinstance(saved, list) and isinstance(now, list):
                if saved[:1] == ["entry"] == now[:1]:
                    self.opaque[saved[1]] = now[1]
                elif not is_reference(saved) and not is_reference(now):
                    waiting += zip(saved, now)
