"""Variables of the running program, read and set where they are (docs/decisions/0016)."""

import ctypes
import sys
from typing import Any

_WRITES_THROUGH = sys.version_info >= (3, 13)


class Variables:
    """Variables of a module or of a frame."""

    def __init__(self, held: Any) -> None:
        self._held = held

    def get(self, name: str) -> Any:
        values = self._held if isinstance(self._held, dict) else self._held.f_locals
        try:
            return values[name]
        except KeyError:
            raise NameError(name) from None

    def set(self, name: str, value: Any) -> None:
        if isinstance(self._held, dict):
            self._held[name] = value
            return
        self._held.f_locals[name] = value
        if not _WRITES_THROUGH:
            frame = ctypes.py_object(self._held)
            ctypes.pythonapi.PyFrame_LocalsToFast(frame, ctypes.c_int(0))
