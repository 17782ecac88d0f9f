"""A stand-in for tensorboardX: the classes, methods and arguments of version 2.6, and its thread that
writes; the events are lines of JSON."""

from .writer import SummaryWriter

__all__ = ["SummaryWriter"]
