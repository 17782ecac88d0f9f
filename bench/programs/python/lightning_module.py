#: about Lightning: a module with training, validation and configure_optimizers, `Trainer.fit`
#: needs torch lightning
#: quick 3
#: full 22
import logging
import sys
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Classifier(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(32, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 5)
        )

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        #: ask step seen = loss.item() where epoch = 1 and step = 12 when self.global_step = 62
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_acc", (self(x).argmax(1) == y).float().mean(), prog_bar=True)

    def on_train_epoch_end(self):
        print(
            "epoch", self.current_epoch, "val_acc", float(self.trainer.callback_metrics["val_acc"])
        )
        #: ask outer mean = self.net[1].running_mean.sum().item()

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
        return {"optimizer": optimizer, "lr_scheduler": scheduler}


L.seed_everything(7, verbose=False)
x = torch.randn(2000, 32)
y = x[:, :5].argmax(1)
train_loader = DataLoader(TensorDataset(x[:1600], y[:1600]), batch_size=32, shuffle=True)
val_loader = DataLoader(TensorDataset(x[1600:], y[1600:]), batch_size=100)
model = Classifier()
trainer = L.Trainer(
    max_epochs=int(sys.argv[1]),
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    num_sanity_val_steps=0,
)
trainer.fit(model, train_loader, val_loader)
#: ask suffix norm = model.net[4].weight.norm().item()
print("steps", trainer.global_step)
