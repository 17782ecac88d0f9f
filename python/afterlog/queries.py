"""`frame`: what was logged, from the command line of Afterlog, which reads all runs; and which
checkpoint belongs to a row of it."""

import json
import subprocess
import sys
from typing import Any, Dict, List, Optional

from .format.errors import AfterlogError
from .format.values import value_from_json
from .store.command import find_command

# JSON has no words for these; the command line writes them as texts.
_NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def frame(
    *names: str, where: Optional[str] = None, grain: Optional[str] = None, folder: str = "."
) -> Any:
    """The frame with these names as columns: a `pandas.DataFrame` where the program has imported
    pandas, else a list with a dict for each row. `where` is SQL, `grain` the loop whose iterations
    are the rows. A value that is missing is None. AL021 if no run has logged a name."""
    if not names:
        raise AfterlogError("AL061", "frame() needs names", ['for example  frame("lr", "loss")'])
    words = ["frame", "-L", "0", *names]
    if where is not None:
        words += ["--where", where]
    if grain is not None:
        words += ["--grain", grain]
    rows = [_row(row) for row in _ask(words, folder)]
    pandas = sys.modules.get("pandas")
    return rows if pandas is None else pandas.DataFrame(rows)


def find_checkpoint(reference: str, folder: str) -> Dict[str, Any]:
    """Where the checkpoint lies that `RUN@epoch=3` names, or that belongs to a row (JSON)."""
    found: Dict[str, Any] = _ask(["restore", reference], folder)
    return found


def _ask(words: List[str], folder: str) -> Any:
    command = [*_command(), "-C", folder, words[0], "--json", *words[1:]]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise _error(done.stderr.decode("utf-8", "replace"), words[0])
    return json.loads(done.stdout.decode())


def _row(row: Dict[str, Any]) -> Dict[str, Any]:
    # Where each value comes from is for the command line: `afterlog why`.
    return {name: _cell(value) for name, value in row.items() if name != "origin"}


def _cell(value: Any) -> Any:
    return _NOT_FINITE.get(value, value) if isinstance(value, str) else value_from_json(value)


def _error(text: str, command: str) -> AfterlogError:
    """What the command line said, as an error of ours."""
    for line in text.split("\n"):
        try:
            error = json.loads(line)["error"]
            return AfterlogError(error["code"], error["message"], error["help"], error["notes"])
        except (ValueError, KeyError, TypeError):
            continue
    lines = [line for line in text.strip().split("\n") if line]
    message = lines[0] if lines else "the command afterlog failed"
    return AfterlogError("AL061", message, [f"see  afterlog {command} --help"], lines[1:])


def _command() -> List[str]:
    command = find_command()
    if command is not None:
        return command
    raise AfterlogError(
        "AL061",
        "the command afterlog is not on the PATH",
        ["install it:  npm install -g afterlog", "or say where it is:  AFTERLOG_CLI=…/afterlog"],
    )
