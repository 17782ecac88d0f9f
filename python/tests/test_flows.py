"""Which logged values come from a clock, from entropy or from an id, by the text of a program."""

import ast
import unittest
from typing import List, Tuple

from afterlog.source.analysis.fixpoint import Analysis
from afterlog.source.analysis.set_elements import unordered_sets
from afterlog.source.model import Model
from afterlog.source.nondeterminism.call_sites import find_call_sites
from afterlog.source.nondeterminism.chance import depends_on_chance
from afterlog.source.program.program import Program

_SHUFFLE = "random.SystemRandom.shuffle()"

# A program that calls `log(value)`, and what the value depends on; empty: nothing of the kind.
_ROWS: List[Tuple[str, List[str]]] = [
    ("import time\nlog(time.time())", ["time.time() at a.py:2"]),
    ("import time\nnow = time.time\nlog(now())", ["time.time() at a.py:3"]),
    ("from time import time_ns as t\nlog(t() % 5)", ["time.time_ns() at a.py:2"]),
    ("import datetime\nlog(datetime.date(2026, 1, 1).day)", []),
    ("import datetime\nlog(datetime.date.today().day)", ["datetime.date.today() at a.py:2"]),
    ("import random\nlog(random.random())", []),
    ("import random\nlog(random.Random(3).random())", []),
    ("import random\nlog(random.Random().random())", ["random.Random() at a.py:2"]),
    ("import random\nrandom.seed(id(1))\nlog(random.random())", ["id() at a.py:2"]),
    ("import time\nt = time.time()\nw = 1\nw += 2\nprint(w, t)\nlog(w)", []),
    ("import time\na = A()\na.t = time.time()\nlog(a.w)", []),
    ("import time\na = A()\nb = a\nb.t = time.time()\nlog(a.t)", ["time.time() at a.py:4"]),
    ("import time\na = []\nb = a\nb.append(time.time())\nlog(a[0])", ["time.time() at a.py:4"]),
    ("import time\nn = 0\nwhile time.time() < 5:\n    n += 1\nlog(n)", ["time.time() at a.py:3"]),
    (
        "n = 0\nwhile True:\n    n += 1\n    if id(n) > 5:\n        break\nlog(n)",
        ["id() at a.py:4"],
    ),
    (
        "class A:\n    @property\n    def t(self):\n        return id(self)\nlog(A().t)",
        ["id() at a.py:4"],
    ),
    ("def f(x, y=1):\n    return x + y\nlog(f(1, y=id(f)))", ["id() at a.py:3"]),
    (
        "import threading, time\nn = 0\ndef beat():\n    global n\n    while not stop:\n"
        "        n += 1\n        time.sleep(1)\n"
        "threading.Thread(target=beat, daemon=True).start()\nlog(n)",
        ["time that threading.Thread() at a.py:8 has had"],
    ),
    (
        "from threading import Thread\nclass Monitor(Thread):\n    def run(self):\n"
        "        while not self.stop.wait(1):\n            self.seen.append(1)\n"
        "m = Monitor()\nlog(m.seen)",
        ["time that threading.Thread() at a.py:2 has had"],
    ),
    # A thread that does its work, and is waited for.
    (
        "import threading\nn = []\ndef work():\n    while len(n) < 3:\n        n.append(q.get())\n"
        "t = threading.Thread(target=work)\nt.start()\nt.join()\nlog(n)",
        [],
    ),
    ("import os\nlog(len(os.getcwd()))", ["os.getcwd at a.py:2"]),
    (
        "from os.path import abspath\nlog(abspath(__file__))",
        ["os.path.abspath at a.py:2", "__file__ at a.py:2"],
    ),
    ("import sys\nlog(len(sys.argv[0]))", ["sys.argv at a.py:2"]),
    ("import os\nx = open(os.path.abspath('x')).read()\nlog(len(x))", []),
    ("import gc\nlog(len(gc.get_objects()))", ["gc.get_objects() at a.py:2"]),
    ("log(id([]))", ["id() at a.py:1"]),
    ("log(x.data_ptr())", ["data_ptr at a.py:1"]),
    ("log(x._base is None)", ["_base at a.py:1"]),
    ("log(x.base is not None)", ["base at a.py:1"]),
    ("log(x.flags.owndata)", ["owndata at a.py:1"]),
    ("log(x.flags['OWNDATA'])", ["OWNDATA at a.py:1"]),
    ("log(x.storage().size())", ["storage at a.py:1"]),
    ("log(x.untyped_storage().nbytes())", ["untyped_storage at a.py:1"]),
    ("log(x.storage_offset())", ["storage_offset at a.py:1"]),
    ("log(x._version)", ["_version at a.py:1"]),
    ("x.base = 3\nx.storage = []\nx.storage.append(x.base)\nlog(x.storage, x.base)", []),
    ("log(x.is_leaf)", []),
    ("import time\nfor x in bar:\n    bar.set_postfix(t=time.time())\n    log(x)", []),
    ("from b import took as t\nlog(t())", ["time.time() at b.py:3"]),
    ("from b import took as t\nlog(1)\nprint(t())", []),
    ("import b\nlog(b.took())", ["time.time() at b.py:3"]),
    ("import time\na = [time]\nlog(a[0].time())", ["time at a.py:2"]),
    ("import time\ndef f(clock):\n    return clock.time()\nlog(f(time))", ["time at a.py:4"]),
    ("import datetime as d\nx = 1\nlog(isinstance(x, d.datetime))", []),
    ("import random\ndef f(rng=random):\n    return rng.random()\nlog(f())", []),
    ("from b import time\nlog(time.time())", ["time.time() at a.py:2"]),
    ("from b import keep\nimport time\nkeep(time.time())\nlog(keep(3))", ["time.time() at a.py:3"]),
    ("from b import keep\nimport time\nkeep(time.time())\nw = [3]\nlog(w[0])", []),
    ("import random\nx = []\nrandom.SystemRandom().shuffle(x)\nlog(x)", [f"{_SHUFFLE} at a.py:3"]),
    (
        "import random\nr = random.SystemRandom()\nlog(r.random())",
        ["random.SystemRandom.random() at a.py:3"],
    ),
]

