"""Changes that hide: in the arguments of library functions, in views, in attributes of classes, in
methods that somebody else calls. Each row: what stands before the loop, its body, what must be
known to change; `!`: nobody can capture it."""

import textwrap
import unittest
from typing import Dict, List, Tuple

from afterlog.source.model import Model
from afterlog.source.program.program import Program

_HEAD = """import afterlog as al
import collections, functools, itertools, math, operator, os, random, torch
import numpy as np
import torch.nn.functional as F
from torch import nn
"""


def _changed(before: str, body: str) -> List[str]:
    lines = textwrap.indent(body, "    ")
    text = f"{_HEAD}{before}\nfor i in al.loop('step', range(3)):\n{lines}\nprint(a)\n"
    model = Model(Program("train.py", {"train.py": text}.get))
    return sorted(
        one.name + ("" if one.access == "name" else "!")
        for one in model.changes[0]
        if not one.dead and (one.iterated or not one.known)
    )


_LIST, _ARRAY, _TENSOR = "a = [1]", "a = np.zeros(3)", "a = torch.zeros(2, 2)"
_COUNTER = "class C:\n    n = 0\n    items = []\n    {}\nclass D(C): pass\na = D()"
_CALLED = _COUNTER.format("def __call__(s, *x): C.n += 1")

