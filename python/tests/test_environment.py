"""Environment variables that a program names: which of them make a replay stop, if they changed."""

import os
import tempfile
import unittest
from typing import Any, Dict, List
from unittest import mock

from afterlog.record.environment import Environment, changed_since, compare_environment

_ROWS = (
    ("SCALE LR DATA_DIR SEED TZ LANG KEYS MONKEY TOKENS_MAX MY_HOME", "computed"),
    ("WANDB_API_KEY OPENAI_APIKEY HF_TOKEN DB_PASSWORD CLIENT_SECRET", "surroundings"),
    ("HOME USER LOGNAME HOSTNAME PATH CUDA_VISIBLE_DEVICES", "surroundings"),
    ("AFTERLOG_DIR TMPDIR PWD TERM NO_COLOR CI", "neither"),
)


class _Director:
    def __init__(self) -> None:
        self.hints: List[str] = []
        self.why: List[str] = []

    def suspect(self, why: str) -> None:
        self.why.append(why)


class Variables(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def _write(self, *lines: str) -> None:
        with open(os.path.join(self.root, "train.py"), "w", encoding="utf-8") as stream:
            stream.write("\n".join(lines))

    def _manifest(self) -> Dict[str, Any]:
        files = {"train.py": "", "gone.py": ""}
        hashes = Environment(self.root, "run", os.environ).hashes(files)
        return {"run": "run", "sources": files, "environment": hashes}

    def test_what_changed(self) -> None:
        for text, kind in _ROWS:
            names = text.split()
            self._write(*(f'os.environ["{name}"]' for name in names))
            with self.subTest(kind):
                with mock.patch.dict(os.environ, dict.fromkeys(names, "1")):
                    manifest = self._manifest()
                    same = _Director()
                    compare_environment(same, manifest, self.root)
                self.assertEqual((same.why, same.hints), ([], []))
                director = _Director()
                with mock.patch.dict(os.environ, dict.fromkeys(names, "2")):
                    compare_environment(director, manifest, self.root)
                    warned = changed_since(manifest, self.root)
                told = {"computed": director.why, "surroundings": director.hints}.get(kind, [])
                others = len(director.why) + len(director.hints) - len(told)
                expected = [] if kind == "neither" else sorted(names)
                self.assertEqual([line.split()[3] for line in told], expected)
                self.assertEqual(others, 0)
                self.assertEqual(len(warned), len(names) if kind == "computed" else 0)

    def test_however_it_is_written_and_what_nobody_looked_at(self) -> None:
        self._write('os.environ["A"]; environ.get( \'B\'); os.getenv("C", "x")', 'env["D"]')
        manifest = self._manifest()
        self.assertEqual(list(manifest["environment"]), ["A", "B", "C"])
        self._write('os.environ["A"]', 'al.log("x", os.getenv("NEW"))')
        director = _Director()
        compare_environment(director, manifest, self.root)
        self.assertEqual(len(director.why), 1)
        self.assertIn("did not look at NEW", director.why[0])


if __name__ == "__main__":
    unittest.main()
