"""A text without characters that do something to a terminal instead of being shown: what a run
holds may come from anybody, and is read on a terminal. The same in both languages."""

import re

# Controls (C0 but for tab and newline, DEL, C1), what turns the direction of a text around, and the
# two separators of lines that are no newline.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]"
)


def visible_text(text: str) -> str:
    """Such characters as in JSON, `\\u001b`; so are bytes of file names that are no text."""
    return _UNSEEN.sub(lambda one: f"\\u{ord(one[0]):04x}", text)
