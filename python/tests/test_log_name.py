"""What a value can be logged under: as src/format/log-name.ts has it."""

import unittest

from afterlog.format.log_name import log_name_problem

NO_NAMES = [
    ("", "the name of what is logged is empty"),
    ("a\nb", 'the name "a\\nb" has characters that cannot be shown'),
    ("\x1b[31mred", 'the name "\\u001b[31mred" has characters that cannot be shown'),
    ("\x9b1m", 'the name "\\u009b1m" has characters that cannot be shown'),
    ("a\ud800", 'the name "a\\ud800" has characters that cannot be shown'),
    ("a" * 5000, "the name of what is logged has 5000 characters, more than 1000"),
    (7, "log takes a name and a value, and was given an int for the name"),
    (None, "log takes a name and a value, and was given None for the name"),
    ([1], "log takes a name and a value, and was given a list for the name"),
]


class LogName(unittest.TestCase):
    def test_what_is_none(self) -> None:
        for name, said in NO_NAMES:
            with self.subTest(repr(name)[:20]):
                self.assertEqual(log_name_problem(name), said)

    def test_what_is_one(self) -> None:
        for name in ("loss", "emoji 🙂 and é", "a" * 1000, "'; drop table logs; --"):
            self.assertIsNone(log_name_problem(name))
