"""The order of runs: behind all that there are, and by the clock where nothing is ahead of it."""

import json
import os
import tempfile
import unittest
from typing import Any, Dict, Optional

from afterlog.format.manifest import manifest_to_json
from afterlog.store.runs import next_order

_NOW = 1_795_000_000_000
_YEAR = 365 * 24 * 3_600_000


def _write(store: str, run: str, order: int, mark: Optional[Dict[str, Any]] = None) -> None:
    folder = os.path.join(store, "runs", run)
    os.makedirs(folder)
    with open(os.path.join(folder, "run.json"), "w", encoding="utf-8") as stream:
        stream.write(manifest_to_json({"format": 1, "run": run, "order": order}))
    if mark:
        with open(os.path.join(folder, "received.json"), "w", encoding="utf-8") as stream:
            json.dump(mark, stream)


class Order(unittest.TestCase):
    def test_next_order(self) -> None:
        came = {"v": 1, "remote": "r", "address": "a", "received": "2026-11-01T00:00:00.000Z"}
        for noted, marks, expected in [
            (None, [None], _NOW + _YEAR + 1),
            (_NOW + 5, [], _NOW + 6),
            # A note that no run bears out, one of a run that came, one of a run that was put back.
            (_NOW + _YEAR, [], _NOW),
            (_NOW + _YEAR, [came], _NOW),
            (_NOW + _YEAR, [{"v": 1, "order": _NOW - 7}], _NOW),
            (_NOW + _YEAR, [None], _NOW + _YEAR + 1),
        ]:
            with tempfile.TemporaryDirectory() as store:
                for at, mark in enumerate(marks):
                    _write(store, f"run-{at}", _NOW + _YEAR, mark)
                if noted is not None:
                    with open(os.path.join(store, "clock"), "w", encoding="ascii") as stream:
                        stream.write(str(noted))
                self.assertEqual(next_order(store, _NOW), expected, (noted, marks))
