"""The trainer, and what a program derives from."""

import os
import time
import weakref

import torch

from .loops.fit_loop import _FitLoop


class LightningModule(torch.nn.Module):
    trainer = None

    def log(self, name, value):
        self.trainer.fit_loop.epoch_loop._results.log(name, value.detach())


class Callback:
    pass


class LightningOptimizer:
    def __init__(self, optimizer):
        self._optimizer = optimizer
        own = type(self), type(optimizer)
        self.__class__ = type("Lightning" + type(optimizer).__name__, own, {})

    def step(self):
        self._optimizer.step()

    def zero_grad(self):
        self._optimizer.zero_grad()


class _Profiler:
    def __init__(self):
        self.times = []

    def started(self, name):
        self.times.append((name, time.perf_counter()))


class Trainer:
    def __init__(self, *, max_epochs, callbacks=(), val_check_interval=None):
        self.default_root_dir = os.getcwd()
        self.callbacks = list(callbacks)
        self.val_check_interval = val_check_interval
        self.should_stop = False
        self.steps = 0
        self.profiler = _Profiler()
        self.progress_bar_callback = None
        self._signal_connector = None
        self.fit_loop = _FitLoop(self, max_epochs)

    @property
    def current_epoch(self):
        return self.fit_loop.epochs

    def call(self, hook, *given):
        for callback in self.callbacks:
            if hasattr(callback, hook):
                getattr(callback, hook)(self, self.model, *given)
        if hasattr(self.model, hook):
            getattr(self.model, hook)(*given)

    def fit(self, model, train_dataloaders=None, val_dataloaders=None):
        self.model = model
        model.trainer = weakref.proxy(self)
        self.train_dataloader = train_dataloaders
        self.val_dataloaders = val_dataloaders
        optimizers, self.schedulers = model.configure_optimizers()
        self.lightning_optimizers = [LightningOptimizer(one) for one in optimizers]
        self.fit_loop.epoch_loop.val_loop.run()
        self.fit_loop.run()
