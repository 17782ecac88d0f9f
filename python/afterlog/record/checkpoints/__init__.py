"""Which state is captured, when a checkpoint of it is taken, and what the capture misses."""
