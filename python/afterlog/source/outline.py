"""The loops and log statements of a program, without knowing where they run or what they change:
what is left to say where the analysis itself fails. Everything is executed then."""

import ast
from typing import Any, Dict

from .calls import Places, literal_text
from .program import Program


def mode_of(program: Program) -> Dict[str, Any]:
    """How the program was understood, and the loops that are executed as they are."""
    if program.found is None:
        return {}
    places = {file: Places(module.text) for file, module in program.modules.items()}
    left = [
        {"file": one.file, **places[one.file].start(one.node), "why": one.why}
        for one in program.found.left_alone
    ]
    return {"handsFree": True, "leftAlone": left}


def outline(program: Program, why: str) -> Dict[str, Any]:
    loops, logs = [], []
    for module in program.modules.values():
        places = Places(module.text)
        calls = [node for node in ast.walk(module.tree) if isinstance(node, ast.Call)]
        ordinal = 0
        for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
            called = module.sdk.called(call)
            known = {"file": module.file, **places.start(call), "name": literal_text(call)}
            if called == "loop":
                number = {"id": len(loops), "ordinal": ordinal}
                rest = {"form": "other", "changes": [], "iterator": "dependent", "awaits": False}
                loops.append({**known, **number, **rest})
                ordinal += 1
            elif called == "log":
                text = ast.get_source_segment(module.text, call) or ""
                logs.append({**known, "text": text, "chain": [], "certain": False, "before": []})
    uncertain = [*program.uncertain, why]
    return {
        **mode_of(program),
        "files": list(program.modules),
        "loops": loops,
        "logs": logs,
        "uncertain": uncertain,
    }
