"""Loops of the program: which are active, what drives them, what they may change."""
