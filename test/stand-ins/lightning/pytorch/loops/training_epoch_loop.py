"""Batches of an epoch, and the validation that is a part of some of them."""

from .evaluation_loop import _EvaluationLoop
from .results import Results


class _TrainingEpochLoop:
    def __init__(self, trainer):
        self.trainer = trainer
        self.ready = 0
        self.is_last_batch = False
        self.val_loop = _EvaluationLoop(trainer, "validation")
        self._results = Results()
        self._restarting = False

    @property
    def _is_training_done(self):
        return self.is_last_batch

    @property
    def done(self):
        return self._is_training_done or self.trainer.should_stop

    def run(self, data_fetcher):
        self.reset()
        self.on_run_start(data_fetcher)
        while not self.done:
            try:
                self.advance(data_fetcher)
                self.on_advance_end(data_fetcher)
                self._restarting = False
            except StopIteration:
                break
        self._restarting = False

    def reset(self):
        self.ready = 0
        self.is_last_batch = False

    def on_run_start(self, data_fetcher):
        if self.trainer.fit_loop.epochs > 0:
            iter(data_fetcher)
        data_fetcher._start_profiler = self._on_before_fetch

    def _on_before_fetch(self):
        self.trainer.profiler.started("fetch")

    def advance(self, data_fetcher):
        batch, _, __ = next(data_fetcher)
        self.is_last_batch = data_fetcher.done
        index, self.ready = self.ready, self.ready + 1
        trainer = self.trainer
        trainer.call("on_train_batch_start", batch, index)
        loss = trainer.model.training_step(batch, index)
        if trainer.model.automatic_optimization:
            self._optimize(loss, index)
        self._results.log("loss", loss.detach())
        trainer.call("on_train_batch_end", loss, batch, index)

    def _optimize(self, loss, index):
        accumulated = self.trainer.accumulate_grad_batches
        optimizer = self.trainer.lightning_optimizers[0]
        (loss / accumulated).backward()
        if self.is_last_batch or (index + 1) % accumulated == 0:
            optimizer.step()
            optimizer.zero_grad()

    def on_advance_end(self, data_fetcher):
        every = self.trainer.val_check_interval
        at_interval = every is not None and self.ready % every == 0
        epoch = self.trainer.current_epoch + 1
        at_epoch = (
            self.is_last_batch and epoch % self.trainer.check_val_every_n_epoch == 0
        )
        if self.ready % 2 == 0:
            self.trainer.write_logged()
        if at_epoch or at_interval:
            self.val_loop.run()
        self.trainer.steps += 1
