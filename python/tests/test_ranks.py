"""Under torchrun one rank records, and the others say that they do not."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest
from typing import Dict, List, Optional, Tuple

from afterlog.record.ranks import told_ranks

PROGRAM = """
import afterlog as al
for step in al.loop("step", range(2)):
    al.log("n", step)
print("ran")
"""
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Ranks(unittest.TestCase):
    def test_what_launchers_tell(self) -> None:
        rows = [
            ({}, None),
            ({"RANK": "1", "WORLD_SIZE": "4", "LOCAL_RANK": "0"}, (1, 4)),
            ({"RANK": "0", "WORLD_SIZE": "1"}, (0, 1)),
            ({"RANK": "2"}, (2, 3)),
            ({"RANK": "", "WORLD_SIZE": "4"}, None),
            ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, (1, 2)),
            ({"PMI_RANK": "0", "PMI_SIZE": "2"}, (0, 2)),
            ({"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "8"}, (3, 8)),
            # A batch script is one process, whatever it may start; who sets RANK is believed.
            ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, (0, 1)),
            ({"RANK": "0", "SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "8"}, (0, 1)),
        ]
        for environment, ranks in rows:
            with self.subTest(environment):
                self.assertEqual(told_ranks(environment), ranks)

    def test_only_the_first_records(self) -> None:
        rows: List[Tuple[Dict[str, str], Optional[int]]] = [
            ({"RANK": "0"}, 1),
            ({"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1"}, None),
            ({"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}, 2),
            ({"RANK": "3"}, None),
        ]
        for told_by, ranks in rows:
            records = "3" not in told_by.values()
            with self.subTest(told_by), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "train.py")
                with open(path, "w") as file:
                    file.write(PROGRAM)
                env = {**os.environ, "PYTHONPATH": PACKAGE, "AFTERLOG_MODE": "", **told_by}
                env["AFTERLOG_DIR"] = os.path.join(folder, ".afterlog")
                ran = subprocess.run(
                    [sys.executable, path], cwd=folder, env=env, capture_output=True, text=True
                )
                self.assertEqual((ran.returncode, ran.stdout), (0, "ran\n"), ran.stderr)
                told = "rank 3 of this training records nothing" in ran.stderr
                self.assertEqual(told, not records)
                manifests = glob.glob(os.path.join(env["AFTERLOG_DIR"], "runs/*/run.json"))
                self.assertEqual(len(manifests), 1 if records else 0)
                for path in manifests:
                    with open(path) as file:
                        self.assertEqual(json.load(file).get("ranks"), ranks)


if __name__ == "__main__":
    unittest.main()
