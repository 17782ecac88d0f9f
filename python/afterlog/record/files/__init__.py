"""The files that a program consists of, reads and writes."""
