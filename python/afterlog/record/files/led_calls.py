"""Python's own functions that use files, led to where a replay has these: their arguments are
replaced, and all else is as it was. What was taken from its module before goes past them, and so
does what C libraries open; audit hooks tell of the former (`file_events.py`).
"""

import functools
import io
import os
import pathlib
import shutil
import sys
import threading
from typing import Any, Callable, Dict, Optional, Tuple

from ..after_import import after_import
from .file_events import name_of, use_of

# Gives the path to use for a full name; None: as the program says.
Lead = Callable[[str, str], Optional[str]]
Uses = Tuple[Tuple[Optional[str], str], ...]

_PATH = "path"
# What functions of `os` do with their arguments, first to last: uses as in `file_events.py`, and
# `link` (look at the link itself), `touch` (all but the content), `move` (away), `enter`.
_OF_OS: Dict[str, Uses] = {
    "mkdir": (("make", _PATH),),
    "rmdir": (("remove", _PATH),),
    "remove": (("remove", _PATH),),
    "unlink": (("remove", _PATH),),
    "rename": (("move", "src"), ("write", "dst")),
    "replace": (("move", "src"), ("write", "dst")),
    "link": (("read", "src"), ("write", "dst")),
    "symlink": ((None, "src"), ("write", "dst")),
    "truncate": (("change", _PATH),),
    "chmod": (("touch", _PATH),),
    "chown": (("touch", _PATH),),
    "lchown": (("touch", _PATH),),
    "utime": (("touch", _PATH),),
    "setxattr": (("touch", _PATH),),
    "removexattr": (("touch", _PATH),),
    "getxattr": (("look", _PATH),),
    "listxattr": (("look", _PATH),),
    "mkfifo": (("write", _PATH),),
    "listdir": (("list", _PATH),),
    "scandir": (("list", _PATH),),
    "chdir": (("enter", _PATH),),
    "stat": (("look", _PATH),),
    "access": (("look", _PATH),),
    "lstat": (("link", _PATH),),
    "readlink": (("link", _PATH),),
}


class LedCalls:
    def __init__(self, lead: Lead) -> None:
        self._lead = lead
        self._local = threading.local()

    @property
    def is_led(self) -> bool:
        """Whether this thread is in a function that has been led already."""
        return getattr(self._local, "is_led", False)

    def install(self) -> None:
        # Not every system has all of them.
        there = {name: getattr(os, name) for name in _OF_OS if hasattr(os, name)}
        led = {original: self._led(original, _OF_OS[name]) for name, original in there.items()}
        led[os.open] = self._led_open(os.open, _PATH)
        led[io.open] = self._led_open(io.open, "file")
        self._replace(led)
        # It would go by descriptors of folders, past everything that is led.
        setattr(shutil, "_use_fd_functions", False)
        after_import("sqlite3", self._lead_sqlite)
        after_import("torch", self._lead_torch)

    def _replace(self, led: Dict[Any, Any]) -> None:
        """Wherever modules have them by now, but for ours."""
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "afterlog").split(".")[0] in (
                "afterlog",
                "posix",
                "_io",
            ):
                continue
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if type(value) is type(len) and value in led:
                    setattr(module, name, led[value])
        for known in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            known.update([led[one] for one in known if one in led])
        # Before Python 3.11 `pathlib` has them in a class.
        accessor = getattr(pathlib, "_NormalAccessor", None)
        for name, value in list(vars(accessor).items()) if accessor else []:
            plain = value.__func__ if isinstance(value, staticmethod) else value
            if type(plain) is type(len) and plain in led:
                setattr(accessor, name, staticmethod(led[plain]))

    def _led(self, original: Callable[..., Any], uses: Uses) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(*args: Any, **options: Any) -> Any:
            if self.is_led:
                return original(*args, **options)
            given = list(args)
            for at, (use, name) in enumerate(uses):
                if use is None or not (at < len(given) or name in options):
                    continue
                holder: Any = given if at < len(given) else options
                key: Any = at if at < len(given) else name
                base = options.get(f"{name}_dir_fd", options.get("dir_fd"))
                is_of_link = use == "look" and options.get("follow_symlinks") is False
                holder[key] = self._path("link" if is_of_link else use, holder[key], base)
            return self._call(original, given, options)

        call.__module__ = "os"  # where it is found by that name: it can be pickled
        return call

    def _led_open(self, original: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(*args: Any, **options: Any) -> Any:
            if self.is_led or not (args or name in options):
                return original(*args, **options)
            second = args[1] if len(args) > 1 else options.get("flags", options.get("mode", "r"))
            use = use_of(second, second)
            # It is there or it is not: that is told by the content.
            if isinstance(second, str) and "x" in second:
                use = "append"
            given = list(args)
            holder: Any = given if given else options
            key: Any = 0 if given else name
            holder[key] = self._path(use, holder[key], options.get("dir_fd"))
            return self._call(original, given, options)

        call.__module__ = "os" if original is os.open else "io"
        return call

    def as_ours(self, work: Callable[..., Any], *args: Any) -> Any:
        """Does something that is not the program's: what it uses is not led."""
        return self._call(work, args, {})

    def _call(self, original: Callable[..., Any], args: Any, options: Any) -> Any:
        self._local.is_led = True
        try:
            return original(*args, **options)
        finally:
            self._local.is_led = False

    def _path(self, use: str, given: Any, base: Optional[int] = None) -> Any:
        """What the function gets: text or bytes, as it was given."""
        self._local.is_led = True  # what we do here ourselves is not the program's
        try:
            file = name_of(given, base)
            led = None if file is None else self._lead(use, file)
        finally:
            self._local.is_led = False
        if led is None:
            return given
        return os.fsencode(led) if isinstance(given, bytes) else led

    def _lead_sqlite(self) -> None:
        for name in ("sqlite3", "sqlite3.dbapi2"):
            module: Any = sys.modules.get(name)
            original = getattr(module, "connect", None)
            if original is not None:
                module.connect = self._led_database(original)

    def _led_database(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def connect(database: Any, *args: Any, **options: Any) -> Any:
            is_file = not (isinstance(database, str) and database.startswith((":", "file:")))
            given = self._path("change", database) if is_file and database else database
            return self._call(original, [given, *args], options)

        return connect

    def _lead_torch(self) -> None:
        """It writes its files by itself, and may read them so."""
        torch: Any = sys.modules["torch"]
        serialization = torch.serialization
        writer = getattr(serialization, "_open_zipfile_writer", None)
        if writer is not None:
            serialization._open_zipfile_writer = lambda name: writer(self._of_torch("write", name))
        load = torch.load

        @functools.wraps(load)
        def led_load(f: Any, *args: Any, **options: Any) -> Any:
            return load(self._of_torch("read", f), *args, **options)

        torch.load = serialization.load = led_load

    def _of_torch(self, use: str, given: Any) -> Any:
        return self._path(use, given) if isinstance(given, (str, os.PathLike)) else given
