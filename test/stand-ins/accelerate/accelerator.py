"""Counts steps, and tells when gradients are due."""

import contextlib
import weakref

from torch.utils.data import DataLoader


class GradientState:
    """All instances have the same attributes."""

    _shared_state = {}

    def __init__(self):
        self.__dict__ = self._shared_state
        if not self._shared_state:
            self.sync_gradients = True
            self.references = [None]

    def add(self, loader):
        self.references = [*self.references, weakref.ref(loader)]

    def remove(self, loader):
        self.references = [one for one in self.references if one is None or one() is not loader]

    @property
    def end_of_dataloader(self):
        active = self.references[-1]
        return active is not None and active().end_of_dataloader


class DataLoaderShard:
    """One batch ahead, to know which one is the last."""

    def __init__(self, loader):
        self.base_dataloader = loader
        self.gradient_state = GradientState()
        self.end_of_dataloader = False
        self.iteration = 0

    def __len__(self):
        return len(self.base_dataloader)

    def __iter__(self):
        self.end_of_dataloader = False
        self.gradient_state.add(self)
        batches = iter(self.base_dataloader)
        current = next(batches)
        for following in batches:
            yield current
            current = following
        self.end_of_dataloader = True
        yield current
        self.iteration += 1
        self.gradient_state.remove(self)


class AcceleratedOptimizer:
    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.gradient_state = GradientState()

    def step(self):
        if self.gradient_state.sync_gradients:
            self.optimizer.step()

    def zero_grad(self):
        if self.gradient_state.sync_gradients:
            self.optimizer.zero_grad()


class Accelerator:
    def __init__(self, gradient_accumulation_steps=1):
        self.every = gradient_accumulation_steps
        self.gradient_state = GradientState()
        self.step = 0
        self._dataloaders = []

    @property
    def sync_gradients(self):
        return self.gradient_state.sync_gradients

    def prepare(self, *given):
        made = tuple(self._prepare_one(one) for one in given)
        return made if len(made) > 1 else made[0]

    def _prepare_one(self, one):
        if isinstance(one, DataLoader):
            self._dataloaders.append(DataLoaderShard(one))
            return self._dataloaders[-1]
        return AcceleratedOptimizer(one) if hasattr(one, "param_groups") else one

    @contextlib.contextmanager
    def accumulate(self, *models):
        self.step = 0 if self.gradient_state.end_of_dataloader else self.step + 1
        self.gradient_state.sync_gradients = self.step % self.every == 0
        yield

    def backward(self, loss):
        (loss / self.every).backward()

    def gather_for_metrics(self, values):
        return values

    def unwrap_model(self, model):
        return model

    def log(self, values):
        self.logged = values
