"""A training with checkpoints, in one way of taking them: time of each step, and of all.

    python3 bench/gpu/training.py resnet152 afterlog --steps 400 > resnet152-afterlog.json

`afterlog` takes as many as its policy wants; the others one in so many steps (`--every`).
"""

import argparse
import atexit
import copy
import json
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from typing import Any, Dict, List

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "python")]

import torch  # noqa: E402
from workloads import WORKLOADS, Workload  # noqa: E402

ARMS = ("none", "torch.save", "torch.save+fsync", "deepcopy+thread", "fork", "dcp", "afterlog")


def host_copy(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().to("cpu", copy=True)
    if isinstance(value, dict):
        return {key: host_copy(one) for key, one in value.items()}
    if isinstance(value, list):
        return [host_copy(one) for one in value]
    return value


class Saver:
    """The ways that people use."""

    def __init__(self, arm: str, work: Workload, folder: str) -> None:
        self._arm = arm
        self._work = work
        self._file = os.path.join(folder, "saved.pt")
        self._folder = folder
        self._under_way: Any = None
        self._count = 0

    def _state(self) -> Dict[str, Any]:
        work = self._work
        return {"model": work.model.state_dict(), "optimizer": work.optimizer.state_dict()}

    def save(self) -> None:
        self._count += 1
        if self._arm == "torch.save":
            torch.save(self._state(), self._file)
        elif self._arm == "torch.save+fsync":
            self._write(self._state())
        elif self._arm == "deepcopy+thread":
            self.wait()
            state = copy.deepcopy(self._state())
            self._under_way = threading.Thread(target=self._write, args=(state,))
            self._under_way.start()
        elif self._arm == "fork":
            self._fork()
        elif self._arm == "dcp":
            self._distributed()

    def _write(self, state: Any) -> None:
        with open(self._file, "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())

    def _fork(self) -> None:
        """Flor's materializer: the child writes what the parent has copied to the host."""
        self.wait()
        state = host_copy(self._state())
        child = os.fork()
        if child == 0:
            try:
                self._write(state)
            finally:
                os._exit(0)
        self._under_way = child

    def _distributed(self) -> None:
        import torch.distributed.checkpoint as dcp

        self.wait()
        target = os.path.join(self._folder, f"dcp-{self._count % 2}")
        self._under_way = dcp.async_save(self._state(), checkpoint_id=target)

    def wait(self) -> None:
        under_way, self._under_way = self._under_way, None
        if isinstance(under_way, int):
            os.waitpid(under_way, 0)
        elif isinstance(under_way, threading.Thread):
            under_way.join()
        elif under_way is not None:
            under_way.result()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=sorted(WORKLOADS))
    parser.add_argument("arm", choices=ARMS)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--every", type=int, default=30)
    parser.add_argument("--smoke", action="store_true")
    asked = parser.parse_args()
    # What is left of the command line is the SDK's.
    sys.argv[1:] = []
    if asked.arm == "dcp":
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK="0", WORLD_SIZE="1")
        torch.distributed.init_process_group("cpu:gloo,cuda:nccl")
    work = WORKLOADS[asked.workload](asked.smoke)
    for _ in range(10):
        work.step()
    torch.cuda.synchronize()
    folder = tempfile.mkdtemp(prefix="training-")
    os.environ["AFTERLOG_DIR"] = os.path.join(folder, ".afterlog")
    os.chdir(folder)
    times: List[float] = []
    result: Dict[str, Any] = {"workload": asked.workload, "arm": asked.arm, "steps": asked.steps}
    if asked.arm == "afterlog":
        atexit.register(lambda: report(result, folder, times))
        train_with_afterlog(asked, work, times, result)
    else:
        train(asked, work, times, result, folder)
        report(result, folder, times)


def train(asked: Any, work: Workload, times: List[float], result: Any, folder: str) -> None:
    saver = Saver(asked.arm, work, folder)
    started = last = time.perf_counter()
    for step in range(asked.steps):
        work.step().item()
        if asked.arm != "none" and (step + 1) % asked.every == 0:
            saver.save()
        now = time.perf_counter()
        times.append((now - last) * 1000)
        last = now
    result["trainingS"] = last - started
    saver.wait()
    result["allS"] = time.perf_counter() - started


def train_with_afterlog(asked: Any, work: Workload, times: List[float], result: Any) -> None:
    import afterlog as al

    al.checkpointing(model=work.model, optimizer=work.optimizer)
    started = last = time.perf_counter()
    epochs = max(asked.steps // 50, 1)
    for _ in al.loop("epoch", range(epochs)):
        for _ in al.loop("step", range(asked.steps // epochs)):
            al.log("loss", work.step().item())
            now = time.perf_counter()
            times.append((now - last) * 1000)
            last = now
    result["trainingS"] = time.perf_counter() - started


def report(result: Dict[str, Any], folder: str, times: List[float]) -> None:
    result["stepMs"] = {"median": statistics.median(times), "all": [round(ms, 2) for ms in times]}
    result["torch"] = torch.__version__
    result["device"] = torch.cuda.get_device_name()
    runs = os.path.join(folder, ".afterlog", "runs")
    if os.path.isdir(runs):
        run = os.path.join(runs, os.listdir(runs)[0])
        with open(os.path.join(run, "checkpoints", "index.jsonl")) as lines:
            records = [json.loads(line) for line in lines]
        known = ("kind", "path", "bytes", "stateBytes", "times", "t")
        result["checkpoints"] = [{key: one[key] for key in known} for one in records]
        with open(os.path.join(run, "run.json")) as file:
            result["overhead"] = json.load(file).get("overhead")
    print(json.dumps(result))
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
