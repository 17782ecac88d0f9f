#: about torch.compile of a model and of a training step (backend without a C compiler)
#: needs torch>=2
#: quick 4
#: full 60
import sys

import torch
from torch import nn

torch.manual_seed(6)
x = torch.randn(2000, 24)
y = torch.stack([x[:, 0] * x[:, 1], x[:, 2].abs()], 1)
net = nn.Sequential(
    nn.Linear(24, 128), nn.SiLU(), nn.Linear(128, 128), nn.SiLU(), nn.Linear(128, 2)
)
model = torch.compile(net, backend="aot_eager")
optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, nesterov=True)


@torch.compile(backend="eager")
def loss_of(prediction, target):
    error = prediction - target
    return (error * error).mean() + 0.01 * error.abs().mean()


for epoch in range(int(sys.argv[1])):
    total = 0.0
    for step, rows in enumerate(torch.randperm(2000).split(40)):
        optimizer.zero_grad()
        loss = loss_of(model(x[rows]), y[rows])
        loss.backward()
        #: ask step grad = net[0].weight.grad.norm().item() where epoch = 2 and step = 31
        optimizer.step()
        total += loss.item()
    #: ask outer bias = net[4].bias.sum().item()
    print(f"epoch {epoch} loss {total / (step + 1):.5f}")
#: ask suffix norm = net[2].weight.norm().item()
torch.save(net.state_dict(), "net.pt")
