#: about diffusion: noise schedule, time embeddings, EMA, sampling each epoch
#: needs torch
#: quick 3
#: full 110
import copy
import math
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(21)
STEPS = 60


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.ff = nn.Linear(size, size)
        self.act = nn.GELU()

    def forward(self, x):
        return x + self.act(self.ff(x))


class Denoiser(nn.Module):
    def __init__(self, size=96, embed=32):
        super().__init__()
        self.embed = embed
        self.net = nn.Sequential(
            nn.Linear(2 + embed, size), *[Block(size) for _ in range(3)], nn.Linear(size, 2)
        )

    def forward(self, x, t):
        half = self.embed // 2
        f = torch.exp(-math.log(10000) * torch.arange(half) / half)
        a = t[:, None].float() * f
        return self.net(torch.cat([x, a.sin(), a.cos()], 1))


class Scheduler:
    def __init__(self):
        self.betas = torch.linspace(1e-4, 0.02, STEPS)
        self.alphas = 1 - self.betas
        self.bar = torch.cumprod(self.alphas, 0)

    def add_noise(self, x, noise, t):
        return self.bar[t].sqrt()[:, None] * x + (1 - self.bar[t]).sqrt()[:, None] * noise

    def step(self, predicted, t, x):
        x = (x - self.betas[t] / (1 - self.bar[t]).sqrt() * predicted) / self.alphas[t].sqrt()
        return x + self.betas[t].sqrt() * torch.randn_like(x) if t > 0 else x


angle = 6.28 * torch.rand(4000)
dataset = torch.stack([angle.cos() * angle / 3, angle.sin() * angle / 3], 1)
loader = DataLoader(dataset, batch_size=64, shuffle=True, drop_last=True)
model, schedule = Denoiser(), Scheduler()
ema = copy.deepcopy(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
frames, losses, global_step = [], [], 0
for epoch in range(int(sys.argv[1])):
    model.train()
    for step, batch in enumerate(loader):
        noise = torch.randn(batch.shape)
        timesteps = torch.randint(0, STEPS, (batch.shape[0],)).long()
        noisy = schedule.add_noise(batch, noise, timesteps)
        loss = nn.functional.mse_loss(model(noisy, timesteps), noise)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        for e, p in zip(ema.parameters(), model.parameters()):
            e.data.mul_(0.99).add_(p.data, alpha=0.01)
        losses.append(loss.detach().item())
        #: ask step slow = ema.net[0].bias.norm().item() where epoch = 1 and step = 9
        global_step += 1
    sample = torch.randn(100, 2)
    with torch.no_grad():
        for t in reversed(range(STEPS)):
            sample = schedule.step(ema(sample, torch.full((100,), t)), t, sample)
    frames.append(sample.numpy())
    #: save torch.save([m.state_dict() for m in (model, ema, optimizer)], f"epoch-{epoch}.pt")
    #: ask outer width = sample.std().item()
    print(f"epoch {epoch} step {global_step} loss {sum(losses[-50:]) / 50:.5f}")
#: ask suffix last = float(frames[-1].mean())
torch.save(ema.state_dict(), "diffusion.pt")
