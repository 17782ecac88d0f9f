"""What a checkpoint need not hold, and beside it what it must: each row stands next to others that
look like it and change something. As in `test_changes.py`: what stands before the loop, its body,
what follows, and the names; `!`: nobody can capture it."""

import unittest
from typing import Any, Dict

from .test_changes import changed, model_of

_ROWS: Dict[str, Any] = {
    "a function that is made before each use": ("", "def a(): return 1\n    print(a())", "", []),
    "a function that is made again": (
        "def a(): return 0", "print(a())\n    def a(): return 1", "", ["a!"]
    ),
    "a function that is made in a branch": (
        "def a(): return 0", "if i:\n        def a(): return 1\n    print(a())", "", ["a!"]
    ),
    "a function that is read later": ("", "def a(): return 1", "print(a())", ["a!"]),
    "a class that is made before each use": ("", "class A: pass\n    print(A())", "", []),
    "a class that is read later": ("", "class A: pass\n    print(A())", "print(A())", ["A!"]),
    "a closure that an optimizer calls": (
        "m = nn.Linear(1, 1); a = torch.optim.LBFGS(m.parameters())",
        "def f():\n        b = m(torch.ones(1)).sum(); b.backward(); return b\n    a.step(f)",
        "", ["a", "m"],
    ),
    "numbers that a layer was made with": (
        "class L(nn.Module):\n    sizes = [4, (4, 4)]\n    def __init__(self, block):\n"
        "        super().__init__()\n        self.all = nn.Sequential(*self.make(block))\n"
        "    def make(self, block): return [block(n, 4) for n in self.sizes]\n"
        "    def forward(self, x): return self.all(x)\n"
        "class Block(nn.Linear): pass\n"
        "a = L(Block); o = torch.optim.SGD(a.parameters(), 0.1)",
        "o.zero_grad(); a(torch.ones(1, 4)).sum().backward(); o.step()", "", ["a", "o"],
    ),
    "numbers that a layer changes": (
        "class L(nn.Module):\n    sizes = [4]\n    def forward(self, x):\n"
        "        self.sizes.append(1)\n        return x\na = L()",
        "a(torch.ones(1))", "", ["a", "sizes!"],
    ),
    "a function of autograd": (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x); return x.clamp(min=0)\n    @staticmethod\n"
        "    def backward(ctx, g):\n        x, = ctx.saved_tensors\n        h = g.clone()\n"
        "        h[x < 0] = 0\n        return h\n"
        "f = F.apply; a = torch.ones(2, requires_grad=True)",
        "f(a * 2).sum().backward()", "", ["a"],
    ),
    "a function of autograd that counts": (
        "n = []\nclass F(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, x): return x * 1\n    @staticmethod\n"
        "    def backward(ctx, g):\n        n.append(1)\n        return g\n"
        "f = F.apply; a = torch.ones(2, requires_grad=True)",
        "f(a * 2).sum().backward()", "", ["a", "n"],
    ),
    "a function of autograd that changes what it is given": (
        "class F(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, x): x.add_(1); return x * 1\n    @staticmethod\n"
        "    def backward(ctx, g): return g\nf = F.apply; a = torch.ones(2)",
        "f(a)", "", ["a"],
    ),
}  # fmt: skip

