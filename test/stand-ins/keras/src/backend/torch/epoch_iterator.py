"""Batches of one epoch after the other: asked for an iterator, it begins anew."""

import torch
from torch.utils.data import DataLoader, TensorDataset


class _Arrays:
    def __init__(self, x, y, batch_size, shuffle):
        self._loader = DataLoader(TensorDataset(x, y), batch_size, shuffle=shuffle)

    def get_torch_dataloader(self):
        return self._loader

    def on_epoch_end(self):
        pass


class _Rows:
    def __init__(self, rows):
        self.py_dataset = rows

    def get_torch_dataloader(self):
        return [self.py_dataset[index] for index in range(len(self.py_dataset))]

    def on_epoch_end(self):
        self.py_dataset.on_epoch_end()


class EpochIterator:
    def __init__(self, x, y, batch_size, shuffle, steps_per_epoch=None):
        arrays = isinstance(x, torch.Tensor)
        self.data_adapter = _Arrays(x, y, batch_size, shuffle) if arrays else _Rows(x)
        self.steps_per_epoch = steps_per_epoch
        self._current_iterator = self._epoch_iterator = None
        self._steps_seen = 0

    def _enumerate_iterator(self):
        if self._current_iterator is None or self.steps_per_epoch is None:
            self._current_iterator = iter(self.data_adapter.get_torch_dataloader())
            self._steps_seen = 0
        for step in range(self.steps_per_epoch or len(self.data_adapter.get_torch_dataloader())):
            self._steps_seen += 1
            yield step, self._current_iterator
        self.data_adapter.on_epoch_end()

    def __iter__(self):
        self._epoch_iterator = self._enumerate_iterator()
        return self

    def __next__(self):
        step, iterator = next(self._epoch_iterator)
        try:
            return step, step, next(iterator)
        except StopIteration:
            self._current_iterator = iter(self.data_adapter.get_torch_dataloader())
            return step, step, next(self._current_iterator)
