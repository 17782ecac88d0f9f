"""What a person sees of an error: the program's own lines, and what is wrong."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Tuple

from afterlog.format.errors import AfterlogError, describe_error
from afterlog.format.visible_text import visible_text

PROGRAM = """import afterlog as al
state = al.checkpointing(lines=open(__file__, "r+"))
"""
SHOWN = """Traceback (most recent call last):
  File "{path}", line 2, in <module>
    state = al.checkpointing(lines=open(__file__, "r+"))
afterlog.AfterlogError: [AL070] lines cannot be captured: it is a file that is open"""
_TEXTS = os.path.join(os.path.dirname(__file__), "../../test/fixtures/visible-texts.json")
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# The second Ctrl-C comes while the first one's end is being written.
IMPATIENT = """import afterlog as al
from afterlog.record import current
al.log("x", 1)
def end(ending):
    raise KeyboardInterrupt
current.recording().end = end
"""


def run(folder: str, program: str, *way: str) -> Tuple[int, str]:
    path = os.path.join(folder, "train.py")
    with open(path, "w") as file:
        file.write(program)
    env = {**os.environ, "PYTHONPATH": PACKAGE, "AFTERLOG_MODE": ""}
    command = [sys.executable, *way, path]
    ran = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    return ran.returncode, ran.stderr


class Errors(unittest.TestCase):
    def test_one_line_for_any(self) -> None:
        rows = [
            (OSError(28, "No space left on device"), "OSError: No space left on device"),
            (OSError(2, "No such file", "a b"), "FileNotFoundError: No such file: 'a b'"),
            (OSError("odd"), "OSError: odd"),
            (ValueError("first\nsecond"), "ValueError: first"),
            (KeyError(), "KeyError"),
            (AfterlogError("AL070", "it cannot", ["leave it"]), "AL070: it cannot"),
        ]
        for error, text in rows:
            with self.subTest(text):
                self.assertEqual(describe_error(error), text)

    def test_what_a_terminal_would_obey_is_shown(self) -> None:
        with open(_TEXTS, encoding="utf-8") as file:
            for text, shown in json.load(file):
                with self.subTest(text=text):
                    self.assertEqual(visible_text(text), shown)
                    self.assertEqual(str(AfterlogError("AL001", text, [])), f"[AL001] {shown}")
        self.assertEqual(visible_text("\udcff"), "\\udcff")

    def test_the_traceback_is_the_program_s(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for way in ([], ["-m", "afterlog.launch"]):
                code, shown = run(folder, PROGRAM, *way)
                lines = [line for line in shown.split("\n") if set(line) - set(" ^~")]
                expected = SHOWN.format(path=os.path.join(folder, "train.py"))
                self.assertIn(expected, "\n".join(lines))
                self.assertEqual(code, 1)

    @unittest.skipIf(shutil.which("git") is None, "no git")
    def test_who_is_impatient_sees_one_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            told = "afterlog: warning: the run could not be completed: KeyboardInterrupt\n"
            self.assertEqual(run(folder, IMPATIENT), (0, told))


if __name__ == "__main__":
    unittest.main()
