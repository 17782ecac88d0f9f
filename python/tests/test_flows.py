"""Which logged values come from a clock, from entropy or from an id, by the text of a program."""

import ast
import unittest
from typing import List, Tuple

from afterlog.source.nondeterminism.flows import nondeterministic_logs
from afterlog.source.program.program import Program

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
    ("log(id([]))", ["id() at a.py:1"]),
    ("log(x.data_ptr())", ["data_ptr at a.py:1"]),
    ("import time\nfor x in bar:\n    bar.set_postfix(t=time.time())\n    log(x)", []),
    ("from b import took as t\nlog(t())", ["time.time() at b.py:3"]),
    ("from b import took as t\nlog(1)\nprint(t())", []),
    ("import b\nlog(b.took())", ["time.time() at b.py:3"]),
]


class TestFlows(unittest.TestCase):
    def test_what_a_logged_value_depends_on(self) -> None:
        other = "import time\ndef took():\n    return time.time() - 1\n"
        for text, causes in _ROWS:
            with self.subTest(text=text):
                program = Program("a.py", {"a.py": text, "b.py": other}.get)
                calls = [
                    node
                    for node in ast.walk(program.modules["a.py"].tree)
                    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "log"
                ]
                found = nondeterministic_logs(program, calls)
                self.assertEqual(found.get(calls[0], []), causes)


if __name__ == "__main__":
    unittest.main()
