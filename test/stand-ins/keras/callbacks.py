"""What is called while a model is trained."""


class Callback:
    def __init__(self):
        self.model = None

    def on_train_begin(self, logs=None):
        pass

    def on_train_end(self, logs=None):
        pass

    def on_epoch_begin(self, epoch, logs=None):
        pass

    def on_epoch_end(self, epoch, logs=None):
        pass

    def on_train_batch_end(self, batch, logs=None):
        pass


class History(Callback):
    def __init__(self):
        super().__init__()
        self.history = {}

    def on_epoch_end(self, epoch, logs=None):
        for name, value in logs.items():
            self.history.setdefault(name, []).append(value)


class EarlyStopping(Callback):
    def __init__(self, patience):
        super().__init__()
        self.patience = patience
        self.best = self.best_weights = None
        self.wait = 0

    def on_epoch_end(self, epoch, logs=None):
        self.wait += 1
        if self.best is None or logs["val_loss"] < self.best:
            self.best, self.wait = logs["val_loss"], 0
            self.best_weights = self.model.get_weights()
        if self.wait > self.patience:
            self.model.stop_training = True


class CallbackList:
    def __init__(self, callbacks, model):
        self._history = History()
        self._progbar = None
        self._executor = None
        self._futures = []
        self.callbacks = [*callbacks, self._history]
        model.history = self._history
        for one in self.callbacks:
            one.model = model

    def call(self, hook, *given):
        for one in self.callbacks:
            getattr(one, hook)(*given)
