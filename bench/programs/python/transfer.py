#: about transfer: frozen layers, a new head, phases train and val, best weights loaded back
#: needs torch
#: quick 3
#: full 95
import copy
import sys

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(9)
backbone = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1),
    nn.BatchNorm2d(32),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(2),
    nn.Flatten(),
)
torch.save(backbone.state_dict(), "pretrained.pt")


def make(n):
    x, y = torch.randn(n, 3, 20, 20), torch.randint(0, 3, (n,))
    x += y.view(-1, 1, 1, 1) * torch.linspace(-0.3, 0.3, 20)
    return TensorDataset(x, y)


datasets = {"train": make(800), "val": make(200)}
dataloaders = {name: DataLoader(d, batch_size=20, shuffle=True) for name, d in datasets.items()}


def train_model(model, criterion, optimizer, scheduler, num_epochs):
    best_weights, best_acc = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        print(f"Epoch {epoch}/{num_epochs - 1}")
        for phase in ["train", "val"]:
            model.train(phase == "train")
            running_loss, running_corrects = 0.0, 0
            for inputs, labels in dataloaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels.data)
            if phase == "train":
                scheduler.step()
            epoch_acc = running_corrects.double() / len(datasets[phase])
            print(f"{phase} Loss: {running_loss / len(datasets[phase]):.4f} Acc: {epoch_acc:.4f}")
            #: ask step right = int(running_corrects) where epoch = 1 and phase = 'val'
            if phase == "val" and epoch_acc > best_acc:
                best_acc, best_weights = epoch_acc, copy.deepcopy(model.state_dict())
        #: save torch.save([model.state_dict(), optimizer.state_dict()], f"epoch-{epoch}.pt")
        #: ask outer mean = model[0][1].running_mean.sum().item()
    print(f"Best val Acc: {best_acc:4f}")
    model.load_state_dict(best_weights)
    return model


backbone.load_state_dict(torch.load("pretrained.pt"))
for param in backbone.parameters():
    param.requires_grad = False
model = nn.Sequential(backbone, nn.Linear(128, 3))
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.01, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
model = train_model(model, nn.CrossEntropyLoss(), optimizer, scheduler, int(sys.argv[1]))
#: ask suffix head = model[1].weight.norm().item()
print("frozen", all(not p.requires_grad for p in model[0].parameters()))
