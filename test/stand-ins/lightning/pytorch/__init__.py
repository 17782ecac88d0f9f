"""The package that most of Lightning is in."""

from .callbacks import Callback
from .trainer import LightningDataModule, LightningModule, Trainer

__all__ = ["Callback", "LightningDataModule", "LightningModule", "Trainer"]
