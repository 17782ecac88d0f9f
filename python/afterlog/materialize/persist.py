"""From a filled slot to a listed checkpoint: which tensors are new, the file, the log made durable,
the line in the index."""

import os
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..format.clocks import perf_counter
from ..format.safetensors import HeldTensor, compact_json
from ..store.checkpoint_index import CheckpointIndex
from ..store.checkpoint_writer import Content, Written, write_checkpoint
from ..store.layout import RunPaths
from .checksum_worker import ChecksumWorker, Pair
from .file_layout import FileLayouts, FileLayout
from .graph_text import GraphText, GraphTexts
from .slots import Layout, Slot


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
    still: Sequence[str] = ()
    draws: Optional[List[Dict[str, Any]]] = None


class _Before(NamedTuple):
    """The checkpoint before: its tensors, and of each the file that holds it and its checksums."""

    layout: Layout
    slot: Slot
    files: List[str]
    sums: List[str]


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
        self._parts = FileLayouts()
        self._checksum_worker = ChecksumWorker()
        # Kept to compare with.
        self._before: Optional[_Before] = None

    @property
    def beside_ms(self) -> float:
        """Processor time of the process beside this one."""
        return self._checksum_worker.ran_ms

    def persist(self, job: Job, slot: Slot, give_back: Callable[[Slot], None]) -> Dict[str, Any]:
        """Writes the checkpoint; its record. The slot before is given back as soon as nobody
        needs it, and this one is kept."""
        started = perf_counter()
        try:
            held = self._unchanged_tensors(job.layout, slot)
        finally:
            self.forget(give_back)
        parts = self._parts.of(job.layout, list(held))
        # Taken while the data is written.
        digits = self._checksum_worker.checksums(slot, parts.chunks)
        # Encoded here, beside the training.
        graph = self._texts.of(job.graph)
        graph_json = graph.json()
        content = Content(
            facts={"run": self._run, "kind": job.kind, "path": job.path, "seq": job.seq},
            pieces=[slot.view[start:stop] for start, stop in parts.ranges],
            form=parts.form,
            sums=lambda: parts.sums(digits()),
            held=list(held.values()),
            graph_json=graph_json,
            structure=_structure_bytes(job, graph_json, graph.texts_apart),
        )
        if not os.path.isdir(self._paths.checkpoints):
            # Not the folders around it: a run that somebody deleted must not half reappear.
            os.mkdir(self._paths.checkpoints)
        written = write_checkpoint(self._paths.checkpoints, job.file, content, self._faults)
        self._faults("persist:before-log-sync")
        self._sync_log(job.log_bytes)
        persist_ms = (perf_counter() - started) * 1000
        now = _known_for_next(job.layout, slot, held, parts, written)
        record = _checkpoint_record(job, graph, now, content.held, written, persist_ms)
        self._faults("persist:before-index")
        self._index.append(record)
        self._faults("persist:after-index")
        self._before = now
        return record

    def forget(self, give_back: Callable[[Slot], None]) -> None:
        """Gives the last slot back: the next one, which needs its memory, is compared with none."""
        before, self._before = self._before, None
        if before is not None:
            give_back(before.slot)

    def _unchanged_tensors(self, layout: Layout, slot: Slot) -> Dict[int, HeldTensor]:
        """Tensors that stand in an earlier file, decided by their bytes; by their numbers."""
        before = self._before
        if before is None:
            return {}
        same: Dict[int, int] = {}
        unsure: Dict[Tuple[int, int], Pair] = {}
        for number, earlier in _tensors_in_both(layout, before.layout):
            mine, theirs = layout.offsets[number], before.layout.offsets[earlier]
            size = layout.signature[number].bytes
            verdict = slot.same_quickly(mine, before.slot, theirs, size)
            if verdict is None:
                unsure[(number, earlier)] = (mine, theirs, size)
            elif verdict:
                same[number] = earlier
        verdicts = self._checksum_worker.same(slot, before.slot, list(unsure.values()))
        same.update(both for both, verdict in zip(unsure, verdicts) if verdict)
        return {
            number: HeldTensor(
                layout.signature[number], before.files[same[number]], before.sums[same[number]]
            )
            for number in sorted(same)
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

    def get_ready(self) -> None:
        """For checkpoints of large slots; at once, before the program goes on."""
        self._checksum_worker.start()

    def close(self) -> None:
        self._index.close()
        self._checksum_worker.close()


def _tensors_in_both(layout: Layout, before: Layout) -> Iterable[Tuple[int, int]]:
    """The numbers of the large tensors that two layouts have, in the first and in the second."""
    if layout is before:
        return zip(layout.large, layout.large)
    known = {spec: number for number, spec in enumerate(before.signature)}
    both = ((number, known.get(layout.signature[number])) for number in layout.large)
    return [(number, earlier) for number, earlier in both if earlier is not None]


def _known_for_next(
    layout: Layout, slot: Slot, held: Dict[int, HeldTensor], parts: FileLayout, written: Written
) -> _Before:
    """What is to be known of this checkpoint when the next one is compared with it."""
    files = [written.file] * len(layout.signature)
    sums = [""] * len(layout.signature)
    for number, digits in zip(parts.own, written.sums):
        sums[number] = digits
    for number, one in held.items():
        files[number], sums[number] = one.file, one.crc32
    return _Before(layout, slot, files, sums)


def _checkpoint_record(
    job: Job,
    graph: GraphText,
    now: _Before,
    held: Sequence[HeldTensor],
    written: Written,
    persist_ms: float,
) -> Dict[str, Any]:
    sums = {spec.name: digits for spec, digits in zip(job.layout.signature, now.sums)}
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
        "stateBytes": sum([spec.bytes for spec in job.layout.signature]),
        "holds": list(dict.fromkeys(one.file for one in held)),
        "needs": job.needs,
        "crc32": written.header_crc32,
        "stateHash": written.state_hash,
        "places": graph.place_hashes(sums),
        "generators": job.generators,
        "iterators": job.iterators,
        **({} if job.draws is None else {"draws": job.draws}),
        "absent": absent,
        **({"still": list(job.still)} if job.still else {}),
        "times": {**job.times, "persist": round(persist_ms, 3)},
        "t": job.t,
    }


def _structure_bytes(job: Job, graph_json: bytes, texts_apart: List[Any]) -> bytes:
    """The whole of `__structure__`: the graph first, exactly as it is hashed."""
    known = {"v": 1, "entry": job.entry, "generators": job.generators, "iterators": job.iterators}
    if texts_apart:
        known["texts"] = texts_apart
    return b"%b,%b" % (graph_json[:-1], compact_json(known)[1:].encode())
