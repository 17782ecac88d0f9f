"""`frame`: what was logged, from the command line of Afterlog, which reads all runs."""

import json
import os
import shutil
import subprocess
from typing import Any, Dict, List, Optional

from .format.errors import AfterlogError


def frame(
    *names: str, where: Optional[str] = None, grain: Optional[str] = None, folder: str = "."
) -> List[Dict[str, Any]]:
    """The rows of the frame with these names as columns, each a dict: `pandas.DataFrame(frame(…))`
    makes a table of them. `where` is SQL, `grain` the loop whose iterations are the rows."""
    command = [*_command(), "-C", folder, "frame", "--json", "-L", "0", *names]
    if where is not None:
        command += ["--where", where]
    if grain is not None:
        command += ["--grain", grain]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        text = (done.stderr or done.stdout).strip()
        raise AfterlogError("AL021", f"the frame cannot be shown: {text}", ["see  afterlog names"])
    answer = json.loads(done.stdout)
    rows = answer["rows"] if isinstance(answer, dict) else answer
    return rows


def _command() -> List[str]:
    given = os.environ.get("AFTERLOG_CLI")
    if given:
        return given.split("\n")
    found = shutil.which("afterlog")
    if found is None:
        raise AfterlogError(
            "AL061",
            "the command afterlog is not on the PATH",
            ["install it:  npm install -g afterlog"],
        )
    return [found]
