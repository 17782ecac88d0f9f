"""The settings, held to the golden cases that the TypeScript twin is held to, with both readers of
TOML values: Python's own where there is one, and ours."""

import json
import os
import sys
import unittest

from afterlog.format.settings import resolve_settings
from afterlog.format.settings_text import read_scalar, read_settings_text, toml_reader

_GOLDEN = os.path.join(os.path.dirname(__file__), "../../test/fixtures/settings.json")


class Settings(unittest.TestCase):
    def test_golden(self) -> None:
        with open(_GOLDEN, encoding="utf-8") as stream:
            cases = json.load(stream)
        for case in cases:
            for read in (toml_reader(), read_scalar):
                with self.subTest(case=case, read=read):
                    self._check(case, read)

    def _check(self, case, read) -> None:
        file = read_settings_text("afterlog.toml", case["text"], read)
        settings, problems = resolve_settings(case.get("flags", {}), case.get("env", {}), file)
        given = [
            [key, one.value, *one.origin]
            for key, one in settings.items()
            if one.origin.kind != "default"
        ]
        self.assertEqual(given, case["set"])
        said = [f"{problem.message}; {problem.instead}" for problem in problems]
        self.assertEqual(said, case["problems"])
        if "record.mode" not in [key for key, *_ in case["set"]]:
            expected = "off" if case.get("off") else "record"
            self.assertEqual(settings["record.mode"].value, expected)

    def test_both_readers_agree(self) -> None:
        if sys.version_info < (3, 11):
            self.skipTest("there is only one")
        of_python = toml_reader()
        texts = ['"', "'", "\\", "u00e9", "n", "0", "7", "_", "+", "-", ".", "e", "inf", "nan"]
        texts += ["true", "x", "o", "b", " ", "#", "\t", "é", "\x01", "00"]
        numbers = [1, 48271]
        for _ in range(20_000):
            # A fixed sequence: the same texts each time.
            numbers[0] = numbers[0] * numbers[1] % 2147483647
            at, text = numbers[0], ""
            while at > 0:
                at, which = divmod(at, len(texts))
                text += texts[which]
            line = f"[record]\nkeep = {text}"
            ours = read_settings_text("afterlog.toml", line, read_scalar)
            self.assertEqual(ours, read_settings_text("afterlog.toml", line, of_python), text)


if __name__ == "__main__":
    unittest.main()
