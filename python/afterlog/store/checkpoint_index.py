"""`checkpoints/index.jsonl`: which checkpoints a run has. A line is there only if what it says is
durable, and each line checks itself, so that damage to one costs no other."""

import json
import os
import zlib
from typing import Any, Dict, List, Optional

from ..format.safetensors import compact_json
from .durable import fdatasync, sync_name, write_fully
from .layout import RunPaths

_LINE_CRC = ',"crc":"'


def list_checkpoints(folder: str, with_removed: bool = False) -> List[Dict[str, Any]]:
    """The checkpoints that a run has, in the order in which they were taken; with those that are
    no more, if asked for: their names are not used again."""
    file = RunPaths(folder).checkpoint_index
    taken, removed = [], set()
    if os.path.exists(file):
        with open(file, encoding="utf-8") as stream:
            for line in stream.read().split("\n"):
                record = _parse_line(line)
                if record is not None and record["k"] == "checkpoint":
                    taken.append(record)
                elif record is not None and record["k"] == "removed":
                    removed.add(record["file"])
    return [record for record in taken if with_removed or record["file"] not in removed]


def _parse_line(line: str) -> Optional[Dict[str, Any]]:
    at = line.rfind(_LINE_CRC)
    if at < 0 or line != _seal_line(line[:at]):
        return None
    return json.loads(line)


def index_line(record: Dict[str, Any]) -> str:
    return _seal_line(compact_json(record)[:-1]) + "\n"


def _seal_line(body: str) -> str:
    return f'{body}{_LINE_CRC}{zlib.crc32(body.encode()):08x}"}}'


class CheckpointIndex:
    """Appends to the index of a run; nobody else does at the same time."""

    def __init__(self, folder: str) -> None:
        self._file = RunPaths(folder).checkpoint_index
        self._fd: Optional[int] = None
        self._position = 0

    def append(self, *records: Dict[str, Any]) -> None:
        """Returns when the records are durable."""
        is_new = self._fd is None
        fd = self._open() if self._fd is None else self._fd
        lines = "".join(index_line(record) for record in records).encode()
        write_fully(fd, lines, self._position)
        self._position += len(lines)
        fdatasync(fd)
        if is_new:
            sync_name(self._file)

    def _open(self) -> int:
        """What a killed process left half written is cut off: no line must be joined to it."""
        self._fd = fd = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o644)
        with open(self._file, "rb") as stream:
            self._position = stream.read().rfind(b"\n") + 1
        os.ftruncate(fd, self._position)
        return fd

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
        self._fd = None
