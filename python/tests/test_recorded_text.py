"""The text of a run, with places of a text in which there is more."""

import ast
import unittest

from afterlog.source.program.program import Program
from afterlog.source.program.recorded_text import RecordedText

RAN = """for epoch in range(3):
    for a, b in data:
        f(a)
    g(epoch)
"""
NOW = """import math
for epoch in range(3):
    seen = []
    for i, (a, b) in enumerate(data):
        f(a)
        seen.append(i)
    for one in seen:
        print("q", one)
    g(epoch)
"""
MOVED = [[1, 1, 1, 0], [2, 5, 2, 0], [2, 17, 2, 15], [3, 9, 2, 0], [4, 5, 5, 0]]


class OfARun(unittest.TestCase):
    def test_statements_stand_where_they_are_now(self) -> None:
        tree = RecordedText(RAN, MOVED).tree("a.py")
        nodes = [one for one in ast.walk(tree) if isinstance(one, ast.stmt)]
        places = sorted((one.lineno, one.end_lineno) for one in nodes)
        self.assertEqual(places, [(2, 9), (4, 5), (5, 5), (9, 9)])

    def test_loops_are_those_of_the_run(self) -> None:
        ran = {"a.py": RecordedText(RAN, MOVED)}
        program = Program("a.py", {"a.py": NOW}.get, hands_free=True, ran=ran)
        found = program.found.by_node.values() if program.found else ()
        loops = [(one.name, one.node.lineno) for one in found]
        self.assertEqual(loops, [("epoch", 2), ("a", 4)])


if __name__ == "__main__":
    unittest.main()
