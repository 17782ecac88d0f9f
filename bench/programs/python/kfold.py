#: about k-fold cross-validation: a new model for each fold, early stopping inside
#: needs torch numpy
#: quick 4
#: full 110
import sys

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
np.random.seed(0)
n, k = 8000, 5
features = torch.randn(n, 20)
target = (features[:, :5].prod(1) + features[:, 5].sin() + 0.1 * torch.randn(n))[:, None]
indices = np.random.permutation(n)
folds = np.array_split(indices, k)
results = {}

for fold in range(k):
    valid = folds[fold]
    train = np.concatenate([folds[j] for j in range(k) if j != fold])
    network = nn.Sequential(
        nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=2e-3, weight_decay=1e-4)
    best, patience = float("inf"), 0
    for epoch in range(int(sys.argv[1])):
        np.random.shuffle(train)
        network.train()
        for b in range(0, len(train), 64):
            rows = train[b : b + 64]
            loss = nn.functional.mse_loss(network(features[rows]), target[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            #: ask step w = network[0].weight[3, 3].item() where fold = 2 and epoch = 3 and b = 128
        network.eval()
        with torch.no_grad():
            value = nn.functional.mse_loss(network(features[valid]), target[valid]).item()
        if value < best:
            best, patience = value, 0
        else:
            patience += 1
        if patience >= 30:
            break
    results[fold] = best
    #: ask outer size = network[2].weight.norm().item()
    print(f"fold {fold}: best {best:.5f} after {epoch + 1} epochs")
#: ask suffix spread = float(np.std(list(results.values())))
print("average", sum(results.values()) / k)
