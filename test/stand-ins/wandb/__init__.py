"""A stand-in for wandb: `init` makes a run and puts its methods on the package, as version 0.30 does;
what is logged goes to a server as JSON."""

from .sdk.wandb_init import init
from .sdk.wandb_run import Run

run = None
config = None


def log(*given, **named):
    raise RuntimeError("You must call wandb.init() before wandb.log()")


def finish():
    if run is not None:
        run.finish()


__all__ = ["Run", "config", "finish", "init", "log", "run"]
