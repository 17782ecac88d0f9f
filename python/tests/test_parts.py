"""What a part of a question may change of the run, as its loop sees it, by calling a function of
the run. `!`: no checkpoint holds it, so that nothing can be compared behind the part."""

import unittest
from typing import Dict, List, Tuple

from afterlog.source.model import Model
from afterlog.source.program.program import Program

# Each: what the run has, what the called function does, and the names.
_ROWS: Dict[str, Tuple[str, str, List[str]]] = {
    "nothing": ("c = [0]", "return c[0]", []),
    "a variable": ("n = 0", "global n; n += 1", ["n"]),
    "a list": ("c = []", "c.append(1)", ["c"]),
    "a variable of another file": ("", "other.bump()", ["count"]),
    "one that is set from outside": ("", "other.count += 1", ["count"]),
    "an attribute of a class": ("class N:\n    n = 0", "N.n += 1", ["N!"]),
    "what an attribute of a class holds": ("class N:\n    n = []", "N.n.append(1)", ["n!"]),
    "a class inside another": ("class N:\n    class M: n = 0", "N.M.n += 1", ["M!", "N!"]),
    "a method of a class": (
        "class N:\n    n = 0\n    @classmethod\n    def tick(cls): cls.n += 1",
        "N.tick()",
        ["N!", "cls!"],
    ),
    "an attribute of a function": (
        "def f(): pass",
        "f.n = 1",
        ["an attribute of the function f is changed!"],
    ),
    "a variable in a closure": (
        "def make():\n    n = 0\n    def inc():\n        nonlocal n; n += 1\n    return inc\n"
        "inc = make()",
        "inc()",
        ["n!"],
    ),
    "a default": ("def add(to=[]): to.append(1)", "add()", ["to=!"]),
    "values that come from a default": (
        "def add(x, to=[1.0]):\n    to[0] += x\n    return to\nlast = add(1)[0]",
        "seen = [last]; seen.append(last)",
        [],
    ),
    "objects that are only looked at": (
        "class S:\n    def __init__(s): s.a = 1.0\n"
        "class B:\n    def fit(s): s.all = [S()]\nb = B(); b.fit()",
        "return sum(s.a for s in b.all) + max(2.0, b.all[0].a)",
        [],
    ),
    "an iterator": ("it = iter([1, 2])", "return sum(v for v in it)", ["it"]),
    "the environment": ("import os", "os.environ['N'] = '1'", ["os.environ is changed!"]),
    "a module of Python": ("import string", "string.n = 1", ["string.n is changed!"]),
}
_OTHER = "count = 0\ndef bump():\n    global count\n    count += 1\n"


class PartsTest(unittest.TestCase):
    def test_what_a_part_changes(self) -> None:
        for what, (has, does, names) in _ROWS.items():
            with self.subTest(what):
                begin = f"import other\n{has}\ndef touch():\n    {does}\nw = 0\n"
                text = begin + "for i in range(3):\n    w += i\n    print('q', touch())\n"
                text += "touch()\nprint('w', w)\n"
                line = text.split("\n").index("    print('q', touch())") + 1
                files = {"t.py": text, "other.py": _OTHER}
                program = Program("t.py", files.get, hands_free=True)
                probe = {"file": "t.py", "line": line, "column": 5}
                for one in (probe, {**probe, "end": {"line": line + 1, "column": 1}}):
                    (loop,) = Model(program, [one]).to_json()["loops"]
                    changes = loop["changedByParts"]
                    found = [
                        one["name"] + ("!" if one["access"] == "out-of-reach" else "")
                        for one in changes
                    ]
                    self.assertEqual(sorted(found), names)

    def test_variables_that_each_call_makes_anew(self) -> None:
        layer = "def layer(w):\n    parts = [w]\n    for k in range(2):\n        parts.append(k)\n"
        head = layer + "{}    return parts\nw = 0\nfor i in range(3):\n    w += len(layer(w))\n{}"
        asked = "print('q', layer(w))\n"
        yields = layer.replace("w]", "w]\n    yield w")
        for text, line, changes in (
            (head.format("", f"    {asked}"), 9, False),
            (head.format("        print('q', parts.append(1))\n", ""), 5, True),
            (head.format("        more(w)\n", f"def more(w): {asked}"), 10, True),
            (head.format("", f"    {asked}").replace(layer, yields), 10, True),
        ):
            with self.subTest(text):
                program = Program("t.py", {"t.py": text}.get, hands_free=True)
                part = {"file": "t.py", "line": line, "column": 1}
                loops = Model(program, [part]).to_json()["loops"]
                found = {one["name"] for loop in loops for one in loop["changedByParts"]}
                self.assertEqual("parts" in found, changes)

    def test_what_the_question_has_of_its_own(self) -> None:
        own = "    class Own:\n        def __init__(self): self.n = 0\n    print('q', Own().n)\n"
        text = "class N:\n    def __init__(self): self.n = 1\n"
        text += f"for i in range(3):\n    n = N().n\n{own}print('n', n)\n"
        program = Program("t.py", {"t.py": text}.get, hands_free=True)
        part = {"file": "t.py", "line": 5, "column": 5, "end": {"line": 8, "column": 1}}
        (loop,) = Model(program, [part]).to_json()["loops"]
        self.assertEqual([one["name"] for one in loop["changedByParts"]], [])


if __name__ == "__main__":
    unittest.main()
