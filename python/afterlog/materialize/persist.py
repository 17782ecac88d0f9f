"""From a filled slot to a listed checkpoint: which tensors are new, the file, the log made durable,
the line in the index."""

import os
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..format.safetensors import STRUCTURE_NAME, HeldTensor, TensorSpec, align_page, compact_json
from ..store.checkpoint_index import CheckpointIndex
from ..store.checkpoint_writer import Content, Extent, Written, aligned, write_checkpoint
from ..store.layout import RunPaths
from .graph_text import GraphText, GraphTexts
from .slots import Layout, Slot, is_large


class Job(NamedTuple):
    """What persisting must know of a snapshot, besides its memory."""

    kind: str
    path: list
    seq: int
    file: str
    needs: List[str]
    generators: List[Dict[str, Any]]
    iterators: List[Dict[str, Any]]
    t: int
    graph: Dict[str, Any]
    entry: List[Optional[int]]
    layout: Layout
    log_bytes: int
    # capture, snapshot, wait: in milliseconds.
    times: Dict[str, float]


class _Known(NamedTuple):
    """A tensor of the checkpoint before: which file holds it, and where in that one's slot."""

    holder: HeldTensor
    offset: int


class Persister:
    """Persists one run's checkpoints, one after the other."""

    def __init__(
        self,
        run: str,
        paths: RunPaths,
        sync_log: Callable[[int], None],
        faults: Callable[[str], None],
    ) -> None:
        self._run = run
        self._paths = paths
        # Makes the log durable up to so many bytes, logged tensors first.
        self._sync_log = sync_log
        self._faults = faults
        self._index = CheckpointIndex(paths.folder)
        self._texts = GraphTexts()
        self._known: Dict[str, _Known] = {}
        # The slot of the checkpoint before, kept to compare with.
        self._retained: Optional[Slot] = None

    def persist(
        self, job: Job, slot: Slot, give_back: Callable[[Slot], None]
    ) -> Dict[str, Any]:
        """Writes the checkpoint; its record. The slot before is given back as soon as nobody
        needs it, and this one is kept."""
        started = time.perf_counter()
        try:
            held, extents = self._compare(job, slot)
            # Encoded here, beside the training.
            graph = self._texts.of(job.graph)
            graph_json = graph.json()
            extents.append(_structure(job, graph_json))
        finally:
            self._release(give_back)
        if not os.path.isdir(self._paths.checkpoints):
            # Not the folders around it: a run that somebody deleted must not half reappear.
            os.mkdir(self._paths.checkpoints)
        facts = {"run": self._run, "kind": job.kind, "path": job.path, "seq": job.seq}
        content = Content(facts, extents, held, graph_json)
        written = write_checkpoint(self._paths.checkpoints, job.file, content, self._faults)
        self._faults("persist:before-log-sync")
        self._sync_log(job.log_bytes)
        persist_ms = (time.perf_counter() - started) * 1000
        record = _record(job, graph, held, written, persist_ms)
        self._faults("persist:before-index")
        self._index.append(record)
        self._faults("persist:after-index")
        self._remember(job, held, written)
        self._retained = slot
        return record

    def _release(self, give_back: Callable[[Slot], None]) -> None:
        if self._retained is not None:
            give_back(self._retained)
        self._retained = None
        self._known = {}

    def _compare(self, job: Job, slot: Slot) -> Tuple[List[HeldTensor], List[Extent]]:
        """Tensors that stand in an earlier file, decided by their bytes; and what is written."""
        held: List[HeldTensor] = []
        extents: List[Extent] = []
        layout, small = job.layout, []
        end = -1
        for offset, spec in zip(layout.offsets, layout.signature):
            if not is_large(spec):
                small.append((offset - layout.small_offset, spec))
                continue
            holder = self._unchanged(spec, slot, offset)
            if holder is not None:
                held.append(holder)
                continue
            size = align_page(spec.bytes)
            if extents and offset == end:
                # It follows in memory: many small writes are slow.
                memory, tensors = extents[-1]
                tensors.append((len(memory), spec))
                extents[-1] = Extent(slot.view[offset - len(memory) : offset + size], tensors)
            else:
                extents.append(Extent(slot.view[offset : offset + size], [(0, spec)]))
            end = offset + size
        if small:
            stop = layout.small_offset + align_page(layout.small_bytes)
            extents.append(Extent(slot.view[layout.small_offset : stop], small))
        return held, extents

    def _unchanged(self, spec: TensorSpec, slot: Slot, offset: int) -> Optional[HeldTensor]:
        known = self._known.get(spec.name)
        if known is None or known.holder.spec != spec or self._retained is None:
            return None
        same = slot.same_bytes(offset, self._retained, known.offset, spec.bytes)
        return known.holder if same else None

    def _remember(self, job: Job, held: List[HeldTensor], written: Written) -> None:
        holders = {one.spec.name: one for one in held}
        for entry in written.tensors:
            holders[entry.spec.name] = HeldTensor(entry.spec, written.file, entry.crc32)
        self._known = {
            spec.name: _Known(holders[spec.name], offset)
            for offset, spec in zip(job.layout.offsets, job.layout.signature)
            if is_large(spec)
        }

    def remove(self, files: Sequence[str], t: int) -> None:
        """Removes checkpoints that nothing kept, or still to be written, refers to. First the index
        says so, durably, then the file goes: a crash between the two leaves a file that nobody
        lists, never a listed checkpoint without one."""
        self._faults("retention:before-lines")
        self._index.append(*({"k": "removed", "file": file, "t": t} for file in files))
        for file in files:
            self._faults("retention:before-unlink")
            try:
                os.unlink(os.path.join(self._paths.checkpoints, os.path.basename(file)))
            except FileNotFoundError:
                pass  # Somebody was faster.

    def close(self) -> None:
        self._index.close()


def _record(
    job: Job, graph: GraphText, held: List[HeldTensor], written: Written, persist_ms: float
) -> Dict[str, Any]:
    own = [(one.spec, one.crc32) for one in written.tensors if one.spec.name != STRUCTURE_NAME]
    every = own + [(one.spec, one.crc32) for one in held]
    sums = {spec.name: "".join(crc) for spec, crc in every}
    absent = [
        {"key": place["key"], "why": place["absent"]}
        for place in job.graph["places"]
        if "absent" in place
    ]
    return {
        "k": "checkpoint",
        "kind": job.kind,
        "path": job.path,
        "seq": job.seq,
        "logBytes": job.log_bytes,
        "file": written.file,
        "bytes": written.bytes,
        "stateBytes": sum(spec.bytes for spec, _ in every),
        "holds": list(dict.fromkeys(one.file for one in held)),
        "needs": job.needs,
        "crc32": written.header_crc32,
        "stateHash": written.state_hash,
        "places": graph.place_hashes(sums),
        "generators": job.generators,
        "iterators": job.iterators,
        "absent": absent,
        "times": {**job.times, "persist": round(persist_ms, 3)},
        "t": job.t,
    }


def _structure(job: Job, graph_json: bytes) -> Extent:
    """The whole of `__structure__`: the graph first, exactly as it is hashed."""
    known = {"v": 1, "entry": job.entry, "generators": job.generators, "iterators": job.iterators}
    text = b"%b,%b" % (graph_json[:-1], compact_json(known)[1:].encode())
    spec = TensorSpec(STRUCTURE_NAME, "U8", (len(text),), len(text))
    return Extent(aligned(text, align_page(len(text))), [(0, spec)])


__all__ = ["Job", "Persister"]
