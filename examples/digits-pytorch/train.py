"""The digits with PyTorch: a module, an optimizer, a schedule and a DataLoader, as they are always
written. Afterlog's are the lines with `al`.

    afterlog run examples/digits-pytorch/train.py epochs=5 lr=0.002
"""

import csv
import gzip
from pathlib import Path
from typing import List, Tuple

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import afterlog as al

# --- config ---------------------------------------------------------------------------------------
epochs = al.arg("epochs", 10)
lr = al.arg("lr", 5e-3)
hidden = al.arg("hidden", 64)
batch_size = al.arg("batch_size", 32)
seed = al.arg("seed", 1)

torch.manual_seed(seed)


# --- data: 1,797 images of 8x8 pixels; every seventh is for testing -------------------------------
def load_digits() -> Tuple[TensorDataset, TensorDataset]:
    file = Path(__file__).parent.parent / "digits" / "data" / "digits.csv.gz"
    with gzip.open(file, "rt") as stream:
        rows = torch.tensor([[float(value) for value in row] for row in csv.reader(stream)])
    images, labels = rows[:, :-1] / 16, rows[:, -1].long()
    is_test = torch.arange(len(rows)) % 7 == 0
    return (
        TensorDataset(images[~is_test], labels[~is_test]),
        TensorDataset(images[is_test], labels[is_test]),
    )


train, test = load_digits()
loader = DataLoader(train, batch_size, shuffle=True)

# --- model ----------------------------------------------------------------------------------------
model = nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, 10))
optimizer = torch.optim.Adam(model.parameters(), lr)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.3)


@torch.no_grad()
def predict(images: torch.Tensor) -> torch.Tensor:
    model.eval()
    predicted = model(images).argmax(1)
    model.train()
    return predicted


def f1_by_digit(predicted: torch.Tensor, labels: torch.Tensor) -> List[float]:
    scores = []
    for digit in range(10):
        said, is_it = predicted == digit, labels == digit
        total = int(said.sum() + is_it.sum())
        scores.append(2 * int((said & is_it).sum()) / total if total else 0.0)
    return scores


# --- loop -----------------------------------------------------------------------------------------
images, labels = test.tensors
with al.checkpointing(model=model, optimizer=optimizer, schedule=schedule):
    for epoch in al.loop("epoch", range(epochs)):
        for x, y in al.loop("step", loader):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            al.log("loss", loss.item())
        schedule.step()
        accuracy = al.log("accuracy", (predict(images) == labels).float().mean().item())
        print(f"epoch {epoch + 1}/{epochs}  accuracy {accuracy:.4f}")

# --- test -----------------------------------------------------------------------------------------
f1 = f1_by_digit(predict(images), labels)
al.log("f1", sum(f1) / 10)
al.log("worst_digit", f1.index(min(f1)))
