"""Bytes at rest: the project, run directories, checkpoint files, versions in git."""
