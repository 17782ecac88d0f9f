"""`run.json`: what a run is. It ends with its own SHA-256, taken with the 64 digits set to `0`."""

import hashlib
import json
from typing import Any, Dict

from .errors import AfterlogError

FORMAT_VERSION = 1
_DIGEST_FIELD = '"sha256": "'
_ZEROS = "0" * 64


# What the name of a loop means in a question: src/format/manifest.ts has the numbers.
LOOP_RULES = 4
# Since these rules hands-free loops that share a name are named with their functions.
LOOPS_BY_FUNCTION = 2
# Since these, `for self.epoch in …` is a loop `epoch`; before, it was `self`.
LOOPS_BY_ATTRIBUTE = 3


def loop_rules_of(directive: Dict[str, Any]) -> int:
    """The rules of a new run. Its program may repeat an older run to fork it: then its loops have
    the names that they had there."""
    if not directive.get("handsFree"):
        return LOOP_RULES
    rules: int = directive.get("loopRules", 0)
    return max(1, rules)


def manifest_to_json(manifest: Dict[str, Any]) -> str:
    """The text of `run.json`."""
    text = json.dumps({**manifest, "sha256": _ZEROS}, indent=2, ensure_ascii=False) + "\n"
    at = text.rindex(_DIGEST_FIELD) + len(_DIGEST_FIELD)
    return text[:at] + _sha256(text) + text[at + 64 :]


def manifest_from_json(text: str, file: str) -> Dict[str, Any]:
    """Reads `run.json`; AL040 if it is damaged, AL041 if it is of a later format."""
    at = text.rfind(_DIGEST_FIELD)
    start = at + len(_DIGEST_FIELD)
    zeroed = text[:start] + _ZEROS + text[start + 64 :]
    if at < 0 or _sha256(zeroed) != text[start : start + 64]:
        raise AfterlogError(
            "AL040",
            f"{file} is damaged: its checksum does not match",
            ["the run's log can still be read: the run is listed as damaged"],
        )
    manifest = json.loads(text)
    if manifest.get("format") != FORMAT_VERSION:
        raise AfterlogError(
            "AL041",
            f"{file} has format version {manifest.get('format')}; this is {FORMAT_VERSION}",
            ["install a newer afterlog"],
        )
    manifest.pop("sha256", None)
    return manifest


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
