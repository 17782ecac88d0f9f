"""Made-up programs, taken to the end of their loop by what the source says that it changes: the
whole state must be the one that executing the loop leads to, with every object shared as it was.

Two ways are compared. The program is executed to the loop's end, and what the analysis names is
captured there. Another copy of it is executed up to the loop only, and gets that. Then both go on
with more iterations."""

import collections
import functools
import json
import os
import random
import sys
import types
import unittest
from typing import Any, Dict, List

from afterlog.format.safetensors import compact_json
from afterlog.materialize.graph_text import place_hashes
from afterlog.record.checkpoints.captured_state import in_order
from afterlog.record.loops.loop_analysis import Variables, places_of
from afterlog.source.analysis.loop_changes import Changed
from afterlog.source.model import Model
from afterlog.source.program.program import Program
from afterlog.state.places import Place
from afterlog.state.restore import restore
from afterlog.state.walk_cache import WalkCache
from afterlog.state.walk import capture, identify

_HEAD = """
import collections, functools
import afterlog as al

class C:
    def __init__(self):
        self.x = 0
        self.items = [0]
        self.other = None
    def add(self, value):
        self.items.append(value)
        return self
    def link(self, other):
        self.other = other
    def get(self):
        return self.other or self
    def bump(self):
        self.x += 1
        return self.x
    def deep(self):
        return self.get().bump()
    def __len__(self):
        self.x += 1
        return 7
    @property
    def first(self):
        return self.items

class D(C):
    def add(self, value):
        super().add(value)
        self.last = value
        return self.get()

class Holder:
    def __init__(self, held):
        self.held = held
    def __call__(self, value):
        self.held.append(value)
        return self.held
    def __iter__(self):
        for one in list(self.held):
            yield one

def push(target, value):
    target.append(value)
    return target

def grow(target):
    target.append(len(target))
    return target

def ident(value):
    return value

def pick(first, second, which):
    if which % 2:
        return first
    return second

def wrap(value):
    return [value]

def unwrap(values):
    return values[0]

def through(function, value):
    return function(value)

def items(values):
    for one in values:
        yield one

def set_global(value):
    global n2
    n2 = value

def append_global(value):
    l2.append(value)

out = []
n0, n1, n2 = 1, 2, 3
l0, l1, l2 = [1], [2, 3], [4]
o0, o1, o2 = C(), D(), C()
d0 = {"k": [5]}
s0, q0 = set(), collections.deque([1])
h0 = Holder([1])
p0, m0 = functools.partial(grow, [6]), C().bump
"""


