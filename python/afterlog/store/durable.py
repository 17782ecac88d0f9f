"""Making bytes durable: what must be synced, in which order, and why."""

import os
from typing import Union

# macOS has no fdatasync.
fdatasync = getattr(os, "fdatasync", os.fsync)


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
