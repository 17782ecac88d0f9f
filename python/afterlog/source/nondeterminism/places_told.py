"""Where a program lies and what else lies there, as a log call tells it: a replay is executed in a
tree of its own. Who only opens a file by such a path finds the same one there, so that what was
read does not depend on it: only what is logged as it is counts."""

import ast
from typing import Callable, List, Optional

from .. import libraries
from ..program.program import Module
from .flow_graph import Cause


def places_told(
    module: Module, part: ast.AST, path_of: Callable[[ast.expr], Optional[str]]
) -> List[Cause]:
    """`path_of`: what an expression means, if it is something of a package."""
    found = []
    for node in ast.walk(part):
        if isinstance(node, (ast.Name, ast.Attribute)):
            own = "__file__" if getattr(node, "id", "") == "__file__" else path_of(node)
            if own is not None and (own == "__file__" or libraries.tells_place(own)):
                found.append(Cause(f"{own} at {module.file}:{node.lineno}", None))
    return found
