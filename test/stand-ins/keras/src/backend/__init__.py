"""What depends on the library that computes."""

from . import common

__all__ = ["common"]
