"""How long restoring takes beside materializing (Flor §3.2.2: R = c·M), as it was measured, for
each program on each host: the twin of `src/store/rates.ts`. It is a hint and no record: what cannot
be read or written is not there."""

import hashlib
import json
import os
from typing import Any, Dict, List, NamedTuple, Optional

from .durable import replace_file

# By so many of the newest c is judged.
_RECENT = 16
# A file that is longer loses what is older.
_LINES_MAX = 256
# What is below the resolution of clocks cannot be divided by.
_MATERIALIZE_MS_MIN = 0.01


class RateKey(NamedTuple):
    # From the project's root.
    program: str
    host: str


class RestoreRate(NamedTuple):
    """A checkpoint that was restored, and what taking it had cost the training. `source`: `resume`,
    `replay`, or `end`, a sample at the end of a run, which reads and does not put back."""

    source: str
    restore_ms: float
    materialize_ms: float


def _rates_file(store: str, key: RateKey) -> str:
    digest = hashlib.sha256(f"{key.host}\n{key.program}".encode()).hexdigest()
    return os.path.join(store, "rates", f"{digest[:16]}.jsonl")


def note_restore(store: str, key: RateKey, rate: RestoreRate) -> None:
    if not (rate.materialize_ms >= _MATERIALIZE_MS_MIN and rate.restore_ms > 0):
        return
    file = _rates_file(store, key)
    fields: Dict[str, Any] = {"v": 1, **key._asdict(), "from": rate.source}
    fields.update(restoreMs=rate.restore_ms, materializeMs=rate.materialize_ms)
    line = json.dumps(fields, separators=(",", ":"), ensure_ascii=False) + "\n"
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        before = _read_lines(file)
        if len(before) < _LINES_MAX:
            with open(file, "a", encoding="utf-8") as stream:
                stream.write(line)
        else:
            replace_file(file, "\n".join(before[-_RECENT:]) + "\n" + line)
    except (OSError, UnicodeError):
        pass  # The next recording supposes what this one did.


def restore_factor(store: str, key: RateKey) -> Optional[float]:
    """c of a program on a host; None while nothing was measured. What was really put back counts
    before samples, which do without the objects and the device."""
    parsed = [_parse_rate(line) for line in _read_lines(_rates_file(store, key))]
    rates = [rate for rate in parsed if rate is not None]
    restored = [rate for rate in rates if rate.source != "end"]
    recent = (restored or rates)[-_RECENT:]
    if not recent:
        return None
    materialize_ms = sum(rate.materialize_ms for rate in recent)
    return sum(rate.restore_ms for rate in recent) / materialize_ms


def _read_lines(file: str) -> List[str]:
    try:
        with open(file, encoding="utf-8") as stream:
            return stream.read().split("\n")[:-1]
    except (OSError, UnicodeError):
        return []


def _parse_rate(line: str) -> Optional[RestoreRate]:
    try:
        fields = json.loads(line)
        rate = RestoreRate(fields["from"], fields["restoreMs"], fields["materializeMs"])
        sound = rate.materialize_ms >= _MATERIALIZE_MS_MIN and rate.restore_ms > 0
        return rate if sound else None
    except (ValueError, KeyError, TypeError):
        return None
