"""Under torchrun one rank records, and the others say that they do not."""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import afterlog as al
for step in al.loop("step", range(2)):
    al.log("n", step)
print("ran")
"""
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Ranks(unittest.TestCase):
    def test_only_the_first_records(self) -> None:
        for rank, records in (("0", True), ("3", False)):
            with self.subTest(rank), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "train.py")
                with open(path, "w") as file:
                    file.write(PROGRAM)
                env = {**os.environ, "PYTHONPATH": PACKAGE, "RANK": rank, "AFTERLOG_MODE": ""}
                env["AFTERLOG_DIR"] = os.path.join(folder, ".afterlog")
                ran = subprocess.run(
                    [sys.executable, path], cwd=folder, env=env, capture_output=True, text=True
                )
                self.assertEqual((ran.returncode, ran.stdout), (0, "ran\n"), ran.stderr)
                told = "rank 3 of this training records nothing" in ran.stderr
                self.assertEqual(told, not records)
                self.assertEqual(os.path.isdir(env["AFTERLOG_DIR"]), records)


if __name__ == "__main__":
    unittest.main()
