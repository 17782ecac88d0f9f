"""Answers questions about sources: each a line of JSON on standard input, and its answer a line on
standard output, until the input ends."""

import json
import signal
import sys
from typing import Any, Dict

from .compare_sources import compare
from .model import Model
from .outline import outline
from .program.parts import parts_by_file
from .program.printed_calls import make_printing
from .program.program import Program


def _model(question: Dict[str, Any], **mode: Any) -> Dict[str, Any]:
    """`absent`: files that are not there. While others are missing there is nothing to analyse.
    `probes`: what was added to ask."""
    entry, files, absent = question["entry"], question["files"], question["absent"]
    probes = question.get("probes", [])
    parts = parts_by_file(probes)
    recorded = Program(entry, files.get, parts=parts, **mode) if parts else None
    program = Program(entry, files.get, recorded=recorded, **mode)
    missing = [file for file in program.missing if file not in files and file not in absent]
    if missing:
        return {"missing": missing}
    try:
        return Model(program, probes).to_json()
    except Exception as error:  # a mistake of ours must not keep anybody from an answer
        why = f"the program could not be analysed ({type(error).__name__}: {error})"
        return outline(program, why)


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
        libraries = question.get("libraries", [])
        mode = {"hands_free": hands_free, "rule": rule, "libraries": libraries}
        return _model(question, rules=question.get("loopRules", 0), **mode)
    printing = make_printing(rule) if hands_free else None
    also = question.get("also", [])
    return compare(question["before"], question["after"], printing, also)


def main() -> None:
    # Whoever asks decides when it is over: by ending the input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        try:
            told = answer(json.loads(line))
        except Exception as error:  # the next question may well have an answer
            told = {"problem": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
