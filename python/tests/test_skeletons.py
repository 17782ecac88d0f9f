"""Which versions of a library have the loops that a skeleton tells of."""

import importlib.metadata
import unittest
from typing import Any, Optional
from unittest import mock

from afterlog.source.program.skeletons import Skeleton


class Versions(unittest.TestCase):
    def test_which_fit(self) -> None:
        # The oldest that has them, the one that is installed, and whether that fits.
        table: Any = [
            ([2, 2], "2.6.6", True),
            ([2, 2], "2.2.0rc1", True),
            ([2, 2], "2.1.4", False),
            ([2, 2], None, True),
            (None, "5.17.0", False),
            (None, None, True),
        ]
        for least, installed, expected in table:
            with mock.patch("importlib.metadata.version", side_effect=self._version(installed)):
                skeleton = Skeleton("trainer", 1, ["trainer"], "", {}, {"trainer": least})
                self.assertEqual(skeleton.fits_installed(), expected, (least, installed))

    def _version(self, installed: Optional[str]) -> Any:
        return [installed] if installed else importlib.metadata.PackageNotFoundError("trainer")


if __name__ == "__main__":
    unittest.main()