class _Maker:
    """Statements of known types, so that none fails."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def one(self, *choices: str) -> str:
        return self._random.choice(choices)

    def number(self, depth: int = 0) -> str:
        name = self.one("n0", "n1", "n2", "i")
        if depth > 1:
            return name
        length, x = f"len({self.list(depth + 1)})", f"{self.object(depth + 1)}.x"
        return self.one(name, name, f"{name} + 1", length, x, "1", "m0()")

    def list(self, depth: int = 0) -> str:
        name = self.one("l0", "l1", "l2")
        if depth > 1:
            return name
        return self.one(
            name,
            name,
            f"ident({name})",
            f"pick({name}, {self.one('l0', 'l1')}, i)",
            f"{self.object(depth + 1)}.items",
            f"{self.object(depth + 1)}.first",
            'd0["k"]',
            f"unwrap(wrap({name}))",
            "h0.held",
            f"h0({self.number(depth + 1)})",
            "p0()",
            f"[{self.number(depth + 1)}]",
            f"list({name})",
            f"d0.setdefault('k', {name})",
            f"[{name}, {name}][1]",
        )

    def object(self, depth: int = 0) -> str:
        name = self.one("o0", "o1", "o2")
        if depth > 1:
            return name
        return self.one(
            name,
            name,
            f"{name}.get()",
            f"ident({name})",
            f"pick({name}, o1, {self.number(depth + 1)})",
            f"{name}.add({self.number(depth + 1)})",
            "C()",
            "D()",
            f"unwrap(wrap({name}))",
            f"max([{name}], key=id)",
            f"({name} or o1)",
        )

    def any(self) -> str:
        return self.one(self.number(), self.number(), self.list(1), self.object(1))

    def statement(self, depth: int = 0) -> List[str]:
        pick = self._random.randrange(29 if depth < 2 else 25)
        simple = [
            lambda: f"{self.one('n0', 'n1', 'n2')} = {self.number()}",
            lambda: f"{self.one('n0', 'n1')} += {self.number()}",
            lambda: f"{self.one('l0', 'l1', 'l2')} = {self.list()}",
            lambda: f"{self.one('o0', 'o1', 'o2')} = {self.object()}",
            lambda: f"{self.list()}.append({self.any()})",
            lambda: f"{self.one('l0', 'l1')} += [{self.any()}]",
            lambda: f"{self.object()}.x = {self.number()}",
            lambda: f"{self.object()}.items = {self.list()}",
            lambda: f"{self.object()}.link({self.object()})",
            lambda: f"{self.object()}.deep()",
            lambda: f'd0["k"] = {self.list()}',
            lambda: f"push({self.list()}, {self.any()})",
            lambda: f"set_global({self.number()})",
            lambda: f"append_global({self.any()})",
            lambda: f"through(lambda value: {self.list()}.append(value), {self.any()})",
            lambda: f"through({self.object()}.add, {self.number()})",
            lambda: "n0, n1 = n1, n0",
            lambda: f"out.append({self.number()})",
            lambda: f"h0 = Holder({self.list()})",
            lambda: f"[push({self.list()}, one) for one in range(2)]",
            lambda: f"t0 = {self.list()}; t0.append({self.number()})",
            lambda: f"setattr({self.object()}, 'items', {self.list()})",
            lambda: f"s0.add({self.number()})",
            lambda: f"q0.append({self.any()}); q0.rotate(1)",
            lambda: f"del {self.list()}[:-3]",
        ]
        if pick < len(simple):
            return [simple[pick]()]
        inner = [f"    {line}" for line in self.statement(depth + 1)]
        head = [
            lambda: f"if {self.number()} % 2:",
            lambda: f"for one in items(list({self.list()})[:3]):",
            lambda: "for one in list(h0)[:2]:",
            lambda: f"while {self.one('o0', 'o1')}.bump() % 3 and turns{depth} < 3:",
        ]
        # What is in the loop may set back what its head counts: this ends it all the same.
        looped = pick == len(simple) + 3
        before, after = ([f"turns{depth} = 0"], [f"    turns{depth} += 1"]) if looped else ([], [])
        return [*before, head[pick - len(simple)](), *inner, *after]

    def loop(self) -> str:
        count = self._random.randrange(1, 6)
        lines = [line for _ in range(count) for line in self.statement()]
        return "for i in al.loop('step', range(3)):\n" + "\n".join(f"    {one}" for one in lines)

    def before(self) -> str:
        lines = [line for _ in range(self._random.randrange(4)) for line in self.statement()]
        return "i = 1\n" + "\n".join(lines) + "\n"


class _Execution:
    """A copy of a program, in a module of its own."""

    def __init__(self, text: str) -> None:
        self.module = types.ModuleType("afterlog_truth")
        self.use()
        exec(text, self.module.__dict__)

    def use(self) -> None:
        sys.modules["afterlog_truth"] = self.module

    def go(self, text: str) -> None:
        self.use()
        exec(text, self.module.__dict__)

    def places(self, changes: List[Changed]) -> List[Place]:
        held = Variables(self.module.__dict__)
        return in_order([place for one in changes for place in places_of(one, held, 0)])


def graph_of(held: Dict[str, Any], names: List[str]) -> Any:
    """All that the names reach; the same for two states exactly if nobody can tell them apart."""
    numbers: Dict[int, int] = {}

    def seen(value: Any) -> Any:
        if value is None or isinstance(value, (int, str, float)):
            return value
        if id(value) in numbers:
            return ("seen", numbers[id(value)])
        numbers[id(value)] = len(numbers)
        if isinstance(value, set):
            return ("set", sorted(value))
        if isinstance(value, (list, tuple, collections.deque)):
            return (type(value).__name__, [seen(one) for one in value])
        if isinstance(value, dict):
            return ("dict", [(key, seen(one)) for key, one in value.items()])
        if isinstance(value, functools.partial):
            return ("partial", seen(value.args))
        if isinstance(value, types.MethodType):
            return ("method", seen(value.__self__))
        held_ = sorted(vars(value).items())
        return (type(value).__name__, [(key, seen(one)) for key, one in held_])

    return [(name, seen(held[name])) for name in names if name in held]


def changes_in(text: str) -> List[Changed]:
    model = Model(Program("t.py", {"t.py": text}.get))
    assert not model.uncertain, model.uncertain
    return model.changes[0]


class Truth(unittest.TestCase):
    def check(self, seed: int) -> None:
        maker = _Maker(seed)
        before, loop = _HEAD + maker.before(), maker.loop()
        every = changes_in(f"{before}{loop}\n")
        if any(one.access != "name" for one in every):
            # It is executed, then. Few are: that is for other tests.
            return
        needed = [one for one in every if not one.dead]
        for names in (every, needed):
            made = f"{before[len(_HEAD):]}{loop}"
            executed, restored = _Execution(before), _Execution(before)
            executed.use()
            ids = identify(executed.places(names))
            memory = WalkCache()
            memory.capture(executed.places(names), ids)
            executed.go(loop)
            state = capture(executed.places(names), ids)
            # The same by the way that a run takes, which walks again what has changed.
            again = memory.capture(executed.places(names), ids)
            # What no place reaches comes last, and garbage may be among it.
            hashes = [place_hashes(one.graph, {}) for one in (again, state)]
            self.assertEqual(hashes[0], hashes[1], made)
            self.assertFalse([one for one in state.graph["places"] if "absent" in one], loop)
            saved = json.loads(compact_json({**state.graph, "entry": state.entry}))
            restored.use()
            held = identify(restored.places(names), hold=True)
            restore(restored.places(names), saved, held, lambda _: memoryview(b""))
            # The others are bound anew before anything reads them: what they share does not matter.
            dead = {one.name for one in every if one.dead}
            kept = [name for name in _variables(executed) if name not in dead]
            for name in dead if names is every else ():
                one, other = (vars(each.module) for each in (executed, restored))
                self.assertEqual(graph_of(one, [name]), graph_of(other, [name]), made)
            for more in range(2):
                one, other = (vars(each.module) for each in (executed, restored))
                same = graph_of(one, kept) == graph_of(other, kept)
                self.assertTrue(same, f"seed {seed}, {more}, {[c.name for c in names]}:\n{made}")
                executed.go(loop)
                restored.go(loop)

    def test_made_up_programs(self) -> None:
        # As `test/support/draws.ts` says for TypeScript.
        first = 1000 * (int(os.environ.get("AFTERLOG_TEST_SEED", "1")) - 1)
        count = 500 if "AFTERLOG_TEST_COUNT" in os.environ else 15
        for seed in range(first, first + count):
            with self.subTest(seed):
                self.check(seed)


def _variables(execution: _Execution) -> List[str]:
    kinds = (types.ModuleType, types.FunctionType, type)
    return sorted(
        name
        for name, value in vars(execution.module).items()
        if not name.startswith("__") and not isinstance(value, kinds)
    )


if __name__ == "__main__":
    unittest.main()
