"""How this package loads its own modules.

Where Python is told to keep no compiled code, as in many images of containers, each run would
compile all of them anew: a third of its start. What is ours is kept beside its source, as an
installation by pip does it; what the program imports is none of our business."""

import sys
import time
from contextlib import contextmanager
from typing import Iterator


class Start:
    """What it takes the processor to be there before the program runs, in milliseconds."""

    ms = 0.0


@contextmanager
def own_modules() -> Iterator[None]:
    """While this package imports its own modules."""
    began = time.process_time()
    told, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        yield
    finally:
        sys.dont_write_bytecode = told
        Start.ms += (time.process_time() - began) * 1000
