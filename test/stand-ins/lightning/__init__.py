"""A stand-in for Lightning: the same functions and loops, in the same order, and what is hard to
capture of its trainer; nothing else of it. The descriptions of loops are tested with it."""

from .pytorch import Callback, LightningDataModule, LightningModule, Trainer

__all__ = ["Callback", "LightningDataModule", "LightningModule", "Trainer"]
