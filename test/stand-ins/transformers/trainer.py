"""The trainer."""

import dataclasses
import time
import weakref

import torch
from torch.utils.data import DataLoader


@dataclasses.dataclass
class TrainingArguments:
    output_dir: str
    num_train_epochs: int = 3
    per_device_train_batch_size: int = 8
    gradient_accumulation_steps: int = 1
    learning_rate: float = 1e-2
    eval_strategy: str = "no"


@dataclasses.dataclass
class TrainerState:
    epoch: float = 0.0
    global_step: int = 0
    max_steps: int = 0
    log_history: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class EvalPrediction:
    predictions: torch.Tensor
    label_ids: torch.Tensor


class TrainerCallback:
    def on_epoch_end(self, args, state, control, **named):
        pass

    def on_step_end(self, args, state, control, **named):
        pass


class _Control:
    should_training_stop = False


class _Accelerator:
    """Keeps every loader that it was given, and knows which are gone through."""

    def __init__(self):
        self._dataloaders = []
        self.references = [None]

    def prepare(self, loader):
        self._dataloaders.append(loader)
        return loader

    def begin(self, loader):
        self.references.append(weakref.ref(loader))


class _CallbackHandler:
    def __init__(self, callbacks):
        self.callbacks = callbacks
        self.train_dataloader = self.eval_dataloader = None


class Trainer:
    def __init__(
        self,
        model=None,
        args=None,
        train_dataset=None,
        eval_dataset=None,
        compute_metrics=None,
        callbacks=(),
    ):
        self.model = model
        self.args = args
        self.train_dataset = train_dataset
        self.eval_dataset = eval_dataset
        self.compute_metrics = compute_metrics
        self.callback_handler = _CallbackHandler(list(callbacks))
        self.accelerator = _Accelerator()
        self.control = _Control()
        self.state = TrainerState()

    def _tell(self, hook):
        for callback in self.callback_handler.callbacks:
            getattr(callback, hook)(self.args, self.state, self.control, model=self.model)
        if self.state.global_step >= self.state.max_steps:
            self.control.should_training_stop = True
        return self.control

    def _loader(self, dataset, shuffle):
        every = self.args.per_device_train_batch_size
        return self.accelerator.prepare(DataLoader(dataset, every, shuffle=shuffle))

    def train(self):
        return self._inner_training_loop(args=self.args)

    def _inner_training_loop(self, args=None, trial=None):
        train_dataloader = self._loader(self.train_dataset, True)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=args.learning_rate)
        self.lr_scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 4)
        self.state.max_steps = args.num_train_epochs * len(train_dataloader)
        self.callback_handler.train_dataloader = train_dataloader
        start_time = time.time()
        self._tr_loss = torch.tensor(0.0)
        for epoch in range(args.num_train_epochs):
            self._run_epoch(self.model, epoch, train_dataloader, start_time)
            if self.control.should_training_stop:
                break
        return self._tr_loss.item()

    def _run_epoch(self, model, epoch, train_dataloader, start_time):
        step = -1
        learning_rate = None
        steps_in_epoch = len(train_dataloader)
        epoch_iterator = iter(train_dataloader)
        self.accelerator.begin(train_dataloader)
        every = self.args.gradient_accumulation_steps
        for update_step in range(steps_in_epoch // every):
            batch_samples = [next(epoch_iterator) for _ in range(every)]
            for inputs in batch_samples:
                step += 1
                self._tr_loss += self.training_step(model, inputs)
                if (step + 1) % every == 0:
                    self.optimizer.step()
                    learning_rate = self.optimizer.param_groups[0]["lr"]
                    self.lr_scheduler.step()
                    model.zero_grad()
                    self.state.global_step += 1
                    self.state.epoch = epoch + (step + 1) / steps_in_epoch
                    self.control = self._tell("on_step_end")
            if self.control.should_training_stop:
                break
        self.control = self._tell("on_epoch_end")
        self._maybe_log_save_evaluate(learning_rate, start_time)

    def training_step(self, model, inputs, num_items_in_batch=None):
        model.train()
        loss = self.compute_loss(model, inputs, num_items_in_batch=num_items_in_batch)
        loss.backward()
        return loss.detach()

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        return (outputs["loss"], outputs) if return_outputs else outputs["loss"]

    def _maybe_log_save_evaluate(self, learning_rate, start_time):
        self.state.log_history.append({"lr": learning_rate, "step": self.state.global_step})
        if self.args.eval_strategy == "epoch":
            self.evaluate()

    def evaluate(self):
        self.model.eval()
        logits, labels = [], []
        loader = self.callback_handler.eval_dataloader = self._loader(self.eval_dataset, False)
        with torch.no_grad():
            for inputs in loader:
                logits.append(self.model(**inputs)["logits"])
                labels.append(inputs["labels"])
        metrics = self.compute_metrics(EvalPrediction(torch.cat(logits), torch.cat(labels)))
        self.state.log_history.append(metrics)
        return metrics
