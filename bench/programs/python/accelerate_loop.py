#: about accelerate: prepare, accumulate, gather_for_metrics in a loop of its own
#: needs torch accelerate
#: quick 3
#: full 30
import sys

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    set_seed(19)
    x = torch.randn(2000, 24)
    y = (x[:, :3].sum(1) > x[:, 3]).long()
    train = DataLoader(TensorDataset(x[:1600], y[:1600]), batch_size=20, shuffle=True)
    test = DataLoader(TensorDataset(x[1600:], y[1600:]), batch_size=100)
    model = nn.Sequential(nn.Linear(24, 96), nn.GELU(), nn.Dropout(0.1), nn.Linear(96, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, 2000)
    model, optimizer, train, test, scheduler = accelerator.prepare(
        model, optimizer, train, test, scheduler
    )
    for epoch in range(int(sys.argv[1])):
        model.train()
        for step, (inputs, targets) in enumerate(train):
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(inputs), targets)
                accelerator.backward(loss)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            #: ask step seen = loss.item() where epoch = 1 and step = 33
        model.eval()
        right = 0
        for inputs, targets in test:
            with torch.no_grad():
                guesses = model(inputs).argmax(-1)
            guesses, targets = accelerator.gather_for_metrics((guesses, targets))
            right += (guesses == targets).sum().item()
        #: ask outer norm = accelerator.unwrap_model(model)[0].weight.norm().item()
        accelerator.print(f"epoch {epoch}: accuracy {right / 400:.4f}")
    #: ask suffix head = accelerator.unwrap_model(model)[3].weight.norm().item()
    accelerator.print("lr", scheduler.get_last_lr())


if __name__ == "__main__":
    main()
