"""A captured state without the program that it was captured in: tensors and arrays as they are,
containers as Python's own, everything else by its attributes. No code of the program is needed, and
none that a checkpoint names is called.

The graph is written anew in plain words, and restored like any other.
"""

import importlib
from typing import Any, Dict, List, Set

from ..format.structure import is_reference, with_values
from .kinds import Node
from .objects import _CONSTANTS
from .places import EntryIds
from .restore import Restoration, refuse_lacking


class Instance:
    """What an instance of a class held, as attributes; `vars(…)` has them as a dict."""

    def __repr__(self) -> str:
        held = " ".join(f"{name}={value!r:.40}" for name, value in vars(self).items())
        return f"<{type(self).__name__} {held}>".replace(" >", ">")


class _Classes:
    """A class for each name of one: it says in messages what an object was."""

    def __getattr__(self, name: str) -> type:
        made = type(name, (Instance,), {"__module__": __name__})
        setattr(self, name, made)
        return made


CLASSES = _Classes()

# Modules whose names are values here too.
_FRAMEWORKS = ("torch", "numpy")
_KNOWN_MODULES = (*_FRAMEWORKS, "builtins")
_CONSTANT_MODULES = {module for module, _ in _CONSTANTS} - {"builtins"}


def plain_values(structure: Dict[str, Any], read: Any, root: str) -> Dict[str, Any]:
    """The value of each place of a checkpoint, by its key. `root`: the project's folder."""
    places = [place for place in structure["places"] if _is_held(place)]
    nodes = _PlainNodes(structure["nodes"], root).nodes
    for module in _modules(places, nodes):
        importlib.import_module(module)
    own = {"places": [], "nodes": nodes, "entry": [None] * len(nodes)}
    restoration = Restoration(own, EntryIds(hold=True), read, refuse_lacking)
    restoration.run([])
    plain = _PlainNodes([], root)
    return {place["key"]: restoration.value(plain.value(place["value"])) for place in places}


def _is_held(place: Dict[str, Any]) -> bool:
    value = place.get("value")
    # A function, or what else is only known as the object that was there.
    is_opaque = isinstance(value, list) and value[0] == "entry"
    return "value" in place and not is_opaque and value != ["undefined"]


def _modules(places: List[Any], nodes: List[Node]) -> List[str]:
    """What must be imported for the values."""
    used: Set[str] = set()

    def note(value: Any) -> Any:
        if isinstance(value, list) and value[:1] == ["symbol"]:
            word, _, rest = value[1].partition(":")
            used.add(word.partition(".")[0] if word != "py" else rest.partition(":")[0])
        return value

    for place in places:
        note(place["value"])
    for node in nodes:
        with_values(node, note)
        used.update([node.get("framework", ""), node.get("adapter", "").partition("-")[0]])
        used.add((node.get("class") or {}).get("module") or "")
    return sorted(used & {*_FRAMEWORKS, *_CONSTANT_MODULES})


