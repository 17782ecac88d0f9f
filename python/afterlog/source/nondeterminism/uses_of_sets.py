"""Which uses of a set tell in which order it is gone through."""

import ast
from typing import Optional

from ..program.program import Module
from .flow_graph import Cause

_FUNCTIONS = frozenset(
    "len set frozenset isinstance type bool any all id hash callable sorted min max".split()
)
# They give the first of those that are equal by the key.
_WITH_KEY = ("sorted", "min", "max")
# Methods that keep the set as it is, or make another set with it.
_METHODS = frozenset(
    "append appendleft add insert discard remove update setdefault get union difference "
    "intersection symmetric_difference difference_update intersection_update "
    "symmetric_difference_update issubset issuperset isdisjoint".split()
)


def tells_order(call: ast.Call) -> bool:
    """Whether what a call does that is no function of the program depends on the order of a set
    among its arguments."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr not in _METHODS
    name = getattr(call.func, "id", "")
    return name not in _FUNCTIONS or (name in _WITH_KEY and bool(call.keywords))


def taken_from(callee: ast.expr) -> Optional[ast.expr]:
    """What a method is called on that gives what is first in a set."""
    if isinstance(callee, ast.Attribute) and callee.attr in ("pop", "__iter__"):
        return callee.value
    return None


def order_cause(module: Module, node: ast.expr) -> Cause:
    text = " ".join((ast.get_source_segment(module.text, node) or "").split())
    which = f"that `{text}` gets" if isinstance(node, (ast.Tuple, ast.List)) else f"`{text}`"
    where = f"{module.file}:{node.lineno}"
    words = f"the order of the set {which} at {where}, whose elements are hashed by address"
    return Cause(words, None)
