"""What the library itself remembers, from when it is first asked for it."""

import random
import threading


class SeedGenerator:
    def __init__(self):
        self.state = random.randint(1, 1000)

    def next(self):
        self.state += 1
        return self.state


GLOBAL_STATE_TRACKER = threading.local()


def global_seed_generator():
    if not hasattr(GLOBAL_STATE_TRACKER, "global_seed_generator"):
        GLOBAL_STATE_TRACKER.global_seed_generator = SeedGenerator()
    return GLOBAL_STATE_TRACKER.global_seed_generator
