#: about GAN: two networks, two optimizers, noise drawn in the loop, a loader
#: needs torch
#: quick --n-epochs 3 --n 1000
#: full --n-epochs 24 --n 16000
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--n-epochs", type=int, default=3)
parser.add_argument("--n", type=int, default=1000)
parser.add_argument("--latent-dim", type=int, default=16)
opt = parser.parse_args()
torch.manual_seed(11)


def block(inputs, outputs, normalize=True):
    layers = [nn.Linear(inputs, outputs)]
    if normalize:
        layers.append(nn.BatchNorm1d(outputs, 0.8))
    layers.append(nn.LeakyReLU(0.2, inplace=True))
    return layers


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            *block(opt.latent_dim, 64, normalize=False), *block(64, 128), nn.Linear(128, 32)
        )

    def forward(self, z):
        return self.model(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            *block(32, 128, normalize=False), nn.Dropout(0.3), nn.Linear(128, 1), nn.Sigmoid()
        )

    def forward(self, x):
        return self.model(x)


t = torch.linspace(0, 6.28, 32)
waves = torch.sin(t + 6.28 * torch.rand(opt.n, 1)) + 0.05 * torch.randn(opt.n, 32)
dataloader = DataLoader(TensorDataset(waves), batch_size=64, shuffle=True)
adversarial_loss = nn.BCELoss()
generator, discriminator = Generator(), Discriminator()
optimizer_G = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))

for epoch in range(opt.n_epochs):
    for i, (real,) in enumerate(dataloader):
        valid, fake = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        optimizer_G.zero_grad()
        z = torch.randn(len(real), opt.latent_dim)
        made = generator(z)
        g_loss = adversarial_loss(discriminator(made), valid)
        g_loss.backward()
        optimizer_G.step()
        optimizer_D.zero_grad()
        real_loss = adversarial_loss(discriminator(real), valid)
        fake_loss = adversarial_loss(discriminator(made.detach()), fake)
        d_loss = (real_loss + fake_loss) / 2
        d_loss.backward()
        optimizer_D.step()
        #: ask step fool = discriminator.model[0].bias.grad.norm().item() where epoch = 1 and i = 7
    print(f"[Epoch {epoch}/{opt.n_epochs}] [D loss: {d_loss.item():f}] [G loss: {g_loss.item():f}]")
    #: save parts = (generator, discriminator, optimizer_G, optimizer_D)
    #: save torch.save([m.state_dict() for m in parts], f"epoch-{epoch}.pt")
    #: ask outer mean = generator.model[3].running_mean.sum().item()
#: ask suffix judged = discriminator.model[3].weight.norm().item()
torch.save(generator.state_dict(), "generator.pt")
