"""What the engine asks of Python sources; it starts `python -m afterlog.source` for that."""