_NODES = """class A:
    def __init__(self, x, *before):
        self.x, self.before, self.made = x, set(before), set()
    def keep(self, other):
        self.made.add(other)
class H:
    def __hash__(self):
        return 1
def first(items):
    return next(iter(items))
def size(items):
    return len(items)
a, b = A(1), A(2)
c = A(3, a, b)
c.keep(a)
nodes, names = {a, b, c}, {"a", "b"}
names.add("c")
t = 0
"""


def _order(text: str, line: int = 19) -> List[str]:
    which = text if "`" in text else f"`{text}`"
    return [f"the order of the set {which} at a.py:{line}, whose elements are hashed by address"]


# The same after `_NODES`: sets of objects, and of what is in the same order in every replay.
_SETS: List[Tuple[str, List[str]]] = [
    ("for v in nodes: t = t * 0.5 + v.x\nlog(t)", _order("nodes")),
    ("for v in {a, b}: t = t * 0.5 + v.x\nlog(t)", _order("{a, b}")),
    ("for v in nodes: t = t * 0.5 + v.x\nlog(a)", []),
    ("log(list(set([a, b]))[0].x)", _order("set([a, b])")),
    ("log(next(iter(nodes)).x)", _order("nodes")),
    ("log(first(nodes).x)", _order("items", 10)),
    ("log(nodes.pop().x)", _order("nodes")),
    ("log([v.x for v in nodes | {c}])", _order("nodes | {c}")),
    ("log(sum(v.x for v in frozenset(nodes)))", _order("frozenset(nodes)")),
    ("p, *q = nodes\nlog(p.x)", _order("that `p, *q` gets")),
    ("log([*nodes])", _order("nodes")),
    ("log(f'{nodes}')", _order("nodes")),
    ("def go():\n    yield from nodes\nlog(list(go()))", _order("nodes", 20)),
    ("log([v.x for v in c.before])", _order("c.before")),
    ("log([v.x for v in c.made])", _order("c.made")),
    ("m = c.made\nlog([v.x for v in m])", _order("m", 20)),
    ("log([v for v in {(1, a), (2, b)}])", _order("{(1, a), (2, b)}")),
    ("log([v for v in {first, size}])", _order("{first, size}")),
    ("log([v.x for v in nodes.union([a])])", _order("nodes.union([a])")),
    ("log([v.x for v in set().union(nodes)])", _order("set().union(nodes)")),
    ("log(sorted(nodes, key=lambda v: v.x)[0].x)", _order("nodes")),
    ("m = [v for v in nodes]\nlog(m[0].x)", _order("nodes")),
    ("m = {v: 1 for v in nodes}\nlog([v.x for v in m])", _order("nodes")),
    ("m = []\nfor v in nodes: m.append(v)\nlog(m[0].x)", _order("nodes", 20)),
    ("m = []\nm.extend(nodes)\nlog(m[0].x)", _order("nodes", 20)),
    ("m = []\nm += nodes\nlog(m[0].x)", _order("nodes", 20)),
    (
        "import collections\nm = collections.defaultdict(set)\nm[1].add(a)\nlog(list(m[1])[0].x)",
        _order("m[1]", 22),
    ),
    (
        "from collections import defaultdict\nm = defaultdict(set)\nm[1].add('a')\nlog(list(m[1]))",
        [],
    ),
    ("log(sorted(nodes)[0].x)", []),
    ("log(len(nodes) + size(nodes) + (a in nodes) + bool(nodes))", []),
    ("if a not in nodes: nodes.add(a)\nlog(a.x)", []),
    ("log([v for v in names])", []),
    ("log(list(set('hello'))[0] + names.pop())", []),
    ("log([v for v in {1, 2.5, (3, 'x')}])", []),
    ("log([v for v in {H(), H()}])", []),
    ("log([v.x for v in [a, b]] + [k for k in {a: 1}])", []),
    ("w = [nodes]\nw.append(nodes)\nlog(len(w))", []),
]

