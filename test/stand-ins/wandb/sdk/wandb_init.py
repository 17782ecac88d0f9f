import os
import sys

from .wandb_run import NoopRun, Run


def init(project=None, config=None, mode=None, **rest):
    disabled = (mode or os.environ.get("WANDB_MODE", "online")) == "disabled"
    run = (NoopRun if disabled else Run)(project, config)
    package = sys.modules["wandb"]
    package.run, package.log, package.config = run, run.log, run.config
    return run
