"""Answers one question about sources: JSON on standard input, JSON on standard output."""

import json
import sys
from typing import Any, Dict

from .compare import compare
from .model import Model


def answer(question: Dict[str, Any]) -> Any:
    if question["ask"] == "model":
        model = Model(question["entry"], question["files"].get)
        return {**model.to_json(), "missing": model.program.missing}
    return compare(question["before"], question["after"])


json.dump(answer(json.load(sys.stdin)), sys.stdout)
