"""Which checkpoints of a run are kept, as a user says it: `--keep` and `AFTERLOG_KEEP` (semantics,
"Retention"). The forms are those of `src/format/keep.ts`."""

import re
from typing import NamedTuple, Optional


class KeepPolicy(NamedTuple):
    """`kind` says which fields count: `all`; `peak` (FlorDB §6.1.3: the best by a logged name, and
    the last); `every` n-th iteration end, and the last; `bytes`, as many as fit."""

    kind: str
    name: str = ""
    best: str = "max"
    n: int = 1
    bytes: float = 0
    # Whether only checkpoints of steps count and go ("steps"), or all.
    of: str = "all"


KEEP_FORMS = "all, peak:accuracy, peak:loss:min, every:5, 20GB, steps:2GB"

_UNITS = {
    **{f"{letter}b": 10 ** (3 * power) for power, letter in enumerate(("", *"kmgt"))},
    **{f"{letter}ib": 1 << (10 * power) for power, letter in enumerate("kmgt", 1)},
}


def parse_keep(text: str) -> Optional[KeepPolicy]:
    """The policy that a text names; None if it names none. Only a logged name keeps its case."""
    if text.lower() == "all":
        return KeepPolicy("all")
    peak = re.fullmatch(r"peak:(.+?)(?::(min|max))?", text, re.DOTALL | re.IGNORECASE)
    if peak:
        return KeepPolicy("peak", name=peak[1], best=(peak[2] or "max").lower())
    every = re.fullmatch(r"every:([1-9][0-9]{0,8})", text, re.IGNORECASE)
    if every:
        return KeepPolicy("every", n=int(every[1]))
    of = "steps" if text.lower().startswith("steps:") else "all"
    size = _parse_bytes(text[len("steps:") :] if of == "steps" else text)
    return None if size is None else KeepPolicy("bytes", bytes=size, of=of)


def _parse_bytes(text: str) -> Optional[int]:
    """`20GB`, `1.5 GiB`: a unit must be named, for a bare number says too little."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([kmgt]?i?b)", text, re.IGNORECASE)
    factor = _UNITS.get(match[2].lower()) if match else None
    return None if match is None or factor is None else int(float(match[1]) * factor + 0.5)
