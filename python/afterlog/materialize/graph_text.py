"""The JSON of a state's graph, and the checksum of each of its places.

A large model has megabytes of structure, and encoding it holds the interpreter's lock, which the
training needs. From one checkpoint to the next nearly all nodes are the same objects, so the text
of a node is made once and kept as long as the node is part of the state, and so is what a place
reaches, while the nodes in it refer to the same ones.
"""

import marshal
import zlib
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from ..format.header_template import TextTemplate
from ..format.safetensors import compact_json
from ..format.structure import is_reference, references, texts, texts_apart

# Sets of places of which the last graph is kept, and nodes whose text is; where a graph has more,
# most of them are new.
_GRAPHS_MAX = 4
_NODES_MAX = 10_000
# The texts of larger ones are not kept.
_NODE_BYTES_MAX = 4096


class _NodeText(NamedTuple):
    text: str
    # Numbers of the nodes that it refers to, in order.
    referred: Sequence[int]
    # The objects themselves: which of them are one is a part of the state.
    held: Sequence[str]


class _NodeTexts(NamedTuple):
    """What there is of each node, in their order. Where there are a hundred thousand an object for
    each would have the interpreter look for garbage again and again, which takes longer than all
    else here."""

    nodes: Sequence[Any]
    texts: List[str]
    referred: List[Sequence[int]]
    held: List[Sequence[str]]

    def at(self, index: int) -> _NodeText:
        return _NodeText(self.texts[index], self.referred[index], self.held[index])


class _PlaceText(NamedTuple):
    """What a place is the first to reach: its nodes in order, as a text with blanks for the
    checksums of tensors, and the names of these."""

    root: Any
    # Of its nodes, in the order in which they are met.
    numbers: Dict[int, None]
    form: TextTemplate
    tensors: List[str]


class GraphText(NamedTuple):
    """One graph."""

    places: List[Dict[str, Any]]
    nodes: _NodeTexts
    # Parallel to the places.
    reached: List[_PlaceText]
    # Which texts are objects of their own. No part of what is hashed: runs that were recorded
    # without it are compared as before.
    texts_apart: List[Any]

    def json(self) -> bytes:
        """The same bytes as if all of the graph were encoded at once."""
        nodes = ",".join(self.nodes.texts)
        return f'{{"places":{compact_json(self.places)},"nodes":[{nodes}]}}'.encode()

    def place_hashes(self, sums: Dict[str, str]) -> List[Dict[str, str]]:
        """A checksum for each captured place: says which one differs when two states do."""
        hashes = []
        for place, reached in zip(self.places, self.reached):
            head = compact_json([place["key"], place.get("value")])
            text = reached.form.filled([sums.get(name, "") for name in reached.tensors])
            crc = zlib.crc32((head + text).encode())
            hashes.append({"key": place["key"], "crc32": f"{crc:08x}"})
        return hashes


class GraphTexts:
    """The graphs of a run's checkpoints, one after the other. The ends of iterations and of loops
    take turns, and each has its own."""

    def __init__(self) -> None:
        # Of each set of places the last one.
        self._last: Dict[Tuple[str, ...], GraphText] = {}
        # Of a node by all that it says: what is walked anew says the same, most of the time.
        self._known: Dict[bytes, Tuple[str, Sequence[int]]] = {}

    def of(self, graph: Dict[str, Any]) -> GraphText:
        assert list(graph) == ["places", "nodes"], list(graph)
        key = tuple([place["key"] for place in graph["places"]])
        before = self._last.pop(key, _NO_GRAPH)
        nodes = self._nodes(graph["nodes"], before.nodes)
        reached = _place_texts_again(before, graph["places"], nodes)
        now = GraphText(graph["places"], nodes, reached, [])
        now = now._replace(texts_apart=_texts_apart_again(before, now))
        while len(self._last) >= _GRAPHS_MAX:
            del self._last[next(iter(self._last))]
        self._last[key] = now
        return now

    def _nodes(self, nodes: Sequence[Any], before: _NodeTexts) -> _NodeTexts:
        if len(self._known) > _NODES_MAX:
            self._known.clear()
        keeps = len(nodes) <= _NODES_MAX
        if len(nodes) == len(before.nodes):
            # Most often each is where it was.
            same = [
                at if old is node else None
                for at, (node, old) in enumerate(zip(nodes, before.nodes))
            ]
        else:
            # By where they lie in memory: as long as they are here nobody else lies there.
            known = {id(old): at for at, old in enumerate(before.nodes)}
            same = [known.get(id(node)) for node in nodes]
        found = _NodeTexts(nodes, [], [], [])
        for node, at in zip(nodes, same):
            text = self._node_text(node, keeps) if at is None else before.at(at)
            found.texts.append(text.text)
            found.referred.append(text.referred)
            found.held.append(text.held)
        return found

    def _node_text(self, node: Any, keeps: bool) -> _NodeText:
        content = _content(node) if keeps else b""
        known = self._known.get(content)
        if known is None:
            known = compact_json(node), tuple(references(node))
            if 0 < len(content) <= _NODE_BYTES_MAX:
                self._known[content] = known
        return _NodeText(*known, tuple(texts(node)))


