"""The generators of random numbers that a program shares: of `random`, of NumPy, of torch (CPU and
each CUDA device). Their states are part of every checkpoint.

Nobody tells when one is drawn from, so their states are compared at the boundaries of iterations.
That must cost microseconds: states are looked at where they lie in memory, after making sure that
they do.
"""

import base64
import ctypes
import json
import random
import struct
import sys
from typing import Any, Dict, List, Optional, Tuple

from ..format.values import value_from_json, value_to_json
from .imports import is_imported

_RANDOM_BYTES = 2500


def _random_address() -> Optional[int]:
    """Where the state of `random` lies: its index and 624 words, behind the object's head."""
    instance = getattr(random, "_inst", None)
    if instance is None or sys.implementation.name != "cpython":
        return None
    words = random.getstate()[1]
    address = id(instance) + object.__basicsize__
    expected = struct.pack("<625I", words[-1], *words[:-1])
    if type(instance).__basicsize__ < object.__basicsize__ + _RANDOM_BYTES:
        return None
    return address if ctypes.string_at(address, _RANDOM_BYTES) == expected else None


class RandomGenerator:
    """That of the module `random`."""

    id = "random"
    algorithm = "mt19937"

    def __init__(self) -> None:
        self._address = _random_address()

    def mark(self) -> Any:
        """Something that differs whenever it has been drawn from."""
        if self._address is None:
            return hash(random.getstate())
        return ctypes.string_at(self._address, _RANDOM_BYTES)

    def state(self) -> Any:
        version, words, gauss = random.getstate()
        packed = base64.b64encode(struct.pack("<625I", *words)).decode()
        return {"version": version, "words": packed, "gauss": gauss}

    def set(self, state: Any) -> None:
        words = struct.unpack("<625I", base64.b64decode(state["words"]))
        random.setstate((state["version"], words, state["gauss"]))


class NumpyGenerator:
    """The one behind `numpy.random.rand` and its like."""

    id = "numpy.random"

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy
        self._bits: Any = None
        self._address: Optional[int] = None

    @property
    def algorithm(self) -> str:
        return str(self._numpy.random.get_state(legacy=False)["bit_generator"]).lower()

    def mark(self) -> Any:
        bits = getattr(self._numpy.random.mtrand._rand, "_bit_generator", None)
        if bits is not self._bits:
            self._bits = bits
            is_twister = type(bits).__name__ == "MT19937"
            self._address = bits.ctypes.state_address if is_twister else None
        if self._address is None:
            return value_to_json(self.state())
        # The 624 words, and the index behind them.
        return ctypes.string_at(self._address, _RANDOM_BYTES)

    def state(self) -> Any:
        state = self._numpy.random.get_state(legacy=False)
        inner = dict(state["state"])
        if "key" in inner:
            inner["key"] = base64.b64encode(inner["key"].astype("<u4").tobytes()).decode()
        known = {key: state[key] for key in ("bit_generator", "has_gauss", "gauss")}
        return json.loads(value_to_json({**known, "state": inner}))

    def set(self, state: Any) -> None:
        state = value_from_json(state)
        inner = dict(state["state"])
        if "key" in inner:
            inner["key"] = self._numpy.frombuffer(base64.b64decode(inner["key"]), "<u4")
        self._numpy.random.set_state({**state, "state": inner})


class TorchGenerator:
    """The default one of a device."""

    def __init__(self, generator: Any, name: str, algorithm: str) -> None:
        self._generator = generator
        self.id = name
        self.algorithm = algorithm

    def mark(self) -> bytes:
        state = self._generator.get_state()
        return ctypes.string_at(state.data_ptr(), state.numel())

    def state(self) -> str:
        return base64.b64encode(self.mark()).decode()

    def set(self, state: str) -> None:
        torch = sys.modules["torch"]
        data = bytearray(base64.b64decode(state))
        self._generator.set_state(torch.frombuffer(data, dtype=torch.uint8))


Counts = Tuple[int, ...]


class Generators:
    """All of them that the program has loaded, and how often each was seen to have been drawn
    from. The counts are one object as long as nobody has drawn."""

    def __init__(self) -> None:
        self._known: List[Any] = [RandomGenerator()]
        self._marks: List[Any] = [self._known[0].mark()]
        self._has_numpy = False
        self._has_torch = False
        self._cuda = 0
        self.counts: Counts = (0,)

    @property
    def ids(self) -> List[str]:
        return [one.id for one in self._known]

    def look(self) -> Counts:
        """The counts now."""
        self._find()
        for index, generator in enumerate(self._known):
            mark = generator.mark()
            if mark != self._marks[index]:
                self._marks[index] = mark
                counts = list(self.counts)
                counts[index] += 1
                self.counts = tuple(counts)
        return self.counts

    def states(self) -> List[Dict[str, Any]]:
        self.look()
        return [
            {
                "id": one.id,
                "algorithm": one.algorithm,
                "state": one.state(),
                "draws": self.counts[index],
            }
            for index, one in enumerate(self._known)
        ]

    def set(self, states: List[Dict[str, Any]]) -> None:
        """Sets those that are known here; what is not loaded cannot have been drawn from."""
        self._find()
        by_id = {state["id"]: state for state in states}
        for one in self._known:
            if one.id in by_id:
                one.set(by_id[one.id]["state"])
        self.look()

    def _find(self) -> None:
        """Notices what the program has loaded since."""
        if not self._has_numpy and is_imported("numpy"):
            self._has_numpy = True
            self._add(NumpyGenerator(sys.modules["numpy"]))
        if not is_imported("torch"):
            return
        torch = sys.modules["torch"]
        if not self._has_torch:
            self._has_torch = True
            self._add(TorchGenerator(torch.default_generator, "torch", "torch-cpu"))
        if self._cuda == 0 and torch.cuda.is_initialized():
            for index, generator in enumerate(torch.cuda.default_generators):
                self._cuda += 1
                self._add(TorchGenerator(generator, f"torch.cuda:{index}", "torch-cuda"))

    def _add(self, generator: Any) -> None:
        self._known.append(generator)
        self._marks.append(generator.mark())
        self.counts = (*self.counts, 0)
