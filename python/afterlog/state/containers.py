"""Lists, tuples, dicts, sets, deques and bytes, and classes derived from them."""

import builtins
import collections
from typing import TYPE_CHECKING, Any, Iterable, Sequence

from ..format.safetensors import compact_json
from ..materialize.slots import Slot
from .attributes import fill_attributes, has_attributes, write_attributes
from .kinds import Kind, Node, with_class
from .object_identity import HeldObjects, HeldInDicts, Known
from .own_content import entries_of, items_of, size_of
from .scalars import are_plain_numbers
from .set_order import Table, content_key, fill_set, is_ordered, make_frozen, read_table

if TYPE_CHECKING:
    from .restore import Restoration
    from .walk import Walk


# What `exec` puts among the names that it is given: the interpreter's own, and no state.
_BUILTINS = ["symbol", "py:builtins:__dict__"]


def _path_segment(key: Any, index: int) -> str:
    return str(key) if isinstance(key, (str, int)) else str(index)


def _factory_of(value: dict) -> Any:
    return value.default_factory if isinstance(value, collections.defaultdict) else None


class DictKind(Kind):
    types = (dict,)
    node_types = ("map",)

    def write(self, value: dict, walk: "Walk") -> Node:
        entries = []
        for index, (key, item) in enumerate(entries_of(value)):
            segment = _path_segment(key, index)
            held = _BUILTINS if item is builtins.__dict__ else walk.value(item, segment)
            entries.append([walk.value(key, f"{segment}.key"), held])
        node = with_class({"t": "map", "entries": entries}, type(value), dict)
        if isinstance(value, collections.defaultdict):
            node["factory"] = walk.value(value.default_factory, "default_factory")
        return write_attributes(node, value, walk)

    def memo(self, values: Sequence[dict], known: Known) -> Any:
        derived = [
            (index, _factory_of(value))
            for index, value in enumerate(values)
            if type(value) is not dict
        ]
        return HeldInDicts(values, known), derived

    def changed(self, values: Sequence[dict], memo: Any, known: Known) -> Iterable[int]:
        held, derived = memo
        found = {
            index
            for index, factory in derived
            if _factory_of(values[index]) is not factory or has_attributes(values[index])
        }
        if not held.are_in(values):
            found.update(held.differing(values))
        return found

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> dict:
        return reader.live_or_new(node, live, dict)

    def fill(self, node: Node, value: dict, reader: "Restoration") -> None:
        base: Any = collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict
        base.clear(value)
        for key, item in node["entries"]:
            base.__setitem__(value, reader.key(key), reader.value(item))
        if isinstance(value, collections.defaultdict):
            factory = reader.value(node.get("factory"))
            object.__setattr__(value, "default_factory", factory)
        fill_attributes(node, value, reader)


class ListKind(Kind):
    types = (list, collections.deque)
    node_types = ("array",)

    def write(self, value: Any, walk: "Walk") -> Node:
        items = items_of(value)
        if not are_plain_numbers(items):
            items = walk.items(items)
        node = with_class({"t": "array", "items": items}, type(value), list)
        if isinstance(value, collections.deque):
            node["maxlen"] = value.maxlen
        return write_attributes(node, value, walk)

    def memo(self, values: Sequence[Any], known: Known) -> Any:
        return HeldObjects(values, known)

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        found = {index for index, value in enumerate(values) if has_attributes(value)}
        if not memo.are_in(values):
            found.update(memo.differing(values))
        return found

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        if "maxlen" in node and not _is_deque(live, node):
            return reader.class_of(node, collections.deque)(maxlen=node["maxlen"])
        return reader.live_or_new(node, live, list)

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        items = [reader.value(item) for item in node["items"]]
        if isinstance(value, collections.deque):
            collections.deque.clear(value)
            collections.deque.extend(value, items)
        else:
            list.__setitem__(value, slice(None), items)
        fill_attributes(node, value, reader)


def _is_deque(live: Any, node: Node) -> bool:
    return isinstance(live, collections.deque) and live.maxlen == node["maxlen"]


