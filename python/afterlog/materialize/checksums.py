"""Checksums of the pieces of a slot."""

import struct
import zlib
from typing import Sequence

from .parts import Range


def checksums_of(memory: memoryview, chunks: Sequence[Range]) -> str:
    """The CRC-32 of each, 8 digits each."""
    found = [zlib.crc32(memory[start:stop]) for start, stop in chunks]
    return struct.pack(f">{len(found)}I", *found).hex()


__all__ = ["checksums_of"]
