"""What trains a model."""

import torch

from keras.callbacks import CallbackList
from keras.layers import Layer, Tracker
from keras.src import backend
from keras.src.backend.torch.epoch_iterator import EpochIterator

__all__ = ["Model", "backend"]


class Optimizer:
    """Knows variables by their addresses."""

    def __init__(self, rate):
        self.learning_rate = rate
        self._tracker = Tracker()
        self._trainable_variables_indices = {}
        self._momentums = []

    def build(self, variables):
        for index, one in enumerate(variables):
            self._trainable_variables_indices[id(one)] = index
            self._momentums.append(torch.zeros_like(one.value))

    def apply(self, gradients, variables):
        for gradient, one in zip(gradients, variables):
            momentum = self._momentums[self._trainable_variables_indices[id(one)]]
            momentum.mul_(0.9).add_(gradient)
            one.value.sub_(self.learning_rate * momentum)


class Mean:
    def __init__(self):
        self.reset_state()

    def reset_state(self):
        self.total = torch.zeros(())
        self.count = 0

    def update_state(self, value):
        self.total = self.total + value.detach()
        self.count += 1

    def result(self):
        return self.total / max(1, self.count)


class TorchTrainer:
    def compile(self, rate, loss):
        self.optimizer = Optimizer(rate)
        self.loss = loss
        self.metrics = [Mean()]
        self.train_function = self.test_function = self.predict_function = None

    def train_step(self, data):
        x, y = data
        self.zero_grad()
        loss = self.loss(y, self(x))
        loss.backward()
        variables = self.trainable_variables
        with torch.no_grad():
            self.optimizer.apply([one.value.grad for one in variables], variables)
        self.metrics[0].update_state(loss)
        return {"loss": self.metrics[0].result()}

    def make_train_function(self):
        def one_step_on_data(data):
            return self.train_step(data)

        self.train_function = one_step_on_data

    def fit(
        self,
        x=None,
        y=None,
        batch_size=8,
        epochs=1,
        callbacks=(),
        validation_data=None,
        steps_per_epoch=None,
    ):
        self._eval_epoch_iterator = None
        epoch_iterator = EpochIterator(x, y, batch_size, True, steps_per_epoch)
        self.optimizer.build(self.trainable_variables)
        callbacks = CallbackList(callbacks, model=self)
        self.stop_training = False
        training_logs = {}
        self.make_train_function()
        callbacks.call("on_train_begin")
        for epoch in range(epochs):
            self.metrics[0].reset_state()
            callbacks.call("on_epoch_begin", epoch)
            self.train()
            logs = {}
            for begin_step, end_step, data in epoch_iterator:
                logs = self.train_function(data)
                callbacks.call("on_train_batch_end", end_step, logs)
                if self.stop_training:
                    break
            epoch_logs = {name: float(value) for name, value in logs.items()}
            self.eval()
            if validation_data is not None:
                epoch_logs["val_loss"] = self.evaluate(*validation_data)
            callbacks.call("on_epoch_end", epoch, epoch_logs)
            training_logs = epoch_logs
            if self.stop_training:
                break
        callbacks.call("on_train_end", training_logs)
        return self.history

    def evaluate(self, x, y):
        if self._eval_epoch_iterator is None:
            self._eval_epoch_iterator = EpochIterator(x, y, 8, False)
        self.metrics[0].reset_state()
        with torch.no_grad():
            for _, __, data in self._eval_epoch_iterator:
                self.metrics[0].update_state(self.loss(data[1], self(data[0])))
        return float(self.metrics[0].result())


class Model(TorchTrainer, Layer):
    pass
