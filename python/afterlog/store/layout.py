"""Names of the files and folders under `.afterlog/`."""

import os

STORE_FOLDER = ".afterlog"


class RunPaths:
    """Where the parts of a run directory are."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.manifest = os.path.join(folder, "run.json")
        self.log = os.path.join(folder, "log.jsonl")
        self.profile = os.path.join(folder, "profile.jsonl")
        self.values = os.path.join(folder, "values.bin")
        # There while someone wants the run to end soon, with a last checkpoint.
        self.stop = os.path.join(folder, "stop")
        # How a replaying process ended.
        self.outcome = os.path.join(folder, "outcome.json")
        self.checkpoints = os.path.join(folder, "checkpoints")
        self.checkpoint_index = os.path.join(folder, "checkpoints", "index.jsonl")


def runs_folder(store: str) -> str:
    return os.path.join(store, "runs")


def run_folder(store: str, run: str) -> str:
    return os.path.join(store, "runs", run)
