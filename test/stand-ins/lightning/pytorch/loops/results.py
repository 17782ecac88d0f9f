"""What a module logs: metrics that are made when something is logged first, and wrap themselves."""

import functools
import inspect

import torch


def _mean(value, reduce_op, group):
    return value


class _ResultMetric(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.value = torch.zeros(())
        self.count = 0
        self._fn = functools.partial(_mean, reduce_op="mean", group=None)
        self._update_signature = inspect.signature(self.update)
        self.update = self._wrap_update(self.update)

    def _wrap_update(self, update):
        @functools.wraps(update)
        def wrapped(*given):
            self.count += 1
            return update(*given)

        return wrapped

    def update(self, value):
        self.value = self.value + self._fn(value)

    def __getstate__(self):
        left_out = ("update", "_update_signature")
        return {
            name: one for name, one in self.__dict__.items() if name not in left_out
        }

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._update_signature = inspect.signature(self.update)
        self.update = self._wrap_update(self.update)


class Results(dict):
    def log(self, name, value):
        if name not in self:
            self[name] = _ResultMetric()
        self[name].update(value)
