"""What restoring costs beside materializing, for the joint invariant (Flor §3.2.2, equations 2 and
3): measured where a resumed run restores, and by a sample at the end of a run; what replays restore
the replayer keeps."""

import socket
from typing import Any, Dict, NamedTuple, Optional

from ...format.clocks import perf_counter
from ...format.safetensors import STRUCTURE_NAME
from ...materialize.policies import NAIVE_RESTORE_FACTOR
from ...store.checkpoint_reader import open_checkpoint
from ...store.rates import RateKey, RestoreRate, note_restore, restore_factor

# Of a run's time, and at most: what a sample may take.
_SAMPLE_SHARE = 0.01
_SAMPLE_MS_MAX = 50.0
# A run that took less decides nothing by it.
_SAMPLE_MS_MIN = 2.0
# A tensor that is larger takes longer than a sample may.
_TENSOR_BYTES_MAX = 32 << 20


class RestoreRates(NamedTuple):
    """`replaying`: it repeats a run, and what it restores the replayer keeps."""

    store: str
    program: str
    folder: str
    replaying: bool

    @property
    def _key(self) -> RateKey:
        return RateKey(self.program, socket.gethostname())

    @property
    def factor(self) -> float:
        """c; as Flor supposes it until something was measured."""
        known = restore_factor(self.store, self._key)
        return NAIVE_RESTORE_FACTOR if known is None else known

    def restored(self, record: Dict[str, Any], restore_ms: float) -> None:
        """A checkpoint was put back."""
        if not self.replaying:
            self._note("resume", record, restore_ms)

    def sample(self, newest: Optional[Dict[str, Any]], run_ms: float) -> None:
        """The run has ended: reads some of its newest checkpoint back."""
        limit_ms = min(_SAMPLE_MS_MAX, _SAMPLE_SHARE * run_ms)
        if self.replaying or newest is None or limit_ms < _SAMPLE_MS_MIN:
            return
        try:
            restore_ms = _reading_ms(self.folder, newest, limit_ms)
        except Exception:
            return  # A checkpoint that cannot be read says so when it is needed.
        if restore_ms is not None:
            self._note("end", newest, restore_ms)

    def _note(self, source: str, record: Dict[str, Any], restore_ms: float) -> None:
        times = record["times"]
        materialize_ms = times["capture"] + times["snapshot"] + times["wait"]
        note_restore(self.store, self._key, RestoreRate(source, restore_ms, materialize_ms))


def _reading_ms(folder: str, record: Dict[str, Any], limit_ms: float) -> Optional[float]:
    """What reading all of a checkpoint would take, from as much as fits into `limit_ms`; None: too
    little does."""
    started = perf_counter()
    with open_checkpoint(folder, record) as reader:
        header = reader.header
        sizes = {name: one.spec.bytes for name, one in header.tensors.items()}
        sizes.update({name: one.spec.bytes for name, one in header.held.items()})
        small = {name: size for name, size in sizes.items() if size <= _TENSOR_BYTES_MAX}
        structure_bytes = small.pop(STRUCTURE_NAME, None)
        if structure_bytes is None:
            return None
        reader.structure()
        opened, read = perf_counter(), 0
        for name, size in small.items():
            if (perf_counter() - started) * 1000 >= limit_ms:
                break
            reader.tensor(name)
            read += size
        tensors_s = perf_counter() - opened
    whole = max(read, record["stateBytes"] - structure_bytes)
    if read == 0 and whole > 0:
        return None
    return (opened - started + (tensors_s * whole / read if read else 0.0)) * 1000
