"""The generators of random numbers that a program shares: of `random`, of NumPy, of torch (CPU and
each CUDA device). Their states are part of every checkpoint.

Nobody tells when one is drawn from, so their states are compared at the boundaries of iterations.
`generator_marks.py` says how that is done in less than a microsecond.
"""

import base64
import json
import random
import struct
import sys
from typing import Any, Dict, List, Tuple

from ..format.values import value_from_json, value_to_json
from .generator_marks import CudaMarks, NumpyMarks, RandomMarks, TorchMarks, torch_state
from .after_import import is_imported


class RandomGenerator:
    """That of the module `random`."""

    id = "random"
    algorithm = "mt19937"

    def __init__(self) -> None:
        self.mark = RandomMarks().mark

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
        self.mark = NumpyMarks(numpy, lambda: value_to_json(self.state())).mark

    @property
    def algorithm(self) -> str:
        return str(self._numpy.random.get_state(legacy=False)["bit_generator"]).lower()

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
        kind: Any = TorchMarks if algorithm == "torch-cpu" else CudaMarks
        self.mark = kind(generator, lambda: torch_state(generator)).mark

    def state(self) -> str:
        return base64.b64encode(torch_state(self._generator)).decode()

    def set(self, state: str) -> None:
        torch = sys.modules["torch"]
        data = bytearray(base64.b64decode(state))
        self._generator.set_state(torch.frombuffer(data, dtype=torch.uint8))

    def seed(self, seed: int) -> None:
        self._generator.manual_seed(seed)


def cuda_generators() -> List[TorchGenerator]:
    """Those of all devices, when CUDA has made them."""
    generators = enumerate(sys.modules["torch"].cuda.default_generators)
    return [
        TorchGenerator(generator, f"torch.cuda:{index}", "torch-cuda")
        for index, generator in generators
    ]


def facts_of(generator: Any) -> Dict[str, Any]:
    return {"id": generator.id, "algorithm": generator.algorithm, "state": generator.state()}


Counts = Tuple[int, ...]


class Generators:
    """All of them that the program has loaded, and how often each was seen to have been drawn
    from. The counts are one object as long as nobody has drawn."""

    def __init__(self) -> None:
        self._known: List[Any] = [RandomGenerator()]
        self._marks: List[Any] = [self._known[0].mark()]
        self._has_numpy = False
        self._has_torch = False
        self._has_cuda = False
        self.counts: Counts = (0,)
        # Those that were given last, of the first of the known ones.
        self._states: List[Dict[str, Any]] = []

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
        """As a checkpoint has them."""
        states_by_id = dict(zip(self.ids, self._states))
        self._states = []
        for generator, draws in zip(self._known, self.look()):
            state = states_by_id.get(generator.id)
            # That of one that nobody has drawn from is as it was.
            if state is None or state["draws"] != draws:
                state = {**facts_of(generator), "draws": draws}
            self._states.append(state)
        return list(self._states)

    def set(self, states: List[Dict[str, Any]]) -> None:
        """Sets those that are known here; what is not loaded cannot have been drawn from."""
        self._find()
        by_id = {state["id"]: state for state in states}
        for generator in self._known:
            if generator.id in by_id:
                generator.set(by_id[generator.id]["state"])
        self.look()

    def _find(self) -> None:
        """Notices what the program has loaded since."""
        if not self._has_numpy and is_imported("numpy"):
            self._has_numpy = True
            self._add(NumpyGenerator(sys.modules["numpy"]))
        if not self._has_torch and is_imported("torch"):
            self._has_torch = True
            generator = sys.modules["torch"].default_generator
            self._add(TorchGenerator(generator, "torch", "torch-cpu"))
        if self._has_torch and not self._has_cuda:
            self._find_cuda(sys.modules["torch"].cuda)

    def _find_cuda(self, cuda: Any) -> None:
        if not cuda.is_initialized():
            return
        self._has_cuda = True
        for generator in cuda_generators():
            self._add(generator)

    def _add(self, generator: Any) -> None:
        self._known.append(generator)
        self._marks.append(generator.mark())
        self.counts = (*self.counts, 0)
