"""The errors a person can meet: a stable code, what happened, how to repair it."""

from typing import Sequence

from .visible_text import visible_text


class AfterlogError(Exception):
    """An error with a code of docs/errors.md. Its text is what a person reads."""

    # Where programs know it from.
    __module__ = "afterlog"

    def __init__(
        self, code: str, message: str, help: Sequence[str], notes: Sequence[str] = ()
    ) -> None:
        # Python prints it by itself where a program does not catch it.
        self.message = visible_text(message)
        super().__init__(self.message)
        self.code = code
        self.help = [visible_text(line) for line in help]
        self.notes = [visible_text(note) for note in notes]

    def __str__(self) -> str:
        lines = [f"[{self.code}] {self.message}"]
        lines += [f"  {note}" for note in self.notes]
        lines += [f"  help: {line}" for line in self.help]
        return "\n".join(lines)


def describe_error(error: BaseException) -> str:
    """One line for any exception, for warnings and manifests."""
    if isinstance(error, AfterlogError):
        return f"{error.code}: {error.message}"
    text = str(error).strip().split("\n")[0]
    if isinstance(error, OSError) and error.errno is not None:
        text = text.replace(f"[Errno {error.errno}] ", "", 1)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
