/**
 * Programs as people write them, which never heard of Afterlog. A comment `# ask NAME: VALUE` says
 * which statement is put in its place later, in hindsight.
 */

const TORCH = `
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)
`;

const DATA = `
X = torch.randn(48, 6)
Y = (X @ torch.randn(6, 1)) + 0.1 * torch.randn(48, 1)
`;

const SUM = "float(sum(p.double().abs().sum() for p in model.parameters()))";

export interface PlainProgram {
  readonly text: string;
  /** More files of it. */
  readonly files?: { readonly [name: string]: string };
  readonly argv?: readonly string[];
  /** The inner question: iterations, and the most of them that are executed again. */
  readonly where?: string;
  /** Its inner loops are over sooner than a checkpoint is read: they are executed instead. */
  readonly quick?: boolean;
}

export const PLAIN_PROGRAMS: { readonly [name: string]: PlainProgram } = {
  "epochs over a loader, a schedule, model.eval()": {
    text: `${TORCH}${DATA}
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
train_loader = DataLoader(TensorDataset(X[:36], Y[:36]), batch_size=9, shuffle=True)
test_loader = DataLoader(TensorDataset(X[36:], Y[36:]), batch_size=12)

for epoch in range(4):
    model.train()
    running = 0.0
    for i, (inputs, targets) in enumerate(train_loader):
        optimizer.zero_grad()
        loss = F.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        running += loss.item()
        # ask p_step: [${SUM}, float(inputs.sum()), running]
    scheduler.step()
    model.eval()
    test_loss = 0.0
    with torch.no_grad():
        for inputs, targets in test_loader:
            test_loss += F.mse_loss(model(inputs), targets).item()
    print(f"epoch {epoch}: train {running / 4:.4f} test {test_loss:.4f}")
    # ask p_epoch: [${SUM}, optimizer.param_groups[0]["lr"], running, test_loss]
print("Finished Training")
# ask p_end: [${SUM}, running]
`,
    where: "epoch = 2 and i between 1 and 2",
  },
  "functions, argparse and main()": {
    text: `${TORCH}
import argparse

class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.fc1 = nn.Linear(6, hidden)
        self.fc2 = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))

def train(model, loader, optimizer, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.mse_loss(model(data), target)
        loss.backward()
        optimizer.step()
        # ask p_step: [${SUM}, batch_idx, epoch]
        if batch_idx % 2 == 0:
            print("Train Epoch: {} [{}] Loss: {:.6f}".format(epoch, batch_idx, loss.item()))

def evaluate(model, loader):
    model.eval()
    total = 0
    with torch.no_grad():
        for data, target in loader:
            total += F.mse_loss(model(data), target, reduction="sum").item()
    return total / len(loader.dataset)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.01)
    args = parser.parse_args()
    X = torch.randn(40, 6)
    Y = X.sum(1, keepdim=True).sin()
    loader = DataLoader(TensorDataset(X, Y), batch_size=10, shuffle=True)
    model = Net(8)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    history = []
    for epoch in range(1, args.epochs + 1):
        train(model, loader, optimizer, epoch)
        score = evaluate(model, loader)
        history.append(score)
        # ask p_epoch: [${SUM}, score, len(history)]
    # ask p_end: [${SUM}, history]
    print(history)

if __name__ == "__main__":
    main()
`,
    argv: ["--epochs", "4", "--lr", "0.05"],
    where: "epoch = 2 and batch_idx = 1",
  },
  "a class Trainer in a file of its own": {
    text: `${TORCH}${DATA}
from trainer import Trainer

model = nn.Linear(6, 1)
trainer = Trainer(model, DataLoader(TensorDataset(X, Y), batch_size=12, shuffle=True))
trainer.fit(4)
# ask p_end: [${SUM}, trainer.global_step, trainer.losses]
print(trainer.losses)
`,
    files: {
      "trainer.py": `import torch


class Trainer:
    def __init__(self, model, loader, lr=0.02):
        self.model = model
        self.loader = loader
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.global_step = 0
        self.losses = []

    def training_step(self, batch):
        x, y = batch
        return torch.nn.functional.mse_loss(self.model(x), y)

    def fit(self, epochs):
        for epoch in range(epochs):
            total = 0.0
            for batch in self.loader:
                loss = self.training_step(batch)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.global_step += 1
                total += loss.item()
                # ask p_step: [self.global_step, total]
            self.losses.append(total)
            # ask p_epoch: [total, self.global_step, float(self.model.weight.double().sum())]
`,
    },
    where: "epoch = 2 and batch between 1 and 2",
  },
  "early stopping with the best weights": {
    text: `${TORCH}${DATA}
import copy
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
opt = torch.optim.SGD(model.parameters(), 0.2)
loader = DataLoader(TensorDataset(X[:32], Y[:32]), 8, shuffle=True)
best_loss, best_state, patience, bad = float("inf"), None, 2, 0
for epoch in range(50):
    for xb, yb in loader:
        loss = F.mse_loss(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        # ask p_step: [${SUM}, loss.item()]
    with torch.no_grad():
        val = F.mse_loss(model(X[32:]), Y[32:]).item() + 0.05 * epoch
    # ask p_epoch: [${SUM}, val, best_loss, bad]
    if val < best_loss:
        best_loss = val
        best_state = copy.deepcopy(model.state_dict())
        bad = 0
    else:
        bad += 1
        if bad >= patience:
            print("early stop at", epoch)
            break
model.load_state_dict(best_state)
print(best_loss)
# ask p_end: [${SUM}, best_loss, epoch]
`,
    where: "epoch = 2 and xb = 1",
  },
  "an exponential mean of the weights": {
    text: `${TORCH}${DATA}
import copy
model = nn.Linear(6, 1)
ema = copy.deepcopy(model)
opt = torch.optim.Adam(model.parameters(), 0.05)
loader = DataLoader(TensorDataset(X, Y), 12, shuffle=True)
steps = 0
for epoch in range(3):
    for xb, yb in loader:
        opt.zero_grad()
        loss = F.mse_loss(model(xb), yb)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        steps += 1
        with torch.no_grad():
            for p, q in zip(model.parameters(), ema.parameters()):
                q.mul_(0.9).add_(p, alpha=0.1)
        # ask p_step: [steps, float(ema.weight.double().sum())]
    # ask p_epoch: [steps, float(ema.weight.double().sum()), float(model.weight.double().sum())]
    print(epoch, loss.item())
# ask p_end: [steps, float(ema(X).double().sum())]
print("done", steps)
`,
    where: "epoch = 1 and xb = 2",
  },
  "k-fold cross-validation": {
    text: `${TORCH}${DATA}
def make():
    model = nn.Linear(6, 1)
    return model, torch.optim.SGD(model.parameters(), 0.1)

def fit(model, opt, xs, ys, epochs=3):
    for epoch in range(epochs):
        order = torch.randperm(len(xs))
        for start in range(0, len(xs), 9):
            idx = order[start:start + 9]
            loss = F.mse_loss(model(xs[idx]), ys[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            # ask p_step: [${SUM}, start]

scores = []
folds = torch.arange(48).chunk(4)
for k, test in enumerate(folds):
    train = torch.cat([f for j, f in enumerate(folds) if j != k])
    model, opt = make()
    fit(model, opt, X[train], Y[train])
    with torch.no_grad():
        scores.append(F.mse_loss(model(X[test]), Y[test]).item())
    print("fold", k, scores[-1])
    # ask p_epoch: [${SUM}, scores[-1]]
print(sum(scores) / len(scores))
# ask p_end: [${SUM}, scores]
`,
    where: "k = 1 and epoch = 1 and start = 1",
  },
  "a GAN with two optimizers": {
    text: `${TORCH}
G = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt_g = torch.optim.Adam(G.parameters(), 2e-3, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), 2e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
real_data = torch.randn(64, 2) * 0.5 + 1
g_losses, d_losses = [], []
for epoch in range(3):
    perm = torch.randperm(64)
    for i in range(0, 64, 16):
        real = real_data[perm[i:i + 16]]
        fake = G(torch.randn(16, 3))
        loss_d = bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
        opt_d.zero_grad(); loss_d.backward(); opt_d.step()
        loss_g = bce(D(fake), torch.ones(16, 1))
        opt_g.zero_grad(); loss_g.backward(); opt_g.step()
        g_losses.append(loss_g.item()); d_losses.append(loss_d.item())
        # ask p_step: [g_losses[-1], d_losses[-1], float(fake.double().sum())]
    print(f"[{epoch}] D {d_losses[-1]:.3f} G {g_losses[-1]:.3f}")
    # ask p_epoch: [float(p.double().abs().sum()) for m in (G, D) for p in m.parameters()]
# ask p_end: [sum(g_losses), sum(d_losses), float(G[0].weight.double().sum())]
print(len(g_losses))
`,
    where: "epoch = 1 and i = 2",
  },
  "while not converged": {
    text: `
import random
xs = [random.gauss(0, 1) for _ in range(12)]
ys = [2.5 * x - 1 + random.gauss(0, 0.1) for x in xs]
w, b, previous, converged, rounds = 0.0, 0.0, float("inf"), False, 0
while not converged:
    gw = gb = loss = 0.0
    for x, y in zip(xs, ys):
        error = w * x + b - y
        loss += error * error
        gw += 2 * error * x / len(xs)
        gb += 2 * error / len(xs)
        # ask p_step: [loss, gw]
    w, b = w - 0.1 * gw, b - 0.1 * gb
    rounds += 1
    converged = abs(previous - loss) < 1e-3 or rounds >= 12
    previous = loss
    # ask p_epoch: [w, b, loss, rounds]
print(w, b, rounds)
# ask p_end: [w, b, previous, rounds]
`,
    where: "while = 5 and x = 3",
  },
  "reinforcement learning with a replay buffer": {
    text: `
import random
from collections import deque

random.seed(3)
q = {}
buffer = deque(maxlen=200)
epsilon = 1.0

def act(state):
    if random.random() < epsilon:
        return random.choice([0, 1])
    values = q.get(state, [0.0, 0.0])
    return 0 if values[0] >= values[1] else 1

def learn(batch):
    for state, action, reward, after, done in batch:
        target = reward + (0.0 if done else 0.9 * max(q.get(after, [0.0, 0.0])))
        values = q.setdefault(state, [0.0, 0.0])
        values[action] += 0.2 * (target - values[action])

returns = []
for episode in range(8):
    state, total, t = 3, 0.0, 0
    while True:
        action = act(state)
        after = state + (1 if action else -1)
        done = after in (0, 7)
        reward = 1.0 if after == 7 else 0.0
        buffer.append((state, action, reward, after, done))
        if len(buffer) >= 16:
            learn(random.sample(list(buffer), 8))
        total += reward
        state, t = after, t + 1
        # ask p_step: [state, t, total]
        if done or t >= 12:
            break
    epsilon = max(0.1, epsilon * 0.8)
    returns.append(total)
    print("episode", episode, "return", total)
    # ask p_epoch: [epsilon, len(buffer), len(q), len(returns)]
print(sum(returns))
# ask p_end: [sum(returns), sorted(q.items())[0][1]]
`,
    where: "episode = 4 and while = 2",
  },
  "a recurrent net and data from a generator": {
    text: `${TORCH}
import random

def batches(n, seed):
    rng = random.Random(seed)
    for _ in range(n):
        start = rng.random() * 6
        wave = torch.sin(torch.arange(9.0) * 0.5 + start)
        yield wave[:-1].view(1, 8, 1), wave[1:].view(1, 8, 1)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 6, batch_first=True)
        self.head = nn.Linear(6, 1)

    def forward(self, x, hidden=None):
        out, hidden = self.lstm(x, hidden)
        return self.head(out), hidden

model = Model()
optimizer = torch.optim.RMSprop(model.parameters(), 0.01)
losses = {}
for epoch in range(3):
    total = 0.0
    for step, (x, y) in enumerate(batches(5, epoch)):
        pred, _ = model(x)
        loss = ((pred - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        # ask p_step: [total, ${SUM}]
    losses[epoch] = total
    # ask p_epoch: [total, ${SUM}]
    print(epoch, total)
# ask p_end: [losses[0], losses[2], ${SUM}]
print(losses)
`,
    where: "epoch = 1 and step = 3",
  },
  "a genetic algorithm in two files": {
    text: `
import random
from genome import Genome, crossover

random.seed(11)
population = [Genome([random.uniform(-1, 1) for _ in range(5)]) for _ in range(12)]
best = None
for generation in range(8):
    ranked = sorted(population, key=lambda g: g.fitness())
    if best is None or ranked[0].fitness() < best.fitness():
        best = ranked[0].copy()
    parents = ranked[:4]
    population = list(parents)
    while len(population) < 12:
        child = crossover(random.choice(parents), random.choice(parents))
        child.mutate(0.3)
        population.append(child)
        # ask p_step: child.fitness()
    print("generation", generation, "best", best.fitness())
    # ask p_epoch: [best.fitness(), sum(g.fitness() for g in population)]
# ask p_end: [best.fitness(), best.genes]
print(best.genes)
`,
    files: {
      "genome.py": `import random


class Genome:
    def __init__(self, genes):
        self.genes = genes

    def fitness(self):
        total = 0.0
        for i, gene in enumerate(self.genes):
            total += (gene - 0.2 * i) ** 2
        return total

    def copy(self):
        return Genome(list(self.genes))

    def mutate(self, rate):
        for i in range(len(self.genes)):
            if random.random() < rate:
                self.genes[i] += random.gauss(0, 0.2)


def crossover(a, b):
    cut = random.randrange(5)
    return Genome(a.genes[:cut] + b.genes[cut:])
`,
    },
    quick: true,
  },
  "rows of an array, written into behind the loop": {
    text: `${TORCH}
import numpy as np

data = np.random.default_rng(2).normal(size=(6, 3))
same = torch.from_numpy(data)
w = np.zeros(3)
for epoch in range(4):
    total = 0.0
    for i, row in enumerate(data):
        part, turned = same[i], w[:, None] * np.ones((1, 2), order="F")
        e = float(w @ row - row.sum())
        w -= 0.1 * e * row
        total += e**2
        # ask p_step: [total, float(part.sum())]
    row[0] += 0.1 * total
    part[1] -= 0.5
    print("loss", total, turned.strides)
    # ask p_epoch: [float(data.sum()), float(same.sum()), total]
print("weights", w.sum())
# ask p_end: [data.tolist(), w.tolist()]
`,
    where: "epoch == 1",
  },
};

const ASK = /^([ \t]*)# ask (\w+): (.*)$/gm;

/** The text as it was written, without what is asked. */
export function unchanged(text: string): string {
  return text.replaceAll(/^[ \t]*# ask .*\n/gm, "");
}

/** The same text with the statements in it. */
export function asked(text: string): string {
  const logs = text.replaceAll(ASK, '$1al.log("$2", $3)');
  return logs === text ? text : `import afterlog as al\n${logs}`;
}
