"""A training that knows nothing of Afterlog."""

import sys

from bodies import Clock, Training

training, clock = Training(sys.argv[1]), Clock()
for epoch in range(int(sys.argv[2])):
    clock.lap()
    training.epoch()
    clock.lap()
    for step in range(training.size.steps):
        loss = training.step()
    print(f"epoch {epoch} loss {loss}")
clock.tell()
