"""Snapshot and persist, and the policies that decide when."""
