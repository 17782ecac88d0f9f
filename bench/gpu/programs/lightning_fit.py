"""A training by Lightning's Trainer, as users write it. `defaults` keeps its logger, its
checkpoints and its progress bar."""

import sys

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width=2048):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(256, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, width), nn.ReLU()
        )
        self.head = nn.Linear(width, 10)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.head(self.layers(x)), y)
        self.log("train_loss", loss)
        # ask step_loss of epoch = 2 and step = 100: print("step_loss", loss.item())
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        out = self.head(self.layers(x))
        self.log("val_acc", (out.argmax(1) == y).float().mean())

    def on_validation_epoch_end(self):
        # ask outer_norm: print("outer_norm", float(self.head.weight.norm()))
        pass

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)]


L.seed_everything(1)
torch.backends.cudnn.deterministic = True
x = torch.randn(40_000, 256)
y = (x[:, :10].argmax(1)).long()
train = DataLoader(TensorDataset(x[:38_400], y[:38_400]), batch_size=64, shuffle=True)
val = DataLoader(TensorDataset(x[38_400:], y[38_400:]), batch_size=64)
model = Net()
quiet = "defaults" not in sys.argv
if quiet:
    trainer = L.Trainer(
        max_epochs=4,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
else:
    trainer = L.Trainer(max_epochs=4)
trainer.fit(model, train, val)
print("final_norm", float(model.head.weight.norm()))
# ask suffix_norm: print("suffix_norm", float(model.layers[0].weight.norm()))
