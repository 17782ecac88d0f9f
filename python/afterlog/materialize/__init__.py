"""Snapshot and persist, and the policies that decide when (design §5, §6)."""
