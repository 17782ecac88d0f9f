"""Snapshots of tensors on a device (semantics, "Snapshot and persist"; CheckFreq §6.2.3 and
algorithm 1).

If memory allows, the tensors are copied on the device, in the order of the program's own stream:
what comes after cannot change them, whatever changes them, an optimizer or not. The program only
starts these copies, which run at the speed of the device's memory; a stream of ours brings the
bytes to pinned host memory while the training goes on. Where memory is short the tensors are
copied to the host in the order of the program's stream.
"""

import contextlib
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

from .slots import ByLeaves, Leaf, Slot
from .staging import StagePlan, Stage, bits_of, bytes_of, is_plain, stage_plans

# Part of a device's memory that is left free whatever the program's peak was.
_SPARE = 0.05
# Memory is kept from checkpoint to checkpoint if the device has so many times as much to spare.
_KEPT_IN = 8


def elements_of(value: Any) -> Any:
    """The elements of a tensor as a tensor that says in memory what they are."""
    if value.is_conj() or value.is_neg():
        return value.resolve_conj().resolve_neg()
    return value


class ElementsOf:
    """The elements of the same leaves, again and again, in a form in which they can be copied."""

    def __init__(self, leaves: Sequence[Leaf], values: Sequence[Any]) -> None:
        # Copying makes of a conjugate or a negative what it stands for, unless its bits are copied.
        self._others = [
            (at, leaf.on_device)
            for at, (leaf, value) in enumerate(zip(leaves, values))
            if leaf.on_device and not (leaf.on_device is elements_of and is_plain(value))
        ]

    def get(self, torch: Any, values: Sequence[Any]) -> List[Any]:
        """For each leaf that is on a device a tensor there."""
        found = list(values)
        for at, elements in self._others:
            found[at] = bits_of(torch, elements(values[at]))
        return found


class _Prepared(NamedTuple):
    """What does not change while the leaves are the same."""

    elements: ElementsOf
    plans: List[StagePlan]
    # By device, those that no copy uses; another thread returns them.
    stages: Dict[Any, List[Stage]]


class DeviceCopies:
    """Makes them, and knows how much memory the program has needed at most."""

    def __init__(self) -> None:
        self._streams: Dict[Any, Any] = {}
        self._peaks: Dict[Any, int] = {}
        self._prepared: ByLeaves[_Prepared] = ByLeaves()

    def start(
        self, leaves: Sequence[Leaf], values: Sequence[Any], offsets: Sequence[int], slot: Slot
    ) -> "DeviceCopy":
        """Starts the copies of leaves that are on devices, to their offsets in the slot."""
        torch = sys.modules["torch"]
        with _plainly(torch):
            known = self._prepared.get(leaves, lambda: _prepare(torch, leaves, values, offsets))
            tensors = known.elements.get(torch, values)
            copy = DeviceCopy(self, slot)
            for plan in known.plans:
                unused = known.stages.setdefault(plan.device, [])
                stage = self._filled(torch, plan, tensors, unused)
                if stage is not None:
                    copy.staged[plan.device] = stage
                else:
                    _bring(torch, plan, tensors, offsets, slot)
                ready = torch.cuda.Event()
                ready.record(torch.cuda.current_stream(plan.device))
                copy.ready[plan.device] = ready
        return copy

    def _room_bytes(self, torch: Any, plan: StagePlan) -> float:
        """How much memory the device has that the program has never needed."""
        free, total = torch.cuda.mem_get_info(plan.device)
        # As it comes: sorting its two hundred numbers takes longer than the rest.
        known = torch.cuda.memory_stats_as_nested_dict(plan.device)
        reserved = _amount(known, "reserved_bytes", "current")
        peak = max(self._peaks.get(plan.device, 0), _amount(known, "allocated_bytes", "peak"))
        self._peaks[plan.device] = peak
        return free + reserved - peak - total * _SPARE

    def _filled(
        self, torch: Any, plan: StagePlan, tensors: Sequence[Any], unused: List[Stage]
    ) -> Optional[Stage]:
        """The tensors in memory of their device; None: it has no room for them."""
        try:
            stage = self._stage(torch, plan, tensors, unused)
            if stage is not None:
                stage.fill(tensors)
            return stage
        except RuntimeError:
            # What is free may be in pieces.
            return None

    def _stage(
        self, torch: Any, plan: StagePlan, tensors: Sequence[Any], unused: List[Stage]
    ) -> Optional[Stage]:
        """Memory for the plan, or None if there is none."""
        stage = unused.pop() if unused else None
        if stage is not None and stage.has_memory:
            return stage
        if self._room_bytes(torch, plan) < plan.bytes:
            return None
        return stage or Stage(torch, plan, tensors)

    def give_back(self, torch: Any, stage: Stage) -> None:
        """Nobody reads it any more. Asking for its memory again takes longer than the copy, as soon
        as the program has used a part of it: it is kept where it is not missed."""
        plan = stage.plan
        users = [one for one in self._prepared.all() if any(plan is own for own in one.plans)]
        if not users or self._room_bytes(torch, plan) < _KEPT_IN * plan.bytes:
            stage.empty()
        for one in users:
            one.stages.setdefault(plan.device, []).append(stage)

    def stream(self, torch: Any, device: Any) -> Any:
        known = self._streams.get(device)
        if known is None:
            known = self._streams[device] = torch.cuda.Stream(device)
        return known


def _prepare(
    torch: Any, leaves: Sequence[Leaf], values: Sequence[Any], offsets: Sequence[int]
) -> _Prepared:
    elements = ElementsOf(leaves, values)
    tensors = elements.get(torch, values)
    on_device = [tensor if leaf.on_device else None for leaf, tensor in zip(leaves, tensors)]
    sizes = [leaf.spec.bytes for leaf in leaves]
    return _Prepared(elements, stage_plans(on_device, sizes, offsets), {})


def _amount(known: Dict[str, Any], what: str, when: str) -> int:
    return known.get(what, {}).get("all", {}).get(when, 0)


@contextlib.contextmanager
def _plainly(torch: Any) -> Iterator[None]:
    """Without what the program may have asked to happen with each operation on a tensor."""
    with torch.inference_mode(False), torch.no_grad(), torch._C.DisableTorchFunction():
        yield


class DeviceCopy:
    """Copies under way."""

    def __init__(self, copies: DeviceCopies, slot: Slot) -> None:
        self._copies = copies
        self._slot = slot
        # By device: what was copied on it, and when the program's stream has done that.
        self.staged: Dict[Any, Stage] = {}
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
                self.staged[device].bring(self._slot)
                done = torch.cuda.Event()
                done.record(stream)
            waited.append(done)
        for done in waited:
            done.synchronize()
        # Only now may others get the memory.
        for stage in self.staged.values():
            self._copies.give_back(torch, stage)
        self.staged = {}


def _bring(
    torch: Any, plan: StagePlan, tensors: Sequence[Any], offsets: Sequence[int], slot: Slot
) -> None:
    for index in plan.rows_at:
        # In the order of the program's stream, like what makes it contiguous.
        source = tensors[index].contiguous().view(-1)
        target = bytes_of(torch, slot, offsets[index], source.numel() * source.element_size())
        target.view(source.dtype).copy_(source, slot.pinned)
