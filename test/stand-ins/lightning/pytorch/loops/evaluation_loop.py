"""Batches of a validation, of a test or of a prediction."""

import torch

from ..utilities.combined_loader import CombinedLoader
from .fetchers import DataFetcher


class _EvaluationLoop:
    def __init__(self, trainer, stage):
        self.trainer = trainer
        self.stage = stage
        self._data_fetcher = None
        self._combined_loader = None

    def _on_before_fetch(self):
        self.trainer.profiler.started("fetch")

    def run(self, loaders=None):
        trainer, stage = self.trainer, self.stage
        loaders = loaders or trainer.val_dataloaders
        self._combined_loader = CombinedLoader(loaders, "sequential")
        several = len(self._combined_loader.flattened) > 1
        found = []
        # One for each validation.
        self._data_fetcher = DataFetcher(self._combined_loader)
        data_fetcher = iter(self._data_fetcher)
        data_fetcher._start_profiler = self._on_before_fetch
        trainer.call(f"on_{stage}_start")
        trainer.call(f"on_{stage}_epoch_start")
        trainer.model.eval()
        with torch.no_grad():
            while True:
                try:
                    batch, index, which = next(data_fetcher)
                    given = (batch, index, which) if several else (batch, index)
                    found.append(getattr(trainer.model, f"{stage}_step")(*given))
                except StopIteration:
                    break
        trainer.model.train()
        trainer.call(f"on_{stage}_epoch_end")
        trainer.write_logged()
        trainer.call(f"on_{stage}_end")
        return found
