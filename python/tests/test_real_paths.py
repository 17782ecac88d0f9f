"""Real names of files: the same as Python's, with fewer looks at folders."""

import os
import tempfile
import unittest
from unittest import mock

from afterlog.store.real_paths import real_path


class RealPaths(unittest.TestCase):
    def setUp(self) -> None:
        self._made = tempfile.TemporaryDirectory()
        self.addCleanup(self._made.cleanup)
        self.folder = os.path.realpath(self._made.name)
        os.makedirs(os.path.join(self.folder, "real", "package"))
        os.symlink("real", os.path.join(self.folder, "link"))
        for name in ("a.py", "b.py"):
            with open(os.path.join(self.folder, "real", "package", name), "w"):
                pass
        os.symlink("a.py", os.path.join(self.folder, "real", "package", "c.py"))

    def test_the_same_as_pythons(self) -> None:
        names = ("link/package/a.py", "link/package/c.py", "real/../link/package/b.py", "link")
        names += ("link/package/none.py", "link/package/..", "none/none.py", "link/")
        for name in names:
            whole = os.path.join(self.folder, name)
            self.assertEqual(real_path(whole), os.path.realpath(whole), name)
        self.assertEqual(real_path("a.py"), os.path.realpath("a.py"))

    def test_folders_are_looked_at_once(self) -> None:
        package = os.path.join(self.folder, "link", "package")
        real_path(os.path.join(package, "a.py"))
        with mock.patch("os.lstat") as by_name, mock.patch(
            "afterlog.store.real_paths._look", side_effect=os.stat
        ) as looks:
            real_path(os.path.join(package, "b.py"))
        self.assertEqual((by_name.call_count, looks.call_count), (0, 1))


if __name__ == "__main__":
    unittest.main()
