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
}  # fmt: skip


class LeftAlone(unittest.TestCase):
    def test_table(self) -> None:
        for what, (before, body, after, names) in _ROWS.items():
            with self.subTest(what):
                loop = f"for i in al.loop('step', range(3)):\n    {body}\n"
                model = model_of(f"{before}\n{loop}{after}\n")
                self.assertEqual(([], changed(model)), (model.uncertain, names))


if __name__ == "__main__":
    unittest.main()
