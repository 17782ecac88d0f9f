"""A stand-in for Keras 3 over PyTorch: the functions and loops of `fit`, in the same order, and
little else. The descriptions of loops are tested with it."""

from . import callbacks, layers, utils
from .src.backend.torch.trainer import Model

__all__ = ["Model", "callbacks", "layers", "utils"]
