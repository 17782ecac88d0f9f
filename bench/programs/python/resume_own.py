#: about checkpoints of its own: `latest.pt` and `best.pt` each epoch, resumed where there is one
#: needs torch
#: quick --epochs 3
#: full --epochs 75
import argparse
import os
import random

import torch
from torch import nn


def save_checkpoint(state, is_best, folder):
    path = os.path.join(folder, "latest.pt")
    torch.save(state, path + ".tmp")
    os.replace(path + ".tmp", path)
    if is_best:
        torch.save(state["model"], os.path.join(folder, "best.pt"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--folder", default="checkpoints")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    random.seed(1)
    torch.manual_seed(1)
    x = torch.randn(2000, 1, 20)
    y = (x.roll(3, 2) * x).sum((1, 2))
    model = nn.Sequential(nn.Conv1d(1, 16, 5), nn.ReLU(), nn.Flatten(), nn.Linear(256, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
    start_epoch, best = 0, float("inf")
    latest = os.path.join(args.folder, "latest.pt")
    if os.path.isfile(latest):
        print(f"=> loading checkpoint '{latest}'")
        checkpoint = torch.load(latest)
        start_epoch, best = checkpoint["epoch"], checkpoint["best"]
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        scheduler.load_state_dict(checkpoint["scheduler"])
    for epoch in range(start_epoch, args.epochs):
        rows = list(range(1800))
        random.shuffle(rows)
        total = 0.0
        for i in range(0, 1800, 30):
            batch = torch.tensor(rows[i : i + 30])
            loss = nn.functional.mse_loss(model(x[batch])[:, 0], y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            #: ask step kernel = model[0].weight[0, 0, 0].item() where epoch = 1 and i = 300
        with torch.no_grad():
            value = nn.functional.mse_loss(model(x[1800:])[:, 0], y[1800:]).item()
        scheduler.step(value)
        is_best, best = value < best, min(value, best)
        state = {
            "epoch": epoch + 1,
            "best": best,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
        }
        save_checkpoint(state, is_best, args.folder)
        #: ask outer bad = scheduler.num_bad_epochs
        print(f"Epoch [{epoch}] train {total / 60:.5f} val {value:.5f} best {best:.5f}")
    model.load_state_dict(torch.load(os.path.join(args.folder, "best.pt")))
    #: ask suffix norm = model[3].weight.norm().item()
    print("loaded the best")


if __name__ == "__main__":
    main()
