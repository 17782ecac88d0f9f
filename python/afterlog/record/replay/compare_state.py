"""Compares the state of a program that is repeated with that of a checkpoint taken at the same
point: the check for what no log statement shows (semantics, "Marks")."""

import zlib
from typing import Any, Dict, List, Optional, Sequence

from ...format.safetensors import CRC_CHUNK_BYTES
from ...materialize.graph_text import place_hashes
from ...materialize.slots import Slot, lay_out
from ...state.places import EntryIds, Place
from ...state.walk import capture


def differing_places(
    places: Sequence[Place],
    entry: EntryIds,
    generators: Sequence[Dict[str, Any]],
    record: Dict[str, Any],
) -> List[str]:
    """Keys of the places, and ids of the generators, that are not as the checkpoint has them."""
    theirs = {recorded["key"]: recorded["crc32"] for recorded in record["places"]}
    # What is never read again may differ: a time that was taken, for example.
    passed = {recorded["key"] for recorded in record["absent"]}
    passed |= {place.key for place in places if place.dead}

    def differing(left: bool) -> List[str]:
        mine = hashes_of(places, entry, left)
        keys = [*mine, *(key for key in theirs if key not in mine)]
        return [key for key in keys if mine.get(key) != theirs.get(key) and key not in passed]

    found = differing(left=True)
    if found:
        # What was there at entry is held here, and may have been gone in the run: that it shares
        # memory with a place is no difference then.
        alone = set(differing(left=False))
        found = [key for key in found if key in alone]
    now = {recorded["id"]: recorded["state"] for recorded in generators}
    return found + [
        recorded["id"]
        for recorded in record["generators"]
        if now.get(recorded["id"]) != recorded["state"]
    ]


def hashes_of(places: Sequence[Place], entry: Optional[EntryIds], left: bool) -> Dict[str, str]:
    """The hash of each place, as a checkpoint has it."""
    state = capture(places, entry, left)
    layout = lay_out(state.leaves)
    slot = Slot(max(layout.bytes, 1), pin=False)
    sums: Dict[str, str] = {}
    for leaf, value, offset in zip(state.leaves, state.values, layout.offsets):
        leaf.copy(value, slot, offset)
        view = slot.view[offset : offset + leaf.spec.bytes]
        pieces = range(0, leaf.spec.bytes, CRC_CHUNK_BYTES)
        crcs = (zlib.crc32(view[at : at + CRC_CHUNK_BYTES]) for at in pieces)
        sums[leaf.spec.name] = "".join(f"{crc:08x}" for crc in crcs)
    return {one["key"]: one["crc32"] for one in place_hashes(state.graph, sums)}
