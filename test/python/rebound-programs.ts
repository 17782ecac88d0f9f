/** What later code cannot read, or what stays as it is though a changed object holds it. */
import type { PlainProgram } from "./hands-free-programs.ts";

export const REBOUND_PROGRAMS: { readonly [name: string]: PlainProgram } = {
  "names bound again, a class in an attribute, files that are written and closed": {
    text: `
import csv
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(0)
with open("data.txt", "w") as f:
    f.write("1\\n2\\n3\\n")
with open("data.txt") as f:
    scales = [float(line) for line in f]


class Square:
    power = 2

    @staticmethod
    def of(x):
        return x.pow(Square.power).mean()


class Trainer:
    def __init__(self, model, cost=Square):
        self.model, self.cost, self.losses = model, cost, []
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def step(self, outputs):
        loss = self.cost.of(outputs)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss.item())


X = torch.randn(6, 3)
model = nn.Linear(3, 2)
trainer = Trainer(model)
log = open("log.txt", "w")
writer = csv.writer(open("rows.csv", "w"))
for epoch in range(4):
    for i in range(5):
        inputs = X * scales[i % 3]
        outputs = model(inputs)
        trainer.step(outputs)
        log.write(f"{i}\\n")
        # ask p_step: [trainer.losses[-1], float(outputs.double().sum())]
        del inputs
    writer.writerow([epoch, trainer.losses[-1]])
    if epoch == 2:
        with open("best.txt", "w") as f:
            f.write("best")
    print("loss", trainer.losses[-1])
    # ask p_epoch: [float(model.weight.double().sum()), len(trainer.losses)]
log.close()
for inputs in X:
    outputs = model(inputs)
print("end", float(outputs.sum()))
# ask p_end: [float(model.weight.double().sum()), trainer.cost.power, f.closed, f.name]
`,
    where: "epoch == 2",
  },
  "a loader with processes, a schedule": {
    text: `
import multiprocessing
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)
X = torch.randn(24, 3)
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
loader = DataLoader(TensorDataset(X), 6, shuffle=True, num_workers=1)
for epoch in range(4):
    for step, (inputs,) in enumerate(loader):
        loss = model(inputs).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    schedule.step()
    print("loss", loss.item())
    # ask p_epoch: [float(model.weight.double().sum()), len(multiprocessing.active_children())]
print("end", epoch)
# ask p_end: schedule.get_last_lr()
`,
  },
};
