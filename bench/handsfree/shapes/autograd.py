# Scalars that know what they were computed from, as many write them to learn how it is done.
import math
import sys


class Value:
    def __init__(self, data, prev=(), pull=lambda: None):
        self.data, self.prev, self.pull, self.grad = data, prev, pull, 0.0

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def pull():
            self.grad += out.grad
            other.grad += out.grad

        out.pull = pull
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def pull():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.pull = pull
        return out

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for p in v.prev:
                    visit(p)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.pull()


weights = [Value(math.sin(i)) for i in range(20)]
xs = [[math.cos(i * j) for j in range(20)] for i in range(20)]
for epoch in range(int(sys.argv[1])):
    loss = Value(0.0)
    for x in xs:
        out = Value(-1.0)
        for w, one in zip(weights, x):
            out = out + w * Value(one)
        loss = loss + out * out
    for w in weights:
        w.grad = 0.0
    loss.backward()
    for w in weights:
        w.data -= 0.001 * w.grad
    print("epoch", epoch, "loss", loss.data)