_GIVEN = """def made():
    for n in range(9): yield n
kept = []
def make():
    kept.append(made())
    return kept[-1]
"""
# Each: what stands before the loop, its body, what follows, and what only the loop reads.
_INSIDE: Dict[str, Any] = {
    "a generator": ("a = made()", "print(next(a))", "", ["a"]),
    "a generator that is read behind the loop": ("a = made()", "next(a)", "print(next(a))", []),
    "a generator that has another name": ("a = made(); b = a", "next(a)", "print(next(b))", []),
    "a generator that a function gave": ("a = make()", "next(a)", "print(kept)", []),
    "a generator that is handed on": ("a = made(); print(a)", "next(a)", "", []),
    "a generator that is kept": ("a = made(); c = []", "next(a); c.append(a)", "print(c)", []),
    "an iterator that is made again": (
        "c = [1]; a = iter(c)",
        "try: next(a)\n    except StopIteration: a = iter(c)", "", ["a"],
    ),
    "an iterator of an iterator": ("c = made(); a = iter(c)", "next(a)", "print(next(c))", []),
    "a number": ("a = 0", "a = a + i", "", ["a"]),
    "a number that is read behind the loop": ("a = 0", "a = a + i", "print(a)", []),
    "a number that a function reads": ("a = 0\ndef f(): return a", "a = a + i", "f()", []),
    "a list of before": ("a = [0]", "a.append(i)", "", []),
    "a list of each iteration": ("a = [0]", "a = [a[0]]; a.append(i)", "", ["a"]),
    "an iterator in an outer loop": (
        "for k in range(2):\n  a = made()", "print(next(a))", "", ["a"]
    ),
}  # fmt: skip
# Each: what stands before the loop, whether anything is uncertain, and what the loop changes.
_BY_NAME: Dict[str, Any] = {
    "settings": ("globals()[k] = int('2')", False, ["t"]),
    "settings of their own type": ("globals()[k] = type(globals()[k])('2')", False, ["t"]),
    "settings before what is no setting": (
        "globals()[k] = type(globals()[k])('2')\nfor m in [nn.Linear(1, 1)]: o = m", False, ["t"]
    ),
    "settings behind what is no setting": (
        "for m in [nn.Linear(1, 1)]: o = m\nglobals()[k] = type(globals()[k])('2')", True, []
    ),
    "settings that are looked for": ("if k in globals(): globals()[k] = 3", False, ["t"]),
    "names of settings": ("c = [n for n, v in globals().items() if n]", False, ["t"]),
    "functions": ("globals()[k] = lambda: 1", True, []),
    "functions that nobody knows": ("import lib\nglobals()[k] = lib.make()", True, []),
    "several at once": ("globals().update(lr=1)", True, []),
    "another name for it": ("g = globals(); g[k] = 1", True, []),
    "handed on": ("print(list(map(len, [globals()])))", True, []),
    "executed text": ("exec('lr = 1')", True, []),
}  # fmt: skip
_PARAMETER = """import lib
class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.far = lib.make()
a = A()
t = torch.FloatTensor([1, 2])
"""


class LeftAlone(unittest.TestCase):
    def test_table(self) -> None:
        for what, (before, body, after, names) in _ROWS.items():
            with self.subTest(what):
                loop = f"for i in al.loop('step', range(3)):\n    {body}\n"
                model = model_of(f"{before}\n{loop}{after}\n")
                self.assertEqual(([], changed(model)), (model.uncertain, names))

    def test_what_only_the_loop_reads(self) -> None:
        for what, (before, body, after, names) in _INSIDE.items():
            with self.subTest(what):
                loop = f"for i in al.loop('step', range(3)):\n    {body}\n"
                model = model_of(f"{_GIVEN}{before}\n{loop}{after}\n")
                self.assertEqual([one.name for one in model.changes[0] if one.inside], names)

    def test_variables_by_their_names(self) -> None:
        loop = "for i in al.loop('step', range(3)):\n    t += lr\nprint(t)\n"
        for what, (before, is_uncertain, names) in _BY_NAME.items():
            with self.subTest(what):
                model = model_of(f"lr = 1; k = 'lr'\n{before}\nt = 0\n{loop}")
                self.assertEqual(bool(model.uncertain), is_uncertain)
                self.assertEqual(names or changed(model), changed(model))
        for body, expected in {
            "globals()[k] = i": ["k", "lr", "t"],
            "globals()['new'] = i": ["k", "lr", "new", "t"],
            "t += globals()[k]": ["t"],
        }.items():
            with self.subTest(body):
                text = f"lr = 1; k = 'lr'; t = 0\nfor i in al.loop('step', range(3)):\n    {body}\n"
                model = model_of(
                    text + ("print(t, lr, new, k)" if "new" in body else "print(t, lr, k)")
                )
                self.assertEqual([], model.uncertain)
                found = [one for one in changed(model) if one.rstrip("!") in expected]
                self.assertEqual(found, expected)

    def test_variables_that_may_have_been_bound_by_name(self) -> None:
        loop = "for i in al.loop('step', [3]):\n    globals()[k] = i\n"
        for after, is_held in {
            "lr = 1\nprint(lr)": False,
            "if 'lr' not in globals(): lr = 1\nprint(lr)": True,
            "def f():\n    global lr\n    lr = 1\nprint(lr)": True,
            "print(lr)": True,
        }.items():
            with self.subTest(after):
                model = model_of(f"k = 'lr'\n{loop}{after}\n")
                self.assertEqual("lr" in changed(model), is_held)

    def test_what_asking_changes(self) -> None:
        for asked, changes in {
            "a.w.norm().item()": False,
            "a.w.float().cpu().sum().item()": False,
            "t.norm().item()": False,
            "a.w.add_(1).sum().item()": True,
            "t.zero_().sum().item()": True,
            "a.far.refresh().item()": True,
        }.items():
            with self.subTest(asked):
                loop = "for i in al.loop('step', range(3)):\n    pass\n"
                model = model_of(f"{_PARAMETER}{loop}al.log('q', {asked})\n")
                (log,) = model.to_json()["logs"]
                self.assertEqual(log.get("changes", False), changes)


if __name__ == "__main__":
    unittest.main()
