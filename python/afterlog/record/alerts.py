"""The process that holds a run to the armed alerts, where a program was started without the
command (decision 0110). `src/store/alerts.ts` is the twin."""

import json
import os
import subprocess
from typing import Callable, Dict

from ..store.command import find_command
from ..store.project import Project


def watch_for_alerts(project: Project, run: str, notice: Callable[[str], None]) -> None:
    """Starts it if an alert is armed. Nothing that goes wrong with it is the run's."""
    try:
        if not _is_armed(os.path.join(project.store, "alerts.jsonl")):
            return
        command = find_command()
        if command is None:
            notice("warning: alerts are not looked at: the command afterlog is not on the PATH")
            return
        words = [*command, "-C", project.root, "alert", "watch", run]
        # The shell ends at once, so that the program has no child that it does not know.
        subprocess.run(
            ["/bin/sh", "-c", '"$@" > /dev/null &', "sh", *words],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "AFTERLOG_DIR": project.store},
            start_new_session=True,
            timeout=10,
        )
    except Exception as error:
        notice(f"warning: alerts are not looked at: {error}")


def _is_armed(file: str) -> bool:
    if not os.path.exists(file):
        return False
    last: Dict[str, Dict[str, object]] = {}
    with open(file, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            try:
                said = json.loads(line)
                if said["v"] == 1 and said["at"] + 0 >= last.get(said["alert"], said)["at"]:
                    last[said["alert"]] = said
            except (ValueError, KeyError, TypeError):
                continue
    return any(one.get("armed") is True and one.get("condition") for one in last.values())
