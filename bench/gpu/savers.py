"""The ways that people take checkpoints, and copies to compare with."""

import copy
import os
import threading
from typing import Any, Callable, Dict, List

import torch
from workloads import Workload

WAYS = ("torch.save", "torch.save+fsync", "deepcopy+thread", "fork", "dcp")


def tensors_of(value: Any) -> List[Any]:
    """All tensors in a state as `state_dict` gives it."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [one for item in value.values() for one in tensors_of(item)]
    if isinstance(value, (list, tuple)):
        return [one for item in value for one in tensors_of(item)]
    return []


def host_copy(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().to("cpu", copy=True)
    if isinstance(value, dict):
        return {key: host_copy(one) for key, one in value.items()}
    if isinstance(value, list):
        return [host_copy(one) for one in value]
    return value


class Saver:
    """One of the ways. A checkpoint waits for the one before, if that is still under way."""

    def __init__(self, way: str, work: Workload, folder: str) -> None:
        self._save = self._ways()[way]
        self._work = work
        self._folder = folder
        self._file = os.path.join(folder, "saved.pt")
        self._under_way: Any = None
        self._count = 0

    def _ways(self) -> Dict[str, Callable[[], None]]:
        return {
            "torch.save": lambda: torch.save(self.state(), self._file),
            "torch.save+fsync": lambda: self._write(self.state()),
            "deepcopy+thread": self._in_thread,
            "fork": self._in_child,
            "dcp": self._distributed,
        }

    def state(self) -> Dict[str, Any]:
        work = self._work
        return {"model": work.model.state_dict(), "optimizer": work.optimizer.state_dict()}

    def save(self) -> None:
        """What the training waits for."""
        self.wait()
        self._count += 1
        self._save()

    def _write(self, state: Any) -> None:
        with open(self._file, "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())

    def _in_thread(self) -> None:
        state = copy.deepcopy(self.state())
        self._under_way = threading.Thread(target=self._write, args=(state,))
        self._under_way.start()

    def _in_child(self) -> None:
        """Flor's materializer: the child writes what the parent has copied to the host."""
        state = host_copy(self.state())
        child = os.fork()
        if child == 0:
            try:
                self._write(state)
            finally:
                os._exit(0)
        self._under_way = child

    def _distributed(self) -> None:
        import torch.distributed.checkpoint as dcp

        target = os.path.join(self._folder, f"dcp-{self._count % 2}")
        self._under_way = dcp.async_save(self.state(), checkpoint_id=target)

    def wait(self) -> None:
        """Until nothing is under way any more."""
        under_way, self._under_way = self._under_way, None
        if isinstance(under_way, int):
            os.waitpid(under_way, 0)
        elif isinstance(under_way, threading.Thread):
            under_way.join()
        elif under_way is not None:
            under_way.result()


def prepare_distributed() -> None:
    """One process that `torch.distributed` takes for a group."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK="0", WORLD_SIZE="1")
    torch.distributed.init_process_group("cpu:gloo,cuda:nccl")
