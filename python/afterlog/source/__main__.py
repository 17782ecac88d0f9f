"""Answers one question about sources: JSON on standard input, JSON on standard output."""

import json
import sys
from typing import Any, Dict

from .compare import compare
from .model import Model
from .outline import outline
from .printing import make_printing
from .program import Program


def _model(entry: str, files: Dict[str, str], **mode: Any) -> Dict[str, Any]:
    try:
        model = Model(entry, files.get, **mode)
        return {**model.to_json(), "missing": model.program.missing}
    except Exception as error:  # a mistake of ours must not keep anybody from an answer
        program = Program(entry, files.get, **mode)
        why = f"the program could not be analysed ({type(error).__name__}: {error})"
        return {**outline(program, why), "missing": program.missing}


def _compiles(text: str) -> bool:
    try:
        compile(text, "text", "exec", dont_inherit=True)
        return True
    except (SyntaxError, ValueError):
        return False


def answer(question: Dict[str, Any]) -> Any:
    if question["ask"] == "compile":
        return [_compiles(text) for text in question["texts"]]
    hands_free, rule = question.get("handsFree", False), question.get("consoleRule")
    if question["ask"] == "model":
        return _model(question["entry"], question["files"], hands_free=hands_free, rule=rule)
    printing = make_printing(rule) if hands_free else None
    also = question.get("also", [])
    return compare(question["before"], question["after"], printing, also)


json.dump(answer(json.load(sys.stdin)), sys.stdout)
