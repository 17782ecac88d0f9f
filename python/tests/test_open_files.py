"""Files in a state: where each stands after a restore, and which are refused."""

import csv
import os
import tempfile
import types
import unittest
from typing import Any, Callable, Dict, List

from afterlog.format.errors import AfterlogError
from afterlog.record.files.replay_files import ReplayFiles, ReplayPlaces

from .test_state import hashes, round_trip

Change = Callable[[Any, str], Any]


def _reopened(path: str, mode: str) -> Any:
    with open(path, mode) as file:
        return file


def _read_to_the_end(file: Any, _: str) -> None:
    list(file)


# How a file is opened before the loop, what the loop does, and what can be said of it afterwards.
_ROWS: Dict[str, Any] = {
    "closed": ("w", lambda file, _: file.close(), lambda file: (file.closed, file.name)),
    "written": ("w", lambda file, _: file.write("abc"), lambda file: file.closed),
    "read in part": ("r", lambda file, _: file.readline(), lambda file: file.readline()),
    "read in part, as bytes": ("rb", lambda file, _: file.read(3), lambda file: file.read()),
    "read to its end": ("r", _read_to_the_end, lambda file: file.read()),
    "another one, closed": (
        "r", lambda _, path: _reopened(path, "r"), lambda file: (file.closed, file.name, file.mode),
    ),
    "another one, closed, of bytes": (
        "r", lambda _, path: _reopened(path, "wb"), lambda file: (type(file), file.closed),
    ),
}  # fmt: skip

_REFUSED: Dict[str, Any] = {
    "a pipe": ("PIPE", lambda file, _: file.write("x"), "a pipe"),
    "another one, open": ("r", lambda _, path: open(path), "opened after the loop began"),
    "for both": ("r+", lambda file, _: file.write("x"), "reading and writing"),
    "in the middle of going through it": ("r", lambda file, _: next(file), "where it stands"),
}


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self._path = os.path.join(folder.name, "x.txt")

    def _round_trip(self, mode: str, change: Change) -> Any:
        def make() -> Dict[str, Any]:
            with open(self._path, "w") as file:
                file.write("one\ntwo\n")
            held = open(os.pipe()[1], "w") if mode == "PIPE" else open(self._path, mode)
            self.addCleanup(held.close)
            return {"file": held}

        def alter(state: Dict[str, Any]) -> None:
            made = change(state["file"], self._path)
            if hasattr(made, "closed"):
                self.addCleanup(made.close)
                state["file"] = made

        return round_trip(make, alter)

    def test_where_they_stand(self) -> None:
        for name, (mode, change, look) in _ROWS.items():
            with self.subTest(name):
                first, second, saved, again = self._round_trip(mode, change)
                self.assertEqual(hashes(again), hashes(saved))
                self.assertEqual(look(second["file"]), look(first["file"]))

    def test_those_that_are_refused(self) -> None:
        for name, (mode, change, why) in _REFUSED.items():
            with self.subTest(name), self.assertRaisesRegex(AfterlogError, f"AL070.*{why}"):
                self._round_trip(mode, change)

    def test_how_much_was_written(self) -> None:
        """What the skipped loop wrote is not there: whoever asks gets no answer."""
        _, second, _, _ = self._round_trip("w", lambda file, _: file.write("abc"))
        second["file"].write("d")
        with self.assertRaisesRegex(AfterlogError, "what was written to it before"):
            second["file"].tell()

    def test_a_file_that_the_loop_made_longer(self) -> None:
        """Who reads on would not read what is there by then."""

        def lengthen(file: Any, path: str) -> None:
            with open(path, "a") as other:
                other.write("three\n")
            file.readline()

        with self.assertRaisesRegex(AfterlogError, "AL071.*not the same at this point"):
            self._round_trip("r", lengthen)

    def test_writer_of_rows(self) -> None:
        def make() -> Dict[str, Any]:
            file = open(self._path, "w")
            self.addCleanup(file.close)
            return {"file": file, "writer": csv.writer(file)}

        _, second, saved, again = round_trip(make, lambda state: state["writer"].writerow([1]))
        self.assertEqual(hashes(again), hashes(saved))
        second["writer"].writerow([2])
        second["file"].close()
        with open(self._path) as file:
            self.assertIn("2", file.read())


class FilesOfReplays(unittest.TestCase):
    def test_what_a_skipped_loop_may_have_written(self) -> None:
        """Nobody is told of writing to a file that is open: it lacks that, a closed one not."""
        for closes in (True, False):
            with self.subTest(closes=closes), tempfile.TemporaryDirectory() as root:
                lacking: List[str] = []
                recorded: Any = types.SimpleNamespace(
                    written={}, read={}, sources=(), before={}, left={}
                )
                places = ReplayPlaces(root, f"{root}-store", f"{root}-copies", None)
                files = ReplayFiles(places, recorded, lambda _, why, __: lacking.append(why), list)
                path = os.path.join(root, "x.txt")
                files.look("write", path)
                file = open(path, "w")
                self.addCleanup(file.close)
                if closes:
                    file.close()
                files.skipped([["epoch", 0]])
                files.look("read", path)
                self.assertEqual(lacking, [] if closes else [f"x.txt {_SKIPPED}"])

    def test_files_that_only_their_writer_looks_at(self) -> None:
        """A logger begins anew where a loop was skipped, for what it writes now may not fit what it
        wrote before; whoever else looks at the file must find all of it."""
        # What the program does, and how often it lacks something when it reads the file, too.
        for use, lacks in (("look", 2), ("read", 2), ("append", 1), ("write", 0)):
            with self.subTest(use=use), tempfile.TemporaryDirectory() as root:
                lacking: List[str] = []
                recorded: Any = types.SimpleNamespace(
                    written={"x.csv": ['"epoch"/']}, read={}, sources=(), before={}, left={}
                )
                places = ReplayPlaces(root, f"{root}-store", f"{root}-copies", None)
                files = ReplayFiles(
                    places, recorded, lambda _, why, __: lacking.append(why), list, {"a.logger"}
                )
                path = os.path.join(root, "x.csv")
                _reopened(path, "w")
                files.skipped([["epoch", 0]])
                its = {"__name__": "a.logger", "files": files, "path": path}
                exec("files.look('look', path)", its)
                self.assertFalse(os.path.exists(path))
                _reopened(path, "w")
                for own in ("look", "read", "append", "write"):
                    exec(f"files.look({own!r}, path)", its)
                self.assertTrue(os.path.exists(path))
                self.assertEqual(lacking, [])
                files.look(use, path)
                files.look("read", path)
                self.assertEqual(lacking, lacks * [f"x.csv {_SKIPPED}"])


_SKIPPED = "was written in a loop that is skipped"


if __name__ == "__main__":
    unittest.main()
