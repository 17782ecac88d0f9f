"""Reads a run directory by docs/format.md alone, with the standard library: what any tool can do.

Prints JSON: values logged by name, and each checkpoint's tensors as dtype, shape and checksum.
Raises AssertionError where the files are not what the document says.
"""

import hashlib
import json
import os
import re
import struct
import sys
import zlib

WIDTH = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1,
         "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1}


def read_manifest(folder):
    data = open(os.path.join(folder, "run.json"), "rb").read()
    digest = re.search(rb'"sha256": "([0-9a-f]{64})"\n}\n$', data).group(1)
    zeroed = data[: data.rindex(digest)] + b"0" * 64 + data[data.rindex(digest) + 64:]
    assert hashlib.sha256(zeroed).hexdigest() == digest.decode()
    return json.loads(data)


def read_log(folder):
    data = open(os.path.join(folder, "log.jsonl"), "rb").read()
    lines = data.splitlines(keepends=True)
    seal = json.loads(lines[-1])
    assert seal["k"] == "seal" and seal["count"] == len(lines) - 1
    assert int(seal["crc32"], 16) == zlib.crc32(b"".join(lines[:-1]))
    return [json.loads(line) for line in lines]


def read_header(file):
    size = os.path.getsize(file)
    with open(file, "rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        raw = stream.read(length)
    assert 0 < length <= size - 8 and (8 + length) % 4096 == 0 and size % 4096 == 0
    header = json.loads(raw)
    metadata = header.pop("__metadata__")
    assert all(isinstance(value, str) for value in metadata.values())
    end = 0
    for name, tensor in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        start, stop = tensor["data_offsets"]
        count = 1
        for dimension in tensor["shape"]:
            count *= dimension
        assert start == end and stop - start == count * WIDTH[tensor["dtype"]], name
        assert name.startswith("__pad.") or stop - start < 4096 or start % 4096 == 0, name
        end = stop
    assert 8 + length + end == size
    return header, metadata, 8 + length, zlib.crc32(struct.pack("<Q", length) + raw)


def checksums(data):
    chunks = [data[at : at + (4 << 20)] for at in range(0, len(data), 4 << 20)]
    return "".join("%08x" % zlib.crc32(chunk) for chunk in chunks)


def read_checkpoint(folder, record):
    file = os.path.join(folder, "checkpoints", record["file"])
    header, metadata, start, crc = read_header(file)
    assert "%08x" % crc == record["crc32"]
    own, sums = json.loads(metadata["afterlog"]), json.loads(metadata["crc32"])
    tensors, structure = {}, None
    for name, tensor in header.items():
        if name.startswith("__pad."):
            continue
        begin, end = tensor["data_offsets"]
        with open(file, "rb") as stream:
            stream.seek(start + begin)
            data = stream.read(end - begin)
        assert checksums(data) == sums[name], name
        if name == "__structure__":
            structure = data.decode()
        else:
            tensors[name] = [name, tensor["dtype"], tensor["shape"], sums[name]]
    for tensor in own["held"]:
        file = os.path.join(folder, "checkpoints", tensor["file"])
        holder, holder_metadata, _, _ = read_header(file)
        assert tensor["name"] in holder
        name, crc32 = tensor["name"], "".join(tensor["crc32"])
        assert json.loads(holder_metadata["crc32"])[name] == crc32
        tensors[name] = [name, tensor["dtype"], tensor["shape"], crc32]
    # The graph stands first in the structure, and is hashed exactly as it is written there.
    graph = structure[: structure.index(',"v":1,"entry":')] + "}"
    json.loads(graph)
    lines = sorted(json.dumps(tensor, separators=(",", ":")) for tensor in tensors.values())
    state = hashlib.sha256((graph + "\n" + "\n".join(lines)).encode()).hexdigest()
    assert state == own["stateHash"] == record["stateHash"]
    return {name: tensor[1:3] for name, tensor in tensors.items()}


def read_index(folder):
    records, removed = [], set()
    for line in open(os.path.join(folder, "checkpoints", "index.jsonl"), encoding="utf-8"):
        body, crc = re.fullmatch(r'(.*),"crc":"([0-9a-f]{8})"}\n', line).groups()
        assert int(crc, 16) == zlib.crc32(body.encode())
        record = json.loads(line)
        if record["k"] == "removed":
            removed.add(record["file"])
        elif record["k"] == "checkpoint":
            records.append(record)
    return [record for record in records if record["file"] not in removed]


def main(folder):
    manifest = read_manifest(folder)
    log = read_log(folder)
    assert log[0] == {"k": "header", "format": 1, "run": manifest["run"]}
    numbered = [record["seq"] for record in log if "seq" in record]
    assert numbered == list(range(len(numbered)))
    checkpoints = {record["file"]: read_checkpoint(folder, record) for record in read_index(folder)}
    values = [[record["name"], record["value"]] for record in log if record["k"] == "log"]
    result = {"status": manifest["status"], "values": values, "checkpoints": checkpoints}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
