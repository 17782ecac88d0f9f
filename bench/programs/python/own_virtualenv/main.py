#: about a program in a virtualenv of its own, with a package that is installed nowhere else
#: needs numpy
#: quick 6
#: full 120
import sys

import numpy as np
import tinynet

print("virtualenv", sys.prefix != sys.base_prefix)
rng = np.random.default_rng(17)
x = rng.normal(size=(3000, 30))
y = np.sin(x[:, :3].sum(1, keepdims=True))
net = tinynet.Net([30, 64, 64, 1], rng)
optimizer = tinynet.Adam(net.parameters(), lr=1e-3)
for epoch in range(int(sys.argv[1])):
    order = rng.permutation(len(x))
    total = 0.0
    for step in range(len(x) // 50):
        rows = order[step * 50 : step * 50 + 50]
        loss = net.train_step(x[rows], y[rows])
        optimizer.step()
        total += loss
        #: ask step grad = float(np.linalg.norm(net.grads[0])) where epoch = 3 and step = 30
    #: ask outer weight = float(net.weights[1][0, 0])
    print("epoch", epoch, "loss", total / (step + 1))
#: ask suffix norm = float(np.linalg.norm(net.weights[2]))
print("updates", optimizer.t)
