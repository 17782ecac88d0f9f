"""Slots: page-aligned memory, touched once and reused, into which a snapshot is copied (semantics,
"Snapshot and persist").

Tensors of a page or more begin on a page and are units of reuse (unchanged ones are not written
again). Smaller ones are packed behind each other, wide elements first so that each is aligned for
its type, those of a device together because they are brought from it together, and are always
written.
"""

import ctypes
import itertools
import mmap
import operator
import os
import sys
import weakref
from typing import Any, Callable, Generic, List, NamedTuple, Optional, Sequence, Tuple, TypeVar

from ..format.safetensors import DTYPE_BYTES, PAGE_BYTES, TensorSpec, align_page

# Sets of leaves for which something is kept.
_REMEMBERED_MAX = 8
# From so many bytes on it is worth while to have a process beside the training that reads slots.
SHARED_BYTES_MIN = 32 << 20
# Bytes that are compared in less time than it takes to give the interpreter's lock away.
_QUICK_BYTES = 64 << 10
Picker = Callable[[Sequence[Any]], Tuple[Any, ...]]

# What slots are known by elsewhere.
_numbers = itertools.count(1)


def _memcmp(library: ctypes.CDLL) -> Callable[[int, int, int], int]:
    library.memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    return library.memcmp


_compare = _memcmp(ctypes.CDLL(None))
# Keeps the interpreter's lock.
_compare_quickly = _memcmp(ctypes.PyDLL(None))


class Leaf(NamedTuple):
    """A block of bytes of the state, and how they get into a slot."""

    spec: TensorSpec
    # The number in the walk of the object that has them.
    number: int
    # Copies the bytes of the object to an offset of the slot.
    copy: Callable[[Any, "Slot", int], None]
    # The elements as a tensor on a device, which copies them to another one by itself.
    on_device: Optional[Callable[[Any], Any]] = None


class Slot:
    """Memory for one snapshot."""

    def __init__(self, size: int, pin: bool) -> None:
        self.bytes = align_page(size)
        self.number = next(_numbers)
        # A file that another process can have the memory by.
        self.fd = _shared_file(self.bytes) if self.bytes >= SHARED_BYTES_MIN else None
        self._allocate()
        self.pinned = pin and _pin_memory(self.address, self.bytes)
        if pin and not self.pinned and self.fd is not None:
            # Whether memory of a file can be pinned is the driver's to say.
            os.close(self.fd)
            self.fd = None
            self._allocate()
            self.pinned = _pin_memory(self.address, self.bytes)
        if self.pinned:
            # Before its memory is given back: the next to get it could not be pinned.
            weakref.finalize(self, _unpin_memory, self.address)
        if self.fd is not None:
            weakref.finalize(self, os.close, self.fd).atexit = False

    def _allocate(self) -> None:
        self.memory = mmap.mmap(-1 if self.fd is None else self.fd, self.bytes)
        self.view = memoryview(self.memory)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        # The first write to a page is what costs, not the copy; memset lets the program run on.
        ctypes.memset(self.address, 0, self.bytes)

    def same_bytes(self, offset: int, other: "Slot", other_offset: int, count: int) -> bool:
        return _compare(self.address + offset, other.address + other_offset, count) == 0

    def same_quickly(
        self, offset: int, other: "Slot", other_offset: int, count: int
    ) -> Optional[bool]:
        """The same, if that can be said at once; else None."""
        mine, theirs = self.address + offset, other.address + other_offset
        # What has changed differs on its first page, nearly always.
        if _compare_quickly(mine, theirs, min(count, PAGE_BYTES)) != 0:
            return False
        return None if count > _QUICK_BYTES else _compare_quickly(mine, theirs, count) == 0


def _shared_file(size: int) -> Optional[int]:
    """A file in memory that has no name."""
    try:
        fd = os.memfd_create("afterlog")
    except (AttributeError, OSError):
        return None
    try:
        # Memory that there is not is an error here, and not the end of the program later.
        os.posix_fallocate(fd, 0, size)
    except OSError:
        os.close(fd)
        return None
    return fd


def _pin_memory(address: int, size: int) -> bool:
    """Lets the device copy into it directly. Memory that cannot be pinned is only slower."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return False
    try:
        result = torch.cuda.cudart().cudaHostRegister(address, size, 0)
        return int(result) == 0
    except (AttributeError, RuntimeError, TypeError):
        return False


def _unpin_memory(address: int) -> None:
    try:
        sys.modules["torch"].cuda.cudart().cudaHostUnregister(address)
    except Exception:
        pass  # the process is ending, and the device with it


class Layout(NamedTuple):
    # What the leaves are that it was made for.
    signature: Tuple[TensorSpec, ...]
    # Parallel to them.
    offsets: List[int]
    # The numbers of those that are units of their own.
    large: List[int]
    # The small tensors, as one page-aligned block; 0 bytes if there are none.
    small_offset: int
    small_bytes: int
    bytes: int


def _is_large(spec: TensorSpec) -> bool:
    """Whether the tensor is a unit of its own in the slot and in the file."""
    return spec.bytes >= PAGE_BYTES


def lay_out(leaves: Sequence[Leaf]) -> Layout:
    specs = tuple(leaf.spec for leaf in leaves)
    offsets = [0] * len(specs)
    large = [index for index, spec in enumerate(specs) if _is_large(spec)]
    at = 0
    for index in large:
        offsets[index] = at
        at += align_page(specs[index].bytes)
    small_offset = at
    smalls = [index for index, spec in enumerate(specs) if not _is_large(spec)]

    def order(index: int) -> Tuple[int, bool]:
        return -DTYPE_BYTES[specs[index].dtype], leaves[index].on_device is not None

    for index in sorted(smalls, key=order):
        offsets[index] = at
        at += specs[index].bytes
    small_bytes = at - small_offset
    return Layout(specs, offsets, large, small_offset, small_bytes, max(align_page(at), 1))


def picker(indices: Sequence[int]) -> Picker:
    """What gives the items at these indices."""
    if len(indices) == 0:
        return lambda _: ()
    if len(indices) == 1:
        only = indices[0]
        return lambda items: (items[only],)
    return operator.itemgetter(*indices)


Made = TypeVar("Made")


class ByLeaves(Generic[Made]):
    """What was made for leaves, for the last few of them: the ends of iterations and of loops take
    turns, and each has its own."""

    def __init__(self) -> None:
        self._known: List[Tuple[Sequence[Leaf], Made]] = []

    def get(self, leaves: Sequence[Leaf], make: Callable[[], Made]) -> Made:
        for known, made in self._known:
            if known is leaves:
                return made
        made = make()
        self._known = [(leaves, made), *self._known][:_REMEMBERED_MAX]
        return made

    def all(self) -> List[Made]:
        return [made for _, made in self._known]


class Layouts:
    """Remembers layouts while the leaves stay the same."""

    def __init__(self) -> None:
        self._known: ByLeaves[Layout] = ByLeaves()

    def layout_for(self, leaves: Sequence[Leaf]) -> Layout:
        return self._known.get(leaves, lambda: lay_out(leaves))
