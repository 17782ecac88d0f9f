#: about autograd engine of scalars: a graph of values, topological order, backward, an MLP on top
#: quick 4
#: full 34
import math
import random
import sys


class Value:
    def __init__(self, data, parents=(), backward=None):
        self.data, self.grad = data, 0.0
        self._parents, self._backward = parents, backward

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))

        def backward():
            self.grad += (1 - t * t) * out.grad

        out._backward = backward
        return out

    def backward(self):
        order, seen = [], set()

        def build(v):
            if id(v) not in seen:
                seen.add(id(v))
                for parent in v._parents:
                    build(parent)
                order.append(v)

        build(self)
        self.grad = 1.0
        for v in reversed(order):
            if v._backward:
                v._backward()


class Neuron:
    def __init__(self, inputs):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(inputs)]
        self.b = Value(0.0)

    def __call__(self, x):
        total = self.b
        for w, xi in zip(self.w, x):
            total = total + w * xi
        return total.tanh()


class MLP:
    def __init__(self, sizes):
        self.layers = [[Neuron(a) for _ in range(b)] for a, b in zip(sizes, sizes[1:])]

    def __call__(self, x):
        for layer in self.layers:
            x = [neuron(x) for neuron in layer]
        return x[0]

    def parameters(self):
        return [p for layer in self.layers for n in layer for p in n.w + [n.b]]


random.seed(1337)
points = [(random.uniform(-1, 1), random.uniform(-1, 1)) for _ in range(40)]
labels = [1.0 if x * x + y * y < 0.5 else -1.0 for x, y in points]
model = MLP([2, 8, 8, 1])
sys.setrecursionlimit(100_000)
for k in range(int(sys.argv[1])):
    total = Value(0.0)
    for i, (point, label) in enumerate(zip(points, labels)):
        error = model(point) + -label
        total = total + error * error * (1 / len(points))
        #: ask step so_far = total.data where k = 2 and i = 17
    for p in model.parameters():
        p.grad = 0.0
    total.backward()
    for p in model.parameters():
        p.data -= (0.3 - 0.2 * k / 100) * p.grad
    #: ask outer weight = model.parameters()[5].data
    print("step", k, "loss", total.data)
#: ask suffix norm = math.sqrt(sum(p.data**2 for p in model.parameters()))
print("parameters", len(model.parameters()))
