#: about LR finder before the training, state set back by load_state_dict, then OneCycleLR
#: needs torch
#: quick 3
#: full 70
import copy
import sys

import torch
from torch import nn


class LRFinder:
    def __init__(self, model, optimizer, criterion):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion
        self.state = copy.deepcopy([model.state_dict(), optimizer.state_dict()])
        self.history = {"lr": [], "loss": []}

    def range_test(self, batches, start, end, num_iter):
        best, average = float("inf"), 0.0
        iterator = iter(batches)
        for iteration in range(num_iter):
            lr = start * (end / start) ** (iteration / (num_iter - 1))
            for group in self.optimizer.param_groups:
                group["lr"] = lr
            try:
                x, y = next(iterator)
            except StopIteration:
                iterator = iter(batches)
                x, y = next(iterator)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            average = 0.9 * average + 0.1 * loss.item()
            smooth = average / (1 - 0.9 ** (iteration + 1))
            self.history["lr"].append(lr)
            self.history["loss"].append(smooth)
            best = min(best, smooth)
            if smooth > 4 * best:
                print("Stopping early, the loss has diverged")
                break

    def reset(self):
        self.model.load_state_dict(self.state[0])
        self.optimizer.load_state_dict(self.state[1])

    def suggestion(self):
        losses = self.history["loss"]
        falls = [b - a for a, b in zip(losses, losses[1:])]
        return self.history["lr"][falls.index(min(falls))]


torch.manual_seed(13)
x = torch.randn(2400, 12)
y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).long()
batches = list(zip(x.split(40), y.split(40)))
model = nn.Sequential(nn.Linear(12, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
criterion = nn.CrossEntropyLoss()
finder = LRFinder(model, optimizer, criterion)
finder.range_test(batches, 1e-4, 10.0, 80)
finder.reset()
max_lr = finder.suggestion()
print("suggested", max_lr)
epochs = int(sys.argv[1])
scheduler = torch.optim.lr_scheduler.OneCycleLR(
    optimizer, max_lr=max_lr, epochs=epochs, steps_per_epoch=len(batches)
)
for epoch in range(epochs):
    hits = 0
    for step, (xb, yb) in enumerate(batches):
        out = model(xb)
        loss = criterion(out, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        hits += (out.argmax(1) == yb).sum().item()
        #: ask step moment = optimizer.param_groups[0]["momentum"] where epoch = 1 and step = 33
    #: ask outer rate = optimizer.param_groups[0]["lr"]
    print(f"epoch {epoch} accuracy {hits / len(x):.4f} loss {loss.item():.5f}")
#: ask suffix norm = model[2].weight.norm().item()
print("points", len(finder.history["lr"]))
