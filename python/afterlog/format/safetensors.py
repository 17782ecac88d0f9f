"""The header of a checkpoint file: a valid safetensors file that any tool opens.

`u64 header length | JSON header, padded with spaces | data`. The data begins on a 4 KiB boundary
and so does every tensor of 4 KiB or more; the format forbids holes, so gaps are tensors `__pad.N`.
"""

import functools
import json
import struct
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Tuple

from .errors import AfterlogError

PAGE_BYTES = 4096
# Checksums are taken over pieces of this size of each tensor.
CRC_CHUNK_BYTES = 4 << 20
STRUCTURE_NAME = "__structure__"
_PAD_PREFIX = "__pad."
# No header of ours is near this; a larger number in the file means damage.
_HEADER_BYTES_MAX = 256 << 20

DTYPE_BYTES = {
    "F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1,
    "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1,
}  # fmt: skip


class TensorSpec(NamedTuple):
    name: str
    dtype: str
    shape: Tuple[int, ...]
    bytes: int


class TensorEntry(NamedTuple):
    """A tensor of a file: its place in the data, and the checksum of each 4 MiB: 8 digits each."""

    spec: TensorSpec
    offset: int
    crc32: str


class HeldTensor(NamedTuple):
    """A tensor that another checkpoint file of the run holds, unchanged since."""

    spec: TensorSpec
    file: str
    crc32: str


@dataclass(frozen=True)
class CheckpointHeader:
    data_start: int
    tensors: Dict[str, TensorEntry]
    metadata: Dict[str, Any]
    held: Dict[str, HeldTensor] = field(default_factory=dict)


def align_page(count: int) -> int:
    return -(-count // PAGE_BYTES) * PAGE_BYTES


def _encoder() -> Callable[[Any], str]:
    """Made once: a record is written at every entry of a loop, and a structure may have a hundred
    thousand nodes. `JSONEncoder.encode` makes what it encodes with anew each time."""
    plain = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    text = json.encoder.encode_basestring  # type: ignore[attr-defined]
    parts = make(None, plain.default, text, None, ":", ",", False, False, False)
    return lambda value: "".join(parts(value, 0))


compact_json = _encoder()


class TensorPlaces(NamedTuple):
    """The part of the header that says where each tensor is, up to some byte of the data."""

    text: str = ""
    end: int = 0
    pads: int = 0

    def then(self, tensors: Iterable[Tuple[TensorSpec, int]]) -> "TensorPlaces":
        """With tensors at these offsets, which lie behind those before."""
        found: List[str] = []
        end, pads = self.end, self.pads
        for spec, offset in sorted(tensors, key=lambda one: (one[1], one[0].bytes)):
            if offset > end:
                found.append(_pad(pads, end, offset))
                pads += 1
            end = offset + spec.bytes
            found.append(f",{_kind_text(spec)}[{offset},{end}]}}")
        return TensorPlaces(self.text + "".join(found), end, pads)

    def until(self, data_bytes: int) -> "TensorPlaces":
        """With the padding up to there."""
        if data_bytes <= self.end:
            return self
        return TensorPlaces(
            self.text + _pad(self.pads, self.end, data_bytes), data_bytes, self.pads + 1
        )


def join_header(metadata: str, sums: str, where: TensorPlaces) -> bytes:
    """The header with its length, of its metadata, of its checksums (as a text in a text), and of
    the places."""
    known = f'{{"afterlog":{compact_json(metadata)},"crc32":{sums}}}'
    text = f'{{"__metadata__":{known}{where.text}}}'.encode()
    length = align_page(8 + len(text)) - 8
    return struct.pack("<Q", length) + text.ljust(length, b" ")


@functools.lru_cache(maxsize=1 << 16)
def _kind_text(spec: TensorSpec) -> str:
    kind = compact_json({"dtype": spec.dtype, "shape": list(spec.shape)})
    return f'{compact_json(spec.name)}:{kind[:-1]},"data_offsets":'


def _pad(number: int, start: int, end: int) -> str:
    spec = TensorSpec(f"{_PAD_PREFIX}{number}", "U8", (end - start,), end - start)
    return f",{_kind_text(spec)}[{start},{end}]}}"


def header_length(first8: bytes, file: str, file_bytes: int) -> int:
    """Length of the header from the first 8 bytes; AL040 for a torn file."""
    (length,) = struct.unpack("<Q", first8)
    if length == 0 or length > _HEADER_BYTES_MAX or length + 8 > file_bytes:
        raise damaged(file, "its header is not whole" if length else "it was never finished")
    return length


def decode_header(text: bytes, file: str, file_bytes: int) -> CheckpointHeader:
    """Reads the header (without its 8 bytes of length) and checks that it covers the file."""
    try:
        header = json.loads(text)
        own = header.pop("__metadata__")
        metadata, sums = json.loads(own["afterlog"]), json.loads(own["crc32"])
        tensors: Dict[str, TensorEntry] = {}
        data_bytes = 0
        for name, spec in header.items():
            start, end = spec["data_offsets"]
            data_bytes = max(data_bytes, end)
            if not name.startswith(_PAD_PREFIX):
                shape = tuple(spec["shape"])
                known = TensorSpec(name, spec["dtype"], shape, end - start)
                tensors[name] = TensorEntry(known, start, str(sums.get(name, "")))
        held = {one["name"]: _held_from_json(one) for one in metadata["held"]}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(file, "its header makes no sense") from error
    if 8 + len(text) + data_bytes != file_bytes:
        raise damaged(file, "its length is not the one it says")
    return CheckpointHeader(8 + len(text), tensors, metadata, held)


@functools.lru_cache(maxsize=1 << 16)
def held_text(held: HeldTensor) -> str:
    """Its JSON; as long as it does not change it is in every header."""
    name, dtype, shape, size = held.spec
    known = {"name": name, "dtype": dtype, "shape": list(shape), "bytes": size}
    return compact_json({**known, "crc32": _split_digits(held.crc32), "file": held.file})


def _held_from_json(one: Dict[str, Any]) -> HeldTensor:
    spec = TensorSpec(one["name"], one["dtype"], tuple(one["shape"]), one["bytes"])
    return HeldTensor(spec, one["file"], "".join(one["crc32"]))


def _split_digits(digits: str) -> List[str]:
    return [digits[at : at + 8] for at in range(0, len(digits), 8)]


def damaged(file: str, why: str) -> AfterlogError:
    """The error for a file whose bytes are not what was written."""
    return AfterlogError(
        "AL040",
        f"{file} is damaged: {why}",
        ["the file is left as it is; what other files of the run hold is still used"],
    )
