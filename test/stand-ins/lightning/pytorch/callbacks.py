"""What a trainer calls beside the module; one stops it, one keeps the best."""

import os

import torch


class Callback:
    pass


class EarlyStopping(Callback):
    def __init__(self, monitor, patience=3):
        self.monitor = monitor
        self.patience = patience
        self.wait_count = 0
        self.stopped_epoch = 0
        self.best_score = torch.tensor(torch.inf)

    def on_validation_end(self, trainer, module):
        if trainer.sanity_checking:
            return
        now = trainer.callback_metrics[self.monitor]
        is_better = now < self.best_score
        self.wait_count = 0 if is_better else self.wait_count + 1
        self.best_score = torch.minimum(now, self.best_score)
        if self.wait_count >= self.patience:
            self.stopped_epoch = trainer.current_epoch
            trainer.should_stop = True


class ModelCheckpoint(Callback):
    def __init__(self, monitor, dirpath="kept"):
        self.monitor = monitor
        self.dirpath = dirpath
        self.best_model_path = ""
        self.best_model_score = None

    def on_train_epoch_end(self, trainer, module):
        now = trainer.callback_metrics[self.monitor]
        if self.best_model_score is None or now < self.best_model_score:
            path = os.path.join(self.dirpath, f"epoch={trainer.current_epoch}.ckpt")
            trainer.save_checkpoint(path)
            if self.best_model_path and os.path.exists(self.best_model_path):
                os.remove(self.best_model_path)
            self.best_model_path, self.best_model_score = path, now
