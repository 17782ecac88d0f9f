"""The part of a checkpoint that is not tensors: nodes, and how one refers to others."""

from typing import Any, Callable, Dict, Iterable, List, Sequence, Tuple

# Where a node has values, of each kind of node: one, a list of them, a list of pairs.
_ONE = ("factory", "state")
_LISTS = ("items",)
_PAIRS = ("entries", "props", "parameters", "buffers", "modules")
# Of fewer values each is looked at as quickly.
_MANY = 64


def is_reference(value: Any) -> bool:
    """Of a value: a list of a text and a number looks the same."""
    return isinstance(value, list) and len(value) == 2 and value[0] == "ref"


def references(node: Dict[str, Any]) -> List[int]:
    """Which objects a node refers to, in order."""
    found: List[int] = []
    for field, held in node.items():
        if field in _PAIRS:
            values = [one for pair in held for one in pair]
        else:
            values = held if field in _LISTS else [held] if field in _ONE else []
        # Of a million numbers none is asked by itself.
        if len(values) > _MANY and list not in set(map(type, values)):
            continue
        found += [
            one[1] for one in values if type(one) is list and len(one) == 2 and one[0] == "ref"
        ]
    return found


def with_values(node: Dict[str, Any], new: Callable[[Any], Any]) -> Dict[str, Any]:
    """The node with another value for each that it has."""
    found = dict(node)
    for field, held in node.items():
        if field in _PAIRS:
            found[field] = [[*map(new, pair[:2]), *pair[2:]] for pair in held]
        elif field in _LISTS:
            found[field] = [new(one) for one in held]
        elif field in _ONE:
            found[field] = new(held)
    return found


def texts(node: Dict[str, Any]) -> List[str]:
    """The texts that a node holds, in order, names of attributes among them."""
    found: List[str] = []
    for field, held in node.items():
        if field in _PAIRS:
            found += [one for pair in held for one in pair[:2] if isinstance(one, str)]
        elif field in _LISTS or field in _ONE:
            values = held if field in _LISTS else [held]
            found += [one for one in values if isinstance(one, str)]
    return found


def texts_apart(holders: Iterable[Tuple[Any, Sequence[str]]]) -> List[Any]:
    """Which of the texts are not one object with others that say the same: for each holder that has
    such, the number of each of its texts among the objects that say the same."""
    objects: Dict[str, Dict[int, int]] = {}
    found = []
    for holder, held in holders:
        numbers = []
        for text in held:
            equal = objects.setdefault(text, {})
            numbers.append(equal.setdefault(id(text), len(equal)))
        if any(numbers):
            found.append([holder, numbers])
    return found
