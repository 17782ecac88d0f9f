"""What a person sees of an error: the program's own lines, and what is wrong."""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """import afterlog as al
state = al.checkpointing(lines=open(__file__))
"""
SHOWN = """Traceback (most recent call last):
  File "{path}", line 2, in <module>
    state = al.checkpointing(lines=open(__file__))
afterlog.AfterlogError: [AL070] lines cannot be captured: it is a TextIOWrapper"""
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Errors(unittest.TestCase):
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