class _PlainNodes:
    """The nodes of a graph in plain words, under their numbers; new ones stand behind them."""

    def __init__(self, nodes: List[Node], root: str) -> None:
        self._saved = nodes
        self._root = root
        self.nodes: List[Node] = list(nodes)
        # Those that stand here as they were saved.
        self._kept: Set[int] = set()
        for number, node in enumerate(nodes):
            plain = self._plain(node)
            if number not in self._kept:
                self.nodes[number] = plain

    def _plain(self, node: Node) -> Node:
        kind = node["t"]
        if kind == "tensor":
            return _plain_tensor(node)
        if kind == "adapted":
            return self._plain_adapted(node)
        own = with_values(node, self.value)
        if kind == "object":
            return self._plain_object(own)
        own.pop("factory", None)
        # The places of its items in memory would be those of other objects.
        own.pop("table", None)
        own.pop("props", None)
        module = (own.get("class") or {}).get("module")
        if module != "builtins":
            own.pop("class", None)
        return own

    def _plain_adapted(self, node: Node) -> Node:
        adapter = node["adapter"]
        if adapter == "torch-module":
            entries = [[name, value] for name, value in self._state_dict(node, "", ())]
            return {"t": "map", "entries": entries}
        if adapter in ("numpy-scalar", "numpy-dtype"):
            return node
        name = node.get("class") or {"name": adapter}
        if adapter == "reduce" and self._is_constant(node):
            return node
        state = [["state", self.value(node.get("state"))]]
        return {"t": "object", "class": _class_named(name["name"]), "props": state}

    def _is_constant(self, node: Node) -> bool:
        """Whether it is a date, a decimal, a path, made by its own module. What makes it is then
        called, and named here for what it is."""
        name, parts = node["class"], self._saved_node(node["state"])
        if not _is_known(name):
            return False
        make = parts["items"][0]
        own = f"py:{name['module']}:"
        if not (isinstance(make, list) and make[0] == "symbol" and make[1].startswith(own)):
            return False
        self.nodes[node["state"][1]] = parts
        self._kept.add(node["state"][1])
        return True

    def _state_dict(self, node: Node, prefix: str, around: Any) -> List[Any]:
        """What the `state_dict` of a module had: parameters and buffers by their names."""
        lost = set(self._texts_of(dict(node["props"]).get("_non_persistent_buffers_set")))
        own = [*node["parameters"], *([k, v] for k, v in node["buffers"] if k not in lost)]
        found = [[prefix + name, value] for name, value in own if is_reference(value)]
        for name, value in node["modules"]:
            if is_reference(value) and value[1] not in around:
                inner, path = self._saved[value[1]], (*around, value[1])
                if inner.get("adapter") == "torch-module":
                    found += self._state_dict(inner, f"{prefix}{name}.", path)
        return found

    def _texts_of(self, value: Any) -> List[str]:
        return self._saved[value[1]].get("items", []) if is_reference(value) else []

    def _plain_object(self, node: Node) -> Node:
        held = {name: value for name, value, *_ in node["props"] if isinstance(name, str)}
        made_of = node.get("class") or {"name": "object"}
        if _is_known(made_of):
            return node
        if {"param_groups", "state"} <= held.keys():
            own = self._optimizer_state(held)
            if own is not None:
                return own
        return {"t": "object", "class": _class_named(made_of["name"]), "props": node["props"]}

    def _optimizer_state(self, held: Dict[str, Any]) -> Any:
        """What the `state_dict` of an optimizer had: its parameters are numbers. None: it is no
        optimizer of PyTorch."""
        groups, state = (self._saved_node(held[name]) for name in ("param_groups", "state"))
        if groups.get("t") != "array" or state.get("t") != "map":
            return None
        numbers: Dict[int, int] = {}
        packed = []
        for group in map(self._saved_node, groups["items"]):
            own = [[key, self.value(value)] for key, value in group.get("entries", [])]
            params = next((value for key, value in own if key == "params"), None)
            tensors = self._saved_node(params).get("items")
            if tensors is None or not all(map(is_reference, tensors)):
                return None
            mine = [numbers.setdefault(one[1], len(numbers)) for one in tensors]
            named = [[key, value] for key, value in own if key != "params"]
            packed.append(
                self._new({"t": "map", "entries": [*named, ["params", self._list(mine)]]})
            )
        entries = [
            [numbers.get(key[1], key) if is_reference(key) else key, self.value(value)]
            for key, value in state["entries"]
        ]
        of_state = self._new({"t": "map", "entries": entries})
        return {"t": "map", "entries": [["state", of_state], ["param_groups", self._list(packed)]]}

    def _saved_node(self, value: Any) -> Node:
        return self._saved[value[1]] if is_reference(value) else {}

    def _list(self, items: List[Any]) -> Any:
        return self._new({"t": "array", "items": items})

    def _new(self, node: Node) -> Any:
        self.nodes.append(node)
        return ["ref", len(self.nodes) - 1]

    def value(self, encoded: Any) -> Any:
        """A value in plain words: what stands for code is its name, and what is not in the
        checkpoint is nothing."""
        if not isinstance(encoded, list):
            return encoded
        kind = encoded[0]
        if kind in ("entry", "undefined", "hole"):
            return None
        if kind != "symbol":
            return encoded
        word, _, rest = encoded[1].partition(":")
        if word == "root":
            return self._root + rest
        if word == "left":
            return None
        module, _, name = rest.partition(":")
        if word == "py" and module not in _KNOWN_MODULES:
            return f"{module}.{name}".rstrip(".")
        return encoded


def _is_known(name: Dict[str, Any]) -> bool:
    """Whether it is a class of Python's own whose values never change."""
    return (name.get("module"), name.get("export")) in _CONSTANTS


def _plain_tensor(node: Node) -> Node:
    own = {key: value for key, value in node.items() if key not in ("class", "props")}
    if node["framework"] == "torch":
        # As if it was loaded with map_location="cpu".
        own.update(device="cpu", flags={"requires_grad": False})
    return own


def _class_named(name: str) -> Dict[str, str]:
    return {"name": name, "module": __name__, "export": f"CLASSES.{name.rpartition('.')[2]}"}
