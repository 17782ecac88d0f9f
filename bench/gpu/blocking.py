"""How long a checkpoint keeps the training from going on, as people take them, and how long the
bare copies take, in turn. `recorded.py --rounds` measures ours.

    python3 bench/gpu/blocking.py resnet152 --rounds 7 > ways-resnet152.json
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]

import torch  # noqa: E402
from savers import WAYS, Saver, host_copy, prepare_distributed, tensors_of  # noqa: E402
from workloads import DEVICE, WORKLOADS, Workload, device_name, settle  # noqa: E402


def timed(work: Callable[[], Any]) -> float:
    settle()
    started = time.perf_counter()
    work()
    settle()
    return (time.perf_counter() - started) * 1000


def measure(work: Workload, rounds: int, folder: str) -> Dict[str, Any]:
    ways = [way for way in WAYS if way != "dcp" or DEVICE == "cuda"]
    if "dcp" in ways:
        prepare_distributed()
    savers = {way: Saver(way, work, folder) for way in ways}
    tensors = tensors_of(savers["torch.save"].state())
    ready = [torch.empty(t.shape, dtype=t.dtype, pin_memory=DEVICE == "cuda") for t in tensors]
    copies: Dict[str, Callable[[], Any]] = {
        "copy to new memory of the host": lambda: host_copy(tensors),
        "copy to memory that is ready": lambda: [a.copy_(b, True) for a, b in zip(ready, tensors)],
    }
    if DEVICE == "cuda":
        copies["copy on the device"] = lambda: [one.clone() for one in tensors]
    times: Dict[str, List[float]] = {}
    for _ in range(rounds):
        for name, copy in copies.items():
            times.setdefault(name, []).append(timed(copy))
        for way, saver in savers.items():
            times.setdefault(way, []).append(timed(saver.save))
            saver.wait()
        work.step()
    return {"bytes": sum(one.numel() * one.element_size() for one in tensors), "ms": times}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=sorted(WORKLOADS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", help="where files are written")
    parser.add_argument("--smoke", action="store_true", help="small: only to see that it works")
    asked = parser.parse_args()
    work = WORKLOADS[asked.workload](asked.smoke)
    for _ in range(3):
        work.step()
    folder = tempfile.mkdtemp(prefix="blocking-", dir=asked.folder)
    known = {"workload": asked.workload, "torch": torch.__version__, "device": device_name()}
    try:
        print(json.dumps({**known, **measure(work, asked.rounds, folder)}))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
