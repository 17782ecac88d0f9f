"""The package that most of Lightning is in."""

from .trainer import Callback, LightningModule, Trainer

__all__ = ["Callback", "LightningModule", "Trainer"]
