"""What the hashes of texts began with, which the order of a set follows from. Programs set the
variable too, for others that they start: what counts is the environment they began with."""

import os
import sys
from typing import Optional

_VARIABLE = "PYTHONHASHSEED"


def _initial_hash_seed() -> Optional[str]:
    if sys.flags.ignore_environment:
        return None
    try:
        with open("/proc/self/environ", "rb") as file:
            entries = file.read().split(b"\0")
    except OSError:
        return os.environ.get(_VARIABLE)
    begun = f"{_VARIABLE}=".encode()
    found = [one[len(begun) :].decode() for one in entries if one.startswith(begun)]
    return found[0] if found else None


# None: not known.
HASH_SEED = _initial_hash_seed()
