"""What the engine learns of Python sources."""

import unittest
from typing import Any, Dict, List

from afterlog.source.compare_sources import compare
from afterlog.source.model import Model
from afterlog.source.outline import outline as bare_outline
from afterlog.source.program.program import Program

PROGRAM = """\
import afterlog as al
from afterlog import log as note, loop

def step(batch):
    al.log("loss", batch)

def train(epochs):
    for epoch in al.loop("epoch", range(epochs)):
        for batch in loop("step", batches):
            step(batch)
        note(f"acc/{epoch}", 1)
    else:
        al.log("else", 1)

def helper():
    al.log("helped", 0)

if __name__ == "__main__":
    al.log("ß", 0); al.log("first", 1)
    train(3)
    helper()
    helper()
"""


def outline(file: str, text: str, **others: str) -> Dict[str, Any]:
    return Model(Program(file, {file: text, **others}.get)).to_json()


class Outline(unittest.TestCase):
    def test_loops_and_logs(self) -> None:
        found = outline("train.py", PROGRAM)
        self.assertEqual(found["uncertain"], [])
        loops = [(one["name"], one["line"], one["iterator"]) for one in found["loops"]]
        self.assertEqual(loops, [("epoch", 8, "index"), ("step", 9, "dependent")])
        logs = {one["name"] or one["pattern"]: one for one in found["logs"]}
        chains = {name: (one["chain"], one["certain"]) for name, one in logs.items()}
        self.assertEqual(
            chains,
            {
                "loss": ([0, 1], True),
                "^acc/.*$": ([0], True),
                "else": ([], True),
                "helped": ([], True),
                "ß": ([], True),
                "first": ([], True),
            },
        )
        # Columns count UTF-16 units from 1.
        self.assertEqual((logs["first"]["line"], logs["first"]["column"]), (19, 21))
        self.assertEqual(logs["first"]["text"], 'al.log("first", 1)')

    def test_what_cannot_be_read(self) -> None:
        self.assertIn("train.py:1", outline("train.py", "for x in:")["uncertain"][0])

    def test_without_analysis(self) -> None:
        found = bare_outline(Program("train.py", {"train.py": PROGRAM}.get), "why")
        self.assertEqual([one["name"] for one in found["loops"]], ["epoch", "step"])
        self.assertEqual(len(found["logs"]), 6)
        self.assertEqual(found["uncertain"], ["why"])

    def test_who_may_ask_which_objects_live(self) -> None:
        table = {
            "import weakref": "t.py:1",
            "from weakref import ref": "t.py:1",
            "class A:\n    def __del__(self):\n        gone.append(self)": "t.py:2",
            "class A:\n    def __del__(self):\n        A.alive -= 1": "t.py:2",
            "class A:\n    def __del__(self):\n        self.file.close()": None,
            "class A:\n    def close(self):\n        pass": None,
        }
        for text, where in table.items():
            self.assertEqual(Program("t.py", {"t.py": text}.get).looks_at_lives, where, text)

    def test_imports(self) -> None:
        model = Model(
            Program("a/b.py", {"a/b.py": "import c.d\nfrom . import e\nfrom ..f import g"}.get)
        )
        for file in ("a/c/d.py", "a/e.py", "f.py", "f/g.py"):
            self.assertIn(file, model.program.missing)


class Compare(unittest.TestCase):
    def added(self, before: str, after: str) -> List[Dict[str, Any]]:
        result = compare(before, after)
        self.assertEqual(result["kind"], "logs", result)
        return [(one["name"], one["line"]) for one in result["added"]]

    def test_layout_does_not_count(self) -> None:
        before = "x = 1\nif x:\n    y = f(x)\n"
        after = "# why\nx = 1\n\nif x:  # so\n\ty = f( x )\n"
        self.assertEqual(compare(before, after)["kind"], "same")

    def test_logs_are_added(self) -> None:
        before = "import afterlog as al\nfor i in r:\n    f(i)\n"
        after = before.replace("    f(i)\n", "    al.log('a', i)\n    f(i)\n    al.log('b', i)\n")
        self.assertEqual(self.added(before, after), [("a", 3), ("b", 5)])
        pairs = {(line, column): (a, b) for line, column, a, b in compare(before, after)["pairs"]}
        self.assertEqual(pairs[(4, 5)], (3, 5))

    def test_one_more_of_the_same(self) -> None:
        before = "import afterlog as al\nal.log('a', 1)\ng()\n"
        after = "import afterlog as al\nal.log('a', 1)\nal.log('a', 1)\ng()\n"
        self.assertEqual(self.added(before, after), [("a", 3)])

    def test_into_a_function_and_with_its_import(self) -> None:
        before = "def f():\n    return 1\n"
        after = "from afterlog import log\ndef f():\n    log('x', 2)\n    return 1\n"
        self.assertEqual(self.added(before, after), [("x", 3)])

    def test_what_a_statement_brings_along(self) -> None:
        base = "import afterlog as al\nfor i in r:\n    f(i)\n"
        along = ["import math", "@pure\n@cached\ndef half(x):\n    return x / 2", "y = half(i)"]
        guarded = 'if y:\n        al.log("y", y)\n    else:\n        al.log("n", i)'
        head = "\n".join(["import afterlog as al", *along[:2]])
        after = f"{head}\nfor i in r:\n    f(i)\n    {along[2]}\n    {guarded}\n"
        result = compare(base, after, also=[*along, guarded])
        names = [(one["name"], one["line"], one["column"]) for one in result["added"]]
        self.assertEqual(names, [(None, 9, 5), ("y", 11, 9), ("n", 13, 9)])
        for missing in (*along, guarded):
            with self.subTest(missing):
                rest = [one for one in (*along, guarded) if one != missing]
                self.assertEqual(compare(base, after, also=rest)["kind"], "differs")
        inner = base.replace("    f(i)", "    @pure\n    def g(x):\n        return x\n    f(i)")
        text = "@pure\n    def g(x):\n        return x"
        self.assertEqual(compare(base, inner, also=[text])["kind"], "same")

    def test_differences(self) -> None:
        base = "import afterlog as al\nx = 1\nfor i in range(3):\n    x += i\n"
        for after, line in (
            (base.replace("range(3)", "range(4)"), 3),
            (base.replace("x += i", "x -= i"), 4),
            (base + "y = 2\n", 5),
            (base.replace("x = 1\n", ""), 2),
            (base.replace("x = 1", "x = 1.0"), 2),
            (base.replace("x = 1", "x = True"), 2),
            (base.replace("    x += i", "    x += al.log('a', i)"), 4),
            ("for", 1),
        ):
            with self.subTest(after):
                result = compare(base, after)
                self.assertEqual((result["kind"], result["line"]), ("differs", line), result)
        removed = "import afterlog as al\nal.log('a', 1)\n"
        self.assertEqual(compare(removed, "import afterlog as al\n")["kind"], "differs")


if __name__ == "__main__":
    unittest.main()
