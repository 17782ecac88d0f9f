#: about VAE: reparametrised noise, batch norm, samples written to a folder each epoch
#: needs torch
#: quick 3
#: full 110
import os
import sys

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader

torch.manual_seed(4)
os.makedirs("results", exist_ok=True)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(144, 100)
        self.bn = nn.BatchNorm1d(100)
        self.fc21, self.fc22 = nn.Linear(100, 8), nn.Linear(100, 8)
        self.fc3, self.fc4 = nn.Linear(8, 100), nn.Linear(100, 144)

    def encode(self, x):
        h = F.relu(self.bn(self.fc1(x)))
        return self.fc21(h), self.fc22(h)

    def reparameterize(self, mu, logvar):
        return mu + torch.randn_like(logvar) * torch.exp(0.5 * logvar)

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 144))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def make(n):
    centers = torch.rand(n, 2, 1, 1)
    grid = torch.linspace(0, 1, 12)
    dx, dy = grid.view(1, 12, 1) - centers[:, 0], grid.view(1, 1, 12) - centers[:, 1]
    return torch.exp(-20 * (dx**2 + dy**2))


def loss_function(recon_x, x, mu, logvar):
    bce = F.binary_cross_entropy(recon_x, x.view(-1, 144), reduction="sum")
    return bce - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())


train_loader = DataLoader(make(6000), batch_size=64, shuffle=True)
test_loader = DataLoader(make(500), batch_size=64, shuffle=False)
model = VAE()
optimizer = optim.Adam(model.parameters(), lr=1e-3)


def train(epoch):
    model.train()
    train_loss = 0
    for batch_idx, data in enumerate(train_loader):
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
        #: ask step latent = mu.std().item() where epoch = 2 and batch_idx = 11
    print(f"====> Epoch: {epoch} Average loss: {train_loss / len(train_loader.dataset):.4f}")


def test(epoch):
    model.eval()
    test_loss = 0
    with torch.no_grad():
        for data in test_loader:
            recon_batch, mu, logvar = model(data)
            test_loss += loss_function(recon_batch, data, mu, logvar).item()
    print(f"====> Test set loss: {test_loss / len(test_loader.dataset):.4f}")


if __name__ == "__main__":
    for epoch in range(1, int(sys.argv[1]) + 1):
        train(epoch)
        test(epoch)
        with torch.no_grad():
            sample = model.decode(torch.randn(16, 8))
            torch.save(sample, f"results/sample_{epoch}.pt")
        #: save torch.save([model.state_dict(), optimizer.state_dict()], f"epoch-{epoch}.pt")
        #: ask outer bright = sample.mean().item()
    #: ask suffix scale = model.bn.running_var.sum().item()
    print("saved", len(os.listdir("results")))
