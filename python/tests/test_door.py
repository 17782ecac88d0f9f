"""What `import afterlog` shows: the names that programs use, and nothing behind them."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import afterlog


class Door(unittest.TestCase):
    def test_shows_what_is_for_programs(self) -> None:
        shown = [name for name in dir(afterlog) if not name.startswith("__")]
        self.assertEqual(shown, sorted(set(afterlog.__all__) - {"__version__"}))

    def test_keeps_its_own_bytecode_and_nobody_elses(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            own = os.path.join(folder, "afterlog")
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(os.path.dirname(afterlog.__file__), own, ignore=ignored)
            with open(os.path.join(folder, "helpers.py"), "w", encoding="utf-8") as stream:
                stream.write("import sys\n")
            told = "import afterlog, helpers; print(helpers.sys.dont_write_bytecode)"
            environment = {**os.environ, "AFTERLOG_MODE": "off"}
            done = subprocess.run(
                [sys.executable, "-B", "-c", told],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(done.stdout, "True\n")
            self.assertTrue(os.path.isdir(os.path.join(own, "record", "__pycache__")))
            self.assertFalse(os.path.isdir(os.path.join(folder, "__pycache__")))


if __name__ == "__main__":
    unittest.main()
