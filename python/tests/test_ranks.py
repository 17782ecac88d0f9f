"""Under torchrun one rank records, and the others say that they do not."""

import os
import subprocess
import sys
import tempfile
import unittest

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
