"""Answers one question about sources: JSON on standard input, JSON on standard output."""

import json
import sys
from typing import Any, Dict

from .compare import compare
from .model import Model
from .outline import outline
from .program import Program


def _model(entry: str, files: Dict[str, str], hands_free: bool) -> Dict[str, Any]:
    try:
        model = Model(entry, files.get, hands_free=hands_free)
        return {**model.to_json(), "missing": model.program.missing}
    except Exception as error:  # a mistake of ours must not keep anybody from an answer
        program = Program(entry, files.get, hands_free=hands_free)
        why = f"the program could not be analysed ({type(error).__name__}: {error})"
        return {**outline(program, why), "missing": program.missing}


def answer(question: Dict[str, Any]) -> Any:
    if question["ask"] == "model":
        return _model(question["entry"], question["files"], question.get("handsFree", False))
    return compare(question["before"], question["after"])


json.dump(answer(json.load(sys.stdin)), sys.stdout)
