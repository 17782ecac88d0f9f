"""Reading checkpoints back. Every read verifies length and checksum; a bad file is AL040."""

import json
import os
import zlib
from typing import Any, Callable, Dict, Optional

from ..format.safetensors import CRC_CHUNK_BYTES, STRUCTURE_NAME, HeldTensor, TensorEntry, damaged
from ..format.safetensors import decode_header, header_length
from .layout import RunPaths


class CheckpointReader:
    """An open checkpoint: header read, tensors read on demand. Use it in a `with` statement."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._others: Dict[str, "CheckpointReader"] = {}
        self._fd = os.open(file, os.O_RDONLY)
        try:
            size = os.fstat(self._fd).st_size
            if size < 8:
                raise damaged(file, "it is cut off")
            length = header_length(os.pread(self._fd, 8, 0), file, size)
            raw = os.pread(self._fd, 8 + length, 0)
            self.header_crc32 = f"{zlib.crc32(raw):08x}"
            self.header = decode_header(raw[8:], file, size)
        except BaseException:
            os.close(self._fd)
            raise

    def __enter__(self) -> "CheckpointReader":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)
        for other in self._others.values():
            other.__exit__()

    def structure(self, told: Optional[Callable[[str], str]] = None) -> Dict[str, Any]:
        """`told`: what the text says otherwise here."""
        text = bytes(self.tensor(STRUCTURE_NAME)).decode()
        return json.loads(text if told is None else told(text))

    def spec(self, name: str) -> TensorEntry:
        """The entry of a tensor, in this file or in the one that holds it."""
        own = self.header.tensors.get(name)
        if own is not None:
            return own
        held = self.header.held.get(name)
        if held is None:
            raise damaged(self._file, f"it has no tensor {name}")
        return self._holder(held.file).spec(name)

    def tensor(self, name: str, into: Optional[memoryview] = None) -> memoryview:
        """The verified bytes of a tensor, read into `into` if that is given and as long."""
        own = self.header.tensors.get(name)
        if own is not None:
            return self._read(own, into)
        held = self.header.held.get(name)
        if held is None:
            raise damaged(self._file, f"it has no tensor {name}")
        return self._holder(held.file)._read_held(held, into)

    def verify(self) -> None:
        """Reads everything; AL040 at the first difference."""
        for name in (*self.header.tensors, *self.header.held):
            self.tensor(name)

    def _holder(self, name: str) -> "CheckpointReader":
        if name not in self._others:
            file = os.path.join(os.path.dirname(self._file), os.path.basename(name))
            try:
                self._others[name] = CheckpointReader(file)
            except OSError as error:
                why = f"the file {name}, which it names, cannot be read"
                raise damaged(self._file, why) from error
        return self._others[name]

    def _read_held(self, held: HeldTensor, into: Optional[memoryview]) -> memoryview:
        own = self.header.tensors.get(held.spec.name)
        if own is None or own.crc32 != held.crc32:
            why = f"its tensor {held.spec.name} is not the one a later file names"
            raise damaged(self._file, why)
        return self._read(own, into)

    def _read(self, tensor: TensorEntry, into: Optional[memoryview]) -> memoryview:
        size = tensor.spec.bytes
        memory = into if into is not None and len(into) == size else memoryview(bytearray(size))
        start = self.header.data_start + tensor.offset
        for chunk, at in enumerate(range(0, size, CRC_CHUNK_BYTES)):
            piece = memory[at : at + CRC_CHUNK_BYTES]
            self._fill(piece, start + at)
            if f"{zlib.crc32(piece):08x}" != tensor.crc32[8 * chunk : 8 * chunk + 8]:
                why = f"the checksum of {tensor.spec.name} does not match at byte {at}"
                raise damaged(self._file, why)
        return memory

    def _fill(self, piece: memoryview, position: int) -> None:
        at = 0
        while at < len(piece):
            count = os.preadv(self._fd, [piece[at:]], position + at)
            if count == 0:
                raise damaged(self._file, "it is cut off")
            at += count


def open_checkpoint(folder: str, record: Dict[str, Any]) -> CheckpointReader:
    """Opens a listed checkpoint; AL040 if its header is not the one that the index saw."""
    name = os.path.basename(record["file"])
    file = os.path.join(RunPaths(folder).checkpoints, name)
    try:
        reader = CheckpointReader(file)
    except FileNotFoundError as error:
        raise damaged(file, "it is missing") from error
    if reader.header_crc32 != record["crc32"]:
        reader.__exit__()
        raise damaged(file, "its header is not the one that was committed")
    return reader
