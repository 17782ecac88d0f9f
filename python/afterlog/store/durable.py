"""Making bytes durable: what must be synced, in which order, and why."""

import os
from typing import Iterator, List, Sequence, Union

# macOS has no fdatasync.
fdatasync = getattr(os, "fdatasync", os.fsync)

# Of one write. Each gives the interpreter's lock away and takes it again, for which a training
# beside it waits: there are to be few of them.
_WRITE_BYTES = 64 << 20
_WRITE_PIECES = 256


def sync_folder(folder: str) -> None:
    """Makes names in a folder durable: without it a rename may be lost though its file is not."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_name(file: str) -> None:
    """Makes the name of a new file durable, and that of its folder, which may be as new."""
    folder = os.path.dirname(file)
    sync_folder(folder)
    sync_folder(os.path.dirname(folder))


def make_folder(folder: str) -> None:
    """Makes the folder, and those around it that are missing, so that their names are durable."""
    path = os.path.abspath(folder)
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    for made in missing:
        sync_folder(os.path.dirname(made))


def write_fully(fd: int, data: Union[bytes, memoryview], position: int) -> None:
    """Writes all bytes at `position`: a short write is only an invitation to go on."""
    view = memoryview(data)
    at = 0
    while at < len(view):
        at += os.pwrite(fd, view[at:], position + at)


def write_together(fd: int, pieces: Sequence[memoryview], position: int) -> None:
    """Writes the pieces one behind the other, with as few calls as possible."""
    for group in _groups(pieces):
        done = os.pwritev(fd, group, position) if hasattr(os, "pwritev") else 0
        for piece in group:
            if done < len(piece):
                # It was a short write.
                write_fully(fd, piece[done:], position + done)
            done = max(done - len(piece), 0)
            position += len(piece)


def _groups(pieces: Sequence[memoryview]) -> Iterator[List[memoryview]]:
    """The pieces, cut where they are too large, and put together where they are not."""
    group: List[memoryview] = []
    room = _WRITE_BYTES
    for piece in pieces:
        while len(piece) > 0:
            part, piece = piece[:room], piece[room:]
            group.append(part)
            room -= len(part)
            if room == 0 or len(group) == _WRITE_PIECES:
                yield group
                group, room = [], _WRITE_BYTES
    if group:
        yield group


def replace_file(file: str, text: str) -> None:
    """Replaces a small file so that readers see the old or the new content, after a crash too."""
    temporary = f"{file}.tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        write_fully(fd, text.encode(), 0)
        fdatasync(fd)
    except BaseException:
        os.close(fd)
        os.unlink(temporary)
        raise
    os.close(fd)
    os.rename(temporary, file)
    sync_folder(os.path.dirname(file))
