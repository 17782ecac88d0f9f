"""Loop paths: where in the loops something happened.

A path is a list of `[name, index]` or `[name, index, entry]`; the entry is left out when it is the
first. `index` is `"end"` only in the path of a loop-end checkpoint.
"""

import hashlib
import re
from typing import List, Union

PathElement = List[Union[str, int]]
LoopPath = List[PathElement]

_PLAIN = re.compile(r"[A-Za-z0-9_.-]*\Z")
# Longest file name that is written; most file systems stop at 255 bytes.
_FILE_NAME_MAX = 200


def called_loop(loop: str) -> str:
    """What the program calls a loop that is named by its function too: `i` of `train.i` and
    `main.i.2`."""
    return re.sub(r"\.\d+\Z", "", loop).rpartition(".")[2]


def path_element(name: str, index: Union[int, str], entry: int) -> PathElement:
    return [name, index, entry] if entry else [name, index]


def format_path(path: LoopPath) -> str:
    """The path as text: `epoch=3,step=17`; a later entry is `step#1=17`; top level is empty."""
    return ",".join(_format_element(element) for element in path)


def _format_element(element: PathElement) -> str:
    name, index, *entry = element
    again = f"#{entry[0]}" if entry and entry[0] else ""
    return f"{_encode_name(str(name))}{again}={index}"


def checkpoint_file_name(path: LoopPath, attempt: int) -> str:
    """`attempt` counts the checkpoints taken at this path before."""
    text = format_path(path)
    if len(text) > _FILE_NAME_MAX:
        text = hashlib.sha256(text.encode()).hexdigest()[:32]
    return f"{text}{f'~{attempt}' if attempt else ''}.safetensors"


def _encode_name(name: str) -> str:
    if _PLAIN.match(name):
        return name
    return "".join(
        character
        if _PLAIN.match(character)
        else "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))
        for character in name
    )
