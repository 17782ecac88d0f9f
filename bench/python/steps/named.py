"""The same training with loops that are named, and a number logged in each step."""

import sys

import afterlog as al
from bodies import Clock, Training

ms, rounds = sys.argv[1:]
del sys.argv[1:]
training, clock = Training(ms), Clock()
with al.checkpointing(training=training):
    for epoch in al.loop("epoch", range(int(rounds))):
        clock.lap()
        training.epoch()
        clock.lap()
        for step in al.loop("step", range(training.size.steps)):
            loss = al.log("loss", training.step())
clock.tell()
