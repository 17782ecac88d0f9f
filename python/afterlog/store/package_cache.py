"""What was found in modules of installed packages, kept for later processes of any project, as
Python keeps their compiled code: a large package takes seconds to look into. In the user's cache
folder; it may be deleted at any time, and what cannot be read or written there is left."""

import hashlib
import importlib.util
import marshal
import os
import sys
import tempfile
from types import CodeType
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

# The interpreter's own: replays lead what programs call.
_look = os.stat
# Environments and versions of ours that are kept, the newest.
_FILES_MAX = 8
_SEAL_BYTES = 20


class Kept(NamedTuple):
    """Of a module: its changed code with the places in it, as plain data; None: it is as it is."""

    code: Optional[bytes]
    sites: List[Tuple[Any, ...]]

    def changed(self) -> Optional[CodeType]:
        return None if self.code is None else marshal.loads(self.code)


class PackageCache:
    """`load` and `save` use files: whoever watches them is to be told that it is not the program.
    `file`: None keeps nothing."""

    def __init__(self, file: Optional[str]) -> None:
        self._file = file
        # By the name of the source file: its time and size, and what is kept of it.
        self._entries: Dict[str, Tuple[Tuple[int, int], Optional[bytes], List[Any]]] = {}
        self._is_new = False

    def load(self) -> None:
        try:
            if self._file is not None:
                with open(self._file, "rb") as stream:
                    sealed, packed = stream.read(_SEAL_BYTES), stream.read()
                # Python takes no care of what is damaged.
                if sealed == _seal(packed):
                    self._entries = marshal.loads(packed)
        except OSError:
            pass

    def find(self, source: str) -> Optional[Kept]:
        """None: nobody knows."""
        entry = self._entries.get(source)
        if entry is None or entry[0] != _stamp(source):
            return None
        return Kept(entry[1], entry[2])

    def keep(self, source: str, code: Optional[CodeType], sites: List[Tuple[Any, ...]]) -> None:
        stamp = _stamp(source)
        if self._file is not None and stamp is not None:
            self._is_new = True
            packed = None if code is None else marshal.dumps(code)
            self._entries[source] = (stamp, packed, sites)

    def save(self) -> None:
        if self._file is None or not self._is_new:
            return
        self._is_new = False
        folder = os.path.dirname(self._file)
        try:
            os.makedirs(folder, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=folder)
            packed = marshal.dumps(self._entries)
            with open(handle, "wb") as stream:
                stream.write(_seal(packed) + packed)
            os.replace(part, self._file)
            _remove_old(folder)
        except OSError:
            pass


def package_cache_file() -> Optional[str]:
    """Of this interpreter, its packages, and what we look for in them."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    known = hashlib.sha256(importlib.util.MAGIC_NUMBER)
    known.update(repr((sys.version, sys.flags.optimize, sys.prefix, own)).encode())
    for folder, _, names in sorted(os.walk(own)):
        for name in sorted(names):
            if not name.endswith(".pyc"):
                known.update(f"{name} {_stamp(os.path.join(folder, name))}\n".encode())
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser(os.path.join("~", ".cache"))
    # Of a user who has no home nothing is kept.
    if not os.path.isabs(caches) or not os.path.isdir(os.path.dirname(caches)):
        return None
    return os.path.join(caches, "afterlog", "packages", known.hexdigest()[:32])


def _seal(packed: bytes) -> bytes:
    return hashlib.sha1(packed, usedforsecurity=False).digest()


def _stamp(source: str) -> Optional[Tuple[int, int]]:
    try:
        facts = _look(source)
        return facts.st_mtime_ns, facts.st_size
    except (OSError, ValueError):
        return None


def _remove_old(folder: str) -> None:
    files = [os.path.join(folder, name) for name in os.listdir(folder)]
    for file in sorted(files, key=os.path.getmtime, reverse=True)[_FILES_MAX:]:
        os.remove(file)
