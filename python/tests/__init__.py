"""Tests of the package, with the standard library alone: `python3 -m unittest discover python`."""
