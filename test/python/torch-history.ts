/**
 * @file A PyTorch script as it changed: written with tabs and Windows line endings; renamed; taken apart
 * into functions; moved to a file of its own, with a class and `with`; with a decorator that takes
 * arguments, a walrus, bodies on the line of their head and statements on one line. And one that knows
 * nothing of Afterlog. `#@` stands before what a person would write, to log what is asked.
 */
export interface TorchVersion {
  readonly [file: string]: string;
}

/** The files of a version as they were, or with the statements in them. */
export function written(
  version: TorchVersion,
  { asked }: { readonly asked: boolean },
): TorchVersion {
  const texts = Object.entries(version).map(([file, text]) => {
    return [file, asked ? text.replaceAll("#@ ", "") : text.replaceAll(/^[ \t]*#@ .*\r?\n/gm, "")];
  });
  return Object.fromEntries(texts) as TorchVersion;
}

const FLAT = `import torch
import torch.nn as nn
import afterlog as al
torch.manual_seed(3)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
X = torch.randn(40, 6)
Y = (X.sum(1) > 0).long()
for epoch in al.loop("epoch", range(3)):
    for i in al.loop("step", range(0, 40, 20)):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(X[i:i + 20]), Y[i:i + 20])
        loss.backward()
        #@ al.log("grad", sum(float(p.grad.norm()) for p in model.parameters()))
        optimizer.step()
        al.log("loss", loss.item())
    #@ al.log("norm", [float(p.norm()) for p in model.parameters()])
#@ al.log("final", float(sum(p.double().sum() for p in model.parameters())))
`;

const OLDEST = FLAT.replaceAll(/\bmodel\b/g, "net")
  .replaceAll(/\bepoch\b(?!")/g, "e")
  .replaceAll(/\boptimizer\b/g, "opt")
  .replaceAll("    ", "\t")
  .replaceAll("\n", "\r\n");

const EPOCH = `def train_epoch(model, optimizer, X, Y, size=20):
    for i in al.loop("step", range(0, len(X), size)):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(X[i:i + size]), Y[i:i + size])
        loss.backward()
        #@ al.log("grad", sum(float(p.grad.norm()) for p in model.parameters()))
        optimizer.step()
        al.log("loss", loss.item())
`;

const IN_FUNCTIONS = `"""Tiny classifier."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import afterlog as al


${EPOCH}

def main():
    torch.manual_seed(al.arg("seed", 3))
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=al.arg("lr", 0.02))
    X = torch.randn(40, 6)
    Y = (X.sum(1) > 0).long()
    for epoch in al.loop("epoch", range(al.arg("epochs", 3))):
        train_epoch(model, optimizer, X, Y)
        #@ al.log("norm", [float(p.norm()) for p in model.parameters()])
    #@ al.log("final", float(sum(p.double().sum() for p in model.parameters())))


if __name__ == "__main__":
    main()
`;

const IN_FILES = `"""Tiny classifier."""
import torch
from torch import nn
import afterlog as al
from engine import train_epoch


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.first = nn.Linear(6, hidden)
        self.scale = nn.BatchNorm1d(hidden)
        self.second = nn.Linear(hidden, 2)

    def forward(self, x):
        return self.second(torch.tanh(self.scale(self.first(x))))


def main():
    torch.manual_seed(al.arg("seed", 3))
    model = Net(al.arg("hidden", 8))
    optimizer = torch.optim.Adam(model.parameters(), lr=al.arg("lr", 0.02))
    X = torch.randn(40, 6)
    Y = (X.sum(1) > 0).long()
    with al.checkpointing(model=model, optimizer=optimizer):
        for epoch in al.loop("epoch", range(al.arg("epochs", 3))):
            train_epoch(model, optimizer, X, Y)
            #@ al.log("norm", [float(p.norm()) for p in model.parameters()])
    #@ al.log("final", float(sum(p.double().sum() for p in model.parameters())))


if __name__ == "__main__":
    main()
`;

const ENGINE = `"""One pass over the data."""
import torch.nn.functional as F
import afterlog as al


${EPOCH}`;

const DECORATED = `"""One pass over the data."""
import functools
import torch
import torch.nn.functional as F
import afterlog as al


def named(name=None):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **words):
            return function(*args, **words)
        return inner
    return wrap


@named(name="train")
${EPOCH.replace(
  /( {8})loss = .*\n.*\n/,
  `$1if (n := len(Y[i:i + size])) < 2: continue
$1loss = F.cross_entropy(model(X[i:i + n]), Y[i:i + n]); loss.backward()
`,
).replace(
  "        optimizer.step()",
  `        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()`,
)}`;

export const TORCH_VERSIONS: readonly TorchVersion[] = [
  { "train.py": OLDEST },
  { "train.py": FLAT },
  { "train.py": IN_FUNCTIONS },
  { "train.py": IN_FILES, "engine.py": ENGINE },
  { "train.py": IN_FILES, "engine.py": DECORATED },
];

const PLAIN = `import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(24, 5); y = (x[:, 0] > 0).long()
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
net = nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
crit = nn.CrossEntropyLoss()
for epoch in range(2):
  total = 0.
  for bx, by in loader:
    opt.zero_grad()
    loss = crit(net(bx), by)
    loss.backward()
    #@ print(f"gradnorm {sum(p.grad.abs().sum().item() for p in net.parameters())}")
    opt.step()
    total += loss.item()
  print(f"epoch {epoch} loss {total / len(loader)}")
  #@ print("inner", net.a.weight.norm().item())
#@ print("last", total)
`;

const PLAIN_NOW = `"""Train a small classifier."""
import logging
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger("train")


class Net(nn.Module):
    def __init__(self, hidden=7):
        super().__init__()
        self.a = nn.Linear(5, hidden)
        self.drop = nn.Dropout(0.1)
        self.b = nn.Linear(hidden, 2)

    def forward(self, x):
        return self.b(self.drop(torch.relu(self.a(x))))


def train(model, loader, opt, crit, epochs=2):
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(epochs):
        total = 0.0
        for i, (bx, by) in enumerate(loader):
            opt.zero_grad()
            loss = crit(model(bx), by)
            loss.backward()
            #@ print(f"gradnorm {sum(p.grad.abs().sum().item() for p in model.parameters())}")
            opt.step()
            total += loss.item()
            if i % 2 == 0: log.info("step %d loss %f", i, loss.item())
        print(f"epoch {epoch} loss {total / len(loader)}")
        #@ print("inner", model.a.weight.norm().item())
        sched.step()
    #@ print("last", total)


def main():
    logging.basicConfig(level=logging.INFO)
    torch.manual_seed(1)
    x = torch.randn(24, 5); y = (x[:, 0] > 0).long()
    loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
    model = Net()
    opt = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, loader, opt, nn.CrossEntropyLoss())


if __name__ == "__main__":
    main()
`;

/** Programs that know nothing of Afterlog; the first has no `a`, so that one statement fails there. */
export const PLAIN_VERSIONS: readonly TorchVersion[] = [
  { "train.py": PLAIN },
  { "train.py": PLAIN_NOW },
];
