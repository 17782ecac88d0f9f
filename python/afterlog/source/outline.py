"""The loops and log statements of a program, without knowing where they run or what they change:
what is left to say where the analysis itself fails. Everything is executed then."""

import ast
import re
from typing import Any, Dict, List, Optional

from ..format.console_rule import ANY_NAME, PrintedNames
from .program.printed_calls import record_names
from .program.program import Module, Program
from .program.sdk_calls import SourcePositions, literal_text


def mode_of(program: Program) -> Dict[str, Any]:
    """How the program was understood, and the loops that are executed as they are."""
    if program.found is None:
        return {}
    places = {file: SourcePositions(module.text) for file, module in program.modules.items()}
    left: List[Dict[str, Any]] = [
        {"file": one.file, **places[one.file].start(one.node), "why": one.why}
        for one in program.found.left_alone
    ]
    own = [one.identifier for one in program.skeletons.values()]
    return {"handsFree": True, "leftAlone": left, **({"libraries": own} if own else {})}


def names_of(
    module: Module, call: ast.Call, printed: Optional[PrintedNames]
) -> List[Dict[str, Any]]:
    """The names that a statement logs: written out, or a pattern, or nobody can tell. One that
    shows no name is asked for as its last value is written."""
    if printed is None:
        printed = record_names(call)
    if printed is not None:
        written = None if module.printing is None else module.printing.written(call, module.text)
        if written:
            return [{"name": written[-1], "pattern": ANY_NAME}]
        patterns = [{"name": None, "pattern": pattern} for pattern in printed.patterns]
        shown: Dict[str, Any] = {"shown": printed.names} if printed.is_open else {}
        return [*({"name": name, **shown} for name in printed.names), *patterns]
    name, pattern = literal_text(call), _pattern_of(call)
    return [{"name": name, **({"pattern": pattern} if name is None and pattern else {})}]


def _pattern_of(call: ast.Call) -> Optional[str]:
    """A regular expression for what an f-string may be."""
    first = call.args[0] if call.args else None
    if not isinstance(first, ast.JoinedStr):
        return None
    parts = [
        re.escape(part.value) if isinstance(part, ast.Constant) else ".*" for part in first.values
    ]
    return f"^{''.join(parts)}$"


def outline(program: Program, why: str) -> Dict[str, Any]:
    loops: List[Dict[str, Any]] = []
    logs: List[Dict[str, Any]] = []
    for module in program.modules.values():
        places = SourcePositions(module.text)
        calls = [node for node in ast.walk(module.tree) if isinstance(node, ast.Call)]
        ordinal = 0
        for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
            called = module.sdk.called(call)
            printed = None if module.printing is None else module.printing.names_of(call)
            known: Dict[str, Any] = {"file": module.file, **places.start(call)}
            if called == "loop":
                number = {"id": len(loops), "ordinal": ordinal, "name": literal_text(call)}
                rest: Dict[str, Any] = {
                    "form": "other",
                    "changes": [],
                    "iterator": "dependent",
                    "awaits": False,
                }
                loops.append({**known, **number, **rest})
                ordinal += 1
            elif called == "log" or printed is not None:
                text = ast.get_source_segment(module.text, call) or ""
                rest = {"text": text, "chain": [], "certain": False, "before": []}
                logs += [{**known, **name, **rest} for name in names_of(module, call, printed)]
    uncertain = [*program.uncertain, why]
    return {
        **mode_of(program),
        "files": program.own_files(),
        "loops": loops,
        "logs": logs,
        "uncertain": uncertain,
    }
