"""What the audits of earlier runs found: the newest run of the program has it all."""

import re
from typing import Any, Dict, List, Optional

from ...store.layout import run_folder
from ...store.runs import list_run_ids, read_manifest

# Runs that are looked at; the ids of runs begin with the program and the time.
_RUNS_MAX = 8


def previous_findings(store: str, program: str, run: str) -> List[Dict[str, Any]]:
    """Empty if there was no run before, or none that can be read."""
    stem = _stem_of(run)
    before = [
        earlier_run
        for earlier_run in list_run_ids(store)
        if _stem_of(earlier_run) == stem and earlier_run != run
    ]
    for earlier_run in sorted(before, reverse=True)[:_RUNS_MAX]:
        findings = findings_of(run_folder(store, earlier_run), program)
        if findings is not None:
            return findings
    return []


def _stem_of(run: str) -> str:
    """`train-20261115-093000-x7q2` without what differs between runs of a program."""
    return re.sub(r"-\d{8}-\d{6}-\w{4}$", "", run)


def findings_of(folder: str, program: str) -> Optional[List[Dict[str, Any]]]:
    """None: it is no run of the program's own."""
    try:
        manifest = read_manifest(folder)
    except Exception:  # damaged, or not written yet
        return None
    if manifest["program"] != program or manifest["kind"] == "replay":
        return None
    return [{"run": manifest["run"], **finding} for finding in manifest.get("audit", [])]
