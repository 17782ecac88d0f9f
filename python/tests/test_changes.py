"""What loops change, as the sources tell: a table of programs and of the names that must be, or
need not be, captured for the loop `step`."""

import textwrap
import unittest
from typing import Any, Dict, List

from afterlog.source.model import Model
from afterlog.source.program.program import Program

_HEAD = "import afterlog as al\nimport torch\nfrom torch import nn\n"


def model_of(text: str, **others: str) -> Model:
    files = {"train.py": _HEAD + textwrap.dedent(text)}
    files.update({f"{name}.py": textwrap.dedent(other) for name, other in others.items()})
    return Model(Program("train.py", files.get))


def changed(model: Model, name: str = "step") -> List[str]:
    """Names that a checkpoint of the loop must hold; `!`: nobody can, `~`: only gone through."""
    loop = next(one for one in model.to_json()["loops"] if one["name"] == name)
    marks = {True: "~", False: ""}
    return sorted(
        one.name + ("!" if one.access != "name" else marks[one.iterated])
        for one in model.changes[loop["id"]]
        if not one.dead
    )


def loop_of(model: Model, name: str = "step") -> Dict[str, Any]:
    return next(one for one in model.to_json()["loops"] if one["name"] == name)


# Each: what stands before the loop, its body, what follows, and the names.
_ROWS: Dict[str, Any] = {
    "a name that is bound and read later": ("", "a = i", "print(a)", ["a"]),
    "a name that nobody reads later": ("", "a = i; print(a)", "", []),
    "a name that is read before it is bound": ("a = 0", "b = a; a = i", "", ["a"]),
    "a name that is bound in a branch only": ("a = 0", "if i: a = i\n    print(a)", "", ["a"]),
    "a sum": ("a = 0", "a += i", "print(a)", ["a"]),
    "an element": ("a = [0]", "a[0] = i", "", ["a"]),
    "an attribute": ("class C: pass\na = C()", "a.x = i", "", ["a"]),
    "a method changes its receiver": ("a = []", "a.append(i)", "", ["a"]),
    "a set": ("a = set()", "a.add(i)", "", ["a"]),
    "a set of nobody knows where": ("import lib\na = lib.f()", "a.add(i)", "", ["a"]),
    "a queue": ("import queue\na = queue.Queue()", "a.get()", "", ["a"]),
    "a queue of nobody knows where": ("import lib\na = lib.f()", "b = a.get()", "", ["a"]),
    "a dictionary that is only read": ("a = {}", "b = a.get(1)", "", []),
    "a dictionary that makes entries": (
        "import collections\na = collections.defaultdict(int)", "b = a[i]", "", ["a"]
    ),
    "a deque": ("from collections import deque\na = deque([1])", "a.rotate(1)", "", ["a"]),
    "a counter": ("from collections import Counter\na = Counter()", "a.update([i])", "", ["a"]),
    "a library that trains what it is given": (
        "import lib\nm = nn.Linear(1, 1); t = lib.Trainer()", "t.train(m)", "", ["m", "t"]
    ),
    "a counter of what a generator gave": (
        "from collections import Counter\na = [Counter(n for n in range(2)).most_common(1)]",
        "for n, b in enumerate(a): print(b)", "", [],
    ),
    "sorting": ("a = [2, 1]", "a.sort()", "", ["a"]),
    "a slice": ("a = [2, 1]", "a[:1] = []", "", ["a"]),
    "a part is deleted": ("a = [2, 1]", "del a[0]", "", ["a"]),
    "an alias": ("a = []\nb = a", "b.append(i)", "", ["a", "b"]),
    "an alias made in the loop": ("a = [[]]", "b = a[0]; b.append(i)", "", ["a"]),
    "an alias through an attribute": (
        "class C: pass\na = C(); a.x = []; b = C(); b.y = a", "b.y.x.append(i)", "", ["a", "b"]
    ),
    "an alias put there in the loop": (
        "class C: pass\na = C(); b = []", "a.x = b; a.x.append(i)", "", ["a", "b"]
    ),
    "an alias through a list": ("a = []\nb = [a]", "for c in b: c.append(i)", "", ["a", "b"]),
    "an alias through a dictionary": ("a = []\nb = {1: a}", "b.get(1).append(i)", "", ["a", "b"]),
    "an alias through a piece of a list": (
        "a = [[]]\nb = a[:1]", "b[0].append(i)", "", ["a", "b"]
    ),
    "an alias through lists that were put together": (
        "a = []\nb = [a] + [1]", "b[0].append(i)", "", ["a", "b"]
    ),
    "one that was chosen": (
        "import random\na = [[]]", "random.choice(a).append(i)", "", ["a"]
    ),
    "some that were chosen": (
        "import random\na = [[]]", "random.sample(a, 1)[0].append(i)", "", ["a"]
    ),
    "an iterator in an attribute": (
        "class C: pass\nb = C(); b.x = zip([1])", "for a in b.x: break", "", ["b"]
    ),
    "an iterator in an attribute, by another one": (
        "class C: pass\nb = C(); b.x = zip([1])", "for a in enumerate(b.x): break", "", ["b"]
    ),
    "lists that are only gone through": (
        "a = [1]", "for k, b in enumerate(a[:1] + a): print(b)", "", []
    ),
    "an unknown function": ("import lib\na = []; b = []", "lib.f(a)", "", ["a"]),
    "what an unknown function was given earlier": (
        "import lib\na = []; b = lib.make(a)", "b.go()", "", ["a", "b"]
    ),
    "a function of the project": ("a = []\ndef f(x): x.append(1)", "f(a)", "", ["a"]),
    "a function that gives what it got": (
        "a = []\ndef f(x): return x", "f(a).append(i)", "", ["a"]
    ),
    "a function that only reads": ("a = []\ndef f(x): return len(x)", "f(a)", "", []),
    "a function that declares it global": (
        "a = 0\ndef f():\n    global a\n    a = 1", "f()", "", ["a"]
    ),
    "a function that calls another": (
        "a = []\ndef g(x): x.append(1)\ndef f(x): g(x)", "f(a)", "", ["a"]
    ),
    "a method": (
        "class C:\n    def __init__(self): self.n = 0\n    def go(self): self.n += 1\na = C()",
        "a.go()", "", ["a"],
    ),
    "an inherited method": (
        "class B:\n    def go(self): self.n = 1\nclass C(B): pass\na = C()", "a.go()", "", ["a"]
    ),
    "a method above": (
        "class B:\n    def go(self): self.n = 1\nclass C(B):\n    def go(self): super().go()\n"
        "a = C()", "a.go()", "", ["a"],
    ),
    "a bound method in a name": ("a = []\nf = a.append", "f(i)", "", ["a", "f"]),
    "a call operator": (
        "class C:\n    def __call__(self): self.n = 1\na = C()", "a()", "", ["a"]
    ),
    "an operator of a class": (
        "class C:\n    def __add__(self, o):\n        self.n = 1\n        return self\na = C()",
        "b = a + 1", "", ["a"],
    ),
    "a variable of a closure that has returned": (
        "def make():\n    n = []\n    def f(): n.append(1)\n    return f\nf = make()",
        "f()", "", ["n!"],
    ),
    "an attribute of a class": ("class C:\n    n = 0", "C.n += 1", "", ["C!"]),
    "a list of a class": (
        "class C:\n    n = []\n    def go(self): self.n.append(1)\na = C()", "a.go()", "",
        ["a", "n!"],
    ),
    "a default that lives in the function": (
        "def f(x, seen=[]): seen.append(x)", "f(i)", "", ["seen=!"]
    ),
    "a library that is set": (
        "", "torch.backends.cudnn.benchmark = True", "",
        ["torch.backends.cudnn.benchmark is changed!"],
    ),
    "a deleted name": ("a = 1", "del a; a = 2", "print(a)", ["a!"]),
    "setattr": ("class C: pass\na = C()", "setattr(a, 'x', i)", "", ["a"]),
    "next": ("a = iter([1, 2])", "next(a)", "", ["a"]),
    "a lambda given to a library": (
        "import lib\na = []\nlib.register(lambda: a.append(1))", "pass", "", ["a"]
    ),
    "several at once": ("a, b, c = 0, [], {}", "b.append(i)", "", ["b"]),
    "constants of a library": (
        "import math\na, b = math.inf, {}", "b[i] = i\n    if i < a: a = i", "print(a)", ["a", "b"]
    ),
    "unpacking": ("", "a, (b, *c) = i, (1, 2)", "print(a, b, c)", ["a", "b", "c"]),
    "a walrus": ("", "print(a := i)", "print(a)", ["a"]),
    "a context's name that nobody reads later": (
        "import lib", "with lib.open() as a: print(a)", "", [],
    ),
    "a name that is bound where an exception may be swallowed": (
        "from contextlib import suppress\na = 0",
        "with suppress(ValueError): a = int(i)\n    print(a)", "", ["a"],
    ),
    "a name that is bound without gradients": (
        "a = 0", "with torch.no_grad(): a = i\n    print(a)", "", [],
    ),
    "a context": ("import lib", "with lib.open() as a: pass", "print(a)", ["a"]),
    "an exception's name": (
        "a = 0", "try: pass\n    except Exception as e: a = e", "print(a)", ["a", "e"]
    ),
    "an optimizer changes its model": (
        "m = nn.Linear(1, 1); o = torch.optim.SGD(m.parameters(), 1)", "o.step()", "", ["m", "o"]
    ),
    "a schedule changes its optimizer": (
        "m = nn.Linear(1, 1); o = torch.optim.SGD(m.parameters(), 1)\n"
        "s = torch.optim.lr_scheduler.StepLR(o, 1)", "s.step()", "", ["m", "o", "s"],
    ),
    "backward reaches what a value was computed from": (
        "m = nn.Linear(1, 1); x = torch.ones(1)", "l = (m(x) - 1).pow(2).sum(); l.backward()", "",
        ["m"],
    ),
    "backward reaches a tensor that wants gradients": (
        "w = torch.zeros(1, requires_grad=True); x = torch.ones(1)",
        "((w * x) ** 2).sum().backward()", "", ["w"],
    ),
    "backward reaches a tensor made to want gradients": (
        "w = torch.zeros(1); w.requires_grad_()", "(w * 2).sum().backward()", "", ["w"]
    ),
    "calling a module may change it": ("m = nn.BatchNorm1d(1)", "m(torch.ones(2, 1))", "", ["m"]),
    "a module that works in place": (
        "m = nn.ReLU(inplace=True); x = torch.ones(1)", "m(x)", "", ["m", "x"]
    ),
    "a function in place": ("w = torch.zeros(1)", "nn.init.ones_(w)", "", ["w"]),
    "a view is changed": ("w = torch.zeros(2)", "w[0].add_(1)", "", ["w"]),
    "what is computed is new": ("w = torch.zeros(2)", "v = w + 1; v.add_(1)", "", []),
    "a copy is another one": (
        "import copy\nm = nn.Linear(1, 1); e = copy.deepcopy(m)", "e.eval()", "", ["e"]
    ),
    # Liveness: what later code reads only after it was bound again need not be captured.
    "read later, but bound again first": ("", "a = i; print(a)", "a = 1; print(a)", []),
    "bound again by a later loop": ("", "a = [i]", "for a in ([1],): print(a)", []),
    "a later loop may find nothing to bind it": (
        "", "a = [i]", "for a in []: pass\nprint(a)", ["a"]
    ),
    "a later loop reads it before it binds it": (
        "", "a = [i]", "for j in (1, 2):\n    print(a)\n    a = [j]", ["a"]
    ),
    "bound again in one branch": ("", "a = [i]", "if b: a = 1\nprint(a)", ["a"]),
    "bound again in both branches": (
        "", "a = [i]", "if b: a = 1\nelse: a = 2\nprint(a)", []
    ),
    "read where what binds it again fails": (
        "", "a = [i]", "try: a = int(b)\nexcept ValueError: print(a)", ["a"]
    ),
    "bound again where what binds it fails": (
        "", "a = [i]", "try: a = int(b)\nexcept ValueError: a = 0\nprint(a)", []
    ),
    "read at last, whatever was bound": (
        "", "a = [i]", "try: a = int(b)\nfinally: print(a)", ["a"]
    ),
    "bound again where a failure is let pass": (
        "import contextlib", "a = [i]",
        "with contextlib.suppress(ValueError):\n    a = int(b)\nprint(a)", ["a"],
    ),
    "bound again by a context that a failure is let pass in": (
        "import contextlib", "a = [i]",
        "with contextlib.suppress(ValueError), open(b) as a: pass\nprint(a)", ["a"],
    ),
    "bound again unless the loop ends early": (
        "", "a = [i]", "while True:\n    if b: break\n    a = 1\nprint(a)", ["a"]
    ),
    "bound again before the loop can end": (
        "", "a = [i]", "while True:\n    a = 1\n    if b: break\nprint(a)", []
    ),
    "a file that is closed, by a name that other files had": (
        "with open('a') as f: b = f.read()", "with open('b') as f: f.read()", "", []
    ),
    "a file of before that another name has": (
        "f = open('a'); g = f", "g.read()\n    if i: f = open('b')", "f = None", ["f", "g"]
    ),
    "a name that is deleted": ("", "a = [i]; del a", "", []),
    "a name that is deleted, and bound again": ("", "a = [i]; del a", "a = 1; print(a)", []),
    "a name that is deleted, and perhaps not": ("a = 1", "if i: del a", "print(a)", ["a!"]),
    "a name of a function that is deleted there": (
        "def f():\n    a = 1\n    del a", "f()", "", []
    ),
    "a class in an attribute": (
        "class D:\n    def go(): return 1\nclass C: pass\na = C(); a.d = D",
        "a.n = a.d.go()", "", ["a"],
    ),
    "an attribute of a class in an attribute": (
        "class D: pass\nclass C: pass\na = C(); a.d = D", "a.d.n = i", "", ["D!", "a"]
    ),
    "what a class in an attribute was given later": (
        "class D: pass\nD.n = []\nclass C: pass\na = C(); a.d = D", "a.d.n.append(i)", "",
        ["D!", "a"],
    ),
    "a list beside a class in an attribute": (
        "class D: pass\nclass C: pass\na = C(); a.d = D; a.n = []", "a.n.append(i)", "", ["a"]
    ),
    "a member of an enumeration": (
        "import enum\nclass D(enum.Enum): one = 1", "D.one.n = i", "", ["D!"]
    ),
    "a class that a method of it changes": (
        "class D:\n    n = 0\n    @classmethod\n    def go(cls): cls.n += 1\n"
        "class C: pass\na = C(); a.d = D", "a.d.go()", "", ["D!", "a", "cls!"],
    ),
    "a class that its instance changes": (
        "class D:\n    n = 0\n    def go(self): type(self).n += 1\na = D()",
        "a.go()", "", ["D!"],
    ),
    "a class that nobody knows what is done with": (
        "import lib\nclass D: pass\nclass C: pass\na = C(); a.d = D", "lib.f(a.d)", "", ["D!", "a"]
    ),
    "a class in a list that nobody knows what is done with": (
        "import lib\nclass D: pass\na = [D]", "lib.f(a)", "", ["D!", "a"]
    ),
    "a class beside what nobody knows what is done with": (
        "import lib\nclass D: pass\nclass C: pass\na = C(); a.d = D; a.n = []",
        "lib.f(a.n)", "", ["a"],
    ),
    "a number of a class in an attribute": (
        "class D: n = 1\nclass C: pass\na = C(); a.n = D.n", "a.n += 1", "", ["a"]
    ),
    "a class in a name": ("class D: pass\nd = D; a = []", "a.append(d())", "", ["a"]),
    "a state that was not copied": (
        "m = nn.Linear(1, 1)\nb = m.state_dict()", "b['weight'].add_(1)", "", ["b", "m"]
    ),
}  # fmt: skip


