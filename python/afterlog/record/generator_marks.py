"""Marks of random generators: something small that differs whenever one has been drawn from.

A boundary of an iteration cannot afford to copy 10 KB of states, so the few words of each that no
draw leaves alone are read where they lie in memory. A Mersenne twister moves its index with every
word drawn; after exactly 624 (or a multiple) the index is where it was, but then all words are new,
and so they are after another seed: three of them are read, which are the same by chance once in
2^64 times at least. A normal number may also be one that was kept from the draw before: that is
kept beside the words, and is read too. Checkpoints rely on it: the state of a generator whose mark
is the same is not asked for again.

Where something lies is never assumed: it is found by what the generator itself says, or by what a
generator of our own shows. If that fails, whole states are compared.
"""

import ctypes
import random
import struct
import sys
from typing import Any, Callable, Optional

_WORDS = 624
_WORD_BYTES = 4
_STATE_BYTES = _WORDS * _WORD_BYTES
# Words beside the index that are read.
_READ_WORDS = 3
# The words of torch's twister begin no further from the start of its object.
_TORCH_HEAD_BYTES = 256
# A state of torch as `get_state` gives it: seed, words left, whether seeded, next; then the words.
_TORCH_STATE = struct.Struct(f"<Qii{1 + _WORDS}Q")


def _memory(address: int, size: int) -> memoryview:
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")


class RandomMarks:
    """Of the module `random`."""

    def __init__(self) -> None:
        self._instance: Any = getattr(random, "_inst", None)
        self._words = _random_words(self._instance)

    def mark(self) -> Any:
        if self._words is None:
            return hash(random.getstate())
        return self._words.tobytes(), self._instance.gauss_next


def _random_words(instance: Any) -> Optional[memoryview]:
    """The index and the first words, which lie behind the object's head."""
    if instance is None or sys.implementation.name != "cpython":
        return None
    size = _WORD_BYTES + _STATE_BYTES
    if type(instance).__basicsize__ < object.__basicsize__ + size:
        return None
    words = random.getstate()[1]
    address = id(instance) + object.__basicsize__
    if ctypes.string_at(address, size) != struct.pack("<625I", words[-1], *words[:-1]):
        return None
    return _memory(address, _WORD_BYTES * (1 + _READ_WORDS))


class NumpyMarks:
    """Of the generator behind `numpy.random.rand`. `whole`: its whole state."""

    def __init__(self, numpy: Any, whole: Callable[[], Any]) -> None:
        self._rand = numpy.random.mtrand._rand
        self._whole = whole
        self._bits: Any = None
        self._words: Optional[memoryview] = None
        self._kept = _numpy_kept(numpy, self._rand)

    def mark(self) -> Any:
        bits = self._rand._bit_generator
        if bits is not self._bits:
            # A program may put another one in its place.
            self._bits = bits
            self._words = _numpy_words(bits) if type(bits).__name__ == "MT19937" else None
        if self._words is None or self._kept is None:
            return self._whole()
        return self._words.tobytes(), self._kept.tobytes()


def _numpy_words(bits: Any) -> memoryview:
    """The last words, and the index behind them."""
    read = _WORD_BYTES * _READ_WORDS
    return _memory(bits.ctypes.state_address + _STATE_BYTES - read, read + _WORD_BYTES)


def _numpy_kept(numpy: Any, rand: Any) -> Optional[memoryview]:
    """The normal number that `rand` keeps, and before it whether it does: where another one of its
    class is seen to have them."""
    if sys.implementation.name != "cpython":
        return None
    other = numpy.random.RandomState(0)
    size = type(other).__basicsize__
    state, places = other.get_state(), []
    for has, kept in ((1, 0.1), (0, 0.2)):
        other.set_state((*state[:3], has, kept))
        places.append(ctypes.string_at(id(other), size).find(struct.pack("<iid", has, 0, kept)))
    if places[0] < 0 or places[0] != places[1] or type(rand) is not type(other):
        return None
    return _memory(id(rand) + places[0], struct.calcsize("<iid"))


class TorchMarks:
    """Of torch's generator for the processor. `whole`: its whole state."""

    def __init__(self, generator: Any, whole: Callable[[], Any]) -> None:
        self._whole = whole
        words, kept = _torch_words(generator), None
        # One of our own shows that both are read where they are.
        own = sys.modules["torch"].Generator()
        if words is not None and _shows_draws(own, _torch_words(own), _torch_kept(own)):
            kept = _torch_kept(generator)
        self._words, self._kept = words, kept

    def mark(self) -> Any:
        if self._words is None or self._kept is None:
            return self._whole()
        return self._words.tobytes(), self._kept.tobytes()


def torch_state(generator: Any) -> bytes:
    """Its whole state; torch may be there without NumPy."""
    state = generator.get_state()
    return ctypes.string_at(state.data_ptr(), state.numel())


def _torch_address(generator: Any) -> Optional[int]:
    """Where the words of the twister lie."""
    object_at = getattr(generator, "_cdata", None)
    state = torch_state(generator)
    if not isinstance(object_at, int) or len(state) < _TORCH_STATE.size:
        return None
    words = _TORCH_STATE.unpack_from(state)[-_WORDS:]
    packed = struct.pack(f"<{_WORDS}I", *(word & 0xFFFFFFFF for word in words))
    # The object holds all the words, so it is larger than what is searched.
    offset = ctypes.string_at(object_at, _TORCH_HEAD_BYTES).find(packed[:16])
    if offset < 0 or ctypes.string_at(object_at + offset, _STATE_BYTES) != packed:
        return None
    return object_at + offset


def _torch_words(generator: Any) -> Optional[memoryview]:
    """The seed, how many words are left, whether seeded, which is next; and the first words."""
    address = _torch_address(generator)
    head = 5 * _WORD_BYTES
    return None if address is None else _memory(address - head, head + _WORD_BYTES * _READ_WORDS)


def _torch_kept(generator: Any) -> Optional[memoryview]:
    """The normal numbers that are kept, a float and a double, each with whether it is."""
    address = _torch_address(generator)
    if address is None:
        return None
    start = address + _STATE_BYTES
    double_at = (start + 8 + 7) // 8 * 8
    return _memory(start, double_at + 16 - start)


def _shows_draws(generator: Any, words: Optional[memoryview], kept: Optional[memoryview]) -> bool:
    """Whether a draw, and taking the number that it kept, are seen."""
    if words is None or kept is None:
        return False
    torch = sys.modules["torch"]
    try:
        one = torch.empty(1, dtype=torch.float32, device="cpu")
        seen = [(words.tobytes(), kept.tobytes())]
        for _ in range(2):
            one.normal_(generator=generator)
            seen.append((words.tobytes(), kept.tobytes()))
    except Exception:  # torch is not what it was: whole states are compared
        return False
    before, drawn, taken = seen
    return before[0] != drawn[0] == taken[0] and before[1] != drawn[1] != taken[1]


class CudaMarks:
    """Of torch's generator for a CUDA device. `whole`: its whole state."""

    def __init__(self, generator: Any, whole: Callable[[], Any]) -> None:
        self._generator = generator
        self._whole = whole
        self._has_offset = hasattr(generator, "get_offset")

    def mark(self) -> Any:
        if not self._has_offset:
            return self._whole()
        try:
            return self._generator.initial_seed(), self._generator.get_offset()
        except RuntimeError:
            # While a graph is being captured it does not say.
            return self._whole()
