"""A table that is appended to, and written anew where it gets another column."""

import csv
import os


class _FileSystem:
    """As a package for files of all kinds has it: one for each process."""

    def __init__(self):
        self._fs_token_ = f"local {os.getpid()}"

    def isfile(self, path):
        return os.path.isfile(path)

    def open(self, path, mode):
        return open(path, mode, newline="")


class _ExperimentWriter:
    def __init__(self, folder):
        self._fs = _FileSystem()
        self.rows = []
        self.columns = []
        self.path = os.path.join(folder, "metrics.csv")
        os.makedirs(folder, exist_ok=True)

    def save(self):
        new = {name for row in self.rows for name in row} - set(self.columns)
        self.columns = sorted({*self.columns, *new})
        exists = self._fs.isfile(self.path)
        if new and exists:
            with self._fs.open(self.path, "r") as file:
                rows = list(csv.DictReader(file))
            self._write("w", rows, is_new=True)
        self._write("a" if exists else "w", self.rows, is_new=not exists)
        self.rows = []

    def _write(self, mode, rows, is_new):
        with self._fs.open(self.path, mode) as file:
            writer = csv.DictWriter(file, self.columns)
            if is_new:
                writer.writeheader()
            writer.writerows(rows)


class CSVLogger:
    def __init__(self, root):
        self._fs = _FileSystem()
        self._root = root
        self._experiment = None

    def log_metrics(self, metrics):
        if self._experiment is None:
            self._experiment = _ExperimentWriter(os.path.join(self._root, "logs"))
        self._experiment.rows.append(metrics)
        self._experiment.save()
