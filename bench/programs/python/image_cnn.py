#: about image CNN, functions `train` and `test` as in PyTorch's own examples
#: needs torch
#: quick --epochs 3 --images 400
#: full --epochs 20 --images 6000
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.dropout = nn.Dropout(0.25)
        self.fc = nn.Linear(16 * 6 * 6, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return F.log_softmax(self.fc(self.dropout(torch.flatten(x, 1))), dim=1)


def make_images(n):
    images, labels = torch.randn(n, 1, 16, 16), torch.randint(0, 10, (n,))
    for image, label in zip(images, labels):
        image[0, label] += 2.0
    return TensorDataset(images, labels)


def train(args, model, loader, optimizer, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        #: ask step grad = model.fc.weight.grad.norm().item() where epoch = 2 and batch_idx = 3
        optimizer.step()
        if batch_idx % args.log_interval == 0:
            print(f"Train Epoch: {epoch} [{batch_idx * len(data)}] Loss: {loss.item():.6f}")


def test(model, loader):
    model.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for data, target in loader:
            output = model(data)
            loss += F.nll_loss(output, target, reduction="sum").item()
            correct += (output.argmax(1) == target).sum().item()
    print(f"Test set: Average loss: {loss / len(loader.dataset):.4f}, Correct: {correct}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--images", type=int, default=400)
    parser.add_argument("--log-interval", type=int, default=10)
    args = parser.parse_args()
    torch.manual_seed(1)
    train_loader = DataLoader(make_images(args.images), batch_size=32, shuffle=True)
    test_loader = DataLoader(make_images(200), batch_size=100)
    model = Net()
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    for epoch in range(1, args.epochs + 1):
        train(args, model, train_loader, optimizer, epoch)
        test(model, test_loader)
        scheduler.step()
        #: save torch.save([model.state_dict(), optimizer.state_dict()], f"epoch-{epoch}.pt")
        #: ask outer norm = model.conv1.weight.norm().item()
    #: ask suffix largest = model.fc.weight.abs().max().item()
    torch.save(model.state_dict(), "cnn.pt")


if __name__ == "__main__":
    main()
