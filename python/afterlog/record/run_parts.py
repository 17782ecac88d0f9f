"""What most parts of a run work with."""

from typing import NamedTuple

from ..materialize.ledger import Ledger
from ..materialize.materializer import Materializer
from ..materialize.retention import Retention
from .checkpoints.captured_state import CapturedState
from .checkpoints.loader_generators import LoaderGenerators
from .generators import Generators
from .log.recorder import Recorder
from .loops.iterators import Iterators


class RunParts(NamedTuple):
    materializer: Materializer
    ledger: Ledger
    retention: Retention
    recorder: Recorder
    captured: CapturedState
    iterators: Iterators
    generators: Generators
    loaders: LoaderGenerators
    # When the run began, by `time.perf_counter`.
    origin: float
