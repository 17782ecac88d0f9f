"""What a value can be logged under: the same in both languages."""

import json
import re
from typing import Any, Optional

# A name of several lines' length is a value that was given in the wrong place.
_LENGTH_MAX = 1000
_NOT_SHOWN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def log_name_problem(name: Any) -> Optional[str]:
    """Why nothing can be logged under a name, in words; None: it can."""
    if not isinstance(name, str):
        kind = type(name).__name__
        kind = "None" if name is None else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
        return f"log takes a name and a value, and was given {kind} for the name"
    if name == "":
        return "the name of what is logged is empty"
    if len(name) > _LENGTH_MAX:
        return f"the name of what is logged has {len(name)} characters, more than {_LENGTH_MAX}"
    if _NOT_SHOWN.search(name):
        shown = json.dumps(name, ensure_ascii=False)
        escaped = _NOT_SHOWN.sub(lambda one: f"\\u{ord(one[0]):04x}", shown)
        return f"the name {escaped} has characters that cannot be shown"
    return None
