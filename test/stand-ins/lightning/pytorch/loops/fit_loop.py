"""Epochs."""

from ..utilities.combined_loader import CombinedLoader
from .fetchers import DataFetcher
from .training_epoch_loop import _TrainingEpochLoop


class _FitLoop:
    def __init__(self, trainer, max_epochs):
        self.trainer = trainer
        self.max_epochs = max_epochs
        self.epochs = 0
        self.epoch_loop = _TrainingEpochLoop(trainer)
        self._data_fetcher = None
        self._combined_loader = None
        self._restarting = False

    @property
    def done(self):
        stops = self.epochs >= self.max_epochs
        return stops or self.trainer.should_stop

    def run(self):
        self.setup_data()
        if self.done:
            return
        self.on_run_start()
        while not self.done:
            try:
                self.on_advance_start()
                self.advance()
                self.on_advance_end()
                self._restarting = False
            except StopIteration:
                break
        self._restarting = False
        self.on_run_end()

    def setup_data(self):
        given = self.trainer.train_dataloader
        is_one = isinstance(given, CombinedLoader)
        self._combined_loader = given if is_one else CombinedLoader(given)
        self._data_fetcher = DataFetcher(self._combined_loader)
        iter(self._data_fetcher)

    def on_run_start(self):
        self.trainer.call("on_train_start")

    def on_advance_start(self):
        self.trainer.call("on_train_epoch_start")

    def advance(self):
        self.epoch_loop.run(self._data_fetcher)

    def on_advance_end(self):
        self.trainer.call("on_train_epoch_end")
        for scheduler in self.trainer.schedulers:
            scheduler.step()
        self.epochs += 1

    def on_run_end(self):
        self.trainer.call("on_train_end")
