"""Builds the package with the standard library alone, so that `pip install ./python` downloads
nothing (PEP 517, PEP 660): the package is pure Python, and a wheel is a zip file with a list."""

import base64
import hashlib
import os
import re
import tarfile
import zipfile
from typing import Any, Dict, List, Optional, Tuple

_HERE = os.path.dirname(os.path.abspath(__file__))


def _field(name: str) -> str:
    with open(os.path.join(_HERE, "pyproject.toml"), encoding="utf-8") as stream:
        match = re.search(rf'^{name} = "([^"]+)"$', stream.read(), re.MULTILINE)
    if match is None:
        raise ValueError(f"pyproject.toml has no {name}")
    return match[1]


def _info() -> str:
    return f"{_field('name')}-{_field('version')}.dist-info"


def _metadata() -> str:
    return (
        "Metadata-Version: 2.1\n"
        f"Name: {_field('name')}\n"
        f"Version: {_field('version')}\n"
        f"Summary: {_field('description')}\n"
        f"Requires-Python: {_field('requires-python')}\n"
    )


def _sources() -> List[Tuple[str, bytes]]:
    found = []
    for folder, folders, files in os.walk(os.path.join(_HERE, "afterlog")):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            path = os.path.join(folder, name)
            with open(path, "rb") as stream:
                found.append((os.path.relpath(path, _HERE).replace(os.sep, "/"), stream.read()))
    return found


def _write_wheel(folder: str, content: List[Tuple[str, bytes]]) -> str:
    info = _info()
    wheel = "Wheel-Version: 1.0\nGenerator: afterlog\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = [
        *content,
        (f"{info}/METADATA", _metadata().encode()),
        (f"{info}/WHEEL", wheel.encode()),
    ]
    record = [f"{name},{_digest(data)},{len(data)}" for name, data in files]
    record += [f"{info}/RECORD,,", ""]
    name = f"{_field('name')}-{_field('version')}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for file, data in [*files, (f"{info}/RECORD", "\n".join(record).encode())]:
            # The same bytes each time it is built.
            archive.writestr(zipfile.ZipInfo(file, (1980, 1, 1, 0, 0, 0)), data)
    return name


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
    return f"sha256={digest.decode()}"


Settings = Optional[Dict[str, Any]]


def build_wheel(folder: str, settings: Settings = None, metadata: Optional[str] = None) -> str:
    return _write_wheel(folder, _sources())


def build_editable(folder: str, settings: Settings = None, metadata: Optional[str] = None) -> str:
    return _write_wheel(folder, [("afterlog.pth", f"{_HERE}\n".encode())])


def build_sdist(folder: str, settings: Settings = None) -> str:
    top = f"{_field('name')}-{_field('version')}"
    with tarfile.open(os.path.join(folder, f"{top}.tar.gz"), "w:gz") as archive:
        for name in ("pyproject.toml", "build_backend.py", *(name for name, _ in _sources())):
            archive.add(os.path.join(_HERE, name), f"{top}/{name}")
    return f"{top}.tar.gz"
