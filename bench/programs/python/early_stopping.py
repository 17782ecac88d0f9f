#: about early stopping: a callable class that saves the best model, loaded behind the loop
#: needs torch numpy
#: quick --patience 3 --noise 1.0
#: full --patience 40 --noise 0.3
import argparse

import numpy as np
import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience, path="checkpoint.pt"):
        self.patience, self.path = patience, path
        self.counter, self.best_score, self.early_stop = 0, None, False

    def __call__(self, value, model):
        if self.best_score is None or value < self.best_score:
            self.best_score, self.counter = value, 0
            torch.save(model.state_dict(), self.path)
        else:
            self.counter += 1
            print(f"EarlyStopping counter: {self.counter} out of {self.patience}")
            self.early_stop = self.counter >= self.patience


parser = argparse.ArgumentParser()
parser.add_argument("--patience", type=int)
parser.add_argument("--noise", type=float)
args = parser.parse_args()
torch.manual_seed(10)
x = torch.randn(2600, 16)
y = (x[:, :3].sin().sum(1) + args.noise * torch.randn(2600))[:, None]
model = nn.Sequential(
    nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)
)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
stopping = EarlyStopping(args.patience)
train_losses, valid_losses, avg_train, avg_valid = [], [], [], []
for epoch in range(1, 401):
    model.train()
    for batch, rows in enumerate(torch.randperm(2000).split(32), 1):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
        train_losses.append(loss.item())
        #: ask step bias = model[0].bias[0].item() where epoch = 2 and batch = 30
    model.eval()
    with torch.no_grad():
        for rows in torch.arange(2000, 2600).split(100):
            valid_losses.append(nn.functional.mse_loss(model(x[rows]), y[rows]).item())
    avg_train.append(np.average(train_losses))
    avg_valid.append(np.average(valid_losses))
    train_losses, valid_losses = [], []
    print(f"[{epoch}] train_loss: {avg_train[-1]:.5f} valid_loss: {avg_valid[-1]:.5f}")
    stopping(avg_valid[-1], model)
    #: ask outer waited = stopping.counter
    if stopping.early_stop:
        print("Early stopping")
        break
model.load_state_dict(torch.load("checkpoint.pt"))
#: ask suffix norm = model[3].weight.norm().item()
print("best", stopping.best_score)
