"""The JSON of a state's graph, and the checksum of each of its places.

A large model has megabytes of structure, and encoding it holds the interpreter's lock, which the
training needs. From one checkpoint to the next nearly all nodes are the same objects, so the text
of a node is made once and kept as long as the node is part of the state.
"""

import zlib
from typing import Any, Dict, List, NamedTuple

from ..format.safetensors import compact_json
from ..format.structure import is_reference, references


class _NodeText(NamedTuple):
    node: Any
    data: bytes
    # Numbers of the nodes that it refers to, in order.
    referred: List[int]


class GraphText(NamedTuple):
    """One graph."""

    places: List[Dict[str, Any]]
    nodes: List[_NodeText]

    def json(self) -> bytes:
        """The same bytes as if all of the graph were encoded at once."""
        places = compact_json(self.places).encode()
        nodes = b",".join([text.data for text in self.nodes])
        return b'{"places":%b,"nodes":[%b]}' % (places, nodes)

    def place_hashes(self, sums: Dict[str, str]) -> List[Dict[str, str]]:
        """A checksum for each captured place: says which one differs when two states do."""
        seen = bytearray(len(self.nodes))
        hashes = []
        for place in self.places:
            crc = zlib.crc32(compact_json([place["key"], place.get("value")]).encode())
            root = place.get("value")
            queue = [root[1]] if is_reference(root) else []
            while queue:
                number = queue.pop()
                if seen[number]:
                    continue
                seen[number] = 1
                node, data, referred = self.nodes[number]
                crc = zlib.crc32(data, crc)
                if node["t"] in ("buffer", "tensor"):
                    crc = zlib.crc32(sums.get(node["tensor"], "").encode(), crc)
                queue += referred
            hashes.append({"key": place["key"], "crc32": f"{crc:08x}"})
        return hashes


class GraphTexts:
    """The graphs of a run's checkpoints, one after the other."""

    def __init__(self) -> None:
        # By where the nodes lie in memory; as long as they are here nobody else lies there.
        self._known: Dict[int, _NodeText] = {}

    def of(self, graph: Dict[str, Any]) -> GraphText:
        assert list(graph) == ["places", "nodes"], list(graph)
        known = self._known
        nodes = [known.get(id(node)) or _text_of(node) for node in graph["nodes"]]
        self._known = {id(text.node): text for text in nodes}
        return GraphText(graph["places"], nodes)


def _text_of(node: Any) -> _NodeText:
    return _NodeText(node, compact_json(node).encode(), references(node))


def place_hashes(graph: Dict[str, Any], sums: Dict[str, str]) -> List[Dict[str, str]]:
    """The checksums of a graph that is seen once; of its tensors by their names."""
    known = {"places": graph["places"], "nodes": graph["nodes"]}
    return GraphTexts().of(known).place_hashes(sums)


__all__ = ["GraphText", "GraphTexts", "place_hashes"]
