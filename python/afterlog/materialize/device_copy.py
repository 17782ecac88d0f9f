"""Snapshots of tensors on a device (design §5; CheckFreq §6.2.3 and algorithm 1).

If memory allows, the tensors are copied on the device, in the order of the program's own stream:
what comes after cannot change them, whatever changes them, an optimizer or not. The program only
starts these copies, which run at the speed of the device's memory; a stream of ours brings the
bytes to pinned host memory while the training goes on. Where memory is short the tensors are
copied to the host in the order of the program's stream.
"""

import sys
from typing import Any, Dict, List, NamedTuple, Sequence

from .slots import Leaf, Slot

# Part of a device's memory that is left free whatever the program's peak was.
_SPARE = 0.05
# Padding between two tensors that are copied to the host together.
_PADDING_BYTES_MAX = 4096


class _Segment(NamedTuple):
    """Leaves of one element type that follow each other in the slot."""

    offset: int
    bytes: int
    # Indices of the leaves, and behind each the padding up to the next one, in elements.
    indices: List[int]
    paddings: List[int]
    item_bytes: int


class _Plan(NamedTuple):
    """How the leaves of one device get into a slot."""

    device: Any
    bytes: int
    segments: List[_Segment]


class _Staged(NamedTuple):
    memory: Any
    segment: _Segment


def elements_of(value: Any) -> Any:
    """The elements of a tensor as a tensor that says in memory what they are."""
    if value.is_conj() or value.is_neg():
        return value.resolve_conj().resolve_neg()
    return value


