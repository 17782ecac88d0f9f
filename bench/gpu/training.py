"""Epochs of a training with one checkpoint each, as people take them, and with none: in turn, in
one process. `recorded.py --steps` does the same for ours.

    python3 bench/gpu/training.py resnet152 --rounds 5 > arms-resnet152.json
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from typing import Any, Dict, List, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]

import torch  # noqa: E402
from savers import WAYS, Saver, prepare_distributed  # noqa: E402
from workloads import DEVICE, WORKLOADS, Workload, device_name, settle  # noqa: E402


def epoch(work: Workload, saver: Optional[Saver], steps: int) -> float:
    """Milliseconds; what is still under way at its end is waited for, as the next would have to."""
    began = time.perf_counter()
    if saver is not None:
        saver.save()
    for _ in range(steps):
        work.step().item()
    if saver is not None:
        saver.wait()
    return (time.perf_counter() - began) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=sorted(WORKLOADS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=50, help="of an epoch")
    parser.add_argument("--folder", help="where files are written")
    parser.add_argument("--smoke", action="store_true", help="small: only to see that it works")
    asked = parser.parse_args()
    ways = [way for way in WAYS if way != "dcp" or DEVICE == "cuda"]
    if "dcp" in ways:
        prepare_distributed()
    work = WORKLOADS[asked.workload](asked.smoke)
    for _ in range(10):
        work.step()
    settle()
    folder = tempfile.mkdtemp(prefix="training-", dir=asked.folder)
    savers: Dict[str, Any] = {"none": None, **{way: Saver(way, work, folder) for way in ways}}
    times: Dict[str, List[float]] = {way: [] for way in savers}
    known = {"workload": asked.workload, "torch": torch.__version__, "device": device_name()}
    try:
        for _ in range(asked.rounds):
            for way, saver in savers.items():
                times[way].append(round(epoch(work, saver, asked.steps), 3))
        print(json.dumps({**known, "steps": asked.steps, "ms": times}))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
