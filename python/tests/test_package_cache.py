"""What is kept of packages for other processes: a program records the same with it as without."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest
from typing import List

from afterlog.store.package_cache import PackageCache

_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PROGRAM = "import clocked\nfor i in range(2):\n    print('told', clocked.told())\n"
_CLOCKED = "import time\ndef told():\n    return time.time()\n"


class PackageCacheTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self._write("packages/clocked.py", _CLOCKED)
        self._write("project/train.py", _PROGRAM)

    def _write(self, name: str, text: str) -> None:
        file = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "w") as stream:
            stream.write(text)

    def _kept(self) -> List[str]:
        return glob.glob(os.path.join(self.folder, "cache/afterlog/packages/*"))

    def _recorded(self) -> List[List[str]]:
        """Results of the package's calls that a new run of the program recorded, by call."""
        root = os.path.join(self.folder, "project")
        store = tempfile.mkdtemp(dir=self.folder)
        directive = {"root": root, "store": store, "program": "train.py", "handsFree": True}
        env = {
            **os.environ,
            "PYTHONPATH": f"{_PACKAGES}{os.pathsep}{os.path.join(self.folder, 'packages')}",
            "XDG_CACHE_HOME": os.path.join(self.folder, "cache"),
            "AFTERLOG_DIRECTIVE": json.dumps(directive),
            "AFTERLOG_MODE": "",
        }
        command = [sys.executable, "-m", "afterlog.launch", "train.py"]
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        [log] = glob.glob(os.path.join(store, "runs/*/log.jsonl"))
        with open(log) as stream:
            records = [json.loads(line) for line in stream]
        self.assertFalse([one for one in records if "cache" in one.get("file", "")])
        return [
            one["sites"]
            for one in records
            if one["k"] == "calls" and one.get("file") == "package:clocked" and "sites" in one
        ]

    def test_same_with_and_without(self) -> None:
        first = self._recorded()
        self.assertEqual(len(first), 1)
        [kept] = self._kept()
        with open(kept, "rb") as stream:
            before = stream.read()
        self.assertIn(b"__afterlog_got_in__", before)
        self.assertEqual(self._recorded(), first)
        with open(kept, "rb") as stream:
            self.assertEqual(stream.read(), before)

    def test_changed_package(self) -> None:
        self._recorded()
        self._write("packages/clocked.py", _CLOCKED.replace("time()", "time() + time.monotonic()"))
        self.assertEqual(len(self._recorded()[0]), 2)
        self._write("packages/clocked.py", "def told():\n    return 1\n")
        self.assertEqual(self._recorded(), [])

    def test_module_of_the_project_in_the_place_of_a_clock(self) -> None:
        self._write("packages/clocked.py", "import uuid\ndef told():\n    return uuid.uuid4()\n")
        self.assertEqual(len(self._recorded()), 1)
        self._write("project/uuid.py", "def uuid4():\n    return 4\n")
        self._write("project/train.py", "import uuid\n" + _PROGRAM)
        self.assertEqual(self._recorded(), [])

    def test_damaged(self) -> None:
        file = os.path.join(self.folder, "damaged")
        for text in (b"", b"nothing", b"\xff" * 99, b"i\x01\x00\x00\x00"):
            with open(file, "wb") as stream:
                stream.write(text)
            cache = PackageCache(file)
            cache.load()
            self.assertIsNone(cache.find(__file__))


if __name__ == "__main__":
    unittest.main()
