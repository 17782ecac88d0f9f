"""The truth test on a device: the programs of `test/python/programs.ts` moved there, mixed
precision with a GradScaler and with bfloat16, and a program that is another one each time.

    python3 bench/gpu/truth.py > truth.json

Each is recorded without the statements that are asked for, and executed with them from the start,
which is the truth. A program whose two executions log the same must be answered with exactly the
same numbers. Of one whose executions differ, no number may be marked `verified` that is not the one
the recorded run had.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import tempfile
from typing import Any, Dict, List, Tuple

import torch
from commands import HERE, NODE, ROOT, Answer, Cells, Project
from workloads import DEVICE, device_name

ON_DEVICE = f"""
DEVICE = {DEVICE!r}
"""

LOOPS = """
with al.checkpointing(model=model, opt=opt, scaler=scaler) as state:
    for epoch in al.loop("epoch", range(4)):
        for bx, by in al.loop("step", DataLoader(TensorDataset(x, y), 12, shuffle=True)):
            with torch.autocast(DEVICE, dtype=NARROW):
                loss = mse(model(bx).float() + added(), by)
            opt.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(opt)
            scaler.update()
            al.log("loss", loss.item())
            al.log("same", [SUM, loss.item(), float(bx.sum())])
        al.log("weights", float(sum(p.double().abs().sum() for p in model.parameters())))
al.log("final", float(mse(model(x), y)))
"""

MIXED = """
NARROW = torch.NAME if DEVICE == "cuda" else torch.bfloat16
model = mlp(nn.BatchNorm1d(12), nn.Dropout(0.2))
opt = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
scaler = torch.cuda.amp.GradScaler(
    enabled=DEVICE == "cuda", init_scale=2.0**14, growth_interval=3
)

def added():
    return ADDED
