"""What a person sees of an error: the program's own lines, and what is wrong."""

import os
import subprocess
import sys
import tempfile
import unittest

from afterlog.format.errors import AfterlogError, describe_error

PROGRAM = """import afterlog as al
state = al.checkpointing(lines=open(__file__))
"""
SHOWN = """Traceback (most recent call last):
  File "{path}", line 2, in <module>
    state = al.checkpointing(lines=open(__file__))
afterlog.AfterlogError: [AL070] lines cannot be captured: it is a TextIOWrapper"""
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


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

    def test_the_traceback_is_the_program_s(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "train.py")
            with open(path, "w") as file:
                file.write(PROGRAM)
            env = {**os.environ, "PYTHONPATH": PACKAGE, "AFTERLOG_MODE": ""}
            for way in ([path], ["-m", "afterlog.launch", path]):
                command = [sys.executable, *way]
                ran = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
                marks = [line for line in ran.stderr.split("\n") if set(line) - set(" ^~")]
                self.assertIn(SHOWN.format(path=path), "\n".join(marks))
                self.assertEqual(ran.returncode, 1)


if __name__ == "__main__":
    unittest.main()
