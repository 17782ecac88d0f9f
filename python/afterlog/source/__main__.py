"""Answers one question about sources: JSON on standard input, JSON on standard output."""

import json
import sys
from typing import Any, Dict

from .compare import compare
from .outline import outline


def answer(question: Dict[str, Any]) -> Any:
    if question["ask"] == "outline":
        texts = question["files"]
        return {"files": {file: outline(file, text) for file, text in texts.items()}}
    return compare(question["before"], question["after"])


json.dump(answer(json.load(sys.stdin)), sys.stdout)
