"""A run while it records or replays: loops, logs, checkpoints, and how it begins and ends."""