_ROWS: Dict[str, Tuple[str, str, str]] = {
    "operator.setitem": (_LIST, "operator.setitem(a, 0, i)", "a"),
    "operator.iadd": (_LIST, "operator.iadd(a, [i])", "a"),
    "operator.methodcaller": (_LIST, "operator.methodcaller('append', i)(a)", "a"),
    "a bound method that map calls": (_LIST, "list(map(a.append, [1]))", "a"),
    "a key that changes something": (_LIST, "max([1], key=a.append)", "a"),
    "an array given for the result": (_ARRAY, "np.add(1, 2, a)", "a"),
    "an array given for the result of one": (_ARRAY, "np.exp(a, a)", "a"),
    "np.clip": (_ARRAY, "np.clip(a, 0, 1, a)", "a"),
    "np.putmask": (_ARRAY, "np.putmask(a, a > 0, 1)", "a"),
    "np.nan_to_num": (_ARRAY, "np.nan_to_num(a, copy=False)", "a"),
    "a method that is given its result": (_ARRAY, "np.ones((2, 3)).sum(0, out=a)", "a"),
    "a generator that shuffles": (f"{_ARRAY}; r = np.random.default_rng(1)", "r.shuffle(a)", "a"),
    "another generator that shuffles": (f"{_LIST}; r = random.Random(1)", "r.shuffle(a)", "a"),
    "a parameter in the memory of a tensor": (
        f"{_TENSOR}; p = nn.Parameter(a, requires_grad=False)", "p.add_(1)", "a"
    ),
    "part of a parameter": (f"{_TENSOR}; p = nn.Parameter(a)", "p.data[0] = i", "a"),
    "a tensor in the memory of an array": (
        "a = np.zeros(3, np.float32); t = torch.Tensor(a)", "t.add_(1)", "a"
    ),
    "a generator on another": (
        "a = np.random.PCG64(1); g = np.random.Generator(a)", "g.normal()", "a"
    ),
    "a list held by what is changed": (
        f"{_LIST}\nclass K: pass\nk = K(); k.a = a", "k.n = i; k.a.append(i)", "a"
    ),
    "a list beside what is changed": (f"{_LIST}\nclass K: pass\nk = K(); k.a = a", "k.n = i", "k"),
    "partition": (_ARRAY, "a.partition(1)", "a"),
    "np.expand_dims": (_ARRAY, "b = np.expand_dims(a, 0); b += 1", "a"),
    "np.array_split": (_ARRAY, "for b in np.array_split(a, 3): b += 1", "a"),
    "an array that is no copy": (_ARRAY, "b = np.array(a, copy=False); b[0] = 1", "a"),
    "another that is no copy": (_ARRAY, "b = a.astype(float, copy=False); b[0] = 1", "a"),
    "another result of two": (_ARRAY, "np.modf([1.0], np.ones(1), a)", "a"),
    "a method that is given its result by position": (_ARRAY, "np.ones(3).round(1, a)", "a"),
    "np.asfortranarray": (_ARRAY, "b = np.asfortranarray(a); b += 1", "a"),
    "np.diag": ("a = np.zeros((2, 2))", "b = np.diag(a); b += 1", "a"),
    "torch.einsum": (_TENSOR, "b = torch.einsum('ij->ji', a); b.add_(1)", "a"),
    "torch.meshgrid": (_TENSOR, "b, c = torch.meshgrid(a[0], a[1]); b.add_(1)", "a"),
    "dropout that drops nothing": (_TENSOR, "b = F.dropout2d(a, 0.5, False); b.add_(1)", "a"),
    "split": (_TENSOR, "b, c = a.split(1); b.add_(1)", "a"),
    "torch.moveaxis": (_TENSOR, "b = torch.moveaxis(a, 0, 1); b.add_(1)", "a"),
    "torch.as_strided": (_TENSOR, "b = torch.as_strided(a, (2,), (1,)); b.add_(1)", "a"),
    "a function told to work in place": (_TENSOR, "F.relu(a, inplace=True)", "a"),
    "the same by position": (_TENSOR, "F.dropout(a, 0.5, True, True)", "a"),
    "a module told to work in place": (f"{_TENSOR}; r = nn.ReLU(True)", "r(a)", "a"),
    "one in a container": (f"{_TENSOR}; r = nn.Sequential(nn.Dropout(0.5, True))", "r(a)", "a"),
    "running means": (
        "a, b = torch.zeros(2), torch.ones(2)",
        "F.batch_norm(torch.zeros(3, 2), a, b, training=True)", "a",
    ),
    "a text file in memory": ("import io\na = io.StringIO()", "print('x', file=a)", "a"),
    "a file in memory": ("import io\na = io.BytesIO()", "torch.save([1], a)", "a"),
    "the environment": (
        "a = 0", "os.environ.update(A='1')", "os.environ.update changes the process!",
    ),
    "an attribute of type(self)": (_COUNTER.format("def go(s): type(s).n += 1"), "a.go()", "D!"),
    "an attribute of self.__class__": (
        _COUNTER.format("def go(s): s.__class__.n += 1"), "a.go()", "D!",
    ),
    "a method of the class, through an instance": (
        _COUNTER.format("@classmethod\n    def go(c): c.n += 1"), "a.go()", "D!",
    ),
    "a list of the class above": (
        _COUNTER.format("def go(s): s.items.append(1)"), "a.go()", "items!",
    ),
    "a method above of a library's class, by the same name": (
        "class O(torch.optim.SGD):\n    def step(s): super().step()\n"
        "a = nn.Linear(1, 1); o = O(a.parameters(), 1)", "o.step()", "a",
    ),
    "a method above of a list": (
        "class L(list):\n    def append(s, x): super().append(x)\na = L()", "a.append(i)", "a",
    ),
    "a function of autograd": (
        "a = []\nclass G(torch.autograd.Function):\n    @staticmethod\n    def forward(c, x):\n"
        "        a.append(1)\n        return x", "G.apply(torch.zeros(1))", "a",
    ),
    "its backward": (
        "a = []\nclass G(torch.autograd.Function):\n    @staticmethod\n    def forward(c, x):\n"
        "        return x\n    @staticmethod\n    def backward(c, g):\n        a.append(1)\n"
        "        return g\nw = torch.zeros(1, requires_grad=True)", "G.apply(w).backward()", "a",
    ),
    "a method that a library calls": (
        "class R:\n    def __init__(s, m):\n        s.l = []\n"
        "        m.register_forward_hook(s.h)\n"
        "    def h(s, *x): s.l.append(1)\nm = nn.Linear(1, 1); a = R(m)", "m(torch.zeros(1))", "a",
    ),
    "a decorator of a method": (
        "a = []\ndef d(f):\n    def w(*k):\n        a.append(1)\n        return f(*k)\n"
        "    return w\n"
        "class C:\n    @d\n    def go(s): pass\nc = C()", "c.go()", "a",
    ),
    "a method that was replaced": (
        "a = []\nclass C:\n    def go(s): pass\ndef w(s): a.append(1)\nC.go = w; c = C()",
        "c.go()", "a",
    ),
    "the only instance of a class": (
        "class C:\n    one = None\n    def __new__(c):\n        if c.one is None:\n"
        "            c.one = super().__new__(c)\n        return c.one\na = C()",
        "C().v = i", "C!",
    ),
    "a method by a computed name": (
        "a = []\nclass H:\n    def on_x(s): a.append(1)\nh = H()", "getattr(h, 'on_' + 'x')()", "a",
    ),
    "addresses for keys": ("a = {id(nn): 1}", "a[0] = i", "a!"),
    "an object that holds them": (
        "class C: pass\na = C(); a.scales = {}\nfor p in [[]]: a.scales[id(p)] = 1",
        "a.n = i", "a!",
    ),
    "an instance that holds them": (
        "class C:\n    def __init__(s): s.scales = {id(nn): 1}\na = C()", "a.n = i", "a!",
    ),
    "a property by its name": (
        "class H:\n    @property\n    def x(s):\n        s.n = 1\n        return 1\na = H()",
        "getattr(a, 'x')", "a",
    ),
    "a property that is kept": (
        "class H:\n    @functools.cached_property\n    def x(s): return random.random()\na = H()",
        "b = a.x", "a",
    ),
    "a function that remembers": (
        "@functools.lru_cache(None)\ndef a(k): return random.random()", "b = a(i)",
        "a remembers what it has computed!",
    ),
    "a text that is made": (
        "class H:\n    n = 0\n    def __str__(s):\n        s.n += 1\n        return ''\na = H()",
        "b = f'{a}'", "a",
    ),
    "a function that remembers what can be changed": (
        "@functools.lru_cache()\ndef a(): return {'n': 0}", "a()['n'] += 1",
        "a remembers what it has computed!",
    ),
    "a function that remembers, and is asked how much": (
        "@functools.lru_cache()\ndef a(k): return k * 2", "b = a(i); c = a.cache_info()",
        "a remembers what it has computed!",
    ),
    "a function that is made to remember": (
        "def f(): return [0]\na = functools.lru_cache(maxsize=8)(f)", "a().append(1)",
        "f remembers what it has computed!",
    ),
    "a text that is made by a call": (
        "class H:\n    n = 0\ndef go(): H.n += 1\n"
        "class C:\n    def __repr__(s):\n        go()\n        return ''\na = C()",
        "b = '%r' % a", "H!",
    ),
    "a text that is noted": (
        "class C:\n    items = []\n    def __str__(s):\n        C.items.append(1)\n"
        "        return ''\na = C()", "b = f'{a}'", "items!",
    ),
    "a text with a property in it": (
        _COUNTER.format("@property\n    def v(s): C.n += 1\n    def __str__(s): return f'{s.v}'"),
        "b = f'{a}'", "C!",
    ),
    "a class that makes instances its own way": (
        "class M(type):\n    n = 0\n    def __call__(c, *x):\n        M.n += 1\n"
        "        return super().__call__(*x)\nclass O(metaclass=M): pass\nclass P(O): pass\na = 1",
        "P()", "M!",
    ),
    "one that makes one": (
        "class M(type):\n    made = {}\n    def __call__(c):\n"
        "        if c not in c.made: c.made[c] = super().__call__()\n        return c.made[c]\n"
        "class O(metaclass=M):\n    def __init__(s): s.n = 0\na = 1", "O().n += 1", "O!",
    ),
    "a method of a class of classes": (
        "class M(type):\n    n = 0\n    def go(c): M.n += 1\nclass O(metaclass=M): pass\na = O",
        "O.go()", "M!",
    ),
    "a property of a class of classes": (
        "class M(type):\n    n = 0\n    @property\n    def v(c): M.n += 1\n"
        "class O(metaclass=M): pass\na = O", "b = O.v", "M!",
    ),
    "an instance that map calls": (_CALLED, "list(map(a, [1]))", "C!"),
    "an instance for a key": (_CALLED, "b = sorted([1], key=a)", "C!"),
    "an instance that a library calls": (_CALLED, "b = functools.reduce(a, [1, 2])", "C!"),
    "one that it calls later": (f"{_CALLED}\nf = np.frompyfunc(D(), 1, 1)", "b = f(1)", "C!"),
    "one that it gets in a list": (f"{_CALLED}\nf = nn.Foo([a])", "b = f(1)", "C!"),
    "a class that map calls": (
        _COUNTER.format("def __init__(s, *x): C.n += 1"), "list(map(D, [1]))", "D!",
    ),
    "a property that a call makes": (
        _COUNTER.format("def get(s): C.n += 1\n    v = property(get)"), "b = a.v", "C!",
    ),
    "one of a lambda": (
        _COUNTER.format("v = property(lambda s: s.items.append(1))"), "b = a.v", "items!",
    ),
    "a property that is also set": (
        _COUNTER.format(
            "@property\n    def v(s): C.n += 1\n    @v.setter\n    def v(s, x): pass"
        ), "b = a.v", "C!",
    ),
    "operator.attrgetter": (
        _COUNTER.format("@property\n    def v(s): C.n += 1") + "\nf = operator.attrgetter('v')",
        "b = f(a)", "C!",
    ),
    "operator.methodcaller of an instance": (
        _COUNTER.format("def go(s): C.n += 1") + "\nf = operator.methodcaller('go')",
        "f(a)", "C!",
    ),
    "comparing items": (
        "class H:\n    n = 0\n    def __lt__(s, o):\n        s.n += 1\n        return True\n"
        "a = [H(), H()]", "sorted(a)", "a",
    ),
    "an iterator that is unpacked": ("a = iter([1, 2])", "b, c = a", "a"),
    "an iterator that is searched": ("a = iter([1, 2])", "b = 1 in a", "a"),
    "an iterator that is joined": ("a = iter('ab')", "b = ','.join(a)", "a"),
    "an iterator that a library goes through": ("a = iter([1])", "b = math.fsum(a)", "a"),
}  # fmt: skip

# These leave all as it is.
_NOTHING: Dict[str, Tuple[str, str]] = {
    "a key that only looks": ("a = {1: 2}", "b = max(a, key=a.get)"),
    "a function that remembers what it only computes": (
        "@functools.lru_cache()\ndef a(n): return n if n < 2 else a(n - 1) + a(n - 2)",
        "b = a(i)",
    ),
    "a function that is not told to work in place": (_TENSOR, "b = F.relu(a, inplace=False)"),
    "addresses that are only looked up": ("a = {id(nn): 1}", "b = a.get(id(nn))"),
    "two arguments": (_ARRAY, "b = np.maximum(a, 1)"),
    "a text that is split": ("a = 'a b'", "b = a.split()"),
    "a file that is written": ("a = open('x', 'w')", "print('x', file=a)"),
}  # fmt: skip


class InPlace(unittest.TestCase):
    def test_what_changes(self) -> None:
        for name, (before, body, expected) in _ROWS.items():
            with self.subTest(name):
                self.assertIn(expected, _changed(before, body))

    def test_what_stays(self) -> None:
        for name, (before, body) in _NOTHING.items():
            with self.subTest(name):
                self.assertEqual(_changed(before, body), [])


if __name__ == "__main__":
    unittest.main()
