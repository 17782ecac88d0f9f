"""Snapshots of tensors on a device (design §5; CheckFreq §6.2.3 and algorithm 1).

If memory allows, the tensors are copied on the device, in the order of the program's own stream:
what comes after cannot change them, whatever changes them, an optimizer or not. The program only
starts these copies, which run at the speed of the device's memory; a stream of ours brings the
bytes to pinned host memory while the training goes on. Where memory is short the tensors are
copied to the host in the order of the program's stream.
"""

import sys
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from .slots import Leaf, Slot

# Part of a device's memory that is left free whatever the program's peak was.
_SPARE = 0.05
_ALIGNED = 4096

Placed = Tuple[Leaf, int]


class _Run(NamedTuple):
    """Leaves that follow each other in the slot."""

    staged: int
    offset: int
    bytes: int


class _Staged(NamedTuple):
    memory: Any
    runs: List[_Run]
    ready: Any


class DeviceCopies:
    """Makes them, and knows how much memory the program has needed at most."""

    def __init__(self) -> None:
        self._streams: Dict[Any, Any] = {}
        self._peaks: Dict[Any, int] = {}

    def start(self, placed: Sequence[Placed], slot: Slot) -> "DeviceCopy":
        """Starts the copies of leaves that are on devices, to their offsets in the slot."""
        torch = sys.modules["torch"]
        by_device: Dict[Any, List[Placed]] = {}
        for leaf, offset in placed:
            by_device.setdefault(leaf.value.device, []).append((leaf, offset))
        staged: List[_Staged] = []
        waited: List[Any] = []
        with torch.no_grad():
            for device, leaves in by_device.items():
                leaves.sort(key=lambda pair: pair[1])
                runs, size = _runs_of(leaves)
                memory = self._memory(torch, device, size)
                if memory is not None:
                    _stage(torch, leaves, runs, memory)
                else:
                    _bring(torch, leaves, slot)
                done = torch.cuda.Event()
                done.record(torch.cuda.current_stream(device))
                if memory is not None:
                    staged.append(_Staged(memory, runs, done))
                else:
                    waited.append(done)
        return DeviceCopy(self, slot, staged, waited)

    def _memory(self, torch: Any, device: Any, size: int) -> Any:
        """Memory on the device for so many bytes, if the program has never needed it."""
        free, total = torch.cuda.mem_get_info(device)
        reserved = torch.cuda.memory_reserved(device)
        peak = max(self._peaks.get(device, 0), torch.cuda.max_memory_allocated(device))
        self._peaks[device] = peak
        if size > free + reserved - peak - total * _SPARE:
            return None
        try:
            return torch.empty(size, dtype=torch.uint8, device=device)
        except RuntimeError:
            return None

    def stream(self, torch: Any, device: Any) -> Any:
        known = self._streams.get(device)
        if known is None:
            known = self._streams[device] = torch.cuda.Stream(device)
        return known


class DeviceCopy:
    """Copies under way."""

    def __init__(
        self, copies: DeviceCopies, slot: Slot, staged: List[_Staged], waited: List[Any]
    ) -> None:
        self._copies = copies
        self._slot = slot
        self._staged = staged
        self._waited = waited

    def finish(self) -> None:
        """Waits until all bytes are in the slot; for a thread of ours."""
        torch = sys.modules["torch"]
        started = []
        for memory, runs, ready in self._staged:
            stream = self._copies.stream(torch, memory.device)
            stream.wait_event(ready)
            with torch.cuda.stream(stream):
                for run in runs:
                    source = memory[run.staged : run.staged + run.bytes]
                    _bytes_of(torch, self._slot, run.offset, run.bytes).copy_(source, True)
                done = torch.cuda.Event()
                done.record(stream)
            started.append(done)
        for done in [*started, *self._waited]:
            done.synchronize()
        # Only now may others get it.
        self._staged = []


def _bytes_of(torch: Any, slot: Slot, offset: int, count: int) -> Any:
    return torch.frombuffer(slot.memory, dtype=torch.uint8, count=count, offset=offset)


def _runs_of(leaves: Sequence[Placed]) -> Tuple[List[_Run], int]:
    """Leaves with nothing but padding between them are copied to the host at once."""
    runs: List[_Run] = []
    at = 0
    for leaf, offset in leaves:
        end = offset + leaf.spec.bytes
        last = runs[-1] if runs else None
        if last is not None and offset - (last.offset + last.bytes) < _ALIGNED:
            runs[-1] = last._replace(bytes=end - last.offset)
        else:
            # Elements are aligned there as they are in the slot.
            staged = -(-at // _ALIGNED) * _ALIGNED + offset % _ALIGNED
            runs.append(_Run(staged, offset, end - offset))
        at = runs[-1].staged + runs[-1].bytes
    return runs, at


def _stage(torch: Any, leaves: Sequence[Placed], runs: Sequence[_Run], memory: Any) -> None:
    by_type: Dict[Any, Tuple[Any, List[Any], List[Any]]] = {}
    run = iter(runs)
    current = next(run)
    for leaf, offset in leaves:
        while offset >= current.offset + current.bytes and leaf.spec.bytes:
            current = next(run)
        source = leaf.on_device(leaf.value)
        if source.numel() == 0:
            continue
        dtype = source.dtype
        if dtype not in by_type:
            size = source.element_size()
            whole = memory[: memory.numel() // size * size].view(dtype)
            by_type[dtype] = (whole, [], [])
        whole, targets, sources = by_type[dtype]
        first = (current.staged + offset - current.offset) // source.element_size()
        shape = source.shape
        targets.append(whole.as_strided(shape, _row_major(shape), first))
        sources.append(source)
    for _, targets, sources in by_type.values():
        _copy_all(torch, targets, sources)


def _copy_all(torch: Any, targets: List[Any], sources: List[Any]) -> None:
    together = getattr(torch, "_foreach_copy_", None)
    if together is not None:
        together(targets, sources)
        return
    for target, source in zip(targets, sources):
        target.copy_(source)


def _bring(torch: Any, leaves: Sequence[Placed], slot: Slot) -> None:
    for leaf, offset in leaves:
        source = leaf.on_device(leaf.value)
        if source.numel() == 0:
            continue
        # In the order of the program's stream, like what makes it contiguous.
        target = _bytes_of(torch, slot, offset, leaf.spec.bytes).view(source.dtype)
        target.copy_(source.contiguous().view(-1), slot.pinned)


def _row_major(shape: Sequence[int]) -> Tuple[int, ...]:
    strides: List[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