class Changes(unittest.TestCase):
    def test_table(self) -> None:
        for name, (before, body, after, names) in _ROWS.items():
            with self.subTest(name):
                text = f"{before}\nfor i in al.loop('step', range(3)):\n    {body}\n{after}\n"
                found = changed(model_of(text))
                self.assertEqual(found, names)

    def test_table_in_a_function(self) -> None:
        """The same in a function, where names are its own."""
        for name, (before, body, after, names) in _ROWS.items():
            if "global" in before or "class" in before or "def " in before:
                continue
            with self.subTest(name):
                inner = f"{before}\nfor i in al.loop('step', range(3)):\n    {body}\n{after}\n"
                text = "def main():\n" + textwrap.indent(inner, "    ") + "\nmain()\n"
                self.assertEqual(changed(model_of(text)), names)

    def test_other_files(self) -> None:
        text = """
        import state
        from state import push
        for i in al.loop("step", range(3)):
            state.count += 1
            push(i)
        """
        other = "count = 0\nitems = []\ndef push(x): items.append(x)\n"
        model = model_of(text, state=other)
        keys = [one.key for one in model.changes[0] if not one.dead]
        self.assertEqual(keys, ["state.py:0:count", "state.py:0:items"])

    def test_what_cannot_be_told(self) -> None:
        for line in ("exec('x = 1')", "import threading\nthreading.Thread(target=print).start()"):
            model = model_of(f"{line}\nfor i in al.loop('step', range(3)): pass\n")
            self.assertTrue(model.uncertain, line)

    def test_history(self) -> None:
        """A loss that is summed up over steps is needed with what led to it; a printed one not."""
        text = """
        m = nn.Linear(1, 1)
        total = 0
        for i in al.loop("step", range(3)):
            loss = m(torch.ones(1)).sum()
            total = total + loss
        total.backward()
        print(loss.item(), float(total))
        """
        flags = {one.name: one.history for one in model_of(text).changes[0]}
        self.assertEqual((flags["total"], flags["loss"]), (True, False))


