"""Append-only files of a run: lines with a running checksum, and the bytes of logged tensors."""

import json
import os
import zlib
from typing import Optional, Union

from .durable import fdatasync, sync_name, write_fully


class LineFile:
    """`log.jsonl` or `profile.jsonl`. Made once: a run's files are not written over."""

    def __init__(self, file: str, take_over_at: Optional[int] = None) -> None:
        self.name = file
        self.position = 0
        self._crc = 0
        self._named = False
        exists = take_over_at is not None and os.path.exists(file)
        flags = os.O_RDWR if exists else os.O_RDWR | os.O_CREAT | os.O_EXCL
        self._fd = os.open(file, flags, 0o644)
        if take_over_at is not None:
            os.ftruncate(self._fd, take_over_at)
            self._crc = zlib.crc32(os.pread(self._fd, take_over_at, 0))
            self.position = take_over_at

    def write(self, data: bytes) -> None:
        write_fully(self._fd, data, self.position)
        self.position += len(data)
        self._crc = zlib.crc32(data, self._crc)

    def sync(self) -> None:
        """Makes durable what has been written; the first time also that there is such a file."""
        fdatasync(self._fd)
        if not self._named:
            sync_name(self.name)
        self._named = True

    def seal(self, status: str, count: int) -> None:
        """Ends the log: no line follows, and damage to any line before is evident."""
        seal = {"k": "seal", "status": status, "count": count, "crc32": f"{self._crc:08x}"}
        self.write(json.dumps(seal, separators=(",", ":")).encode() + b"\n")
        self.sync()

    def close(self) -> None:
        os.close(self._fd)


class ValueFile:
    """`values.bin`: the bytes of logged tensors. Made when there is a first one."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._fd: Optional[int] = None
        self._unsynced = False
        self._named = False

    def write(self, data: Union[bytes, memoryview], offset: int) -> None:
        if self._fd is None:
            self._fd = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o644)
        self._unsynced = True
        write_fully(self._fd, data, offset)

    def sync(self) -> None:
        """To be called before the lines that name the bytes are made durable."""
        if self._fd is None or not self._unsynced:
            return
        fdatasync(self._fd)
        if not self._named:
            sync_name(self._file)
        self._named = True
        self._unsynced = False

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
        self._fd = None
