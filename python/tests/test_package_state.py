"""What a package keeps between two calls is seen where Python shows it."""

import contextlib
import contextvars
import decimal
import logging
import sys
import types
import unittest
import warnings
from typing import Any, Callable, Dict

from afterlog.state.autocast import kept_weights
from afterlog.state.package_state import is_changed, look_at_package

from .test_state import torch

VARIABLE = contextvars.ContextVar("VARIABLE", default=0)

# What a module keeps, and a call that changes it; last whether that is to be seen.
KEEPING = {
    "a number": ("n = 0\ndef call():\n    global n\n    n += 1", True),
    "a table": ("table = {}\ndef call():\n    table['a'] = table.get('a', 0) + 1", True),
    "a counter": ("import itertools\nids = itertools.count()\ndef call():\n    next(ids)", True),
    "a generator": (
        "def numbers():\n    i = 0\n    while True:\n        i += 1\n        yield i\n"
        "stream = numbers()\ndef call():\n    next(stream)",
        True,
    ),
    "what a function closes over": (
        "def make():\n    n = 0\n    def count():\n        nonlocal n\n        n += 1\n"
        "    return count\ncall = make()",
        True,
    ),
    "a default": ("def call(to=[]):\n    to.append(1)", True),
    "an attribute of a function": ("def call():\n    call.n += 1\ncall.n = 0", True),
    "an attribute of a class": ("class Box:\n    made = 0\ndef call():\n    Box.made += 1", True),
    "an object of its own": (
        "class Box:\n    def __init__(self):\n        self.n = 0\n"
        "box = Box()\ndef call():\n    box.n += 1",
        True,
    ),
    "a generator of random numbers": (
        "import random\nown = random.Random(3)\ndef call():\n    own.random()",
        True,
    ),
    "a new variable": ("def call():\n    global late\n    late = 1", True),
    "nothing": ("n = 0\ntable = {'a': [1]}\ndef call(x=1):\n    return [x]", False),
    "a new function": ("def call():\n    globals()['late'] = lambda: 1", False),
    "a cache of results": (
        "import functools\n@functools.lru_cache(None)\ndef known(x):\n    return x\n"
        "def call():\n    known(1)",
        False,
    ),
}


class PackageState(unittest.TestCase):
    def test_kept(self) -> None:
        for what, (source, seen) in KEEPING.items():
            with self.subTest(what):
                module = types.ModuleType("keeping.inner")
                sys.modules["keeping.inner"] = module
                self.addCleanup(sys.modules.pop, "keeping.inner", None)
                exec(source, module.__dict__)
                before = look_at_package("keeping", lambda _: False)
                assert before is not None
                again = look_at_package("keeping", lambda _: False)
                assert again is not None
                self.assertFalse(is_changed(before, again))
                vars(module)["call"]()
                after = look_at_package("keeping", lambda _: False)
                assert after is not None
                self.assertEqual(is_changed(before, after), seen)

    def test_attributes_that_all_instances_share(self) -> None:
        """They are captured with one of them."""
        module = types.ModuleType("keeping.inner")
        sys.modules["keeping.inner"] = module
        self.addCleanup(sys.modules.pop, "keeping.inner", None)
        source = "class Shared:\n    held = {}\n    def __init__(self):\n        self.__dict__ = "
        source += "self.held"
        exec(source, module.__dict__)
        one = vars(module)["Shared"]()
        for captured in ([], [one]):
            before = look_at_package("keeping", lambda _: False, lambda _: captured)
            one.number = [len(captured)]
            after = look_at_package("keeping", lambda _: False, lambda _: captured)
            assert before is not None and after is not None
            self.assertEqual(is_changed(before, after), not captured)

    def test_captured_objects_do_not_count(self) -> None:
        module = types.ModuleType("keeping")
        module.table = []  # type: ignore[attr-defined]
        sys.modules["keeping"] = module
        self.addCleanup(sys.modules.pop, "keeping", None)
        captured = lambda value: value is module.table  # type: ignore[attr-defined]
        before = look_at_package("keeping", captured)
        module.table.append(1)  # type: ignore[attr-defined]
        after = look_at_package("keeping", captured)
        assert before is not None and after is not None
        self.assertFalse(is_changed(before, after))

    def test_settings(self) -> None:
        sets: Dict[str, Callable[[], Any]] = {
            "decimal": lambda: setattr(decimal.getcontext(), "prec", decimal.getcontext().prec + 1),
            "sys": lambda: sys.setrecursionlimit(sys.getrecursionlimit() + 1),
            "contextvars": lambda: VARIABLE.set(VARIABLE.get() + 1),
            "logging": lambda: logging.getLogger("kept").setLevel(17),
            "warnings": lambda: warnings.simplefilter("ignore", BytesWarning),
        }
        self.check_settings(sets)

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_modes_of_torch(self) -> None:
        """Entered by hand, and not left."""
        hooks = torch.nn.modules.module
        sets: Dict[str, Callable[[contextlib.ExitStack], Any]] = {
            "no_grad": lambda stack: stack.enter_context(torch.no_grad()),
            "inference_mode": lambda stack: stack.enter_context(torch.inference_mode()),
            "autocast": lambda stack: stack.enter_context(torch.autocast("cpu")),
            "detect_anomaly": lambda stack: stack.enter_context(torch.autograd.detect_anomaly()),
            "a hook of all modules": lambda stack: stack.enter_context(
                hooks.register_module_forward_hook(lambda *of: None)
            ),
        }
        for name, change in sets.items():
            with self.subTest(name), contextlib.ExitStack() as stack, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.check_settings({"torch": lambda: change(stack)})

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_hooks_of_captured_tensors(self) -> None:
        tensor = torch.zeros(2, requires_grad=True)

        def look(captured: bool) -> Any:
            kept = [tensor] if captured else []
            return look_at_package(
                "torch", lambda _: False, lambda kind: kept * (kind is torch.Tensor)
            )

        before, beside = look(True), look(False)
        handle = tensor.register_hook(lambda gradient: gradient)
        with_hook = look(True)
        self.assertTrue(is_changed(before, with_hook))
        self.assertFalse(is_changed(beside, look(False)))
        handle.remove()
        self.assertTrue(is_changed(with_hook, look(True)))
        self.assertFalse(is_changed(before, look(True)))

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_weights_of_autocast(self) -> None:
        self.assertEqual(kept_weights(), [])
        with torch.autocast("cpu"):
            self.assertEqual([one["key"] for one in kept_weights()], ["autocast:weights"])
        with torch.autocast("cpu", cache_enabled=False):
            self.assertEqual(kept_weights(), [])

    def check_settings(self, sets: Dict[str, Callable[[], Any]]) -> None:
        for package, change in sets.items():
            with self.subTest(package):
                before = look_at_package(package, lambda _: False)
                self.assertEqual(look_at_package(package, lambda _: False), before)
                change()
                after = look_at_package(package, lambda _: False)
                assert before is not None and after is not None
                self.assertTrue(is_changed(before, after))