"""

# On a GPU the order of such a sum is another one each time; elsewhere the clock must do.
UNSTEADY = """
import time
index = torch.randint(0, 4, (200_000,)).to(DEVICE)
parts = (1e3 * torch.randn(200_000)).to(DEVICE)
"""
UNSTEADY_SUM = (
    "1e-6 * torch.zeros(4, device=DEVICE).index_add(0, index, parts).sum()"
    ' + (0.0 if DEVICE == "cuda" else time.perf_counter_ns() % 1000 * 1e-6)'
)

SUM = "float(sum(p.double().sum() for p in model.parameters()))"
PROBES = (
    ("p_step", r'^ +al\.log\("loss".*', f"[{SUM}, loss.item(), float(bx.sum())]"),
    ("p_epoch", r'^ +al\.log\("weights".*', f'[{SUM}, opt.param_groups[0]["lr"], loss.item()]'),
    ("p_end", r'^ *al\.log\("final".*', f"[{SUM}, float(loss), epoch]"),
)
QUESTIONS = (
    ("p_end", "suffix", ()),
    ("p_epoch", "outer", ("-j", "2")),
    ("p_step", "inner", ("--where", "epoch = 2 and step between 2 and 3")),
)
# Of a program that is also executed from its start: a part that draws on the device.
UNSEEDED = "nn.Dropout(0.3)"
STEADY, EACH_TIME_ANOTHER = "SGD with momentum", "another one each time"


def on_device(text: str) -> str:
    """The model there, the data as a loader gives it, each batch brought there."""
    moved = text.replace("import afterlog as al\n", f"import afterlog as al\n{ON_DEVICE}", 1)
    moved = re.sub(r"(return nn\.Sequential\(.*\))$", r"\1.to(DEVICE)", moved, flags=re.M)
    moved = moved.replace("model = Net()", "model = Net().to(DEVICE)")
    moved = moved.replace('autocast("cpu"', "autocast(DEVICE")
    moved = re.sub(r"(model|ema)\(x\), y\)", r"\1(x.to(DEVICE)), y.to(DEVICE))", moved)
    batch = r'^( +)(for bx, by in al\.loop\("step".*\):)$'
    return re.sub(batch, r"\1\2\n\1    bx, by = bx.to(DEVICE), by.to(DEVICE)", moved, flags=re.M)


def asked(text: str) -> str:
    """With the statements in it that are asked for."""
    for name, line, value in PROBES:
        text = re.sub(
            line,
            lambda found: f'{found[0]}\n{re.match(" *", found[0])[0]}al.log("{name}", {value})',
            text,
            flags=re.M,
        )
    return text


def programs(smoke: bool) -> Dict[str, str]:
    command = [NODE, os.path.join(HERE, "programs.mjs"), ROOT]
    given = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    prelude = given[STEADY].partition("model = ")[0]
    loops = LOOPS.replace("SUM", SUM)
    for name in ("float16", "bfloat16"):
        own = MIXED.replace("NAME", name).replace("ADDED", "0.0")
        given[f"mixed precision, {name}"] = prelude + own + loops
    own = UNSTEADY + MIXED.replace("NAME", "bfloat16").replace("ADDED", UNSTEADY_SUM)
    given[EACH_TIME_ANOTHER] = prelude + own + loops
    wanted = ["mixed precision, float16", EACH_TIME_ANOTHER] if smoke else list(given)
    return {name: on_device(given[name]) for name in wanted}


def compare(answer: Answer, truth: Cells, recorded: Cells, is_steady: bool) -> List[str]:
    """What is wrong with an answer."""
    wrong = []
    for key, value in answer.values.items():
        path, name = key
        mark = answer.checks[key]
        if is_steady and (value != truth.get(key) or mark == "diverged"):
            wrong.append(f"{name} @ {path}: {value} is {mark}, the truth is {truth.get(key)}")
        same = recorded.get((path, "same")) if name == "p_step" else None
        if same is not None and value != same and mark == "verified":
            wrong.append(f"{name} @ {path}: {value} is verified, the run had {same}")
    return wrong if answer.values else ["no value"]


def try_program(text: str, folder: str) -> Dict[str, Any]:
    project = Project(os.path.join(folder, "recorded"), text)
    reference = Project(os.path.join(folder, "reference"), asked(text))
    for one in (project, reference):
        one.record("--overhead", "inf")
    recorded, truth = project.logged(), reference.logged()
    is_steady = all(truth.get(key) == value for key, value in recorded.items())
    project.write(asked(text))
    found: Dict[str, Any] = {"is_steady": is_steady, "wrong": [], "questions": {}}
    for question, scan, flags in QUESTIONS:
        answer = project.replay(question, *flags)
        marks = list(answer.checks.values())
        found["wrong"] += compare(answer, truth, recorded, is_steady)
        found["questions"][question] = {
            "scan": answer.scan,
            "as_expected": answer.scan == scan,
            "share": answer.share,
            "marks": {mark: marks.count(mark) for mark in sorted(set(marks))},
            "seconds": round(answer.seconds, 2),
        }
    if UNSEEDED in text:
        found["wrong"] += try_from_start(text, os.path.join(folder, "unseeded"))
    return found


def try_from_start(text: str, folder: str) -> List[str]:
    """What is wrong with a replay that executes all of a run that nobody seeded: generators of the
    device begin anywhere."""
    project = Project(folder, text)
    project.record("--overhead", "0.00001", seed=())
    project.write(asked(text))
    answer = project.replay("p_epoch")
    if answer.share == 1 and set(answer.checks.values()) == {"verified"}:
        return []
    return [f"from the start: {answer.share:.0%} executed, {sorted(set(answer.checks.values()))}"]


def tried_program(name: str, text: str, folder: str) -> Tuple[str, Dict[str, Any]]:
    """The same; one that fails says so beside the others."""
    try:
        return name, try_program(text, folder)
    except (RuntimeError, OSError, StopIteration) as error:
        return name, {"is_steady": None, "wrong": [f"{error}"[-3000:]], "questions": {}}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--at-once", type=int, default=10, help="programs beside each other")
    parser.add_argument("--only", default="", help="programs with this in their names")
    parser.add_argument("--smoke", action="store_true", help="few: only to see that it works")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="truth-")
    known = {"torch": torch.__version__, "device": device_name()}
    try:
        every = programs(options.smoke)
        texts = {name: text for name, text in every.items() if options.only in name}
        with concurrent.futures.ThreadPoolExecutor(2 if options.smoke else options.at_once) as pool:
            tried = [
                pool.submit(tried_program, name, text, os.path.join(folder, str(number)))
                for number, (name, text) in enumerate(texts.items())
            ]
            results = dict(one.result() for one in tried)
        print(json.dumps({**known, "programs": results}))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
