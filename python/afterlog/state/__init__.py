"""The state of a program as a graph of nodes and tensors, and back (docs/format.md, Structure)."""
