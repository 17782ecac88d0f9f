"""Which files a program opens, removes and moves, told before it does so.

Python tells its audit hooks of them (PEP 578). What C libraries open by themselves is not seen; of
those, `torch.save` is common enough to be wrapped.
"""

import os
import sys
from typing import Any, Callable, Optional, Tuple

from ...materialize.checksum_worker import PROCESS_FILE
from ..after_import import after_import

# What is done with a file: `read`, `change` (read, then written), `write` (whatever was there),
# `append`, `remove`, `move` (away), `make` (a folder), `list` (one).
# `start`: a program of this name is started, which may do anything.
Told = Callable[[str, str], None]

# Events, and what they do with which of their arguments.
_EVENTS = {
    "os.remove": (("remove", 0),),
    "os.rmdir": (("remove", 0),),
    "os.rename": (("move", 0), ("write", 1)),
    "os.link": (("write", 1),),
    "os.symlink": (("write", 1),),
    "os.truncate": (("change", 0),),
    "os.mkdir": (("make", 0),),
    "os.listdir": (("list", 0),),
    "os.scandir": (("list", 0),),
    "sqlite3.connect": (("change", 0),),
}
_STARTERS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn")


def tell_of_files(told: Told) -> None:
    """Calls `told` from now on, which is not told of what it does itself. It must not raise."""
    busy = [False]

    def tell(use: str, given: Any) -> None:
        file = os.path.basename(str(given)) if use == "start" else name_of(given)
        if busy[0] or file is None:
            return
        busy[0] = True
        try:
            told(use, file)
        finally:
            busy[0] = False

    def hook(event: str, args: Tuple[Any, ...]) -> None:
        if event == "open":
            tell(use_of(args[1], args[2]), args[0])
        elif event in _EVENTS:
            for use, at in _EVENTS[event]:
                tell(use, args[at])
        elif event in _STARTERS and not _is_ours(event, args):
            tell("start", os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else args[0])

    sys.addaudithook(hook)
    after_import("torch", lambda: _wrap_saving(tell))


def _is_ours(event: str, args: Tuple[Any, ...]) -> bool:
    """Whether it is the process that reads snapshots beside the program, which writes nothing."""
    return event == "subprocess.Popen" and isinstance(args[1], list) and PROCESS_FILE in args[1]


def _wrap_saving(tell: Callable[[str, Any], None]) -> None:
    """`torch.save` writes its files by itself."""
    serialization = sys.modules["torch"].serialization
    original: Any = getattr(serialization, "_open_zipfile_writer", None)
    if original is None:
        return

    def open_writer(name_or_buffer: Any) -> Any:
        if isinstance(name_or_buffer, (str, os.PathLike)):
            tell("write", name_or_buffer)
        return original(name_or_buffer)

    serialization._open_zipfile_writer = open_writer


def use_of(mode: Any, flags: Any) -> str:
    if isinstance(mode, str):
        if "w" in mode or "x" in mode:
            return "write"
        if "a" in mode:
            return "change" if "+" in mode else "append"
        return "change" if "+" in mode else "read"
    bits = flags if isinstance(flags, int) else 0
    if bits & os.O_TRUNC:
        return "write"
    if bits & os.O_WRONLY:
        return "append"
    return "change" if bits & os.O_RDWR else "read"


def name_of(given: Any, folder: Optional[int] = None) -> Optional[str]:
    """The full name of a file, in the folder of that descriptor; None for a descriptor."""
    if isinstance(given, int) or given is None:
        return None
    try:
        name = os.fsdecode(given)
        if folder is not None and not os.path.isabs(name):
            name = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), name)
        return os.path.abspath(name)
    except (OSError, TypeError, ValueError):
        return None
