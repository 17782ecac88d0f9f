"""The trainer, and what a program derives from."""

import os
import time
import weakref

import torch

from ..fabric.loggers.csv_logs import CSVLogger
from .loops.evaluation_loop import _EvaluationLoop
from .loops.fit_loop import _FitLoop


class LightningDataModule:
    pass


class LightningModule(torch.nn.Module):
    trainer = None
    automatic_optimization = True

    def log(self, name, value):
        self.trainer.fit_loop.epoch_loop._results.log(name, value.detach())
        self.trainer.callback_metrics[name] = value.detach()

    def optimizers(self):
        return self.trainer.lightning_optimizers[0]

    def manual_backward(self, loss):
        loss.backward()


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
    def __init__(
        self,
        *,
        max_epochs=1,
        callbacks=(),
        val_check_interval=None,
        check_val_every_n_epoch=1,
        accumulate_grad_batches=1,
    ):
        self.default_root_dir = os.getcwd()
        self.callbacks = list(callbacks or ())
        self.loggers = [CSVLogger(self.default_root_dir)]
        self.callback_metrics = {}
        self.val_check_interval = val_check_interval
        self.check_val_every_n_epoch = check_val_every_n_epoch
        self.accumulate_grad_batches = accumulate_grad_batches
        self.should_stop = self.sanity_checking = False
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

    def write_logged(self):
        if self.callback_metrics:
            metrics = {name: one.item() for name, one in self.callback_metrics.items()}
            self.loggers[0].log_metrics(metrics)

    def save_checkpoint(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.call("on_save_checkpoint", {})
        torch.save(self.model.state_dict(), path)

    def _take(self, model, datamodule, stage):
        self.model = model
        model.trainer = weakref.proxy(self)
        if datamodule is not None and hasattr(datamodule, "setup"):
            datamodule.setup(stage)

    def fit(self, model, train_dataloaders=None, val_dataloaders=None, datamodule=None):
        self._take(model, datamodule, "fit")
        self.train_dataloader = train_dataloaders or datamodule.train_dataloader()
        self.val_dataloaders = val_dataloaders or datamodule.val_dataloader()
        optimizers, self.schedulers = model.configure_optimizers()
        self.lightning_optimizers = [LightningOptimizer(one) for one in optimizers]
        self.sanity_checking = True
        self.fit_loop.epoch_loop.val_loop.run()
        self.sanity_checking = False
        self.fit_loop.run()

    def validate(self, model=None, dataloaders=None, datamodule=None):
        self._take(model or self.model, datamodule, "validate")
        loaders = dataloaders or datamodule.val_dataloader()
        return _EvaluationLoop(self, "validation").run(loaders)

    def test(self, model=None, dataloaders=None, datamodule=None):
        self._take(model or self.model, datamodule, "test")
        loaders = dataloaders or datamodule.test_dataloader()
        return _EvaluationLoop(self, "test").run(loaders)

    def predict(self, model=None, dataloaders=None, datamodule=None):
        self._take(model or self.model, datamodule, "predict")
        loaders = dataloaders or datamodule.predict_dataloader()
        return _EvaluationLoop(self, "predict").run(loaders)
