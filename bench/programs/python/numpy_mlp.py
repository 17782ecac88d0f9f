#: about NumPy from scratch: layers with their own backward, momentum
#: needs numpy
#: quick 15
#: full 250
import sys

import numpy as np

rng = np.random.default_rng(3)


class Dense:
    def __init__(self, inputs, outputs):
        self.w = rng.normal(0, np.sqrt(2 / inputs), (inputs, outputs))
        self.b = np.zeros(outputs)
        self.vw, self.vb = np.zeros_like(self.w), np.zeros_like(self.b)

    def forward(self, x):
        self.x = x
        return x @ self.w + self.b

    def backward(self, g, lr):
        gx = g @ self.w.T
        self.vw = 0.9 * self.vw - lr * (self.x.T @ g)
        self.vb = 0.9 * self.vb - lr * g.sum(0)
        self.w += self.vw
        self.b += self.vb
        return gx


class ReLU:
    def forward(self, x):
        self.mask = x > 0
        return x * self.mask

    def backward(self, g, lr):
        return g * self.mask


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


X = rng.normal(size=(10000, 64))
labels = (X[:, :10] ** 2).argmax(1)
Y = np.eye(10)[labels]
layers = [Dense(64, 128), ReLU(), Dense(128, 64), ReLU(), Dense(64, 10)]
losses = []

for epoch in range(int(sys.argv[1])):
    order = rng.permutation(len(X))
    for step, start in enumerate(range(0, len(X), 50)):
        batch = order[start : start + 50]
        out = X[batch]
        for layer in layers:
            out = layer.forward(out)
        p = softmax(out)
        g = (p - Y[batch]) / len(batch)
        #: ask step error = float(np.abs(g).sum()) where epoch = 2 and step = 5
        for layer in reversed(layers):
            g = layer.backward(g, 0.05)
        losses.append(-np.log(p[range(len(batch)), labels[batch]]).mean())
    #: save dense = [layer for layer in layers if isinstance(layer, Dense)]
    #: save kept = [p for one in dense for p in (one.w, one.b, one.vw, one.vb)]
    #: save np.savez(f"epoch-{epoch}.npz", *kept)
    #: ask outer speed = float(np.linalg.norm(layers[0].vw))
    print("epoch", epoch, "loss", np.mean(losses[-40:]))
#: ask suffix norm = float(np.linalg.norm(layers[2].w))
np.savez("weights.npz", *[layer.w for layer in layers if isinstance(layer, Dense)])
