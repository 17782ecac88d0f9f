"""How long a checkpoint keeps the training from going on: ours, and what people use, in turn.

    python3 bench/gpu/blocking.py resnet152 --rounds 7 > resnet152.json
"""

import argparse
import atexit
import copy
import json
import os
import statistics
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "python")]

from workloads import WORKLOADS  # noqa: E402


def tensors_of(value: Any, found: List[Any]) -> List[Any]:
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, dict):
        for one in value.values():
            tensors_of(one, found)
    elif isinstance(value, (list, tuple)):
        for one in value:
            tensors_of(one, found)
    return found


def timed(work: Callable[[], Any]) -> float:
    torch.cuda.synchronize()
    started = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return (time.perf_counter() - started) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=sorted(WORKLOADS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--apart", type=float, default=1.0, help="seconds between checkpoints")
    parser.add_argument("--smoke", action="store_true")
    asked = parser.parse_args()
    # What is left of the command line is the SDK's.
    sys.argv[1:] = []
    model, optimizer, step = WORKLOADS[asked.workload](asked.smoke)
    for _ in range(3):
        step()
    folder = tempfile.mkdtemp(prefix="blocking-")
    os.environ["AFTERLOG_DIR"] = os.path.join(folder, ".afterlog")
    os.environ["AFTERLOG_OVERHEAD"] = "inf"
    os.chdir(folder)

    def state() -> Dict[str, Any]:
        return {"model": model.state_dict(), "optimizer": optimizer.state_dict()}

    tensors = [one for one in tensors_of(state(), []) if one.is_cuda]
    size = sum(one.numel() * one.element_size() for one in tensors)
    pinned = [torch.empty(one.shape, dtype=one.dtype, pin_memory=True) for one in tensors]
    arms: Dict[str, List[float]] = {}

    def save(sync: bool) -> None:
        path = os.path.join(folder, "saved.pt")
        with open(path, "wb") as file:
            torch.save(state(), file)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.unlink(path)

    others = {
        "torch.save": lambda: save(False),
        "torch.save + fsync": lambda: save(True),
        "deepcopy": lambda: copy.deepcopy(state()),
        "to the host, pageable": lambda: [one.cpu() for one in tensors],
        "to the host, pinned": lambda: [a.copy_(b, True) for a, b in zip(pinned, tensors)],
        "on the device": lambda: [one.clone() for one in tensors],
    }
    for _ in range(asked.rounds):
        for name, work in others.items():
            arms.setdefault(name, []).append(timed(work))
        step()
    del pinned

    # Handlers are called last first: the run has ended when this one is.
    atexit.register(lambda: report(asked.workload, size, arms))
    import afterlog as al

    al.checkpointing(model=model, optimizer=optimizer)
    # The first ones make the memory ready.
    for _ in al.loop("step", range(asked.rounds + 4)):
        step()
        torch.cuda.synchronize()
        # As far apart as a policy takes them: not while the last one is still written.
        time.sleep(asked.apart)


def report(workload: str, size: int, arms: Dict[str, List[float]]) -> None:
    runs = os.path.join(os.environ["AFTERLOG_DIR"], "runs")
    run = os.path.join(runs, os.listdir(runs)[0])
    with open(os.path.join(run, "checkpoints", "index.jsonl")) as lines:
        records = [json.loads(line) for line in lines]
    arms["afterlog"] = [
        one["times"]["capture"] + one["times"]["snapshot"]
        for one in records[3:]
        if one["kind"] == "iteration"
    ]
    result = {
        "workload": workload,
        "bytes": size,
        "afterlogBytes": records[-1]["stateBytes"],
        "writtenBytes": [one["bytes"] for one in records],
        "times": [one["times"] for one in records],
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name(),
        "ms": {
            name: {"median": statistics.median(ms), "min": min(ms), "max": max(ms), "n": len(ms)}
            for name, ms in arms.items()
            if ms
        },
    }
    print(json.dumps(result, indent=1))


main()
