"""Slots: page-aligned memory, touched once and reused, into which a snapshot is copied (design §5).

Tensors of a page or more begin on a page and are units of reuse (unchanged ones are not written
again). Smaller ones are packed behind each other, wide elements first so that each is aligned for
its type, those of a device together because they are brought from it together, and are always
written.
"""

import ctypes
import mmap
import sys
import weakref
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from ..format.safetensors import DTYPE_BYTES, PAGE_BYTES, TensorSpec, align_page

_libc = ctypes.CDLL(None)
_libc.memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


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
        self.memory = mmap.mmap(-1, self.bytes)
        self.view = memoryview(self.memory)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        # The first write to a page is what costs, not the copy; memset lets the program run on.
        ctypes.memset(self.address, 0, self.bytes)
        self.pinned = pin and _pin(self.address, self.bytes)
        if self.pinned:
            # Before its memory is given back: the next to get it could not be pinned.
            weakref.finalize(self, _unpin, self.address)

    def same_bytes(self, offset: int, other: "Slot", other_offset: int, count: int) -> bool:
        mine, theirs = self.address + offset, other.address + other_offset
        return _libc.memcmp(mine, theirs, count) == 0


def _pin(address: int, size: int) -> bool:
    """Lets the device copy into it directly. Memory that cannot be pinned is only slower."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return False
    try:
        result = torch.cuda.cudart().cudaHostRegister(address, size, 0)
        return int(result) == 0
    except (AttributeError, RuntimeError, TypeError):
        return False


def _unpin(address: int) -> None:
    try:
        sys.modules["torch"].cuda.cudart().cudaHostUnregister(address)
    except Exception:
        pass  # the process is ending, and the device with it


class Layout(NamedTuple):
    # What the leaves are that it was made for.
    signature: Tuple[TensorSpec, ...]
    # Parallel to them.
    offsets: List[int]
    # The small tensors, as one page-aligned block; 0 bytes if there are none.
    small_offset: int
    small_bytes: int
    bytes: int


def is_large(spec: TensorSpec) -> bool:
    """Whether the tensor is a unit of its own in the slot and in the file."""
    return spec.bytes >= PAGE_BYTES


def lay_out(leaves: Sequence[Leaf]) -> Layout:
    specs = tuple(leaf.spec for leaf in leaves)
    offsets = [0] * len(specs)
    at = 0
    for index, spec in enumerate(specs):
        if is_large(spec):
            offsets[index] = at
            at += align_page(spec.bytes)
    small_offset = at
    smalls = [index for index, spec in enumerate(specs) if not is_large(spec)]

    def order(index: int) -> Tuple[int, bool]:
        return -DTYPE_BYTES[specs[index].dtype], leaves[index].on_device is not None

    for index in sorted(smalls, key=order):
        offsets[index] = at
        at += specs[index].bytes
    small_bytes = at - small_offset
    return Layout(specs, offsets, small_offset, small_bytes, max(align_page(at), 1))


class Layouts:
    """Remembers the layout while the leaves stay the same."""

    def __init__(self) -> None:
        self._last: Any = None
        self._leaves: Any = None

    def layout_for(self, leaves: Sequence[Leaf]) -> Layout:
        if leaves is self._leaves:
            return self._last
        self._leaves = leaves
        self._last = lay_out(leaves)
        return self._last
