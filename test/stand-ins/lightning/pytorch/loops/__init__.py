"""Loops that are objects: where they stand is in their attributes."""