_CLASS = (
    "import time\nclass A:\n    def go(self):\n        self.t0 = time.time()\n        self.w = 1\n"
)

# Programs, and of each the variables, attributes and random numbers that may be others each time.
_STATES: List[Tuple[str, List[str], List[str], bool]] = [
    ("w = 1\nfor i in range(3):\n    w += 1", [], [], False),
    (
        "import time\nw, t0 = 1, time.time()\nfor i in range(3):\n    w += 1\n    t0 = time.time()",
        ["0:t0"],
        [],
        False,
    ),
    ("import time\nw = 1\nfor i in range(3):\n    w += 1\n    t = time.time()", ["0:t"], [], False),
    (f"{_CLASS}a = A()\na.go()\nx = a.t0", ["0:x"], ["t0"], False),
    (f"{_CLASS}a = A()\na.t0 = time.time()\nb = [a]\nc = str(b)", ["0:c"], ["t0"], False),
    ("import time\nd = {}\nd['t'] = time.time()", ["0:d"], [], False),
    (
        "import time\nn = 0\nw = 1\nwhile True:\n    n += 1\n    if time.time() > 5: break\nw += 1",
        ["0:n"],
        [],
        False,
    ),
    ("import time, random\nif time.time() > 5:\n    random.random()", [], [], True),
]

# Programs, and what those calls of theirs are whose results are recorded.
_SITES: List[Tuple[str, List[str]]] = [
    ("import time as t\nx = t.time() - t.sleep(1)", ["time.time"]),
    ("from time import perf_counter as p\nx = [p() for _ in y]", ["time.perf_counter"]),
    ("import time\ndef f(time=time.time()): return time.time()", ["time.time"]),
    (
        "import time\nx: time.time() = 1\ny = f'{time.time()} {time.time_ns()}'",
        ["time.time", "time.time_ns"],
    ),
    ("import time\nnow = time.time\nx = now()", ["time.time"]),
    ("import time\nnow = time.time\nif x: now = lambda: y\nnow()", []),
    ("import time\nx = time.time", []),
    ("import time\nclass A:\n    def __del__(self): print(time.time())", []),
    ("import os, uuid\nx = os.getpid() + id(x) + uuid.uuid4()", ["uuid.uuid4"]),
    ("import torch, random\ntorch.seed()\nrandom.seed()\nrandom.Random()", []),
    (
        "import random\nr = random.SystemRandom()\nr.shuffle(x)\nr.choice(x)",
        ["random.SystemRandom.choice"],
    ),
    ("import requests, tempfile\nrequests.get(x)\ntempfile.mkdtemp()", []),
    (
        "from datetime import datetime as d\nx = d.now().hour + d(2026, 1, 1).hour",
        ["datetime.datetime.now"],
    ),
]

