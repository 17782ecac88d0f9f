"""Writing one checkpoint file, in the commit order of docs/format.md: data, fdatasync, header,
fdatasync, rename, fsync of the folder.

The data is a list of extents: page-aligned pieces of a slot, which O_DIRECT takes as they are.
Checksums and writes release the interpreter's lock, so the training goes on beside them.
"""

import errno
import functools
import hashlib
import mmap
import os
import zlib
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

from ..format.safetensors import (
    CRC_CHUNK_BYTES,
    STRUCTURE_NAME,
    HeldTensor,
    TensorEntry,
    TensorSpec,
    compact_json,
    encode_header,
    encode_places,
)
from .durable import fdatasync, sync_folder, write_fully

# Bytes of one write: large enough for the disk, small enough to overlap with other work.
_WRITE_BYTES = 8 << 20
_ZERO_HASH = "0" * 64


class Extent(NamedTuple):
    """Page-aligned memory that holds whole tensors; the rest of its last page is padding."""

    memory: memoryview
    # Tensors inside it, with their offsets from its beginning.
    tensors: List[Tuple[int, TensorSpec]]


class Content(NamedTuple):
    """What to write, and what to say of it."""

    # run, kind, path, seq: the file's own metadata.
    facts: Dict[str, Any]
    extents: Sequence[Extent]
    held: Sequence[HeldTensor]
    # JSON text of places and nodes: what is hashed together with the checksums.
    graph_json: bytes


class Written(NamedTuple):
    file: str
    bytes: int
    header_crc32: str
    state_hash: str
    tensors: List[TensorEntry]


def write_checkpoint(
    folder: str, name: str, content: Content, faults: Callable[[str], None]
) -> Written:
    """Writes the file and makes it durable. After any error nothing of it is left."""
    placed: List[TensorEntry] = []
    data_bytes = 0
    for extent in content.extents:
        for at, spec in extent.tensors:
            placed.append(TensorEntry(spec, data_bytes + at, _no_checksums(spec.bytes)))
        data_bytes += len(extent.memory)
    places = encode_places(placed, data_bytes)
    data_start = len(_header(content, placed, places, _ZERO_HASH))
    temporary = os.path.join(folder, f"{name}.tmp")
    faults("persist:before-open")
    fd = _open_direct(temporary)
    is_open = True
    try:
        faults("persist:before-data")
        _write_data(fd, content.extents, data_start)
        tensors = _with_checksums(content.extents, placed)
        faults("persist:before-data-sync")
        fdatasync(fd)
        state_hash = _hash_state(content, tensors)
        header = _header(content, tensors, places, state_hash)
        faults("persist:before-header")
        write_fully(fd, aligned(header, len(header)), 0)
        faults("persist:before-header-sync")
        fdatasync(fd)
        is_open = False
        os.close(fd)
        faults("persist:before-rename")
        os.rename(temporary, os.path.join(folder, name))
        sync_folder(folder)
    except BaseException:
        # An error of fsync poisons a file: it is removed, never finished.
        if is_open:
            os.close(fd)
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    crc = f"{zlib.crc32(header):08x}"
    return Written(name, len(header) + data_bytes, crc, state_hash, tensors)


@functools.lru_cache(maxsize=1 << 12)
def _no_checksums(size: int) -> Sequence[str]:
    """As many as there will be for so many bytes."""
    return ("00000000",) * -(-size // CRC_CHUNK_BYTES)


def _header(
    content: Content, tensors: Sequence[TensorEntry], places: str, state_hash: str
) -> bytes:
    held = [one.to_json() for one in content.held]
    metadata = {"format": 1, **content.facts, "stateHash": state_hash, "held": held}
    return encode_header(tensors, 0, metadata, places)


def _write_data(fd: int, extents: Sequence[Extent], data_start: int) -> None:
    position = data_start
    for extent in extents:
        for at in range(0, len(extent.memory), _WRITE_BYTES):
            write_fully(fd, extent.memory[at : at + _WRITE_BYTES], position + at)
        position += len(extent.memory)


def _with_checksums(
    extents: Sequence[Extent], placed: Sequence[TensorEntry]
) -> List[TensorEntry]:
    pieces = [
        (extent.memory, at, spec.bytes) for extent in extents for at, spec in extent.tensors
    ]
    return [
        TensorEntry(entry.spec, entry.offset, checksums(memory[at : at + size]))
        for entry, (memory, at, size) in zip(placed, pieces)
    ]


def checksums(memory: memoryview) -> List[str]:
    """The CRC-32 of each 4 MiB."""
    return [
        f"{zlib.crc32(memory[at : at + CRC_CHUNK_BYTES]):08x}"
        for at in range(0, len(memory), CRC_CHUNK_BYTES)
    ]


def _open_direct(file: str) -> int:
    """Without O_DIRECT (tmpfs, network file systems) the page cache does it, more slowly."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    try:
        return os.open(file, flags | getattr(os, "O_DIRECT", 0), 0o644)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return os.open(file, flags, 0o644)


def aligned(data: bytes, size: int) -> memoryview:
    """The data in so much page-aligned memory, as O_DIRECT wants it."""
    memory = mmap.mmap(-1, size)
    memory[: len(data)] = data
    return memoryview(memory)


def _hash_state(content: Content, tensors: Sequence[TensorEntry]) -> str:
    """The hash that record and replay compare: the graph, and every tensor by its checksums."""
    own = [(one.spec, one.crc32) for one in tensors if one.spec.name != STRUCTURE_NAME]
    held = [(one.spec, one.crc32) for one in content.held]
    # No name is there twice, so what comes behind it has no part in the order.
    lines = sorted((*_begun_line(spec), "".join(crc)) for spec, crc in own + held)
    state = hashlib.sha256(content.graph_json)
    state.update(b"\n")
    state.update("\n".join([f'{begun}"{crc}"]' for _, begun, crc in lines]).encode())
    return state.hexdigest()


@functools.lru_cache(maxsize=1 << 16)
def _begun_line(spec: TensorSpec) -> Tuple[bytes, str]:
    """The line of a tensor up to its checksums, and before it what lines are ordered by: UTF-16
    code units, as the other implementation sorts."""
    begun = f"{compact_json([spec.name, spec.dtype, list(spec.shape)])[:-1]},"
    return begun.encode("utf-16-be"), begun
