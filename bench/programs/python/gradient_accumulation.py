#: about gradient accumulation, EMA of the weights with swap for evaluation, per-sample weights
#: needs torch
#: quick 3
#: full 60
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


class Shapes(Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(77)
        self.labels = torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), n, True, generator=g)
        self.points = torch.randn(n, 30, generator=g) + self.labels[:, None] * 0.4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.points[i], self.labels[i]


class EMA:
    def __init__(self, model, decay):
        self.model, self.decay = model, decay
        self.shadow = {n: p.data.clone() for n, p in model.named_parameters()}
        self.backup = {}

    def update(self):
        for name, param in self.model.named_parameters():
            self.shadow[name] = (1.0 - self.decay) * param.data + self.decay * self.shadow[name]

    def apply_shadow(self):
        for name, param in self.model.named_parameters():
            self.backup[name] = param.data
            param.data = self.shadow[name]

    def restore(self):
        for name, param in self.model.named_parameters():
            param.data = self.backup[name]
        self.backup = {}


torch.manual_seed(42)
train_set, valid_set = Shapes(2400), Shapes(400)
weights = 1.0 / torch.bincount(train_set.labels)[train_set.labels].float()
sampler = WeightedRandomSampler(weights, len(train_set))
train_loader = DataLoader(train_set, batch_size=16, sampler=sampler)
valid_loader = DataLoader(valid_set, batch_size=100)
model = nn.Sequential(nn.Linear(30, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
ema = EMA(model, 0.98)
accumulate = 4
for epoch in range(int(sys.argv[1])):
    model.train()
    optimizer.zero_grad()
    for i, (x, y) in enumerate(train_loader):
        loss = nn.functional.cross_entropy(model(x), y) / accumulate
        loss.backward()
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
            ema.update()
        #: ask step mean = model[1].running_mean[0].item() where epoch = 2 and i = 49
    ema.apply_shadow()
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in valid_loader)
    ema.restore()
    #: ask outer slow = ema.shadow["0.weight"].norm().item()
    print(f"Epoch {epoch}: loss {accumulate * loss.item():.5f} ema accuracy {right / 400:.4f}")
#: ask suffix norm = model[3].weight.norm().item()
print("steps", len(train_loader) * (epoch + 1) // accumulate)