class ElementsOf:
    """The elements of the same leaves, again and again."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self._leaves = leaves
        on_device = [leaf.on_device for leaf in leaves]
        self._plain = [at for at, elements in enumerate(on_device) if elements is elements_of]
        self._others = [
            (at, elements)
            for at, elements in enumerate(on_device)
            if elements is not None and elements is not elements_of
        ]

    def are_of(self, leaves: Sequence[Leaf]) -> bool:
        return self._leaves is leaves

    def get(self, torch: Any, values: Sequence[Any]) -> List[Any]:
        """For each leaf a tensor on its device; None for one that is on none."""
        found: List[Any] = [None] * len(values)
        plain = [values[at] for at in self._plain]
        # Asking all at once takes a third of the time, and hardly any is one of these.
        if any(map(torch.Tensor.is_neg, plain)) or any(map(torch.Tensor.is_conj, plain)):
            plain = list(map(elements_of, plain))
        for at, tensor in zip(self._plain, plain):
            found[at] = tensor
        for at, elements in self._others:
            found[at] = elements(values[at])
        return found


class DeviceCopies:
    """Makes them, and knows how much memory the program has needed at most."""

    def __init__(self) -> None:
        self._streams: Dict[Any, Any] = {}
        self._peaks: Dict[Any, int] = {}
        self._zeros: Dict[Any, Any] = {}
        self._elements = ElementsOf([])
        self._plans: List[_Plan] = []

    def start(
        self, leaves: Sequence[Leaf], values: Sequence[Any], offsets: Sequence[int], slot: Slot
    ) -> "DeviceCopy":
        """Starts the copies of leaves that are on devices, to their offsets in the slot."""
        torch = sys.modules["torch"]
        with torch.no_grad():
            is_known = self._elements.are_of(leaves)
            if not is_known:
                self._elements = ElementsOf(leaves)
            tensors = self._elements.get(torch, values)
            if not is_known:
                self._plans = _plans_for(tensors, offsets)
            copy = DeviceCopy(self, slot)
            for plan in self._plans:
                if self._has_room(torch, plan):
                    copy.staged[plan.device] = self._stage(torch, plan, tensors)
                else:
                    _bring(torch, plan, tensors, slot)
                ready = torch.cuda.Event()
                ready.record(torch.cuda.current_stream(plan.device))
                copy.ready[plan.device] = ready
        return copy

    def _has_room(self, torch: Any, plan: _Plan) -> bool:
        """Whether the device has memory that the program has never needed."""
        free, total = torch.cuda.mem_get_info(plan.device)
        # Once for both: each question makes a dictionary of two hundred numbers.
        known = torch.cuda.memory_stats(plan.device)
        reserved = known.get("reserved_bytes.all.current", 0)
        peak = max(self._peaks.get(plan.device, 0), known.get("allocated_bytes.all.peak", 0))
        self._peaks[plan.device] = peak
        return plan.bytes <= free + reserved - peak - total * _SPARE

    def _stage(self, torch: Any, plan: _Plan, tensors: Sequence[Any]) -> List[_Staged]:
        staged = []
        for segment in plan.segments:
            first = tensors[segment.indices[0]]
            zeros = self._padding(torch, first)
            parts = []
            for index, padding in zip(segment.indices, segment.paddings):
                parts.append(tensors[index])
                if padding:
                    parts.append(zeros[padding])
            staged.append(_Staged(_flatten(torch, parts), segment))
        return staged

    def _padding(self, torch: Any, like: Any) -> List[Any]:
        """Nothing, in every length that padding has."""
        key = (like.device, like.dtype)
        known = self._zeros.get(key)
        if known is None:
            most = _PADDING_BYTES_MAX // like.element_size()
            zeros = torch.zeros(most, dtype=like.dtype, device=like.device)
            known = self._zeros[key] = [zeros[:count] for count in range(most + 1)]
        return known

    def stream(self, torch: Any, device: Any) -> Any:
        known = self._streams.get(device)
        if known is None:
            known = self._streams[device] = torch.cuda.Stream(device)
        return known


class DeviceCopy:
    """Copies under way."""

    def __init__(self, copies: DeviceCopies, slot: Slot) -> None:
        self._copies = copies
        self._slot = slot
        # By device: what was copied on it, and when the program's stream has done that.
        self.staged: Dict[Any, List[_Staged]] = {}
        self.ready: Dict[Any, Any] = {}

    def finish(self) -> None:
        """Waits until all bytes are in the slot; for a thread of ours."""
        torch = sys.modules["torch"]
        waited = []
        for device, ready in self.ready.items():
            if device not in self.staged:
                waited.append(ready)
                continue
            stream = self._copies.stream(torch, device)
            stream.wait_event(ready)
            with torch.cuda.stream(stream):
                for memory, segment in self.staged[device]:
                    target = _bytes_of(torch, self._slot, segment.offset, segment.bytes)
                    target.copy_(memory.view(torch.uint8)[: segment.bytes], True)
                done = torch.cuda.Event()
                done.record(stream)
            waited.append(done)
        for done in waited:
            done.synchronize()
        # Only now may others get the memory.
        self.staged = {}


def _plans_for(tensors: Sequence[Any], offsets: Sequence[int]) -> List[_Plan]:
    segments: Dict[Any, List[_Segment]] = {}
    # The leaf before it in the slot is of this device: all between the two is padding. What is
    # between two others may be the bytes of a leaf of the host, which must not be overwritten.
    before = None
    for index in sorted(range(len(tensors)), key=lambda index: offsets[index]):
        tensor = tensors[index]
        if tensor is None:
            before = None
        elif tensor.numel():
            own = segments.setdefault(tensor.device, [])
            last = own[-1] if tensor.device == before else None
            if last is None or not _follow(last, tensors, index, offsets[index]):
                size = tensor.numel() * tensor.element_size()
                own.append(_Segment(offsets[index], size, [index], [0], tensor.element_size()))
            else:
                own[-1] = _longer(last, tensor, index, offsets[index])
            before = tensor.device
    return [_Plan(on, sum(one.bytes for one in own), own) for on, own in segments.items()]


def _follow(last: _Segment, tensors: Sequence[Any], index: int, offset: int) -> bool:
    """Whether a leaf is of the segment's type and near enough behind it."""
    gap = offset - last.offset - last.bytes
    return (
        tensors[last.indices[0]].dtype is tensors[index].dtype
        and 0 <= gap < _PADDING_BYTES_MAX
        and gap % last.item_bytes == 0
    )


def _longer(last: _Segment, tensor: Any, index: int, offset: int) -> _Segment:
    gap = offset - last.offset - last.bytes
    last.indices.append(index)
    last.paddings[-1] = gap // last.item_bytes
    last.paddings.append(0)
    return last._replace(bytes=last.bytes + gap + tensor.numel() * last.item_bytes)


def _flatten(torch: Any, parts: List[Any]) -> Any:
    """All elements, row by row, one tensor behind the other."""
    together = getattr(torch._C._nn, "flatten_dense_tensors", None)
    if together is not None and len(parts) > 1:
        return together(parts)
    return torch.cat([part.reshape(-1) for part in parts])


def _bring(torch: Any, plan: _Plan, tensors: Sequence[Any], slot: Slot) -> None:
    for segment in plan.segments:
        at = segment.offset
        for index, padding in zip(segment.indices, segment.paddings):
            # In the order of the program's stream, like what makes it contiguous.
            source = tensors[index].contiguous().view(-1)
            size = source.numel() * segment.item_bytes
            _bytes_of(torch, slot, at, size).view(source.dtype).copy_(source, slot.pinned)
            at += size + padding * segment.item_bytes


def _bytes_of(torch: Any, slot: Slot, offset: int, count: int) -> Any:
    return torch.frombuffer(slot.memory, dtype=torch.uint8, count=count, offset=offset)


__all__ = ["DeviceCopies", "DeviceCopy", "ElementsOf", "elements_of"]
