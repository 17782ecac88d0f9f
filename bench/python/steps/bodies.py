"""Trainings whose steps take about so many milliseconds, and a loop over them that nobody records:
this file is none of the project's. Both kinds of loops take turns in one process, so that whoever
else uses the machine weighs on both alike."""

import json
import sys
import time
from typing import Any, List, NamedTuple

import torch


class Size(NamedTuple):
    # Numbers of a layer, and examples of a step; 0: no layer, only a few sums.
    width: int
    count: int
    # Steps of an epoch.
    steps: int


# By milliseconds on the machine that the results are from.
SIZES = {
    "0.05": Size(0, 1, 4000),
    "0.5": Size(64, 16, 400),
    "5": Size(512, 96, 60),
    "50": Size(1024, 320, 8),
}


class Training:
    def __init__(self, ms: str) -> None:
        torch.manual_seed(0)
        torch.set_num_threads(1)
        self.size = size = SIZES[ms]
        width = max(size.width, 1)
        self.given = torch.randn(size.count, width)
        self.sums = torch.zeros(16)
        self.model = torch.nn.Sequential(
            torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, width)
        )
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-3, momentum=0.9)

    def step(self) -> float:
        if self.size.width == 0:
            for _ in range(12):
                self.sums.add_(0.5).mul_(0.99)
            return 0.5
        self.optimizer.zero_grad()
        loss = (self.model(self.given) - self.given).square().mean()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def epoch(self) -> None:
        for _ in range(self.size.steps):
            self.step()


class Clock:
    """Notes pairs of times: of an epoch that nobody records, and of one that is recorded."""

    def __init__(self) -> None:
        self._at = 0.0
        self._cpu = 0.0
        self.rows: List[List[float]] = []

    def lap(self) -> None:
        """Wall and processor time, in ms, since the last lap."""
        now, cpu = time.perf_counter(), time.thread_time()
        if self._at:
            self.rows.append([(now - self._at) * 1000, (cpu - self._cpu) * 1000])
        self._at, self._cpu = time.perf_counter(), time.thread_time()

    def tell(self, **known: Any) -> None:
        sys.stderr.write(json.dumps({**known, "laps": self.rows}) + "\n")
