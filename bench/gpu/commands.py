"""The commands of `afterlog`, used on a folder as a user would: for pieces that need Node.

`NODE` names the binary and `AFTERLOG` the folder with `dist`, `node_modules` and `python`; `run.sh`
sets both to what `carry.sh` has packed, if that is there."""

import json
import os
import subprocess
import sys
import time
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("AFTERLOG") or os.path.dirname(os.path.dirname(HERE))
NODE = os.environ.get("NODE") or "node"
# A replay that has found everything, and something that differs from what was recorded.
DIVERGED = 3
# All executions of a program draw the same numbers.
SEED = "7"

Cells = Dict[Tuple[str, str], Any]


class Finished(NamedTuple):
    seconds: float
    out: str


class Answer(NamedTuple):
    """What a replay has found, by path and name, and how it got there."""

    seconds: float
    values: Cells
    # The mark of each value.
    checks: Dict[Tuple[str, str], str]
    scan: str
    # What the plan said that it would take.
    plan_seconds: float
    # Of the recorded iterations of innermost loops: which part was executed again.
    share: float
    # Why it is not less.
    notes: List[str]


class Project:
    """A folder with one program in it."""

    def __init__(self, folder: str, source: str) -> None:
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.write(source)

    def write(self, source: str) -> None:
        with open(os.path.join(self.folder, "train.py"), "w") as file:
            file.write(source)

    def afterlog(self, *argv: str, codes: Sequence[int] = (0,)) -> Finished:
        command = [NODE, os.path.join(ROOT, "dist/cli/main.js"), *argv]
        started = time.perf_counter()
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        seconds = time.perf_counter() - started
        if done.returncode not in codes:
            text = f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
            raise RuntimeError(f"afterlog {' '.join(argv)} ended with {done.returncode}\n{text}")
        return Finished(seconds, done.stdout)

    def record(
        self, *flags: str, seed: Sequence[str] = ("--seed", SEED), argv: Sequence[str] = ()
    ) -> Finished:
        return self.afterlog("run", "--python", sys.executable, *seed, *flags, "train.py", *argv)

    def replay(self, name: str, *flags: str) -> Answer:
        """Asks for a name that the program logs now and did not when it was recorded."""
        argv = ("replay", name, "--yes", "--json", *flags)
        seconds, out = self.afterlog(*argv, codes=(0, DIVERGED))
        events = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        plan = next(event["plan"] for event in events if event["kind"] == "plan")
        cells = [event for event in events if event["kind"] == "cell" and event["name"] == name]
        keys = [(path_text(cell["path"]), name) for cell in cells]
        run = plan["runs"][0]
        return Answer(
            seconds,
            dict(zip(keys, (cell["value"] for cell in cells))),
            dict(zip(keys, (cell["check"] for cell in cells))),
            run["scan"],
            plan["seconds"],
            run["share"],
            run["notes"],
        )

    def run_folder(self) -> str:
        """That of the run that was recorded first."""
        runs = os.path.join(self.folder, ".afterlog", "runs")
        for name in sorted(os.listdir(runs)):
            if self.manifest(os.path.join(runs, name))["kind"] == "record":
                return os.path.join(runs, name)
        raise RuntimeError(f"nothing was recorded in {runs}")

    def manifest(self, run: str) -> Dict[str, Any]:
        with open(os.path.join(run, "run.json")) as file:
            return json.load(file)

    def logged(self) -> Cells:
        """What the recorded run logged."""
        with open(os.path.join(self.run_folder(), "log.jsonl")) as file:
            records = [json.loads(line) for line in file]
        found = [record for record in records if record.get("k") == "log"]
        return {(path_text(one["path"]), one["name"]): one.get("value") for one in found}


def path_text(path: Sequence[List[Any]]) -> str:
    return ",".join("=".join(map(str, part[:2])) for part in path)
