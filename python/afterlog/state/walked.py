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
