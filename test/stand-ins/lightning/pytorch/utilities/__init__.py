"""Loaders together."""

from .combined_loader import CombinedLoader

__all__ = ["CombinedLoader"]
