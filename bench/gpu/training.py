"""The trainings with checkpoints as people take them, or with none: time of each step, and of all.

    python3 bench/gpu/training.py resnet152 torch.save --steps 900 > training-resnet152-save.json
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from typing import Any, Dict, List

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]

import torch  # noqa: E402
from savers import WAYS, Saver, prepare_distributed  # noqa: E402
from workloads import WORKLOADS, Workload, device_name, settle  # noqa: E402


def train(asked: Any, work: Workload, folder: str) -> Dict[str, Any]:
    saver = None if asked.arm == "none" else Saver(asked.arm, work, folder)
    times: List[float] = []
    began = last = time.perf_counter()
    for step in range(asked.steps):
        work.step().item()
        if saver is not None and (step + 1) % asked.every == 0:
            saver.save()
        now = time.perf_counter()
        times.append((now - last) * 1000)
        last = now
    if saver is not None:
        saver.wait()
    return {"trainingS": last - began, "ms": [round(ms, 3) for ms in times]}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=sorted(WORKLOADS))
    parser.add_argument("arm", choices=("none", *WAYS))
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--every", type=int, default=50, help="steps from checkpoint to checkpoint")
    parser.add_argument("--folder", help="where files are written")
    parser.add_argument("--smoke", action="store_true", help="small: only to see that it works")
    asked = parser.parse_args()
    if asked.arm == "dcp":
        prepare_distributed()
    work = WORKLOADS[asked.workload](asked.smoke)
    for _ in range(10):
        work.step()
    settle()
    folder = tempfile.mkdtemp(prefix="training-", dir=asked.folder)
    known = {"workload": asked.workload, "arm": asked.arm, "torch": torch.__version__}
    try:
        print(json.dumps({**known, "device": device_name(), **train(asked, work, folder)}))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
