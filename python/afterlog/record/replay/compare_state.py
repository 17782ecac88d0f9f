"""Compares the state of a program that is repeated with that of a checkpoint taken at the same
point: the check for what no log statement shows (semantics, "Marks")."""

import collections
import json
import re
import zlib
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

from ...format.own_tree import OwnTree
from ...format.safetensors import CRC_CHUNK_BYTES, compact_json
from ...format.structure import with_values
from ...materialize.graph_text import place_hashes
from ...materialize.slots import Slot, lay_out
from ...state.places import EntryIds, Place
from ...state.scalars import left_key
from ...state.tensor_registry import row_major
from ...state.unseen import unseen_work
from ...state.walk import capture
from ...store.checkpoint_reader import CheckpointReader, open_checkpoint


class StateNow(NamedTuple):
    places: Sequence[Place]
    entry: Optional[EntryIds]
    generators: Sequence[Dict[str, Any]]
    # Where the program is executed, if not in the project.
    tree: Optional[OwnTree] = None


class ComparableState(NamedTuple):
    """A graph of a state, and the checksums of its tensors by their names."""

    graph: Dict[str, Any]
    sums: Dict[str, str]


def compare_state(
    now: StateNow,
    record: Dict[str, Any],
    varying: Optional[Dict[str, Any]],
    read: Callable[[], ComparableState],
) -> Tuple[int, List[str]]:
    """How many places and generators are compared with a checkpoint, and keys and ids of those that
    are not as it has them. What varies is not; `read` gives the checkpoint's state."""
    theirs = {recorded["key"]: recorded["crc32"] for recorded in record["places"]}
    varies = _varies_by(varying)
    # What is never read again may differ: a time that was taken, for example.
    dead = {place.key for place in now.places if place.dead}
    passed = {recorded["key"] for recorded in record["absent"]} | dead
    mine = captured_state(now, left=True)
    keys = [one["key"] for one in mine.graph["places"]]
    keys = [one for one in {**dict.fromkeys(keys), **theirs} if one not in passed]
    keys = [one for one in keys if not varies(one)]
    found = _differing(keys, mine, theirs)
    if found:
        # What was there at entry is held here, and may have been gone in the run: that it shares
        # memory with a place is no difference then.
        alone = captured_state(now, left=False)
        found = _differing(found, alone, theirs)
        if found:
            before = read()
            methods = _method_names(before.graph)
            recorded_state = _without(before, varying, dead)
            for state in (mine, alone):
                own = _without(_without_own(_told(state, now), methods), varying, dead)
                found = _differing(found, own, hashes_of(recorded_state))
                found = _differing_alone(found, own, recorded_state) or found

    generators = [] if (varying or {}).get("generators") else record["generators"]
    states = {recorded["id"]: recorded["state"] for recorded in now.generators}
    found += [one["id"] for one in generators if states.get(one["id"]) != one["state"]]
    return len(keys) + len(generators), found


def differing_places(
    now: StateNow, left: Sequence[Place], before: ComparableState, varying: Optional[Dict[str, Any]]
) -> List[str]:
    """Keys of the places `left` that are not as a checkpoint has them, each looked at by itself.
    What it lacks is not, nor what varies, nor what other places reach too: an optimizer that a
    schedule holds is what the loop has made of it."""
    restored = {one.key for one in now.places}.difference(one.key for one in left)
    mine, varies = captured_state(now, left=True, restored=restored), _varies_by(varying)
    before = before._replace(graph=_apart_from(before.graph, restored))
    own = _without_own(_told(mine, now), _method_names(before.graph))
    theirs = {one["key"] for one in before.graph["places"] if "absent" not in one}
    keys = [one["key"] for one in mine.graph["places"] if "absent" not in one]
    keys = [one for one in keys if one in theirs and not varies(one)]
    return _differing_alone(keys, _without(own, varying, set()), _without(before, varying, set()))


def _told(state: ComparableState, now: StateNow) -> ComparableState:
    """The state with the names of files that the run had."""
    if now.tree is None:
        return state
    told = now.tree.as_in_project(compact_json(state.graph))
    return state._replace(graph=json.loads(told))


def _differing(keys: List[str], mine: ComparableState, theirs: Dict[str, str]) -> List[str]:
    hashes = hashes_of(mine)
    return [key for key in keys if hashes.get(key) != theirs.get(key)]


