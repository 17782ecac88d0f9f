"""ResNet-50 on random images: loader processes, mixed precision with a scaler, a schedule."""

import argparse
import random

import numpy as np
import torch
import torchvision
from torch import nn
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=8)
parser.add_argument("--images", type=int, default=6400)
args = parser.parse_args()

random.seed(1)
np.random.seed(1)
torch.manual_seed(1)
torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False
device = torch.device("cuda")


class Images(Dataset):
    def __init__(self, count):
        generator = torch.Generator().manual_seed(5)
        self.x = torch.randn(count, 3, 64, 64, generator=generator)
        self.y = (self.x.mean((1, 2, 3)) * 4000).long().clamp(-50, 49) + 50

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        x = self.x[index]
        if random.random() < 0.5:
            x = x.flip(-1)
        return x, self.y[index]


images = Images(args.images)
train = DataLoader(
    images, batch_size=128, shuffle=True, num_workers=2, pin_memory=True, drop_last=True
)
val = DataLoader(Images(640), batch_size=128)
model = torchvision.models.resnet50(num_classes=100).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
scaler = torch.amp.GradScaler("cuda")


def gradient_norm():
    return sum(float(weight.grad.double().norm()) for weight in model.parameters())


best = 0.0
for epoch in range(args.epochs):
    model.train()
    for step, (x, y) in enumerate(train):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.float16):
            loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        # ask gnorm of epoch = 5 and step = 20: print("gnorm", gradient_norm())
    scheduler.step()
    model.eval()
    right = 0
    with torch.no_grad():
        for x, y in val:
            right += (model(x.to(device)).argmax(1) == y.to(device)).sum().item()
    acc = right / 640
    best = max(best, acc)
    print(f"epoch {epoch} loss {loss.item():.6f} acc {acc:.4f}")
    # ask wnorm: print("wnorm", float(model.fc.weight.double().norm()))
print("best", best)
# ask final: print("final", float(sum(q.double().sum() for q in model.parameters())))
