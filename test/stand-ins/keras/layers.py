"""Parts of a model. What they hold is listed, and known by addresses."""

import numpy
import torch

from .src.backend.common import global_state


class Variable:
    def __init__(self, value):
        self.value = torch.nn.Parameter(value)

    def __bool__(self):
        raise TypeError("a variable cannot be used as a boolean")


class Tracker:
    def __init__(self):
        self.stored_ids = {"variables": set()}


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self._tracker = Tracker()
        self._loss_ids = set()
        self.variables_of_its_own = []

    def add_weight(self, shape):
        one = Variable(torch.randn(shape) * 0.1)
        self._tracker.stored_ids["variables"].add(id(one))
        self.variables_of_its_own.append(one)
        return one

    def _flatten_layers(self):
        return [self, *(one for one in self.children() if isinstance(one, Layer))]

    @property
    def trainable_variables(self):
        return [one for layer in self._flatten_layers() for one in layer.variables_of_its_own]

    def get_weights(self):
        return [numpy.array(one.value.detach()) for one in self.trainable_variables]

    def forward(self, *given):
        return self.call(*given)


class Dense(Layer):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.kernel = self.add_weight((inputs, outputs))

    def call(self, inputs):
        return inputs @ self.kernel.value


class Dropout(Layer):
    """Draws by a seed that all layers share."""

    def call(self, inputs):
        if not self.training:
            return inputs
        generator = torch.Generator()
        generator.manual_seed(global_state.global_seed_generator().next())
        return inputs * (torch.rand(inputs.shape, generator=generator) > 0.1)
