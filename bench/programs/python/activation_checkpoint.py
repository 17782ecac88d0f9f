#: about activation checkpointing: blocks computed again in backward, with dropout
#: needs torch
#: quick 3
#: full 34
import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        return x + self.inner(self.norm(x))


class Deep(nn.Module):
    def __init__(self, width=48, depth=6):
        super().__init__()
        self.inputs = nn.Linear(12, width)
        self.blocks = nn.ModuleList(Residual(width) for _ in range(depth))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        x = self.inputs(x)
        for block in self.blocks:
            x = checkpoint(block, x)
        return self.head(x)


x = torch.randn(1600, 12)
y = (x[:, :3].sum(1, keepdim=True) + x[:, 3:4] * x[:, 4:5]).tanh()
model = Deep()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(int(sys.argv[1])):
    permutation = torch.randperm(len(x))
    running = 0.0
    for step in range(len(x) // 32):
        rows = permutation[step * 32 : step * 32 + 32]
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        #: ask step grad = model.head.weight.grad.norm().item() where epoch = 1 and step = 8
        optimizer.step()
        running += loss.item()
    #: ask outer gain = model.blocks[0].norm.weight.sum().item()
    print(f"epoch {epoch} loss {running / (step + 1):.6f}")
#: ask suffix norm = model.head.weight.norm().item()
print("done")
