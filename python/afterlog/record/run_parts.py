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
from .run_time import RunTime


class RunParts(NamedTuple):
    materializer: Materializer
    ledger: Ledger
    retention: Retention
    recorder: Recorder
    captured: CapturedState
    iterators: Iterators
    generators: Generators
    loaders: LoaderGenerators
    time: RunTime

    def left_ms(self) -> float:
        """What the budget still allows."""
        elapsed_ms = self.time.elapsed_ms
        self.ledger.beside_ms = self.materializer.beside_ms
        self.ledger.running_share = self.time.running_share
        return self.ledger.left_ms(elapsed_ms, self.time.processor_ms)
