"""Data that a program tells row by row."""


class PyDataset:
    def on_epoch_end(self):
        pass