class TupleKind(Kind):
    """Made from its items, and not changed: a tuple, a named tuple, a complex number."""

    types = (tuple, complex, range)
    node_types = ("array immutable",)

    def write(self, value: Any, walk: "Walk") -> Node:
        if isinstance(value, complex):
            parts: Any = (value.real, value.imag)
        elif isinstance(value, range):
            parts = (value.start, value.stop, value.step)
        elif hasattr(type(value), "n_sequence_fields"):
            # Of those with named fields that are made in C some have more fields than items.
            _, (shown, more) = value.__reduce__()
            parts = (*shown, *more.values())
        else:
            parts = items_of(value)
        items = walk.items(parts)
        node = with_class({"t": "array", "items": items, "immutable": True}, type(value), tuple)
        return write_attributes(node, value, walk)

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        return [
            index
            for index, value in enumerate(values)
            if type(value) is not tuple and has_attributes(value)
        ]

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        items = [reader.value(item) for item in node["items"]]
        made_of = reader.class_of(node, tuple)
        if issubclass(made_of, (complex, range)):
            made = made_of(*items)
            return live if type(live) is made_of and live == made else made
        if type(live) is made_of and size_of(live) == len(items):
            if all(a is b or _same_scalar(a, b) for a, b in zip(items_of(live), items)):
                return live
        # Some of C refuse to be made by their base class.
        is_of_c = hasattr(made_of, "n_sequence_fields") or made_of.__module__ == "torch"
        return made_of(items) if is_of_c else tuple.__new__(made_of, items)

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        fill_attributes(node, value, reader)


def _same_scalar(a: Any, b: Any) -> bool:
    return type(a) is type(b) and isinstance(a, (int, float, str)) and a == b


class SetKind(Kind):
    types = (set, frozenset)
    node_types = ("set",)

    def write(self, value: Any, walk: "Walk") -> Node:
        # The order of a set of objects is not the same in every process: they are numbered first
        # where something else leads to them, then by what they hold, and stand in an order of
        # their own.
        if walk.identifying:
            return {}
        ordered = is_ordered(items_of(value))
        table = read_table(value) if ordered else None
        # One that cannot be changed is found again where it was when the loop was entered.
        is_found = isinstance(value, frozenset) and walk.knows(value)
        if ordered and table is None and not is_found:
            raise walk.refuse("a set whose order cannot be made again", "keep a list or a dict")
        held = sorted(items_of(value), key=content_key) if table is None else table.items
        items = [walk.value(item, index) for index, item in enumerate(held)]
        if table is None:
            items.sort(key=lambda item: (isinstance(item, list), compact_json(item)))
        node = with_class({"t": "set", "items": items}, type(value), set)
        if table is not None:
            node["table"] = table.to_json()
        return write_attributes(node, value, walk)

    def memo(self, values: Sequence[Any], known: Known) -> Any:
        return [not size_of(value) and not has_attributes(value) for value in values]

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        # Every module has an empty one; others have no order to compare them in.
        if all(memo) and set(map(type, values)) == {set} and not any(values):
            return ()
        return [
            index
            for index, (value, was_empty) in enumerate(zip(values, memo))
            if size_of(value) or not was_empty or has_attributes(value)
        ]

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        made_of = reader.class_of(node, set)
        if issubclass(made_of, frozenset):
            frozen = made_of(_make_frozenset(node, reader))
            # The one that was there has its own order.
            return live if type(live) is made_of and live == frozen else frozen
        return reader.live_or_new(node, live, set)

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        if not isinstance(value, frozenset):
            _fill_set(node, value, reader)
        fill_attributes(node, value, reader)


def _make_frozenset(node: Node, reader: "Restoration") -> frozenset:
    items = [reader.filled_value(item) for item in node["items"]]
    return make_frozen(Table(items, **node["table"])) if "table" in node else frozenset(items)


def _fill_set(node: Node, value: set, reader: "Restoration") -> None:
    items = [reader.key(item) for item in node["items"]]
    if "table" in node:
        fill_set(value, Table(items, **node["table"]))
    else:
        set.clear(value)
        set.update(value, items)


class BytesKind(Kind):
    types = (bytes, bytearray)
    node_types = ("buffer",)

    def write(self, value: Any, walk: "Walk") -> Node:
        size = size_of(value)
        node = with_class({"t": "buffer", "bytes": size}, type(value), bytearray)
        if not walk.identifying:
            walk.tensors.add_plain(walk.current, node, size, _copy_bytes)
        return write_attributes(node, value, walk)

    def memo(self, values: Sequence[Any], known: Known) -> Any:
        return list(map(size_of, values))

    def changed(self, values: Sequence[Any], memo: Any, known: Known) -> Iterable[int]:
        return [
            index
            for index, value in enumerate(values)
            if size_of(value) != memo[index] or has_attributes(value)
        ]

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        made_of = reader.class_of(node, bytearray)
        if issubclass(made_of, bytes):
            made = made_of(reader.bytes(node["tensor"]))
            return live if type(live) is made_of and live == made else made
        return reader.live_or_new(node, live, bytearray)

    def fill(self, node: Node, value: Any, reader: "Restoration") -> None:
        if isinstance(value, bytearray):
            bytearray.__setitem__(value, slice(None), reader.bytes(node["tensor"]))
        fill_attributes(node, value, reader)


def _copy_bytes(value: Any, slot: Slot, offset: int) -> None:
    slot.view[offset : offset + size_of(value)] = value


KINDS = [DictKind(), ListKind(), TupleKind(), SetKind(), BytesKind()]
