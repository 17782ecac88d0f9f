"""What recording has cost, as `run.json` says it and in the last words to the user."""

import math
import os
from typing import Any, Dict, List, Tuple

from ..materialize.ledger import Ledger
from ..store.version_files import format_bytes


def overhead_of(
    ledger: Ledger, times: Dict[str, float], elapsed_ms: float, taken: Tuple[int, int]
) -> Dict[str, Any]:
    """`times`: `endMs`, `setupMs`, `runMs` and `processorMs`. `elapsed_ms`: of the run, less what
    others had of it. `taken`: checkpoints, and their bytes."""
    spent = ledger.processor_ms
    # A program that waits for something else takes longer than it computes.
    run_ms = max(times["processorMs"], elapsed_ms)
    sums = {
        "captureMs": ledger.capture_ms,
        "snapshotMs": ledger.snapshot_ms,
        "waitMs": ledger.wait_ms,
        "slowdownMs": ledger.slowdown_ms,
        "logMs": ledger.log_ms,
        "otherMs": ledger.other_ms,
        "outermostMs": ledger.outermost_ms,
        "besideMs": ledger.beside_ms,
        **times,
    }
    return {
        "budget": ledger.budget if math.isfinite(ledger.budget) else None,
        "share": spent / max(1.0, run_ms - spent),
        "checkpoints": taken[0],
        "bytes": taken[1],
        **{name: round(ms, 3) for name, ms in sums.items()},
    }


# The feature that is off where something of ours broke.
RECORDING = "recording"


def stopped_hint(off: List[Dict[str, str]]) -> List[str]:
    """A run that stopped recording says so at its end, too."""
    stopped = [one["why"] for one in off if one["feature"] == RECORDING]
    return [f"recording stopped on the way, what came later is missing: {one}" for one in stopped]


def given_up_hint(loops: List[str]) -> List[str]:
    """What is said of loops that were given up."""
    if not loops:
        return []
    return [f"too costly to record any longer, found by executing when asked: {', '.join(loops)}"]


def closing_text(manifest: Dict[str, Any], root: str, status: str, overhead: Dict[str, Any]) -> str:
    """What a program says at its end that nobody watches."""
    run = manifest["run"]
    if status != "interrupted":
        return _overhead_text(f"run {run}", overhead)
    program = os.path.relpath(os.path.join(root, manifest["program"]))
    command = f"afterlog run --resume={run} {program}"
    return f"{_overhead_text(f'run {run} interrupted', overhead)}\n  resume:  {command}"


def _overhead_text(run: str, overhead: Dict[str, Any]) -> str:
    budget = overhead["budget"]
    limit = "no budget" if budget is None else f"budget {budget * 100:.1f} %"
    parts = [("start", overhead["setupMs"]), ("wait at the end", overhead["endMs"])]
    words = ", ".join(f"{part} {ms:.0f} ms" for part, ms in parts if ms >= 100)
    apart = f" · {words} apart" if words else ""
    count = overhead["checkpoints"]
    sized = f"{count} checkpoint{'' if count == 1 else 's'} {format_bytes(overhead['bytes'])}"
    taken = sized if count > 0 else "no checkpoints"
    return f"{run} · {taken} · overhead {overhead['share'] * 100:.1f} % ({limit}){apart}"
