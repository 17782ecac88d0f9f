"""Where an object lies and whose memory it sees: a restored array may have memory of its own where
it was a view of another one that nobody else had."""

import ast
from typing import Dict

from .. import libraries

# Where a tensor lies, how long an event took, how fast a progress bar is.
VARYING = libraries.methods_with("varies") | libraries.attributes_with("varies")


def memory_told(tree: ast.AST) -> Dict[ast.AST, str]:
    """Expressions that tell it, by words that programs use for other things too: only where they
    can mean nothing else. What each is called."""
    found: Dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not node.args and _is_named(node.func, "storage"):
            found[node.func] = "storage"
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            for side in (node.left, *node.comparators):
                if _is_named(side, "base"):
                    found[side] = "base"
        elif isinstance(node, ast.Subscript) and _is_named(node.value, "flags"):
            key = getattr(node.slice, "value", None)
            # In Python 3.8 and before, what is in the brackets has a node of its own.
            key = getattr(key, "value", key)
            if key in ("OWNDATA", "O"):
                found[node.value] = str(key)
    return found


def _is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name
