"""The command line of Afterlog, as words of a process."""

import os
import shutil
from typing import List, Optional


def find_command() -> Optional[List[str]]:
    """None: it is not here."""
    command = os.environ.get("AFTERLOG_CLI")
    if command:
        return command.split("\n")
    installed = shutil.which("afterlog")
    if installed is not None:
        return [installed]
    # The package as it lies beside the engine.
    here = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    main, node = os.path.join(here, "dist", "cli", "main.js"), shutil.which("node")
    if node is not None and os.path.exists(main):
        return [node, main]
    return None