def _differing_alone(keys: List[str], mine: ComparableState, theirs: ComparableState) -> List[str]:
    """Those that are not the same by themselves: an object more in one of them shifts the numbers
    of what others refer to."""
    return [key for key in keys if hashes_of(_only(mine, key)) != hashes_of(_only(theirs, key))]


def _only(state: ComparableState, key: str) -> ComparableState:
    places = [one for one in state.graph["places"] if one["key"] == key]
    return _renumbered(state._replace(graph={**state.graph, "places": places}))


def _varies_by(varying: Optional[Dict[str, Any]]) -> Callable[[str], bool]:
    """Whether a place, by its key, holds what varies: `train.py:0:t0#1`, or declared, `d0.t0`."""
    places = set() if varying is None else set(varying["places"])
    fields = set() if varying is None else set(varying["fields"])

    def varies(key: str) -> bool:
        declared = re.match(r"d\d+\.(.*)$", key, re.S)
        if declared is not None:
            return declared[1] in fields
        variable = key.rpartition("#")[0]
        anywhere = re.sub(r":[^:]*:(?=[^:]*$)", ":*:", variable)
        return variable in places or anywhere in places

    return varies


def _is_function(graph: Dict[str, Any], value: Any) -> bool:
    """One is known by its name, as what was there at entry, or by how it was made."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    kind, which = value
    if kind == "ref":
        return bool(graph["nodes"][which].get("adapter") == "function")
    return kind == "entry" or (kind == "symbol" and str(which).startswith("py:"))


def _method_names(graph: Dict[str, Any]) -> Set[str]:
    """What objects of a state have functions as."""
    props = (one for node in graph["nodes"] for one in node.get("props") or ())
    return {one[0] for one in props if isinstance(one[0], str) and _is_function(graph, one[1])}


def _without_own(state: ComparableState, methods: Set[str]) -> ComparableState:
    """The state without functions that only a question gives to objects: it wraps a method."""
    graph = state.graph

    def is_own(name: Any, value: Any) -> bool:
        return isinstance(name, str) and name not in methods and _is_function(graph, value)

    def without(node: Dict[str, Any]) -> Dict[str, Any]:
        props = [one for one in node.get("props") or () if not is_own(one[0], one[1])]
        return {**node, "props": props} if node.get("props") else node

    nodes = [without(node) for node in graph["nodes"]]
    return ComparableState({**graph, "nodes": nodes}, state.sums)


def _without(
    state: ComparableState, varying: Optional[Dict[str, Any]], dead: Set[str]
) -> ComparableState:
    """The state without attributes and places that vary, and places that are never read again: one
    of the states may lack them."""
    varies, fields = _varies_by(varying), set(() if varying is None else varying["fields"])

    def others(entries: List[Any]) -> List[Any]:
        return [one for one in entries if not (isinstance(one[0], str) and one[0] in fields)]

    def without(node: Dict[str, Any]) -> Dict[str, Any]:
        named = [one for one in ("props", "entries") if node.get(one)]
        return {**node, **{one: others(node[one]) for one in named}}

    keys = [one["key"] for one in state.graph["places"]]
    kept = {one for one in keys if one not in dead and not varies(one)}
    places = [one for one in state.graph["places"] if one["key"] in kept]
    nodes = [without(node) for node in state.graph["nodes"]]
    return _renumbered(ComparableState({"places": places, "nodes": nodes}, state.sums))


def _renumbered(state: ComparableState) -> ComparableState:
    """The state with its objects, tensors and known functions numbered as its places reach them: an
    object that only one of two states has shifts the numbers of all behind it. What is left alone
    where it is (`libraries/loops`) may not have been made yet."""
    objects: Dict[int, int] = {}
    known: Dict[int, int] = {}
    names: Dict[str, str] = {}

    def value(one: Any) -> Any:
        if left_key(one) is not None:
            return None
        if not isinstance(one, list) or len(one) != 2 or one[0] not in ("ref", "entry"):
            return one
        numbers = objects if one[0] == "ref" else known
        if one[1] not in numbers:
            numbers[one[1]] = len(numbers)
            if numbers is objects:
                open_nodes.append(state.graph["nodes"][one[1]])
        return [one[0], numbers[one[1]]]

    open_nodes: List[Dict[str, Any]] = []
    places = [
        {**place, "value": value(place["value"])} if "value" in place else place
        for place in state.graph["places"]
    ]
    nodes = []
    # While it is gone through, it grows.
    for node in open_nodes:
        if "tensor" in node:
            name = names.setdefault(node["tensor"], str(len(names)))
            node = {**node, "tensor": name}
        nodes.append(with_values(node, value))
    sums = {new: state.sums[old] for old, new in names.items() if old in state.sums}
    return ComparableState({"places": places, "nodes": _not_shared(nodes)}, sums)


def _not_shared(nodes: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """The nodes, where a tensor that shared its memory only with what is left out is written as one
    that shares with nobody, if its elements are that memory in order."""
    users = collections.Counter(node.get("tensor") for node in nodes)

    def is_whole(node: Dict[str, Any]) -> bool:
        in_order = list(row_major(tuple(node["shape"]))) == node["strides"]
        return in_order and node["offset"] == 0 and users[node["tensor"]] == 1

    shared = ("raw", "offset", "strides")
    return [
        {field: node[field] for field in node if field not in shared}
        if node.get("raw") and is_whole(node)
        else node
        for node in nodes
    ]


def read_state(run: str, record: Dict[str, Any]) -> ComparableState:
    """The state of a checkpoint, without the bytes of its tensors."""
    with open_checkpoint(run, record) as checkpoint:
        return state_in(checkpoint)


def state_in(checkpoint: CheckpointReader) -> ComparableState:
    """The same of one that is open."""
    sums = {name: one.crc32 for name, one in checkpoint.header.tensors.items()}
    sums.update((name, one.crc32) for name, one in checkpoint.header.held.items())
    return ComparableState(checkpoint.structure(), sums)


def _apart_from(graph: Dict[str, Any], restored: AbstractSet[str]) -> Dict[str, Any]:
    """The graph of the other places, without what these reach."""
    reached: Set[int] = set()

    def reach(one: Any) -> Any:
        if isinstance(one, list) and len(one) == 2 and one[0] == "ref" and one[1] not in reached:
            reached.add(one[1])
            open_nodes.append(graph["nodes"][one[1]])
        return one

    def apart(one: Any) -> Any:
        is_reached = isinstance(one, list) and len(one) == 2 and one[0] == "ref"
        return None if is_reached and one[1] in reached else one

    open_nodes: List[Dict[str, Any]] = []
    for place in graph["places"]:
        if place["key"] in restored:
            reach(place.get("value"))
    # While it is gone through, it grows.
    for node in open_nodes:
        with_values(node, reach)
    places = [
        {**one, "value": apart(one["value"])} if "value" in one else one
        for one in graph["places"]
        if one["key"] not in restored
    ]
    nodes = [
        {} if at in reached else with_values(node, apart) for at, node in enumerate(graph["nodes"])
    ]
    return {**graph, "places": places, "nodes": nodes}


@unseen_work
def captured_state(
    now: StateNow, left: bool, restored: AbstractSet[str] = frozenset()
) -> ComparableState:
    """`restored`: keys of places that are passed over, with what they reach."""
    state = capture(now.places, now.entry, left)
    graph = _apart_from(state.graph, restored) if restored else state.graph
    used = {node.get("tensor") for node in graph["nodes"]}
    looked_at = [pair for pair in zip(state.leaves, state.values) if pair[0].spec.name in used]
    layout = lay_out([leaf for leaf, _ in looked_at])
    slot = Slot(max(layout.bytes, 1), pin=False)
    sums: Dict[str, str] = {}
    for (leaf, value), offset in zip(looked_at, layout.offsets):
        leaf.copy(value, slot, offset)
        view = slot.view[offset : offset + leaf.spec.bytes]
        pieces = range(0, leaf.spec.bytes, CRC_CHUNK_BYTES)
        crcs = (zlib.crc32(view[at : at + CRC_CHUNK_BYTES]) for at in pieces)
        sums[leaf.spec.name] = "".join(f"{crc:08x}" for crc in crcs)
    return ComparableState(graph, sums)


def hashes_of(state: ComparableState) -> Dict[str, str]:
    """The hash of each place, as a checkpoint has it."""
    return {one["key"]: one["crc32"] for one in place_hashes(state.graph, state.sums)}
