"""A stand-in for accelerate on one process: what wraps a loader, an optimizer and a model, and the
state that all of these share."""

from .accelerator import Accelerator

__all__ = ["Accelerator"]
