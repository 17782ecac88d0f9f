"""Rows of `test_hidden_state.py`: what stands before a loop, its body, what is asked behind it."""
