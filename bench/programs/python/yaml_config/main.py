#: about argparse over a YAML file, a class for meters, a CSV log that is appended to
#: needs torch yaml
#: quick --config config.yaml
#: full --config config.yaml --epochs 55
import argparse
import csv
import os

import torch
import torch.nn.functional as F
import yaml
from torch import nn


class AverageMeter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum, self.count = 0.0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(1, self.count)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    parser.add_argument("--epochs", type=int)
    args = parser.parse_args()
    with open(args.config) as f:
        for key, value in yaml.safe_load(f).items():
            if getattr(args, key, None) is None:
                setattr(args, key, value)
    return args


def write_row(path, row):
    new = not os.path.exists(path)
    with open(path, "a", newline="") as f:
        writer = csv.DictWriter(f, fieldnames=list(row))
        if new:
            writer.writeheader()
        writer.writerow(row)


def adjust_learning_rate(optimizer, epoch, args):
    lr = args.lr * (0.5 ** (epoch // args.decay_every))
    for group in optimizer.param_groups:
        group["lr"] = lr
    return lr


def train(args, model, x, y, optimizer, epoch, losses, top1):
    model.train()
    for it, rows in enumerate(torch.randperm(len(x)).split(args.batch_size)):
        output = model(x[rows])
        loss = F.cross_entropy(output, y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss.item(), len(rows))
        top1.update((output.argmax(1) == y[rows]).float().mean().item(), len(rows))
        #: ask step mean = losses.avg where epoch = 1 and it = 14


def main():
    args = parse()
    torch.manual_seed(args.seed)
    x = torch.randn(args.samples, 3, 8, 8)
    y = (x.mean((2, 3)) * 100).argmax(1)
    model = nn.Sequential(
        nn.Conv2d(3, args.width, 3), nn.ReLU(), nn.Flatten(), nn.Linear(36 * args.width, 3)
    )
    optimizer = torch.optim.SGD(model.parameters(), args.lr, args.momentum)
    losses, top1 = AverageMeter(), AverageMeter()
    for epoch in range(args.epochs):
        lr = adjust_learning_rate(optimizer, epoch, args)
        losses.reset()
        top1.reset()
        train(args, model, x, y, optimizer, epoch, losses, top1)
        write_row("log.csv", {"epoch": epoch, "lr": lr, "loss": losses.avg})
        #: ask outer filters = model[0].weight.norm().item()
        print(f" * Epoch {epoch} Loss {losses.avg:.5f} Acc@1 {100 * top1.avg:.3f}")
    #: ask suffix last = model[3].weight.sum().item()
    print("rows", sum(1 for _ in open("log.csv")))


if __name__ == "__main__":
    main()
