"""Names whose values are compared by which object they are (`task is REMOVED`)."""

import ast
from typing import AbstractSet, FrozenSet, Set


def names_compared_by_is(tree: ast.AST, ignored: AbstractSet[ast.AST]) -> FrozenSet[str]:
    """`ignored`: statements that are taken for not being there."""
    found: Set[str] = set()
    open_nodes = [tree]
    while open_nodes:
        node = open_nodes.pop()
        if node not in ignored:
            open_nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for operator, left, right in zip(node.ops, sides, sides[1:]):
                # There is one None, and one of each truth value.
                is_one = isinstance(left, ast.Constant) or isinstance(right, ast.Constant)
                if isinstance(operator, (ast.Is, ast.IsNot)) and not is_one:
                    found.update(_name_of(side) for side in (left, right))
    return frozenset(found - {""})


def _name_of(node: ast.AST) -> str:
    return getattr(node, "id", None) or getattr(node, "attr", None) or ""