class Iterators(unittest.TestCase):
    def check(self, before: str, items: str, body: str, expected: str) -> None:
        text = f"{before}\nfor i in al.loop('step', {items}):\n    {body}\n"
        self.assertEqual(loop_of(model_of(text))["iterator"], expected, text)

    def test_kinds(self) -> None:
        loader = "d = torch.utils.data.DataLoader(torch.ones(4), shuffle=True)"
        gen = "x = torch.ones(4)\ndef g(n):\n    for i in range(n): yield x[i]"
        own = "class C:\n    def __iter__(self):\n        yield {}\na = C()"
        for row in (
            ("", "range(3)", "pass", "index"),
            ("a = [1]", "a", "a.append(1)", "index"),
            (loader, "d", "pass", "independent"),
            (loader, "enumerate(d)", "pass", "independent"),
            (loader, "d", "d.dataset.add_(1)", "dependent"),
            (gen, "g(4)", "pass", "independent"),
            (gen, "g(4)", "x.add_(1)", "dependent"),
            ("import lib\na = lib.f()", "a", "pass", "dependent"),
            (own.format(1), "a", "pass", "independent"),
            (own.format("self.n"), "a", "a.n = i", "dependent"),
            ("a = [1]\nb = iter(a)", "zip(a, a)", "pass", "independent"),
        ):
            with self.subTest(row):
                self.check(*row)

    def test_breaks(self) -> None:
        text = """
        for i in al.loop("step", range(3)):
            if i:
                break
            for j in range(2):
                break
        for i in al.loop("other", range(3)):
            if i: break
        else:
            pass
        """
        loops = list(model_of(text).analysis.loops.values())
        self.assertEqual([sorted(loop.breaks) for loop in loops], [[7], []])


