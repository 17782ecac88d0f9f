"""Open and closed files. What is in a file lies on the disk, and a replay knows who reads what it
has not written (`record/files`); here is where a file stands."""

import io
import os
from typing import TYPE_CHECKING, Any

from .kinds import Kind, Node, class_name

if TYPE_CHECKING:
    from .restore import Restoration
    from .walk import Walk

_TYPES = (io.TextIOWrapper, io.BufferedWriter, io.BufferedReader, io.FileIO)
# Descriptors of what is shown: nobody computes with it.
_STANDARD = (1, 2)
# They say how much has been written.
_TELLING = ("tell", "seek", "truncate")


class FileKind(Kind):
    """A closed file can do nothing but say so. One that is only written to has no state that the
    program sees, as long as it does not ask. One that is only read is set to its position. Of one
    for both nobody knows what it would read. An open one stays the one that was there when the
    loop was entered."""

    node_types = ("adapted file",)

    def matches(self, value: Any) -> bool:
        return type(value) in _TYPES

    def write(self, value: Any, walk: "Walk") -> Node:
        if walk.identifying:
            return {}
        name = value.name if isinstance(value.name, (str, int)) else None
        state = [name, getattr(value, "mode", None), value.closed, None, None]
        if not value.closed:
            if not walk.knows(value):
                raise walk.refuse("a file that was opened after the loop began")
            state[3:] = self._position(value, walk)
        node = {"t": "adapted", "adapter": "file", "class": class_name(type(value))}
        return {**node, "state": walk.value(state, "")}

    def _position(self, value: Any, walk: "Walk") -> Any:
        """Where it is read, and how large it is; nothing for one that is only written."""
        if value.readable() and value.writable():
            raise walk.refuse("a file that is open for reading and writing")
        if value.writable():
            if not value.seekable() and value.fileno() not in _STANDARD:
                raise walk.refuse("a pipe, at whose other end somebody reads")
            return None, None
        try:
            return value.tell(), os.fstat(value.fileno()).st_size
        except (OSError, ValueError) as error:
            raise walk.refuse(f"a file that does not say where it stands ({error})") from error

    def allocate(self, node: Node, live: Any, reader: "Restoration") -> Any:
        name, mode, is_closed, _, size = _state_of(node, reader)
        if type(live) in _TYPES and live.name == name and (is_closed or not live.closed):
            if size is None or os.fstat(live.fileno()).st_size == size:
                return live
        if is_closed:
            return _closed_file(name, mode, node["class"]["name"])
        raise reader.mismatch("it is a file that is not the same at this point")

    def load(self, node: Node, value: Any, reader: "Restoration") -> None:
        _, _, is_closed, position, _ = _state_of(node, reader)
        if is_closed:
            value.close()
        elif position is not None:
            value.seek(position)
        else:
            needed = reader.lacking("what was written to it before, and it is asked how much")
            for method in _TELLING:
                setattr(value, method, _told(needed))


def _state_of(node: Node, reader: "Restoration") -> Any:
    """Name, mode, whether it is closed; of one that is read its position and size."""
    return [reader.value(one) for one in reader.node(node["state"][1])["items"]]


def _told(needed: Any) -> Any:
    return lambda *_, **__: needed()


def _closed_file(name: Any, mode: Any, kind: str) -> Any:
    """A closed file that says this name, and never was one on the disk."""
    ends = dict(zip(("rb", "wb"), os.pipe()))
    raws = {one: io.FileIO(end, one) for one, end in ends.items()}
    for raw in raws.values():
        raw.name = name
    made: Any = raws["rb"]
    if kind == "BufferedWriter":
        made = io.BufferedWriter(raws["wb"])
    elif kind != "FileIO":
        made = io.BufferedReader(raws["rb"])
    if kind == "TextIOWrapper":
        made = io.TextIOWrapper(made)
        made.mode = mode
    for one in (made, *raws.values()):
        one.close()
    return made


KINDS = [FileKind()]