_LINES = [
    "print(f'w {w:.2f}, mfu {t:.1f}%')",
    "print('w', w, 'mfu', t)",
    "print('w %d mfu %f' % (w, t))",
    "print('w {} mfu {:.2f}'.format(w, t))",
    "print({'w': w, 'mfu': t})",
    "print('w ' + str(w) + ' mfu ' + str(t))",
    "logger.info('w %d mfu %f', w, t)",
    "print('mfu', t)",
    "print('mfu', f'{t} or so')",
    "print(f'mfu {t} mfu {w}')",
]


class TestFlows(unittest.TestCase):
    def test_what_a_logged_value_depends_on(self) -> None:
        other = "import time\ndef took():\n    return time.time() - 1\ndef keep(x):\n    return x\n"
        rows = [*_ROWS, *((_NODES + text, causes) for text, causes in _SETS)]
        for text, causes in rows:
            with self.subTest(text=text):
                program = Program("a.py", {"a.py": text, "b.py": other}.get)
                calls = [
                    node
                    for node in ast.walk(program.modules["a.py"].tree)
                    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "log"
                ]
                unordered = unordered_sets(Analysis(program))
                found = depends_on_chance(program, calls, unordered).logs
                chance = found.get(calls[0])
                words = [] if chance is None else [one.words for one in chance.causes]
                self.assertEqual(words, causes)

    def test_what_is_not_compared(self) -> None:
        for text, places, fields, generators in _STATES:
            with self.subTest(text=text):
                found = depends_on_chance(Program("a.py", {"a.py": text}.get), [])
                wanted = ([f"a.py:{one}" for one in places], fields, generators)
                self.assertEqual(found.fresh, wanted)

    def test_which_results_are_recorded(self) -> None:
        for text, paths in _SITES:
            with self.subTest(text=text):
                program = Program("a.py", {"a.py": text}.get)
                sites = find_call_sites(program, "a.py", program.modules["a.py"].scopes)
                self.assertEqual([site.path for site in sites], paths)

    def test_which_results_of_packages_are_recorded(self) -> None:
        made = "    def __init__(self):\n        self.t, self.x = time.time, 1\n"
        text = f"import time\nclass A:\n    own = time.monotonic\n{made}"
        for more, paths in [
            ("A().t()", ["time.time"]),
            ("A().x()", []),
            ("a.t = 3\na.t()", []),
            ("A.own()", ["time.monotonic"]),
            ("a.own = time.time\na.own()", ["time.time"]),
            ("def f(n, now=time.time_ns): return now(), n()", ["time.time_ns"]),
            ("def f(*, now=time.time_ns, n): return lambda: now() + n()", ["time.time_ns"]),
            ("def f(s, now=time.time_ns): s.now = now\na.now()", ["time.time_ns"]),
            ("def f(now=time.time_ns): pass\nnow()", []),
        ]:
            with self.subTest(more=more):
                program = Program("a.py", {"a.py": f"{text}{more}"}.get)
                scopes = program.modules["a.py"].scopes
                sites = find_call_sites(program, "a.py", scopes, attributes=True)
                self.assertEqual([site.path for site in sites], paths)

    def test_of_a_line_with_several_values_only_those_that_vary(self) -> None:
        loop = "import time\nw = 1\nfor i in range(3):\n    w += 1\n    t = time.time()\n    "
        for call in _LINES:
            with self.subTest(call=call):
                program = Program("a.py", {"a.py": f"{loop}{call}"}.get, hands_free=True)
                logs = [
                    one for one in Model(program).to_json()["logs"] if one["name"] in ("w", "mfu")
                ]
                found = {one["name"]: "calls" in one for one in logs}
                self.assertEqual(found, {**({"w": False} if "'w" in call else {}), "mfu": True})


if __name__ == "__main__":
    unittest.main()
