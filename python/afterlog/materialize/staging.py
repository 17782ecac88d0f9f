"""Memory on a device in which a snapshot waits for its way to the host (CheckFreq algorithm 1).

It is laid out as the slot is, so that a few transfers bring all of it. For each tensor there is a
view of it which is kept from checkpoint to checkpoint: one call then copies all tensors of an
element type, however many they are, where making the views would cost as much as the walk. The
memory itself can be given back in between; views do not mind.

Nothing here knows streams, and nothing depends on which device it is.
"""

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from .slots import Picker, Slot, picker


# Padding between two tensors that are brought to the host together.
_PADDING_BYTES_MAX = 4096
_ALIGNED_BYTES = 512
# Elements that are copied as what they are; of others, which a kernel might round or make proper
# on their way (a NaN of bfloat16, a bool of 2), the bits are copied.
_PLAIN = ("float32", "float64", "int64", "int32", "int16", "int8", "uint8")
_BITS = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}


class Range(NamedTuple):
    """Bytes that follow each other in the slot, and in the stage from byte `at` on."""

    offset: int
    bytes: int
    at: int


class StagePlan(NamedTuple):
    """Where the tensors of one device lie in its stage."""

    device: Any
    bytes: int
    ranges: List[Range]
    # For each of its tensors, by index: where in the stage its elements are to be row by row.
    rows_at: Dict[int, int]
    # Where they are put first, if they lie in another order in memory: turning is left for later.
    first_at: Dict[int, int]


def is_plain(tensor: Any) -> bool:
    """Whether its elements can be copied as what they are."""
    return str(tensor.dtype).rpartition(".")[2] in _PLAIN


def bits_of(torch: Any, tensor: Any) -> Any:
    """A view of the tensor whose elements are only bits."""
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    if is_plain(tensor):
        return tensor
    return tensor.view(getattr(torch, _BITS[tensor.element_size()]))


def stage_plans(
    tensors: Sequence[Any], sizes: Sequence[int], offsets: Sequence[int]
) -> List[StagePlan]:
    """One for each device. `tensors`: None for what is on none; sizes in bytes."""
    order = sorted((index for index, size in enumerate(sizes) if size), key=offsets.__getitem__)
    devices = {tensors[index].device: None for index in order if tensors[index] is not None}
    return [_plan(device, tensors, sizes, offsets, order) for device in devices]


def _plan(
    device: Any,
    tensors: Sequence[Any],
    sizes: Sequence[int],
    offsets: Sequence[int],
    order: Sequence[int],
) -> StagePlan:
    ranges: List[Range] = []
    rows_at: Dict[int, int] = {}
    follows = False
    for index in order:
        tensor, offset, size = tensors[index], offsets[index], sizes[index]
        if tensor is None or tensor.device != device:
            # Its bytes get into the slot in another way: they must not be overwritten.
            follows = False
            continue
        last = ranges[-1] if ranges else Range(0, 0, 0)
        if not follows or offset - last.offset - last.bytes >= _PADDING_BYTES_MAX:
            last = Range(offset, 0, _align(last.at + last.bytes))
            ranges.append(last)
        ranges[-1] = last._replace(bytes=offset + size - last.offset)
        rows_at[index] = last.at + offset - last.offset
        follows = True
    end = _align(ranges[-1].at + ranges[-1].bytes)
    first_at: Dict[int, int] = {}
    for index in rows_at:
        if not tensors[index].is_contiguous() and is_dense(tensors[index]):
            first_at[index] = end
            end = _align(end + sizes[index])
    return StagePlan(device, end, ranges, rows_at, first_at)


def _align(size: int) -> int:
    return -(-size // _ALIGNED_BYTES) * _ALIGNED_BYTES


def is_dense(tensor: Any) -> bool:
    """Whether its elements are all of a piece of memory, each once, in whatever order."""
    expected = 1
    for step, size in sorted(zip(tensor.stride(), tensor.shape)):
        if size > 1 and step != expected:
            return False
        expected *= size
    return True


class _Group(NamedTuple):
    """Tensors that one call copies."""

    pick: Picker
    views: List[Any]


class Stage:
    """The memory for one snapshot of one device."""

    def __init__(self, torch: Any, plan: StagePlan, tensors: Sequence[Any]) -> None:
        self.plan = plan
        self.has_memory = True
        self._torch = torch
        self._whole = torch.empty(plan.bytes, dtype=torch.uint8, device=plan.device)
        has_new_name = hasattr(self._whole, "untyped_storage")
        self._memory = self._whole.untyped_storage() if has_new_name else self._whole._storage()
        self._as = {self._whole.dtype: self._whole}
        self._ranges = [
            (one.offset, self._whole[one.at : one.at + one.bytes]) for one in plan.ranges
        ]
        groups: Dict[Tuple[Any, bool], List[int]] = {}
        for index in plan.rows_at:
            tensor = tensors[index]
            # One that is not dense would make the call go through all of them one by one.
            key = (tensor.dtype, tensor.is_contiguous() or index in plan.first_at)
            groups.setdefault(key, []).append(index)
        self._groups = [
            _Group(picker(own), [self._landing(index, tensors[index]) for index in own])
            for own in groups.values()
        ]
        turned = plan.first_at
        self._turned = [self._view(tensors[index], plan.rows_at[index]) for index in turned]
        self._unturned = [self._landing(index, tensors[index]) for index in turned]
        self.empty()

    def _landing(self, index: int, tensor: Any) -> Any:
        """Where a tensor is copied to; in its own order if that is possible, which is quickest."""
        if index in self.plan.first_at:
            return self._view(tensor, self.plan.first_at[index], tensor.stride())
        rows_at = self.plan.rows_at[index]
        return self._view(tensor, rows_at, tensor.stride() if tensor.is_contiguous() else None)

    def _view(self, like: Any, at: int, strides: Any = None) -> Any:
        """Memory from byte `at` on, in the form of a tensor; row by row if nothing else is said."""
        assert at % like.element_size() == 0, (at, like.dtype)
        memory = self._as.get(like.dtype)
        if memory is None:
            memory = self._as[like.dtype] = self._whole.view(like.dtype)
        if strides is None:
            strides, step = [], 1
            for size in reversed(like.shape):
                strides.insert(0, step)
                step *= size
        return memory.as_strided(like.shape, strides, at // like.element_size())

    def fill(self, tensors: Sequence[Any]) -> None:
        """Copies the tensors into it, in the order of the present stream."""
        if not self.has_memory:
            self._memory.resize_(self.plan.bytes)
            # What lies between tensors is written to the file with them.
            self._whole.zero_()
            self.has_memory = True
        for group in self._groups:
            _copy_all(self._torch, group.views, group.pick(tensors))

    def bring(self, slot: Slot) -> None:
        """Copies what it holds to the slot, in the order of the present stream."""
        if self._turned:
            _copy_all(self._torch, self._turned, self._unturned)
        for offset, source in self._ranges:
            bytes_of(self._torch, slot, offset, len(source)).copy_(source, slot.pinned)

    def empty(self) -> None:
        """Gives the memory back; nobody may be reading it any more."""
        self._memory.resize_(0)
        self.has_memory = False


def _copy_all(torch: Any, targets: Sequence[Any], sources: Sequence[Any]) -> None:
    together = getattr(torch, "_foreach_copy_", None)
    if together is not None:
        together(targets, sources)
    else:
        for target, source in zip(targets, sources):
            target.copy_(source)


def bytes_of(torch: Any, slot: Slot, offset: int, count: int) -> Any:
    return torch.frombuffer(slot.memory, dtype=torch.uint8, count=count, offset=offset)
