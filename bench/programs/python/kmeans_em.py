#: about k-means with restarts, until nothing moves, then a mixture of Gaussians by EM
#: needs numpy
#: quick --points 20000 --restarts 2
#: full --points 80000 --restarts 9
import argparse

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--points", type=int, default=4000)
parser.add_argument("--restarts", type=int, default=2)
args = parser.parse_args()
rng = np.random.RandomState(0)
K, D = 8, 6
true_centers = rng.uniform(-4, 4, (K, D))
points = true_centers[rng.randint(K, size=args.points)] + rng.randn(args.points, D)


def assign(points, centers):
    return ((points[:, None, :] - centers[None]) ** 2).sum(2).argmin(1)


best, best_centers = np.inf, None
for restart in range(args.restarts):
    centers = points[rng.choice(len(points), K, replace=False)]
    for it in range(60):
        nearest = assign(points, centers)
        moved = 0.0
        for k in range(K):
            members = points[nearest == k]
            if len(members):
                center = members.mean(0)
                moved += np.abs(center - centers[k]).sum()
                centers[k] = center
        #: ask step shift = float(moved) where restart = 1 and it = 3
        if moved < 1e-6:
            break
    inertia = ((points - centers[nearest]) ** 2).sum()
    #: ask outer first = float(centers[0, 0])
    print("restart", restart, "iterations", it, "inertia", inertia)
    if inertia < best:
        best, best_centers = inertia, centers.copy()

means, variances, weights = best_centers, np.ones((K, D)), np.full(K, 1 / K)
for em in range(40):
    logp = np.log(weights) - 0.5 * (
        ((points[:, None] - means) ** 2 / variances).sum(2) + np.log(variances).sum(1)
    )
    top = logp.max(1, keepdims=True)
    r = np.exp(logp - top)
    likelihood = float((top[:, 0] + np.log(r.sum(1))).mean())
    r /= r.sum(1, keepdims=True)
    n = r.sum(0)
    means = r.T @ points / n[:, None]
    variances = (r.T @ points**2) / n[:, None] - means**2 + 1e-6
    weights = n / len(points)
    print("em", em, "likelihood", likelihood)
#: ask suffix smallest = float(weights.min())
print("done")
