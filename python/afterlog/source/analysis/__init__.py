"""What a program's values may be, and what its loops change: a points-to analysis, and the
questions that are asked of it."""
