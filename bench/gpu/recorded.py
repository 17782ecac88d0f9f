"""The trainings, recorded by us.

    python3 bench/gpu/recorded.py resnet152 --steps 900 > recorded-resnet152.json
    python3 bench/gpu/recorded.py resnet152 --rounds 7 > blocking-resnet152.json

With `--steps` checkpoints are taken as the policy wants, and before and after these epochs half as
many steps are trained without us: what the same process needs for them, on the same machine.

With `--rounds` one is taken in every iteration, which is some seconds of training; measured is the
time from the end of an iteration to the moment at which the device could begin with the next one:
all that the program waits for, and all that the device does for us in between. And the time of each
step, and when in its iteration it began: the checkpoint before it was still being written then, or
not.

A program of its own, written as users write theirs: its source is part of what is recorded.
"""

import argparse
import atexit
import json
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "python")]

import torch  # noqa: E402
from workloads import WORKLOADS, device_name, settle, settle_training  # noqa: E402

# Of the rounds: the first ones make memory ready.
FIRST = 3
# Steps of an epoch, at whose end a training is checkpointed first of all.
EPOCH = 50


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=sorted(WORKLOADS))
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--apart", type=float, default=1.0, help="seconds between checkpoints")
    parser.add_argument("--folder", help="where files are written")
    parser.add_argument("--smoke", action="store_true", help="small: only to see that it works")
    return parser.parse_args()


asked = parse()
# What is left of the command line is the SDK's.
sys.argv[1:] = []
times = []
# Of the steps of the rounds: which round, when in it the step began, and how long it took, in ms. A
# list would be part of the state, and a larger one each time.
steps = torch.zeros(20_000, 3, dtype=torch.float64)
count = 0
result = {"workload": asked.workload, "arm": "afterlog", "torch": str(torch.__version__)}
model, optimizer, step, _, _ = WORKLOADS[asked.workload](asked.smoke)
for _ in range(10):
    step()
settle()
folder = tempfile.mkdtemp(prefix="recorded-", dir=asked.folder)
os.environ["AFTERLOG_DIR"] = os.path.join(folder, ".afterlog")
if asked.rounds:
    os.environ["AFTERLOG_OVERHEAD"] = "inf"


def run_folder() -> str:
    runs = os.path.join(folder, ".afterlog", "runs")
    return os.path.join(runs, os.listdir(runs)[0])


def plain_epoch() -> float:
    began = time.perf_counter()
    for _ in range(EPOCH):
        step().item()
    return (time.perf_counter() - began) * 1000


def wait_for_writes() -> None:
    time.sleep(1)
    while any(name.endswith(".tmp") for name in os.listdir(f"{run_folder()}/checkpoints")):
        time.sleep(0.1)


def report() -> None:
    run = run_folder()
    with open(os.path.join(run, "checkpoints", "index.jsonl")) as lines:
        records = [json.loads(line) for line in lines]
    known = ("kind", "path", "bytes", "stateBytes", "times", "t")
    result["device"] = device_name()
    result["ms"] = [round(ms, 3) for ms in times]
    noted = [[int(one[0]), round(one[1], 2), round(one[2], 3)] for one in steps[:count].tolist()]
    result["steps"] = [one for one in noted if one[0] > FIRST]
    result["checkpoints"] = [{key: one[key] for key in known} for one in records]
    with open(os.path.join(run, "run.json")) as file:
        result["overhead"] = json.load(file).get("overhead")
    print(json.dumps(result))
    shutil.rmtree(folder, ignore_errors=True)


# Handlers are called last first: the run has ended when this one is.
atexit.register(report)

import afterlog as al  # noqa: E402

al.checkpointing(model=model, optimizer=optimizer)

if asked.rounds:
    ended = 0.0
    for index in al.loop("iteration", range(asked.rounds + FIRST + 1)):
        settle_training()
        if index > FIRST:
            times.append((time.perf_counter() - ended) * 1000)
        began = now = time.perf_counter()
        while now < began + asked.apart:
            step().item()
            last, now = now, time.perf_counter()
            steps[count] = torch.tensor([index, (last - began) * 1000, (now - last) * 1000])
            count += 1
        settle()
        ended = time.perf_counter()
else:
    epochs = max(asked.steps // EPOCH, 2)
    plain = [plain_epoch() for _ in range(epochs // 2)]
    last = time.perf_counter()
    for epoch in al.loop("epoch", range(epochs)):
        for number in al.loop("step", range(EPOCH)):
            al.log("loss", step().item())
        # The end of the outermost loop is taken whatever the budget says: it is not counted.
        now = time.perf_counter()
        times.append((now - last) * 1000)
        last = now
    wait_for_writes()
    plain += [plain_epoch() for _ in range(epochs // 2)]
    result["plainMs"] = [round(ms, 3) for ms in plain]
