"""A stand-in for transformers: the functions and loops of its Trainer, in the same order, and little
else. The descriptions of loops are tested with it."""

from .trainer import Trainer, TrainerCallback, TrainingArguments

__all__ = ["Trainer", "TrainerCallback", "TrainingArguments"]
