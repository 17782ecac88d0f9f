#: about bfloat16 autocast on the CPU, cosine schedule with warmup in a LambdaLR
#: needs torch>=2
#: quick 3
#: full 30
import math
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
epochs = int(sys.argv[1])
x = torch.randn(1600, 40)
y = (x[:, :4] > 0).long() @ torch.tensor([8, 4, 2, 1])
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(
    nn.Linear(40, 256), nn.GELU(), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 16)
)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, fused=False)
total = epochs * len(loader)
scheduler = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda s: min(1, (s + 1) / 20) * 0.5 * (1 + math.cos(math.pi * s / total))
)
for epoch in range(epochs):
    correct = 0
    for i, (xb, yb) in enumerate(loader):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(xb)
            loss = nn.functional.cross_entropy(logits, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        correct += (logits.argmax(1) == yb).sum().item()
        #: ask step top = logits.float().max().item() where epoch = 2 and i = 12
    #: ask outer lr = scheduler.get_last_lr()[0]
    print(f"epoch {epoch}: loss={loss.item():.4f} accuracy={correct / len(x):.3f}")
#: ask suffix norm = model[2].weight.norm().item()
print("dtype", logits.dtype)
