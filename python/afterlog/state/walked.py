"""What a walk leaves behind for the next one over the same objects."""

from typing import Any, Dict, List, NamedTuple, Set

from .kinds import Kind


class Restructured(Exception):
    """The graph is not the one that was walked."""


class Walked(NamedTuple):
    """What a walk has met, by number."""

    objects: List[Any]
    # Numbers of the objects that places hold.
    roots: List[int]
    kinds: List[Kind]
    nodes: List[Dict[str, Any]]
    # Numbers of nodes that hold something known by its number at the loop's entry only.
    with_opaque: Set[int]


def is_reference(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and value[0] == "ref"


def references(node: Any) -> List[int]:
    """Which objects a node refers to, in order."""
    found: List[int] = []
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, list):
            if is_reference(one):
                found.append(one[1])
            else:
                stack.extend(reversed(one))
        elif isinstance(one, dict):
            stack.extend(reversed(list(one.values())))
    return found
