/**
 * Trainings by trainers of libraries. A comment `# ask NAME: VALUE` says which statement is put in its
 * place later.
 */

interface LibraryProgram {
  readonly text: string;
  /** As the run names it, if its own loops are loops of the run. */
  readonly library?: string;
  /** Names that stand outside of the innermost loop, asked together. */
  readonly outside: readonly (readonly string[])[];
  /** One iteration of the innermost loop. */
  readonly where: string;
}

/** With what is asked in it. */
export function asked(text: string): string {
  return text.replaceAll(/# ask (\w+): (.*)/g, 'print("$1", $2)');
}

const DATA = `
import sys
sys.path.insert(0, "site-packages")
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
`;

const LIGHTNING = `${DATA}import lightning as L


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 2))
        self.seen = []

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss)
        # ask p_step: loss.item()
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        out = self.layers(x)
        self.seen.append((out.argmax(1) == y).float().mean().item())
        # ask p_val: out.sum().item()

    def on_train_epoch_end(self):
        # ask p_epoch: self.layers[0].bias.sum().item()
        self.seen.clear()

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=1e-2)
        return [opt], [torch.optim.lr_scheduler.CosineAnnealingLR(opt, 8)]


class Best(L.Callback):
    def __init__(self):
        self.best = 0.0

    def on_validation_epoch_end(self, trainer, module):
        mean = sum(module.seen) / len(module.seen)
        self.best = max(self.best, mean)
        # ask p_best: self.best


torch.manual_seed(1)
x = torch.randn(48, 4)
y = (x.sum(1) > 0).long()
train = DataLoader(TensorDataset(x[:32], y[:32]), batch_size=8, shuffle=True)
val = DataLoader(TensorDataset(x[32:], y[32:]), batch_size=8)
model = Net()
best = Best()
trainer = L.Trainer(max_epochs=3, callbacks=[best])
trainer.fit(model, train, val)
print("best", best.best)
# ask p_suffix: model.layers[0].bias.sum().item()
`;

const LIGHTNING_LOADERS = `${DATA}import lightning as L
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.utilities import CombinedLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 2))
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        x, y = (torch.cat(both) for both in zip(batch["near"], batch["far"]))
        optimizer = self.optimizers()
        loss = nn.functional.cross_entropy(self.layers(x), y)
        optimizer.zero_grad()
        self.manual_backward(loss)
        optimizer.step()
        self.log("train_loss", loss)
        # ask p_step: loss.item()
        return loss

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        x, y = batch
        self.log(f"val_loss_{dataloader_idx}", nn.functional.cross_entropy(self.layers(x), y))
        # ask p_val: self.layers(x * 2).sum().item()

    def on_train_epoch_end(self):
        # ask p_epoch: self.layers[0].bias.sum().item()
        pass

    def test_step(self, batch, batch_idx):
        self.log("test_sum", self.layers(batch[0]).sum())
        # ask p_test: self.layers(batch[0] * 2).sum().item()

    def predict_step(self, batch, batch_idx):
        # ask p_predict: self.layers(batch[0]).sum().item()
        return self.layers(batch[0])

    def configure_optimizers(self):
        return [torch.optim.Adam(self.parameters(), lr=1e-2)], []


torch.manual_seed(1)
x = torch.randn(64, 4)
y = (x.sum(1) > 0).long()
drawn = torch.Generator().manual_seed(3)
near = DataLoader(TensorDataset(x[:24], y[:24]), batch_size=6, shuffle=True, generator=drawn)
far = DataLoader(TensorDataset(x[24:48], y[24:48]), batch_size=6, shuffle=True)
val = [DataLoader(TensorDataset(x[at : at + 8], y[at : at + 8]), batch_size=4) for at in (48, 56)]
model = Net()
stop, best = EarlyStopping("val_loss_1", patience=2), ModelCheckpoint("val_loss_0")
trainer = L.Trainer(max_epochs=4, callbacks=[stop, best], check_val_every_n_epoch=2)
trainer.fit(model, CombinedLoader({"near": near, "far": far}), val)
print("best", best.best_model_path, "epochs", trainer.current_epoch, stop.wait_count)
trainer.validate(model, val)
trainer.test(model, val[0])
rows = trainer.predict(model, val[1])
print("rows", torch.cat(rows).sum().item(), "steps", trainer.steps)
# ask p_suffix: model.layers[0].bias.sum().item()
`;

const LIGHTNING_CLI = `${DATA}import lightning as L
from lightning.pytorch.cli import LightningCLI


class Net(L.LightningModule):
    def __init__(self, width: int = 4):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 2))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss)
        # ask p_step: loss.item()
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_sum", self.layers(batch[0]).sum())

    def on_train_epoch_end(self):
        # ask p_epoch: self.layers[0].bias.sum().item()
        pass

    def configure_optimizers(self):
        return [torch.optim.Adam(self.parameters(), lr=1e-2)], []


class Data(L.LightningDataModule):
    def __init__(self, batch_size: int = 4):
        self.batch_size = batch_size

    def setup(self, stage):
        torch.manual_seed(1)
        x = torch.randn(48, 4)
        self.rows = TensorDataset(x, (x.sum(1) > 0).long())

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.rows, batch_size=self.batch_size)


sys.argv[1:] = ["fit", "--trainer.max_epochs=3", "--trainer.accumulate_grad_batches=2"]
sys.argv += ["--model.width=8", "--data.batch_size=8"]
cli = LightningCLI(Net, Data)
# ask p_suffix: cli.model.layers[0].bias.sum().item()
`;

const TRANSFORMERS = `${DATA}from transformers import Trainer, TrainerCallback, TrainingArguments


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 2))

    def forward(self, x, labels):
        out = self.layers(x)
        return {"loss": nn.functional.cross_entropy(out, labels), "logits": out}


class Mine(Trainer):
    def training_step(self, model, inputs, num_items_in_batch=None):
        loss = super().training_step(model, inputs, num_items_in_batch)
        # ask p_step: loss.item()
        return loss


class Rows(torch.utils.data.Dataset):
    def __init__(self, rows):
        self.rows = rows
        self.seen = 0

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        self.seen += 1
        return self.rows[index]


class Say(TrainerCallback):
    def on_epoch_end(self, args, state, control, model=None, **named):
        # ask p_epoch: model.layers[0].bias.sum().item()
        pass


def compute_metrics(prediction):
    right = prediction.predictions.argmax(1) == prediction.label_ids
    # ask p_acc: prediction.predictions.sum().item()
    return {"accuracy": right.float().mean().item()}


torch.manual_seed(1)
rows = [{"x": x, "labels": int(x.sum() > 0)} for x in torch.randn(48, 4)]
train = Rows(rows[:32])
model = Net()
args = TrainingArguments("out", num_train_epochs=3, eval_strategy="epoch")
trainer = Mine(
    model=model,
    args=args,
    train_dataset=train,
    eval_dataset=rows[32:],
    compute_metrics=compute_metrics,
    callbacks=[Say()],
)
trainer.train()
print("steps", trainer.state.global_step, "seen", train.seen)
# ask p_suffix: model.layers[0].bias.sum().item()
`;

const KERAS_NET = `${DATA}import keras
from keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(4, 8)
        self.drop = layers.Dropout()
        self.last = layers.Dense(8, 2)
        self.steps = 0

    def call(self, x):
        return self.last(self.drop(torch.relu(self.first(x))))

    def train_step(self, data):
        logs = super().train_step(data)
        self.steps += 1
        # ask p_step: float(logs["loss"])
        return logs


class Say(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        # ask p_epoch: float(self.model.first.get_weights()[0].sum())
        print("epoch", epoch, logs["loss"])


torch.manual_seed(1)
x = torch.randn(48, 4)
y = (x.sum(1) > 0).long()
model = Net()
model.compile(0.05, lambda true, guessed: nn.functional.cross_entropy(guessed, true))
`;

const KERAS = `${KERAS_NET}
stop = keras.callbacks.EarlyStopping(patience=5)
held_out = (x[32:], y[32:])
history = model.fit(x[:32], y[:32], epochs=3, validation_data=held_out, callbacks=[Say(), stop])
print("best", stop.best, "steps", model.steps, "of", len(history.history["loss"]))
# ask p_suffix: float(model.last.get_weights()[0].sum())
`;

const KERAS_ROWS = `${KERAS_NET}

class Rows(keras.utils.PyDataset):
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.order = torch.arange(len(x))

    def __len__(self):
        return len(self.x) // 8

    def __getitem__(self, index):
        rows = self.order[index * 8 : (index + 1) * 8]
        return self.x[rows], self.y[rows]

    def on_epoch_end(self):
        self.order = self.order[torch.randperm(len(self.order))]


model.fit(Rows(x, y), epochs=3, steps_per_epoch=4, callbacks=[Say()])
# ask p_suffix: float(model.last.get_weights()[0].sum())
`;

const ACCELERATE = `${DATA}from accelerate import Accelerator


def main():
    accelerator = Accelerator(gradient_accumulation_steps=2)
    torch.manual_seed(1)
    x = torch.randn(56, 4)
    y = (x.sum(1) > 0).long()
    train = DataLoader(TensorDataset(x[:40], y[:40]), batch_size=8, shuffle=True)
    test = DataLoader(TensorDataset(x[40:], y[40:]), batch_size=8)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    model, optimizer, train = accelerator.prepare(model, optimizer, train)
    test = accelerator.prepare(test)
    updates = 0
    for epoch in range(3):
        model.train()
        for step, (inputs, targets) in enumerate(train):
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(inputs), targets)
                accelerator.backward(loss)
                updates += accelerator.sync_gradients
                optimizer.step()
                optimizer.zero_grad()
            # ask p_step: loss.item()
        model.eval()
        right = 0
        for inputs, targets in test:
            with torch.no_grad():
                guesses = model(inputs).argmax(-1)
            guesses, targets = accelerator.gather_for_metrics((guesses, targets))
            right += (guesses == targets).sum().item()
        # ask p_epoch: accelerator.unwrap_model(model)[0].weight.norm().item()
        print("epoch", epoch, "right", right)
        accelerator.log({"right": right})
    # ask p_suffix: accelerator.unwrap_model(model)[3].weight.norm().item()
    print("updates", updates, "passes", train.iteration)


main()
`;

export const LIBRARY_PROGRAMS: { readonly [what: string]: LibraryProgram } = {
  "Lightning's Trainer.fit": {
    text: LIGHTNING,
    library: "lightning 2",
    outside: [["p_suffix"], ["p_epoch", "p_best", "p_val"]],
    where: "epoch = 1 and step = 2",
  },
  "Lightning's Trainer.fit, several loaders, and what follows it": {
    text: LIGHTNING_LOADERS,
    library: "lightning 2",
    outside: [
      ["p_suffix", "p_test", "p_predict"],
      ["p_epoch", "p_val"],
    ],
    where: "epoch = 1 and step = 2",
  },
  LightningCLI: {
    text: LIGHTNING_CLI,
    library: "lightning 2",
    outside: [["p_suffix"], ["p_epoch"]],
    where: "epoch = 1 and step = 2",
  },
  "transformers' Trainer.train": {
    text: TRANSFORMERS,
    library: "transformers 2",
    outside: [["p_suffix"], ["p_epoch", "p_acc"]],
    where: "epoch = 1 and step = 2",
  },
  "Keras' fit": {
    text: KERAS,
    library: "keras 1",
    outside: [["p_suffix"], ["p_epoch"]],
    where: "epoch = 1 and step = 2",
  },
  "Keras' fit, epochs that go on in the data": {
    text: KERAS_ROWS,
    library: "keras 1",
    outside: [["p_suffix"], ["p_epoch"]],
    where: "epoch = 1 and step = 2",
  },
  "a loop of one's own with accelerate": {
    text: ACCELERATE,
    outside: [["p_suffix"], ["p_epoch"]],
    where: "epoch = 1 and step = 2",
  },
};
