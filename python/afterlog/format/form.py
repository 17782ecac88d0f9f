"""Texts in which only some parts differ from one time to the next.

A checkpoint of a model with thousands of tensors says the same of each of them every time, but for
its checksum. Joining what is known takes a hundredth of the time of making it anew.
"""

from typing import Dict, List, Sequence


class Form:
    """A text with blanks."""

    def __init__(self, between: Sequence[str]) -> None:
        """`between`: the text before the first blank, between two of them, and after the last."""
        self._parts: List[str] = [""] * (2 * len(between) - 1)
        self._parts[0::2] = between

    def filled(self, texts: Sequence[str]) -> str:
        """The text with these in its blanks; as many as there are blanks."""
        parts = self._parts.copy()
        # Python refuses another number of them.
        parts[1::2] = texts
        return "".join(parts)

    def with_between(self, texts: Dict[int, str]) -> "Form":
        """A form with other texts in these places between its blanks."""
        between = self._parts[0::2]
        for at, text in texts.items():
            between[at] = text
        return Form(between)


__all__ = ["Form"]
