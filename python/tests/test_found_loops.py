"""Which plain loops of a program are loops of the run, and their names."""

import ast
import unittest
from typing import Dict, List, Tuple

from afterlog.handsfree.loop_transform import EACH, END, ENDED, ROUNDS, LoopTransform
from afterlog.source.model import Model
from afterlog.source.program.program import Program


def loops(text: str, **others: str) -> Tuple[List[str], List[Tuple[int, str]]]:
    """Names of the loops, in the order of the text; lines of those left alone, and why."""
    files: Dict[str, str] = {"t.py": text, **{f"{name}.py": one for name, one in others.items()}}
    model = Model(Program("t.py", files.get, hands_free=True)).to_json()
    names = [f"{one['name']} {one['iterator']}" for one in model["loops"]]
    return names, [(one["line"], one["why"]) for one in model["leftAlone"]]


SMALL = "a small loop inside two others"


class FoundLoops(unittest.TestCase):
    def test_names(self) -> None:
        table = [
            ("for epoch in range(3): pass", ["epoch index"]),
            ("for i, (x, y) in enumerate([]): pass", ["i independent"]),
            ("for _ in range(3): pass", ["for index"]),
            ("while True: pass", ["while state"]),
            ("def train():\n  while f(): pass", ["train.while state"]),
            ("class A:\n  def fit(self):\n    for _ in []: pass", ["fit.for index"]),
            ("for i in []: pass\nfor i in []: pass", ["i index", "i.2 index"]),
            ("# afterlog: loop epoch\nfor e in []: pass", ["epoch index"]),
            ("while f():  # afterlog: loop round\n  pass", ["round state"]),
            ("for a in []: pass\n# afterlog: loop a\nfor e in []: pass", ["a.2 index", "a index"]),
            ("x = 1 # afterlog: loop no\nfor e in []: pass", ["e index"]),
            ("for run in []: pass", ["run.2 index"]),
            ("for self.epoch in range(3): pass", ["epoch index"]),
            ("for a.i, (x, y) in enumerate([]): pass", ["i independent"]),
            ("for x, a.i in []: pass", ["x index"]),
            ("for a[0] in []: pass", ["a index"]),
        ]
        for text, expected in table:
            with self.subTest(text):
                self.assertEqual(loops(text)[0], expected)

    def test_loops_that_share_a_name(self) -> None:
        """By their functions; in runs of older rules by a number."""
        batches = "  for batch, (x, y) in enumerate([]): pass\n"
        both = f"def train():\n{batches}def test():\n{batches}"
        loop = "  for i in []: pass\n"
        table = [
            (both, ["train.batch", "test.batch"], ["batch", "batch_2"]),
            (f"def main():\n{loop * 3}", ["main.i", "main.i.2", "main.i.3"], ["i", "i_2", "i_3"]),
            (f"def f():\n{loop}for i in []: pass", ["f.i", "i"], ["i", "i_2"]),
            (
                f"# afterlog: loop i\nfor e in []: pass\ndef f():\n{loop}",
                ["i", "f.i"],
                ["i", "i_2"],
            ),
            ("for a.i in []: pass\nfor a.n in []: pass", ["i", "n"], ["a", "a_2"]),
            (
                "def f():\n  while 0: pass\n  while 1: pass",
                *[["f.while", f"f.while{n}"] for n in (".2", "_2")],
            ),
        ]
        for text, *expected in table:
            for rules, names in zip((3, 1), expected):
                with self.subTest(text, rules=rules):
                    found = Program("t.py", {"t.py": text}.get, hands_free=True, rules=rules).found
                    assert found is not None
                    self.assertEqual([one.name for one in found.by_node.values()], names)

    def test_probes_change_no_name(self) -> None:
        text = "def f():\n  for x in []: pass\nfor x in range(2):\n  f()\n{}for y in f(): pass\n"
        plain = loops(text.format(""))
        probed = loops("import afterlog as al\n" + text.format('al.log("a", f())\n'))
        self.assertEqual(plain[0], probed[0])

    def test_what_is_added_to_ask_changes_no_loop(self) -> None:
        text = "def f(m):\n  for x in []:\n    x += 1\n{}for e in range(2):\n  f(1)\n"
        added = text.format("    for k in []:\n      m.f()\n")
        parts = {"t.py": [((4, 5), (5, 12))]}
        recorded = Program("t.py", {"t.py": added}.get, parts=parts, hands_free=True)
        program = Program("t.py", {"t.py": added}.get, hands_free=True, recorded=recorded)
        found = Model(program).to_json()["loops"]
        self.assertNotEqual(loops(added)[0], loops(text.format(""))[0])
        names = [f"{one['name']} {one['iterator']}" for one in found]
        self.assertEqual(names, loops(text.format(""))[0])

    def test_left_alone(self) -> None:
        table = [
            ("def g():\n  for x in []: yield x", [(2, "its function yields in it")]),
            ("def g():\n  for x in []: pass\n  yield 1", []),
            ("async def g():\n  async for x in h(): pass", [(2, "an async for")]),
            ("class A:\n  for x in []: pass", [(2, "it stands in the body of a class")]),
        ]
        for text, expected in table:
            with self.subTest(text):
                self.assertEqual(loops(text)[1], expected)

    def test_small_loops(self) -> None:
        inside = "for a in range(2):\n for b in range(2):\n  for c in range(2): {}\n"
        small = "def f():\n for i in x: y = i\n"
        table = [
            (inside.format("x = a * b + c"), [(3, SMALL)]),
            (inside.format("v.append(len(v))"), [(3, SMALL)]),
            ("import torch\n" + inside.format("torch.relu(x)"), []),
            (inside.format("unknown(c)"), []),
            # A function is what its worst call makes of it.
            (small + "f()\n" + inside.format("f()"), [(2, SMALL), (6, SMALL)]),
            (small + "for a in x:\n f()\n", []),
            ("def f(n):\n for i in x: f(n - 1)\nf(3)\n", [(2, SMALL)]),
            # What is logged does not count.
            (inside.format("print(unknown(c))"), [(3, SMALL)]),
            ("for a in x:\n for b in x:\n  for p in model.parameters(): p.add_(1)", [(3, SMALL)]),
        ]
        for text, expected in table:
            with self.subTest(text):
                self.assertEqual(loops(text)[1], expected)

    def test_order_of_files(self) -> None:
        loop = "for i in []: pass"
        names, _ = loops(f"import b, a\n{loop}", a=loop, b=loop)
        self.assertEqual(sorted(names), ["i index", "i.2 index", "i.3 index"])

    def test_what_an_iterator_calls_changes_in_the_loop(self) -> None:
        head = "count = 0\ndef f(x=1):\n  global count\n  count += x\n  return x\n"
        table = ("map(f, [1, 2])", "(f(q) for q in [1])", "iter(lambda: f(), 3)", "zip(map(f, y))")
        for items in table:
            with self.subTest(items):
                text = f"{head}y = [1]\nfor x in {items}: pass\n"
                model = Model(Program("t.py", {"t.py": text}.get, hands_free=True)).to_json()
                changed = [one["name"] for one in model["loops"][0]["changes"]]
                self.assertIn("count", changed)

    def test_positions(self) -> None:
        head = "import torch\nfrom tqdm import tqdm\nloader = torch.utils.data.DataLoader([1])\n"
        table = [
            ("for x in loader: pass", "independent"),
            ("for i, x in enumerate(loader): pass", "independent"),
            ("for x in tqdm(loader, desc='a'): pass", "independent"),
            ("for x in enumerate(tqdm(loader)): pass", "independent"),
            ("for x, y in zip(loader, range(3)): pass", "independent"),
            ("n = 0\nwhile n < 3: n += 1", "state"),
            ("for x in unknown(): pass", "dependent"),
        ]
        for text, expected in table:
            with self.subTest(text):
                self.assertEqual(loops(head + text)[0][0].split()[1], expected)

    def test_rewriting_leaves_the_trees_that_are_analysed(self) -> None:
        text = "for a in [1]:\n  while a: a -= 1\n  else: print(a)\n"
        program = Program("t.py", {"t.py": text}.get, hands_free=True)
        kept = ast.dump(program.modules["t.py"].tree)
        rewritten = LoopTransform(program).apply(ast.parse(text), text, "t.py")
        called = {one.id for one in ast.walk(rewritten) if isinstance(one, ast.Name)}
        self.assertEqual(called, {EACH, ROUNDS, END, ENDED, "a", "print"})
        self.assertEqual(ast.dump(program.modules["t.py"].tree), kept)


if __name__ == "__main__":
    unittest.main()
