"""State that hides in objects of Python, of its standard library and of NumPy: what a loop changes
of it is restored, or the loop is executed again. Nothing may be restored to something else.

Each row: what stands before the loop, its body, and what is asked behind it. The truth is what the
program says that has executed the loop; another process gets what the analysis of the program
without the question names of that, and is asked the same. What packages and Python itself keep for
all is not here: a run looks at it."""

import json
import os
import pickle
import re
import sys
import textwrap
import traceback
import types
import unittest
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from afterlog.format.errors import AfterlogError
from afterlog.format.safetensors import compact_json
from afterlog.materialize.slots import Slot, lay_out
from afterlog.record.checkpoints.captured_state import in_order
from afterlog.record.loops.loop_analysis import Variables, places_of
from afterlog.source.analysis.loop_changes import Changed
from afterlog.source.model import Model
from afterlog.source.program.program import Program
from afterlog.state.places import Place
from afterlog.state.restore import restore
from afterlog.state.walk import capture, identify

from .hidden_state.attributes import HELD, MADE
from .hidden_state.beside import BESIDE
from .hidden_state.drawn import DRAWN
from .hidden_state.executed import EXECUTED
from .hidden_state.gone_through import GONE_THROUGH
from .hidden_state.restored import RESTORED, Row
from .test_state import numpy, torch

_MODULES = """array bisect codecs collections configparser contextlib contextvars copy csv ctypes
dataclasses datetime decimal difflib enum fractions functools hashlib heapq io itertools logging
math mmap operator queue random re sched statistics string struct threading types typing weakref
zlib argparse ipaddress asyncio""".split()
_OTHERS = {
    "np": "import numpy as np",
    "torch": "import torch, torch.utils.data",
    "ET": "import xml.etree.ElementTree as ET",
    "mock": "import unittest.mock as mock",
    "email": "import email.message",
    "http": "import http.cookies",
}


def _imports(text: str) -> str:
    lines = [f"import {one}\n" for one in _MODULES if re.search(rf"\b{one}\.", text)]
    lines += [f"{line}\n" for one, line in _OTHERS.items() if re.search(rf"\b{one}\.", text)]
    return "".join(lines)


class _Executed(NamedTuple):
    """What the process says that has executed the loop."""

    graph: Dict[str, Any]
    tensors: Dict[str, bytes]
    answer: str


class _Program:
    """A copy of a program, executed up to its loop."""

    def __init__(self, text: str) -> None:
        self._held = types.ModuleType("afterlog_hidden")
        sys.modules["afterlog_hidden"] = self._held
        self.go(text)

    def go(self, text: str) -> None:
        exec(text, self._held.__dict__)

    def ask(self, text: str) -> str:
        return repr(eval(text, self._held.__dict__))

    def places(self, changes: List[Changed]) -> List[Place]:
        held = Variables(self._held.__dict__)
        return in_order([place for one in changes for place in places_of(one, held, 0)])


def _changes(before: str, loop: str, ask: str) -> Optional[List[Changed]]:
    """None: the loop is executed again."""
    text = (
        f"import afterlog as al\n{before}for i in al.loop('step', range(3)):\n{loop}print({ask})\n"
    )
    model = Model(Program("t.py", {"t.py": text}.get))
    changes: List[Changed] = model.changes[0]
    is_told = not model.uncertain and all(one.access == "name" for one in changes)
    return changes if is_told else None


def _in_other_process(do: Callable[[], Any]) -> Any:
    """What comes of it there."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with open(writes, "wb") as pipe:
                pickle.dump(do(), pipe)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writes)
    with open(reads, "rb") as pipe:
        given = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(given)


def _executed(before: str, loop: str, ask: str, changes: List[Changed]) -> Optional[_Executed]:
    """None: something of it cannot be captured."""
    program = _Program(before)
    entry = identify(program.places(changes))
    program.go(f"for i in range(3):\n{loop}")
    state = capture(program.places(changes), entry)
    if any("absent" in one for one in state.graph["places"]):
        return None
    layout = lay_out(state.leaves)
    slot = Slot(max(layout.bytes, 1), pin=False)
    tensors = {}
    for leaf, value, offset in zip(state.leaves, state.values, layout.offsets):
        leaf.copy(value, slot, offset)
        tensors[leaf.spec.name] = bytes(slot.view[offset : offset + leaf.spec.bytes])
    graph = json.loads(compact_json({**state.graph, "entry": state.entry}))
    return _Executed(graph, tensors, program.ask(ask))


class HiddenState(unittest.TestCase):
    def answers(self, row: Row) -> Optional[List[str]]:
        """The truth, and what is said behind a loop that was skipped; None: it is executed."""
        before, body, ask = row
        before, loop = _imports(" ".join(row)) + before + "\n", textwrap.indent(body + "\n", "    ")
        # A run is recorded before anybody asks, and what is asked may need more than it has.
        changes, asked = _changes(before, loop, "0"), _changes(before, loop, ask)
        if changes is None or asked is None:
            return None
        recorded = {one.key for one in changes}
        if any(one.needed and one.key not in recorded for one in asked):
            return None
        executed = _in_other_process(lambda: _executed(before, loop, ask, changes))
        if executed is None:
            return None
        program = _Program(before)
        held = identify(program.places(changes), hold=True)
        data = {name: bytearray(one) for name, one in executed.tensors.items()}
        try:
            restore(program.places(changes), executed.graph, held, lambda n: memoryview(data[n]))
        except AfterlogError:
            return None
        return [executed.answer, program.ask(ask)]

    def check(self, rows: Dict[str, Row], is_restored: bool) -> None:
        for name, row in rows.items():
            text = " ".join(row)
            if (numpy is None and "np." in text) or (torch is None and "torch." in text):
                continue
            with self.subTest(name):
                answers = self.answers(row)
                if answers is not None or is_restored:
                    truth, found = answers or ["restored", "executed"]
                    self.assertEqual(found, truth)

    def test_restored(self) -> None:
        self.check({**RESTORED, **BESIDE, **HELD}, is_restored=True)

    def test_drawn(self) -> None:
        self.check(DRAWN, is_restored=True)

    def test_never_something_else(self) -> None:
        self.check({**EXECUTED, **GONE_THROUGH, **MADE}, is_restored=False)


if __name__ == "__main__":
    unittest.main()
