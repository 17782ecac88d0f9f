"""Which values behind the loops of a program follow from what is restored and from code that can
only compute, by the text of the program."""

import unittest
from typing import List, Tuple

from afterlog.source.model import Model
from afterlog.source.program.program import Program

_HEAD = """import math, random, time
import torch
from torch import nn
torch.manual_seed(1)
x = torch.randn(8, 4)
net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2))
w = 0.0
xs = []
t0 = time.time()
n = int(time.time())
class Holder:
    def __init__(self, at):
        self.at = at
for epoch in range(5):
    loss = net(x).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p.mul_(0.9)
    w = w + loss.item()
    xs.append(w)
    took = time.time() - t0
    print("loss", loss.item(), time.time() - t0)
"""

# What stands behind the loop, the last line asks; whether the value is proved.
_ROWS: List[Tuple[str, bool]] = [
    ('print("v", w)', True),
    ('print("v", w * 2 + math.sqrt(abs(w)))', True),
    (
        'norms = [p.norm().item() for p in net.parameters()]\nnorms.sort()\nprint("v", norms[0])',
        True,
    ),
    ('with torch.no_grad():\n    v = net(x).sum().item()\nprint("v", v)', True),
    (
        'def size(m):\n    return sum(p.numel() for p in m.parameters())\nprint("v", size(net))',
        True,
    ),
    ('print("u", sorted(xs)[-1], time.time() - t0)\nprint("v", w)', True),
    ('print("v", random.random() + torch.rand(1).item())', True),
    ('print("v", w)\ntorch.save(net, "x.pt")', True),
    ('h = Holder(w)\nprint("v", h.at)', True),
    # Clocks and what depends on them, also through other names, objects and functions.
    ('print("v", time.time())', False),
    ('w += time.time()\nprint("v", w)', False),
    ('ys = xs\nys.append(time.time())\nprint("v", xs[-1])', False),
    ('h = Holder(xs)\nh.at.append(time.time())\nprint("v", xs[-1])', False),
    ('def f():\n    xs.append(n)\nf()\nprint("v", len(xs))', False),
    ('def f(m):\n    m.append(n)\nf(xs)\nprint("v", len(xs))', False),
    ('if n % 2:\n    w = 0.0\nprint("v", w)', False),
    ('k = Holder(n)\nfor i in range(k.at):\n    w += 1\nprint("v", w)', False),
    ('try:\n    open("x").read()\n    w = 1\nexcept OSError:\n    w = 2\nprint("v", w)', False),
    ('class A:\n    def __add__(self, o):\n        return n\nprint("v", A() + 1)', False),
    ('class A:\n    @property\n    def q(self):\n        return n\nprint("v", A().q)', False),
    ('fs = [time.time]\nprint("v", fs[0]())', False),
    # What is not known, or keeps a state of its own.
    ('print("v", torch.empty(3).sum().item())', False),
    ('print("v", torch.Tensor(3).sum().item())', False),
    ('import lib\nprint("v", lib.value(w))', False),
    ('import lib\nlib.change(net)\nprint("v", w + next(net.parameters()).sum().item())', False),
    ('print("v", open("x").read())', False),
    ('import os\nprint("v", os.environ["HOME"])', False),
    ('print("v", list({net, x})[0] is net)', False),
    ('def f(a, into=[]):\n    into.append(a)\n    return len(into)\nprint("v", f(w))', False),
    ('def f(*, into=[]):\n    into.append(1)\n    return len(into)\nprint("v", f())', False),
    ('print("v", [p.data_ptr() for p in net.parameters()][0])', False),
    ('print("v", x.to("cuda").sum().item())', False),
    # What may run beside it, or changes how others compute.
    ('import threading\nprint("v", w)', False),
    (
        'def f():\n    torch.set_default_dtype(torch.float64)\nprint("v", torch.zeros(1).sum())',
        False,
    ),
    ('math.sqrt = abs\nprint("v", math.sqrt(w))', False),
    ('globals()["w"] = n\nprint("v", w)', False),
    ('print("v", eval("w"))', False),
    ('import lib\nlib.shuffle()\nprint("v", random.random())', False),
]


class TestRestored(unittest.TestCase):
    def test_what_follows_from_what_is_restored(self) -> None:
        for text, proved in _ROWS:
            with self.subTest(text=text):
                self.assertEqual(_is_proved(_HEAD + text), proved)

    def test_what_the_loop_does_not_restore(self) -> None:
        rows = [
            # Before the loop, and nothing in it sets it.
            (_HEAD + 'print("v", n)', False),
            (_HEAD.replace("n = int(time.time())", "n = 3") + 'print("v", n)', True),
            # Made in the loop, by what nobody knows.
            (_HEAD + 'print("v", took)', False),
            (_HEAD.replace("xs.append(w)", "xs.append(lambda: n)") + 'print("v", xs[0]())', False),
            (_HEAD.replace("xs.append(w)", "xs.append(Holder)") + 'print("v", xs[0](1).at)', True),
            (
                "import lib\nc = None\nfor e in range(3):\n    d = lib.make()\n    c = d\n"
                'print("v", c.get(1))',
                False,
            ),
            (
                _HEAD.replace("xs = []", "xs = [lambda: n]").replace("xs.append(w)", "xs.pop()")
                + 'print("v", xs[0]())',
                False,
            ),
            (
                "import time\nn = time.time()\nclass A:\n    def get(self):\n        return n\n"
                'a = None\nfor e in range(3):\n    a = A()\nprint("v", a.get())',
                False,
            ),
            # A statement in the loop is none of these.
            (_HEAD + '    print("v", w)', False),
        ]
        for text, proved in rows:
            with self.subTest(text=text[-120:]):
                self.assertEqual(_is_proved(text), proved)

    def test_a_program_in_functions(self) -> None:
        indented = "".join(f"    {line}\n" for line in _HEAD.splitlines())
        main = f'def main(k):\n{indented}    print("v", w + k)\n'
        self.assertTrue(_is_proved(main + 'if __name__ == "__main__":\n    main(2)\n'))
        self.assertFalse(_is_proved("import time\n" + main + "main(time.time())\n"))


def _is_proved(text: str) -> bool:
    program = Program("a.py", {"a.py": text}.get, hands_free=True)
    logs = [log for log in Model(program).to_json()["logs"] if log["name"] == "v"]
    assert logs, text
    return all(log.get("computes") is True for log in logs)


if __name__ == "__main__":
    unittest.main()
