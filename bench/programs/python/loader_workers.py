#: about loaders with workers: random crops in `__getitem__`, two datasets mixed step by step
#: needs torch numpy
#: quick 2
#: full 9
import random
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, n, offset):
        rng = np.random.RandomState(offset)
        self.waves = np.sin(rng.rand(n, 1) * 9 + np.arange(160) / (4 + offset)).astype("float32")
        self.offset = offset

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, i):
        start = random.randrange(32)
        crop = self.waves[i, start : start + 128] + np.random.normal(0, 0.1, 128)
        return torch.from_numpy(crop.astype("float32")) + 0.01 * torch.rand(1), self.offset


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


def endless(loader):
    while True:
        for batch in loader:
            yield batch


random.seed(15)
np.random.seed(15)
torch.manual_seed(15)
labelled = DataLoader(
    ConcatDataset([Signals(600, k) for k in range(3)]),
    batch_size=16,
    shuffle=True,
    num_workers=2,
    worker_init_fn=seed_worker,
)
unlabelled = endless(DataLoader(Signals(500, 5), batch_size=16, shuffle=True))
encoder = nn.Sequential(
    nn.Conv1d(1, 32, 9, stride=2), nn.ReLU(), nn.Conv1d(32, 32, 9, stride=2), nn.ReLU()
)
head, decoder = nn.Linear(32, 3), nn.Linear(32, 128)
parameters = [*encoder.parameters(), *head.parameters(), *decoder.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3)
for epoch in range(int(sys.argv[1])):
    right = seen = 0
    for i, (x, y) in enumerate(labelled):
        u, _ = next(unlabelled)
        logits = head(encoder(x[:, None]).mean(2))
        rebuilt = decoder(encoder(u[:, None]).mean(2))
        loss = nn.functional.cross_entropy(logits, y) + 0.1 * nn.functional.mse_loss(rebuilt, u)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right += (logits.argmax(1) == y).sum().item()
        seen += len(y)
        #: ask step first = x[0, 0].item() where epoch = 1 and i = 5
    #: ask outer norm = head.weight.norm().item()
    print(f"epoch {epoch} loss {loss.item():.5f} accuracy {right / seen:.4f}")
#: ask suffix rebuilt_norm = decoder.weight.norm().item()
print("done")
