"""How the end of a replay's process is told to who waits for it."""

import unittest

from afterlog.record.ending import Ending, outcome_of


class Endings(unittest.TestCase):
    def test_what_was_interrupted_is_not_done(self) -> None:
        suspected = {"kind": "diverged", "why": "it looked wrong", "path": []}
        table = [
            (Ending(0), None, "done"),
            (Ending(0), suspected, "diverged"),
            (Ending(3), suspected, "failed"),
            (Ending(None, "SIGINT"), None, "failed"),
            (Ending(None, "SIGINT"), suspected, "failed"),
        ]
        for ending, seen, kind in table:
            with self.subTest(ending):
                self.assertEqual(outcome_of(ending, seen)["kind"], kind)
