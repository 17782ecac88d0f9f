"""Batches of a validation."""

import torch

from .fetchers import DataFetcher


class _EvaluationLoop:
    def __init__(self, trainer):
        self.trainer = trainer
        self._data_fetcher = None
        self._combined_loader = None

    def _on_before_fetch(self):
        self.trainer.profiler.started("fetch")

    def run(self):
        trainer = self.trainer
        self._combined_loader = trainer.val_dataloaders
        # One for each validation.
        self._data_fetcher = DataFetcher(self._combined_loader)
        data_fetcher = iter(self._data_fetcher)
        data_fetcher._start_profiler = self._on_before_fetch
        trainer.call("on_validation_epoch_start")
        trainer.model.eval()
        with torch.no_grad():
            while True:
                try:
                    batch, index, _ = next(data_fetcher)
                    trainer.model.validation_step(batch, index)
                except StopIteration:
                    break
        trainer.model.train()
        trainer.call("on_validation_epoch_end")
