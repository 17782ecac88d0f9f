"""What all of them share."""

from . import global_state

__all__ = ["global_state"]
