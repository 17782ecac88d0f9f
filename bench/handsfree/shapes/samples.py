# A loop over the rows of arrays.
import sys

import numpy as np

rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 8))
y = (X @ rng.normal(size=8) > 0).astype(float)
w = np.zeros(8)
for epoch in range(int(sys.argv[1])):
    right = 0
    for xi, yi in zip(X, y):
        p = 1 / (1 + np.exp(-(xi @ w)))
        w += 0.01 * (yi - p) * xi
        right += (p > 0.5) == (yi > 0.5)
    print("epoch", epoch, "accuracy", right / len(y))