def _content(node: Any) -> bytes:
    """All that a node says; empty if nobody knows. Unlike comparing, this tells 1 from 1.0 and
    True."""
    try:
        # Of this version a text has the same bytes, whoever else holds it.
        return marshal.dumps(node, 2)
    except ValueError:
        return b""


_NO_GRAPH = GraphText([], _NodeTexts([], [], [], []), [], [])


def _texts_apart_again(before: GraphText, now: GraphText) -> List[Any]:
    """As before, where each holds the texts that it held."""
    old, new = _text_holders(before), _text_holders(now)
    if len(old) == len(new) and all(map(_hold_the_same, old, new)):
        return before.texts_apart
    return texts_apart(new)


def _text_holders(graph: GraphText) -> List[Tuple[Any, Sequence[str]]]:
    own = [(place["key"], place.get("value")) for place in graph.places]
    return [
        *((key, [value]) for key, value in own if isinstance(value, str)),
        *((number, held) for number, held in enumerate(graph.nodes.held) if held),
    ]


def _hold_the_same(old: Tuple[Any, Sequence[str]], new: Tuple[Any, Sequence[str]]) -> bool:
    """Objects, not what they say."""
    if old[1] is new[1]:
        return old[0] == new[0]
    return old[0] == new[0] and list(map(id, old[1])) == list(map(id, new[1]))


def _place_texts_again(
    before: GraphText, places: Sequence[Dict[str, Any]], nodes: _NodeTexts
) -> List[_PlaceText]:
    """What each place reaches: as before, where no node refers to another than before."""
    roots = [_place_root(place) for place in places]
    old = before.nodes
    if len(nodes.nodes) != len(old.nodes) or roots != [one.root for one in before.reached]:
        return _place_texts(roots, nodes)
    changed = [at for at, text in enumerate(nodes.texts) if text != old.texts[at]]
    if any(nodes.referred[at] != old.referred[at] for at in changed):
        return _place_texts(roots, nodes)
    return [
        one
        if one.numbers.keys().isdisjoint(changed)
        else _read_place_text(one.root, one.numbers, nodes)
        for one in before.reached
    ]


def _place_root(place: Dict[str, Any]) -> Any:
    value: Any = place.get("value")
    return value[1] if is_reference(value) else None


def _place_texts(roots: Sequence[Any], nodes: _NodeTexts) -> List[_PlaceText]:
    seen = bytearray(len(nodes.nodes))
    found = []
    for root in roots:
        numbers: Dict[int, None] = {}
        queue = [] if root is None else [root]
        while queue:
            number = queue.pop()
            if seen[number]:
                continue
            seen[number] = 1
            numbers[number] = None
            queue += nodes.referred[number]
        found.append(_read_place_text(root, numbers, nodes))
    return found


def _read_place_text(root: Any, numbers: Dict[int, None], nodes: _NodeTexts) -> _PlaceText:
    between: List[List[str]] = [[]]
    tensors: List[str] = []
    for number in numbers:
        node = nodes.nodes[number]
        between[-1].append(nodes.texts[number])
        if node["t"] in ("buffer", "tensor"):
            tensors.append(node["tensor"])
            between.append([])
    return _PlaceText(root, numbers, TextTemplate(["".join(texts) for texts in between]), tensors)


def place_hashes(graph: Dict[str, Any], sums: Dict[str, str]) -> List[Dict[str, str]]:
    """The checksums of a graph that is seen once; of its tensors by their names."""
    known = {"places": graph["places"], "nodes": graph["nodes"]}
    return GraphTexts().of(known).place_hashes(sums)
