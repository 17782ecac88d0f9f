"""Whether an alert is armed: the table that `src/format/alerts.test.ts` reads, too."""

import json
import os
import tempfile
import unittest

from afterlog.record.alerts import _is_armed

_TABLE = os.path.join(os.path.dirname(__file__), "..", "..", "test", "fixtures", "alerts.json")


class Alerts(unittest.TestCase):
    def test_armed(self) -> None:
        with open(_TABLE, encoding="utf-8") as stream:
            table = json.load(stream)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "alerts.jsonl")
            self.assertFalse(_is_armed(file))
            for row in table:
                with open(file, "w", encoding="utf-8") as stream:
                    stream.write("\n".join(row["lines"]))
                self.assertEqual(_is_armed(file), row["armed"], row["lines"])
