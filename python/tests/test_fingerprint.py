"""Fingerprints: two that differ prove a change, and what stays as it is has the same one."""

import argparse
import collections
import types
import unittest
from typing import Any, Callable, List, Tuple

from afterlog.state.fingerprint import CHEAP, THOROUGH, Bounds, Fingerprints


class _Own:
    def __init__(self) -> None:
        self.items = [1, 2]


class _Slots:
    __slots__ = ("n",)

    def __init__(self) -> None:
        self.n = 1


class _Foreign:
    def __init__(self) -> None:
        self.items = [1, 2]


class _Odd(dict):
    """Whoever asks it in the usual way is told something else each time."""

    asked = 0

    def items(self) -> Any:
        _Odd.asked += 1
        return [(_Odd.asked, 0)]


def _print(
    value: Any, captured: Tuple[Any, ...] = (), elements: bool = True, bounds: Bounds = CHEAP
) -> int:
    is_captured = lambda one: any(one is known for known in captured)
    is_own = lambda one: one in (_Own, _Slots) or isinstance(one, types.FunctionType)
    return Fingerprints(is_own, is_captured, elements, bounds).of(value)


def _function(kept: Any = None) -> Any:
    def function(kept: Any = kept) -> Any:
        return kept

    return function


def _grow(value: Any) -> None:
    value["list"].append(1)


class Changes(unittest.TestCase):
    def test_are_seen(self) -> None:
        own, space, queue = _Own(), types.SimpleNamespace(n=1), collections.deque([1])
        nested: Any = {"list": []}
        options = argparse.Namespace(lr=0.1)
        slots = _Slots()
        rows: List[Tuple[Any, Callable[[], Any]]] = [
            (own, lambda: own.items.append(3)),
            (space, lambda: setattr(space, "n", 2)),
            (queue, lambda: queue.appendleft(0)),
            (nested, lambda: _grow(nested)),
            (_Own, lambda: setattr(_Own, "n", 1)),
            (_Own, lambda: setattr(_Own, "seen", [])),
            (_Own, lambda: getattr(_Own, "seen").append(1)),
            (options, lambda: setattr(options, "lr", 0.2)),
            (slots, lambda: setattr(slots, "n", 2)),
        ]
        for value, change in rows:
            with self.subTest(type(value).__name__):
                before = _print(value)
                self.assertEqual(_print(value), before)
                change()
                self.assertNotEqual(_print(value), before)

    def test_are_seen_by_a_thorough_look(self) -> None:
        late, deep = [[n] for n in range(1000)], [[[[[[[1]]]]]]]
        function, keeping, cell = _function(), _function(), [0]
        with_default, closed = _function(cell), (lambda kept: lambda: kept)([0])
        rows: List[Tuple[Any, Callable[[], Any]]] = [
            (late, lambda: late[900].append(1)),
            (deep, lambda: deep[0][0][0][0][0][0].append(1)),
            (function, lambda: setattr(function, "calls", 1)),
            (keeping, lambda: keeping.__dict__.setdefault("seen", []).append(1)),
            (with_default, lambda: cell.append(1)),
            (closed, lambda: closed().append(1)),
        ]
        for index, (value, change) in enumerate(rows):
            with self.subTest(index):
                before = _print(value), _print(value, bounds=THOROUGH)
                change()
                self.assertEqual(_print(value), before[0])
                self.assertNotEqual(_print(value, bounds=THOROUGH), before[1])

    def test_of_variables_of_a_call_under_way_are_theirs(self) -> None:
        count = 0
        get = lambda: count
        before = _print(get, bounds=THOROUGH)
        count += 1
        self.assertEqual(_print(get, bounds=THOROUGH), before)

    def test_of_values(self) -> None:
        self.assertNotEqual(_print(0.0), _print(-0.0))
        self.assertNotEqual(_print(1), _print(True))
        self.assertNotEqual(_print("a" * 9000), _print("a" * 8999 + "b"))
        self.assertEqual(_print(float("nan")), _print(float("nan")))

    def test_are_not_looked_for(self) -> None:
        """In what is captured, and in what libraries keep to themselves."""
        inner = [1]
        holder, foreign = [inner], _Foreign()
        before = _print(holder, (inner,)), _print(foreign)
        inner.append(2)
        foreign.items.append(3)
        self.assertEqual((_print(holder, (inner,)), _print(foreign)), before)

    def test_nothing_of_the_program_is_called(self) -> None:
        odd = _Odd(a=1)
        self.assertEqual(_print(odd), _print(odd))
        self.assertEqual(_Odd.asked, 0)

    def test_ends(self) -> None:
        endless: List[Any] = []
        endless += [endless] * 1000
        self.assertEqual(_print(endless), _print(endless))


class OfTensors(unittest.TestCase):
    def test_elements(self) -> None:
        try:
            import numpy
            import torch
        except ImportError:
            self.skipTest("needs torch and numpy")
        kinds = (torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64)
        tensors = [torch.zeros(3, 4, dtype=kind) for kind in kinds]
        tensors += [torch.zeros(5, 5).t(), torch.nn.Parameter(torch.zeros(4))]
        for value in [*tensors, numpy.zeros((3, 3)), numpy.zeros((4, 4))[::2, ::2]]:
            with self.subTest(str(value.dtype)):
                before, blind = _print(value), _print(value, elements=False)
                self.assertEqual(_print(value), before)
                with torch.no_grad():
                    value[1] = 1
                self.assertNotEqual(_print(value), before)
                self.assertEqual(_print(value, elements=False), blind)
        large = torch.zeros(1000, 100)
        before = _print(large), _print(large, bounds=THOROUGH)
        large[500, 17] = 1
        self.assertEqual(_print(large), before[0])
        self.assertNotEqual(_print(large, bounds=THOROUGH), before[1])
        model = torch.nn.Linear(2, 2)
        opened = Fingerprints(lambda kind: kind is torch.nn.Linear, lambda _: False, True)
        before = opened.of(model)
        self.assertEqual(opened.of(model), before)
        model.weight.data.zero_()
        self.assertNotEqual(opened.of(model), before)


if __name__ == "__main__":
    unittest.main()
