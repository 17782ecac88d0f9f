"""Writing one checkpoint file, in the commit order of docs/format.md: data, fdatasync, header,
fdatasync, rename, fsync of the folder.

The data is page-aligned pieces of a slot, which O_DIRECT takes as they are. Writing releases the
interpreter's lock, so the training goes on beside it.
"""

import errno
import mmap
import os
import zlib
from typing import Any, Callable, Dict, List, NamedTuple, Sequence

from ..format.header_template import HeaderTemplate
from ..format.safetensors import CRC_CHUNK_BYTES, STRUCTURE_NAME, HeldTensor, TensorSpec, align_page
from ..format.safetensors import compact_json, held_text
from .durable import fdatasync, sync_folder, write_fully, write_together

_ZERO_HASH = "0" * 64
# Less than this is written sooner through the page cache.
_DIRECT_BYTES_MIN = 1 << 20


class Content(NamedTuple):
    """What to write, and what to say of it."""

    # run, kind, path, seq: the file's own metadata.
    facts: Dict[str, Any]
    # Page-aligned memory, one piece behind the other in the file.
    pieces: Sequence[memoryview]
    # What the tensors in it are.
    form: HeaderTemplate
    # Their checksums: asked for when the data is written, somebody may compute them meanwhile.
    sums: Callable[[], List[str]]
    held: Sequence[HeldTensor]
    # JSON text of places and nodes: what is hashed together with the checksums.
    graph_json: bytes
    # The whole of `__structure__`.
    structure: bytes


class Written(NamedTuple):
    file: str
    bytes: int
    header_crc32: str
    state_hash: str
    # The checksums of the tensors.
    sums: List[str]


def write_checkpoint(
    folder: str, name: str, content: Content, faults: Callable[[str], None]
) -> Written:
    """Writes the file and makes it durable. After any error nothing of it is left."""
    size = len(content.structure)
    structure = TensorSpec(STRUCTURE_NAME, "U8", (size,), size)
    pieces = [*content.pieces, _aligned(content.structure, align_page(size))]
    data_start = content.form.data_start(_metadata(content, _ZERO_HASH), structure)
    temporary = os.path.join(folder, f"{name}.tmp")
    faults("persist:before-open")
    total = data_start + sum(map(len, pieces))
    fd = _open_direct(temporary) if total >= _DIRECT_BYTES_MIN else _open(temporary)
    is_open = True
    try:
        faults("persist:before-data")
        write_together(fd, pieces, data_start)
        faults("persist:before-data-sync")
        fdatasync(fd)
        sums = content.sums()
        every = sums + [one.crc32 for one in content.held]
        state_hash = content.form.state_hash(content.graph_json, every)
        own = [*sums, checksums(memoryview(content.structure))]
        header = content.form.header(_metadata(content, state_hash), structure, own)
        assert len(header) == data_start, (len(header), data_start)
        faults("persist:before-header")
        write_fully(fd, _aligned(header, len(header)), 0)
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
    return Written(name, total, f"{zlib.crc32(header):08x}", state_hash, sums)


def _metadata(content: Content, state_hash: str) -> str:
    known = compact_json({"format": 1, **content.facts, "stateHash": state_hash})
    held = ",".join(map(held_text, content.held))
    return f'{known[:-1]},"held":[{held}]}}'


def checksums(memory: memoryview) -> str:
    """The CRC-32 of each 4 MiB, 8 digits each."""
    return "".join(
        f"{zlib.crc32(memory[at : at + CRC_CHUNK_BYTES]):08x}"
        for at in range(0, len(memory), CRC_CHUNK_BYTES)
    )


def _open_direct(file: str) -> int:
    """Without O_DIRECT (tmpfs, network file systems) the page cache does it, more slowly."""
    try:
        return _open(file, getattr(os, "O_DIRECT", 0))
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return _open(file)


def _open(file: str, more: int = 0) -> int:
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | more, 0o644)


def _aligned(data: bytes, size: int) -> memoryview:
    """The data in so much page-aligned memory, as O_DIRECT wants it."""
    memory = mmap.mmap(-1, size)
    memory[: len(data)] = data
    return memoryview(memory)