class Logs(unittest.TestCase):
    def logs(self, text: str) -> Dict[str, Any]:
        found: Dict[str, Any] = {}
        for one in model_of(text).to_json()["logs"]:
            found.setdefault(one["name"], []).append(one)
        return found

    def test_chains_through_calls(self) -> None:
        found = self.logs(
            """
            def inner():
                al.log("deep", 1)
            def train():
                al.log("first", 1)
                for e in al.loop("epoch", range(2)):
                    for s in al.loop("step", range(2)):
                        inner()
                    al.log("outer", 1)
                    inner()
            train()
            al.log("last", 1)
            """
        )
        chains = sorted(one["chain"] for one in found["deep"])
        self.assertEqual(chains, [[0], [0, 1]])
        self.assertEqual(found["outer"][0]["chain"], [0])
        self.assertEqual(found["first"][0]["before"], [0, 1])
        self.assertEqual(found["last"][0]["before"], [])
        self.assertTrue(all(one["certain"] for logs in found.values() for one in logs))

    def test_order_in_an_iteration(self) -> None:
        found = self.logs(
            """
            for e in al.loop("epoch", range(2)):
                al.log("head", 1)
                for s in al.loop("step", range(2)): pass
                al.log("tail", 1)
            """
        )
        self.assertEqual(found["head"][0]["before"], [1])
        self.assertEqual(found["tail"][0]["before"], [])

    def test_plain_loops_come_back(self) -> None:
        loop = "for s in al.loop('step', range(2)): pass"
        text = f"for r in range(2):\n    al.log('a', 1)\n    {loop}\n"
        self.assertEqual(self.logs(text)["a"][0]["before"], [])

    def test_what_asking_changes(self) -> None:
        before = "m = nn.Linear(1, 1); a = []\ndef ev(m):\n    m.eval()\n"
        before += "    return m(torch.ones(1)).item()\n"
        for asked, changes in (
            ("len(a)", None),
            ("ev(m)", None),
            ("m(torch.ones(1)).sum().item()", None),
            ("a.append(1)", True),
            ("(b := 1)", True),
        ):
            found = self.logs(before + f"al.log('x', {asked})\n")
            self.assertEqual(found["x"][0].get("changes"), changes, asked)

    def test_modules_in_a_container_of_the_library(self) -> None:
        """They are called by it; it calls no others, least of all the module that it stands in."""
        block = "class Block(nn.Module):\n    def forward(self, x):\n"
        block += "        BODY\n        return x\n"
        net = "class Net(nn.Module):\n    def __init__(self):\n"
        net += "        super().__init__()\n"
        net += "        self.inner = nn.Sequential(nn.Linear(1, 1) HELD)\n"
        net += "        MORE\n    def forward(self, x):\n        return self.inner(x)\n"
        rows = [
            ("pass", "", "pass", None),
            ("pass", ", Block()", "pass", None),
            ("self.seen = x", "", "pass", None),
            ("self.seen = x", ", Block()", "pass", True),
            ("self.seen = x", "", "self.inner.append(Block())", True),
            ("self.seen = x", "", "self.inner.add_module('b', Block())", True),
            ("self.seen = x", "", "self.inner[0] = Block()", True),
            ("self.seen = x", "", "self.inner[0].child = Block()", True),
            ("self.seen = x", ", *[Block() for _ in range(2)]", "pass", True),
        ]
        for body, held, more, changes in rows:
            with self.subTest(held=held, more=more, body=body):
                text = block.replace("BODY", body)
                text += net.replace("MORE", more).replace("HELD", held)
                text += "m = Net()\nal.log('x', m(torch.ones(1)).sum().item())\n"
                self.assertEqual(self.logs(text)["x"][0].get("changes"), changes)

    def test_a_loop_by_a_detour(self) -> None:
        text = "for i, s in zip('ab', al.loop('step', range(2))):\n    al.log('x', 1)\n"
        model = model_of(text)
        self.assertEqual(loop_of(model)["form"], "other")
        self.assertFalse(model.to_json()["logs"][0]["certain"])

    def test_a_loop_that_is_counted(self) -> None:
        text = "for i, s in enumerate(al.loop('step', range(2)), 1):\n    a = s; al.log('x', 1)\n"
        model = model_of(text + "print(a)\n")
        loop = loop_of(model)
        found = (loop["form"], loop["iterator"], loop["counted"], changed(model))
        self.assertEqual(found, ("for", "dependent", True, ["a"]))
        self.assertTrue(model.to_json()["logs"][0]["certain"])
        for other in ("def enumerate(x): return x", "from lib import *"):
            self.assertEqual(loop_of(model_of(f"{other}\n{text}"))["form"], "other")

    def test_uncertain(self) -> None:
        text = "import lib\ndef f(): al.log('x', 1)\nlib.on(f)\ndef never(): al.log('y', 1)\n"
        found = self.logs(text)
        self.assertEqual([found[name][0]["certain"] for name in "xy"], [False, False])
        self.assertEqual([found[name][0].get("uncalled") for name in "xy"], [None, True])


if __name__ == "__main__":
    unittest.main()
