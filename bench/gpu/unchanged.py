"""A training script as users write it, recorded unchanged and asked, beside training again.

    python3 bench/gpu/unchanged.py bench/gpu/programs/resnet50.py > unchanged-resnet50.json

Lines `# ask NAME [of ITERATIONS]: statement` of the program are its questions. It is executed
plainly and recorded in turn; then each question is asked, and compared with the program that had
all of them from the start. Times are by the clock, with all of Node, Python and the device's start
in them; `startS` is what the program itself needs before its first loop, which nobody can save.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, NamedTuple

import torch
from commands import Cells, Project
from workloads import device_name

_ASKED = re.compile(r"^( *)# ask (\w+)(?: of ([^:]*))?: (.*)$", re.M)


class Question(NamedTuple):
    name: str
    # Which iterations; empty: all.
    where: str


def questions_of(text: str) -> List[Question]:
    return [Question(name, where) for _, name, where, _ in _ASKED.findall(text)]


def with_questions(text: str) -> str:
    return _ASKED.sub(r"\1\4", text)


def plain(project: Project, argv: List[str]) -> float:
    command = [sys.executable, "train.py", *argv]
    started = time.perf_counter()
    done = subprocess.run(command, cwd=project.folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-4000:])
    return time.perf_counter() - started


def say(text: str) -> None:
    """As it goes: the machine may be lent for minutes only."""
    print(text, file=sys.stderr, flush=True)


def checkpoints_of(run: str) -> List[Dict[str, Any]]:
    with open(os.path.join(run, "checkpoints", "index.jsonl")) as file:
        records = [json.loads(line) for line in file]
    return [one for one in records if one.get("k") == "checkpoint"]


def start_of(run: str) -> float:
    with open(os.path.join(run, "profile.jsonl")) as file:
        lines = [json.loads(line) for line in file]
    return sum(line["ms"] for line in lines if line["k"] in ("start", "setup", "prefix")) / 1000


def spread(values: List[float]) -> Dict[str, float]:
    if not values:
        return {}
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def ask(project: Project, question: Question, truth: Cells) -> Dict[str, Any]:
    flags = ("--where", question.where) if question.where else ()
    answer = project.replay(question.name, "-j", "1", *flags)
    say(f"{question.name}: {answer.seconds:.1f} s")
    marks = list(answer.checks.values())
    wrong = [
        f"{key}: {value} is {answer.checks[key]}, the truth is {truth.get(key)}"
        for key, value in answer.values.items()
        if value != truth.get(key)
    ]
    return {
        "scan": answer.scan,
        "seconds": answer.seconds,
        "planS": answer.plan_seconds,
        "share": answer.share,
        "cells": len(marks),
        "marks": {mark: marks.count(mark) for mark in sorted(set(marks))},
        "wrong": wrong,
        "notes": answer.notes,
    }


def measure(options: argparse.Namespace, folder: str) -> Dict[str, Any]:
    with open(options.program) as file:
        text = file.read()
    asked = with_questions(text)
    reference = Project(os.path.join(folder, "truth"), asked)
    reference.record(argv=options.argv.split())
    truth = reference.logged()
    plain_s, recorded_s = [], []
    for number in range(options.rounds):
        project = Project(os.path.join(folder, f"recorded{number}"), text)
        plain_s.append(plain(project, options.argv.split()))
        recorded_s.append(project.record(argv=options.argv.split()).seconds)
        say(f"plain {plain_s[-1]:.1f} s, recorded {recorded_s[-1]:.1f} s")
    run = project.run_folder()
    checkpoints = checkpoints_of(run)
    project.write(asked)
    answers = {one.name: ask(project, one, truth) for one in questions_of(text)}
    return {
        "plainS": plain_s,
        "recordedS": recorded_s,
        "startS": start_of(run),
        "overhead": project.manifest(run).get("overhead"),
        "checkpoints": len(checkpoints),
        "captureMs": spread([one["times"]["capture"] for one in checkpoints]),
        "snapshotMs": spread([one["times"]["snapshot"] for one in checkpoints]),
        "eachMs": [[one["path"], one["times"]] for one in checkpoints],
        "questions": answers,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--argv", default="", help="of the program, in one text")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="leaves its folder, and says which")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="unchanged-")
    name = os.path.splitext(os.path.basename(options.program))[0]
    known = {"program": name, "torch": torch.__version__, "device": device_name()}
    try:
        print(json.dumps({**known, **measure(options, folder)}))
    finally:
        if options.keep:
            print(folder, file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
