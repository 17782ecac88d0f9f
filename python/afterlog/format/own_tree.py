"""The tree that a replay is executed in, in what its program keeps: names of files that the run had
in its project are names in the tree there. Both are told of JSON text, by the rules of
`src/format/own-tree.ts`."""

import json
import re
from pathlib import PurePosixPath
from typing import Any, Callable, Dict, List, Optional, Pattern, Sequence, Tuple
from urllib.parse import quote

# How a path is written: as it is, and in a URL, where some characters are written otherwise.
_WRITTEN: Sequence[Callable[[str], str]] = (lambda path: path, quote)


class OwnTree:
    def __init__(self, mirror: str, root: str) -> None:
        """`mirror` stands in for the root of the file system, `root` for the project in it."""
        original = root[len(mirror) :]
        names = {_in_json(write(mirror)) for write in _WRITTEN}
        self._tellings = [(f"{name}/", "/") for name in names]
        self._placings: List[Tuple[Pattern[str], str]] = []
        for name, here in {_in_json(write(original)): write(root) for write in _WRITTEN}.items():
            # `/data/a` is neither in `/data/ab` nor in `/mnt/data/a`.
            pattern = rf"(?:(?<=file://)|(?<![\w.~/-])){re.escape(name)}(?![\w.~-])"
            self._placings.append((re.compile(pattern), _in_json(here)))
        # A path is kept by its parts.
        self._tellings.append((f"{_parts(mirror)},", '"/",'))
        self._placings.append((re.compile(re.escape(_parts(original))), _parts(root)))

    def as_in_project(self, text: str) -> str:
        """JSON text of a replay, with the names that the run had."""
        for here, there in self._tellings:
            text = text.replace(here, there)
        return text

    def as_in_tree(self, text: str) -> str:
        """JSON text of a run, with the names that a replay in this tree has."""
        for pattern, here in self._placings:
            text = pattern.sub(here.replace("\\", "\\\\"), text)
        return text


def own_tree(orders: Dict[str, Any]) -> Optional[OwnTree]:
    """Where a replay is executed; None: in the project."""
    tree = orders.get("tree")
    return None if tree is None else OwnTree(tree["mirror"], tree["root"])


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _parts(path: str) -> str:
    return ",".join(json.dumps(part, ensure_ascii=False) for part in PurePosixPath(path).parts)
