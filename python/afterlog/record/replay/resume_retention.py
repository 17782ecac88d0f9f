"""Which checkpoints a run keeps, and what a run that is continued knows from before: its
checkpoints, and the best value so far."""

import json
from functools import partial
from typing import Any, Dict, List, Optional

from ...format.keep import KeepPolicy
from ...format.values import value_from_json
from ...materialize.retention import Retention, retained_before
from ...store.checkpoint_index import list_checkpoints
from ...store.layout import RunPaths
from .resume_facts import ResumeFacts


def retention_of(
    policy: KeepPolicy, orders: Optional[Dict[str, Any]], resumes: Optional[ResumeFacts]
) -> Retention:
    """`orders` and `resumes`: of a run that is continued."""
    if orders is None or resumes is None:
        return Retention(policy)
    folder = orders["parent"]
    records = list_checkpoints(folder)
    arrive = orders.get("arrive")
    seq = next((record["seq"] for record in records if record["file"] == arrive), -1)
    rewinds = [*resumes.rewinds, (seq, resumes.positions["log"])]

    def is_stale(record: Dict[str, Any]) -> bool:
        return any(
            record["seq"] > last and record["logBytes"] <= offset for last, offset in rewinds
        )

    retention = Retention(policy, retained_before(records, is_stale))
    if retention.watched is not None:
        _observe_before(retention, folder, seq)
    return retention


def _observe_before(retention: Retention, folder: str, seq: int) -> None:
    """Tells the values that were logged before record `seq`, which are not logged again."""
    records: List[Dict[str, Any]] = []
    with open(RunPaths(folder).log, "rb") as stream:
        for line in stream:
            if not line.startswith((b'{"k":"log"', b'{"k":"rewind"')) or not line.endswith(b"\n"):
                continue
            record = json.loads(line)
            if record["k"] == "rewind":
                records = [one for one in records if one["seq"] <= record["seq"]]
            elif record["seq"] <= seq and record["name"] == retention.watched:
                records.append(record)
    for record in records:
        value = value_from_json(record["value"])
        if type(value) in (int, float):
            retention.observe(value, partial(record.get, "path"))
