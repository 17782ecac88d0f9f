/** Training programs as users of PyTorch write them: each by what is special about it. */

const PRELUDE = `
import copy, math, random
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import afterlog as al

torch.set_num_threads(1)
x = torch.randn(48, 6)
y = (x @ torch.randn(6, 1)) + 0.1 * torch.randn(48, 1)
mse = nn.functional.mse_loss

def mlp(*extra):
    return nn.Sequential(nn.Linear(6, 12), *extra, nn.ReLU(), nn.Linear(12, 1))
`;

const step = (loss: string, after = ""): string => `
            loss = ${loss}
            opt.zero_grad()
            loss.backward()
            opt.step()
            ${after}
            al.log("loss", loss.item())`;

const loops = (declared: string, body: string, tail = "pass", data = "data"): string => `
with al.checkpointing(${declared}) as state:
    for epoch in al.loop("epoch", range(4)):
        for bx, by in al.loop("step", ${data}):${body}
        ${tail}
        al.log("weights", float(sum(p.double().abs().sum() for p in model.parameters())))
al.log("final", float(mse(model(x), y)))
`;

const DATA = "data = DataLoader(TensorDataset(x, y), 12, shuffle=True)";

export const PROGRAMS: { readonly [name: string]: string } = {
  "SGD with momentum": `
model = mlp()
opt = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, nesterov=True)
${DATA}
${loops("model=model, opt=opt", step("mse(model(bx), by)"))}`,
  "Adam and a schedule by steps": `
model = mlp()
opt = torch.optim.Adam(model.parameters(), 0.01, amsgrad=True)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 16)
${DATA}
${loops("model=model, opt=opt, sched=sched", step("mse(model(bx), by)", 'sched.step(); al.log("lr", sched.get_last_lr()[0])'))}`,
  "a schedule that looks at the loss": `
model = mlp()
opt = torch.optim.AdamW(model.parameters(), 0.05)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0, threshold=0.5)
${DATA}
${loops("model=model, opt=opt, sched=sched", step("mse(model(bx), by)"), "sched.step(float(mse(model(x), y))); al.log('lr', opt.param_groups[0]['lr'])")}`,
  "dropout and batch norm": `
model = mlp(nn.BatchNorm1d(12), nn.Dropout(0.3))
opt = torch.optim.SGD(model.parameters(), 0.05)
${DATA}
${loops("model=model, opt=opt", step("mse(model.train()(bx), by)"), "model.eval()")}`,
  "gradient clipping and noise": `
model = mlp()
opt = torch.optim.RMSprop(model.parameters(), 0.01)
${DATA}
${loops(
  "model=model, opt=opt",
  `
            loss = mse(model(bx + 0.1 * torch.randn_like(bx) * random.random() + float(np.random.rand())), by)
            opt.zero_grad()
            loss.backward()
            al.log("norm", float(nn.utils.clip_grad_norm_(model.parameters(), 0.5)))
            opt.step()
            al.log("loss", loss.item())`,
)}`,
  "gradient accumulation over iterations": `
model = mlp()
opt = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
count = [0]
${DATA}
${loops(
  "model=model, opt=opt, count=count",
  `
            loss = mse(model(bx), by) / 3
            loss.backward()
            count[0] += 1
            if count[0] % 3 == 0:
                opt.step()
                opt.zero_grad()
            al.log("loss", loss.item())`,
)}`,
  "EMA and the best model": `
model = mlp()
ema = copy.deepcopy(model)
opt = torch.optim.Adam(model.parameters(), 0.02)
best = {"loss": math.inf, "state": None}
${DATA}
${loops(
  "model=model, opt=opt, ema=ema, best=best",
  step(
    "mse(model(bx), by)",
    "[e.data.mul_(0.9).add_(p.data, alpha=0.1) for e, p in zip(ema.parameters(), model.parameters())]",
  ),
  `
        now = float(mse(ema(x), y))
        if now < best["loss"]:
            best.update(loss=now, state={k: v.clone() for k, v in model.state_dict().items()})
        al.log("best", float(best["state"]["0.weight"].sum()))`.trim(),
)}`,
  "a loader with two workers": `
class Noisy(torch.utils.data.Dataset):
    def __len__(self):
        return 48
    def __getitem__(self, i):
        return x[i] + 0.1 * torch.rand(6), y[i]

model = mlp()
opt = torch.optim.SGD(model.parameters(), 0.05)
data = DataLoader(Noisy(), 12, shuffle=True, num_workers=2)
${loops("model=model, opt=opt", step("mse(model(bx), by)"))}`,
  "a loader with a generator of its own": `
model = mlp(nn.Dropout(0.1))
opt = torch.optim.SGD(model.parameters(), 0.05)
generator = torch.Generator().manual_seed(5)
data = DataLoader(TensorDataset(x, y), 12, shuffle=True, generator=generator)
${loops("model=model, opt=opt, generator=generator", step("mse(model(bx), by)"))}`,
  "frozen layers, thawed later": `
model = mlp()
model[0].requires_grad_(False)
opt = torch.optim.Adam(model.parameters(), 0.02)
${DATA}
${loops("model=model, opt=opt", step("mse(model(bx), by)"), "model[0].requires_grad_(epoch >= 1)")}`,
  "an LSTM that keeps its state": `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 8, num_layers=2, dropout=0.1)
        self.head = nn.Linear(8, 1)
        self.hidden = None
    def forward(self, bx):
        out, self.hidden = self.lstm(bx.unsqueeze(1), self.hidden)
        self.hidden = tuple(part.detach() for part in self.hidden)
        return self.head(out.squeeze(1))

model = Net()
opt = torch.optim.Adam(model.parameters(), 0.02)
${DATA}
${loops("model=model, opt=opt", step("mse(model(bx), by)"))}`,
  "tied weights, weight norm and bfloat16": `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.utils.weight_norm(nn.Linear(6, 6))
        self.b = nn.Linear(6, 6)
        self.c = nn.Linear(6, 1)
        self.d = nn.Linear(6, 6)
        self.d.weight = self.b.weight
        self.register_buffer("mean", torch.zeros(6, dtype=torch.bfloat16), persistent=False)
    def forward(self, bx):
        with torch.no_grad():
            self.mean.mul_(0.9).add_(bx.mean(0).bfloat16())
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = self.d(torch.relu(self.b(torch.relu(self.a(bx))))) + self.mean
        return self.c(hidden.float())

model = Net()
opt = torch.optim.Adagrad(model.parameters(), 0.05)
${DATA}
${loops("model=model, opt=opt", step("mse(model(bx), by)"))}`,
  "functions, a class, an early end, and nothing declared": `
class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr, momentum=0.9)
        self.seen = 0
    def step(self, bx, by):
        self.opt.zero_grad()
        loss = mse(self.model(bx), by)
        loss.backward()
        self.opt.step()
        self.seen += len(bx)
        return loss.detach()

def batches(size):
    order = torch.randperm(len(x))
    for start in range(0, len(x), size):
        chosen = order[start:start + size]
        yield x[chosen], y[chosen]

def run(trainer, epochs):
    model, opt = trainer.model, trainer.opt
    best, history, counts = math.inf, [], {}
    for epoch in al.loop("epoch", range(epochs)):
        total = 0.0
        for bx, by in al.loop("step", batches(12)):
            loss = trainer.step(bx, by)
            total += loss.item()
            counts[epoch] = counts.get(epoch, 0) + 1
            al.log("loss", loss.item())
        history.append(total)
        if total < best:
            best, kept = total, {name: value.clone() for name, value in model.state_dict().items()}
        al.log("weights", [total, best, len(history), trainer.seen, counts[epoch]])
        if epoch == 3:
            break
    model.load_state_dict(kept)
    al.log("final", [best, history, counts, float(mse(model(x), y))])

run(Trainer(mlp(nn.Dropout(0.2)), 0.05), 9)`,
};

export function program(name: string): string {
  return PRELUDE + (PROGRAMS[name] ?? "");
}
