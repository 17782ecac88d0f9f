"""What Afterlog does for itself with objects of the program is not seen by it: no method of a class
derived from a container is called, and neither classes of tensors nor modes that are on are told
of it, as of what the program does (`__torch_function__`, `__torch_dispatch__`)."""

import collections
import contextlib
import sys
import unittest
from typing import Any, Callable, Dict, List

from afterlog.format.errors import AfterlogError
from afterlog.handsfree.numbers import number_of
from afterlog.handsfree.printed import printed_piece
from afterlog.materialize.slots import Slot, lay_out
from afterlog.record.log.logged_tensor import encode_tensor
from afterlog.record.replay.compare_state import StateNow, captured_state
from afterlog.record.replay.set_back import save_standing
from afterlog.state.fingerprint import THOROUGH, Fingerprints
from afterlog.state.places import Place
from afterlog.state.restore import restore
from afterlog.state.unseen import unseen
from afterlog.state.walk import capture, identify
from afterlog.state.walk_cache import WalkCache

from .test_state import torch

_told: List[str] = []

if torch is not None:

    class Told(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            _told.append(str(func))
            return super().__torch_function__(func, types, args, kwargs or {})

    class Dispatched(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @classmethod
        def __torch_dispatch__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            _told.append(str(func))
            return super().__torch_dispatch__(func, types, args, kwargs or {})

    class Wrapping(torch.Tensor):
        """One that has no memory of its own."""

        @staticmethod
        def __new__(cls, inner: Any) -> Any:
            made = torch.Tensor._make_wrapper_subclass(cls, inner.size(), dtype=inner.dtype)
            made.inner = inner
            return made

        @classmethod
        def __torch_dispatch__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            plain = [one.inner if isinstance(one, Wrapping) else one for one in args]
            return Wrapping(func(*plain, **(kwargs or {})))


class Held:
    """A variable, and what is done with it."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.places = [Place("x", "a", lambda: self.value, self._set)]

    def _set(self, value: Any) -> None:
        self.value = value

    def save(self) -> Any:
        state = capture(self.places, identify(self.places))
        layout = lay_out(state.leaves)
        slot = Slot(max(layout.bytes, 1), pin=False)
        data: Dict[str, bytearray] = {}
        for leaf, value, offset in zip(state.leaves, state.values, layout.offsets):
            with unseen():
                leaf.copy(value, slot, offset)
            data[leaf.spec.name] = bytearray(slot.view[offset : offset + leaf.spec.bytes])
        return {**state.graph, "entry": state.entry}, data

    def load(self, saved: Any) -> None:
        graph, data = saved
        restore(self.places, graph, identify(self.places, hold=True), lambda n: memoryview(data[n]))

    def save_again_and_again(self) -> None:
        cache = WalkCache()
        for _ in range(3):
            cache.capture(self.places, cache.identify(self.places))

    def compare(self) -> None:
        captured_state(StateNow(self.places, identify(self.places), []), True)

    def ask(self) -> None:
        for put_back in save_standing(True).put_backs:
            put_back()


def _work(held: Held) -> Dict[str, Callable[[], Any]]:
    saved = held.save()
    looks = Fingerprints(lambda _: True, lambda _: False, True, THOROUGH)
    return {
        "a checkpoint": held.save,
        "the next one": held.save_again_and_again,
        "restoring": lambda: held.load(saved),
        "comparing": held.compare,
        "the audit": lambda: looks.of(held.value),
        "a log call": lambda: encode_tensor(held.value[1], lambda _: 0),
        "a printed number": lambda: number_of(held.value[1]),
        "a printed value": lambda: printed_piece(held.value[0]),
        "a question": held.ask,
    }


class Checked(unittest.TestCase):
    def check(self, held: Held, telling: Any) -> None:
        for what, work in _work(held).items():
            with self.subTest(what, of=type(held.value[0]).__name__):
                with telling:
                    del _told[:]
                    work()
                    self.assertEqual(_told, [])


def _telling(name: str, own: Any) -> Any:
    def method(self: Any, *args: Any) -> Any:
        _told.append(name)
        return own(self, *args)

    return method


# Of what every object has, and what makes one.
_ASKED_OF_ALL = {"__getattribute__", "__new__", "__init__", "__class_getitem__", "__hash__"}
_ASKED_OF_ALL |= {"__init_subclass__", "__subclasshook__", "__reduce_ex__", "__eq__"}


class Containers(Checked):
    def test_methods_are_not_called(self) -> None:
        module = sys.modules[__name__]
        for base in (dict, collections.OrderedDict, collections.defaultdict, list, tuple, set,
                     frozenset, collections.deque, bytes, bytearray):  # fmt: skip
            names = [one for one in dir(base) if callable(getattr(base, one))]
            own = {one: _telling(one, getattr(base, one)) for one in names}
            for name in _ASKED_OF_ALL:
                own.pop(name, None)
            kind = type(f"Told_{base.__name__}", (base,), own)
            setattr(module, kind.__name__, kind)
            kind.__module__ = __name__
            given = [(1, 2)] if base is not bytes and base is not bytearray else b"12"
            value = kind() if base is collections.defaultdict else kind(given)
            with self.subTest(base.__name__):
                self.check(Held([value, {"x": value}]), contextlib.nullcontext())


@unittest.skipIf(torch is None, "no torch")
class Tensors(Checked):
    def test_classes_are_not_told(self) -> None:
        for kind in (Told, Dispatched):
            for shape in ((3,), (3, 2)):
                whole = torch.ones(shape).t().as_subclass(kind)
                module = torch.nn.Linear(1, 1)
                module.register_buffer("kept", torch.ones(2).as_subclass(kind))
                one = torch.ones(1).as_subclass(kind)
                self.check(Held([whole, one, module]), contextlib.nullcontext())

    def test_modes_are_not_told(self) -> None:
        from torch.overrides import TorchFunctionMode
        from torch.utils._python_dispatch import TorchDispatchMode

        def tell(mode: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            _told.append(str(func))
            return func(*args, **(kwargs or {}))

        functions = type("Functions", (TorchFunctionMode,), {"__torch_function__": tell})
        dispatched = type("Dispatched", (TorchDispatchMode,), {"__torch_dispatch__": tell})
        for mode in (functions, dispatched):
            value = [torch.ones(3, 2).t(), torch.ones(1), torch.nn.BatchNorm1d(2)]
            self.check(Held(value), mode())

    def test_without_memory(self) -> None:
        """Nothing is there that could be copied."""
        value = Wrapping(torch.ones(3))
        with self.assertRaises(AfterlogError):
            Held(value).save()
        self.assertIn("Wrapping", encode_tensor(value, lambda _: 0) or "")
        self.assertIsNotNone(Fingerprints(lambda _: True, lambda _: False, True).of([value]))


if __name__ == "__main__":
    unittest.main()
