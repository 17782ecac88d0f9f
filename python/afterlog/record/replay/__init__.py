"""Runs that are executed again, or continued: what was recorded, and the way through it."""
