"""Libraries whose own loops are loops of the run (docs/libraries.md, docs/decisions/0048). For each
of them there is a skeleton: what the library calls of a program and in which loops, told in Python
and read with the program's files; and a description of where the library has these loops."""

import ast
import functools
import importlib.metadata
import json
import os
import re
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_FOLDER = os.path.join(_PACKAGE, "libraries", "loops")
# Before the name of a skeleton, where files of the program have theirs.
_PREFIX = "package:"
# A statement that is there only if the program, by its text, uses this word, or gives an argument
# of that name another value than these.
_WITH = re.compile(r"^(\s*).*#\s*afterlog: with (\w+)(?: unless (.*))?$")


# What takes arguments from the command line or from files.
_FROM_ELSEWHERE = ("LightningCLI", "HfArgumentParser")


class LibraryLoop(NamedTuple):
    """Where a library has a loop of its skeleton. Texts are expressions in its function."""

    name: str
    modules: Sequence[str]
    # The class and its method, or a function; and which of its loops, by number.
    function: str
    number: int
    # What variables of the skeleton are, and what is left alone when they are captured.
    variables: Mapping[str, str]
    left: Sequence[str]
    # Variables of the function that an iteration leaves to the next one, or to what follows.
    own: Sequence[str]
    # Takes an item from what the loop goes through, and forgets it; empty: it is in its variables.
    drop: str
    # Whether the present iteration is the last one, asked before a call: what follows in the
    # iteration is then no part of the loop.
    last: str
    before: str


class Skeleton(NamedTuple):
    name: str
    version: int
    packages: Sequence[str]
    text: str
    loops: Mapping[str, LibraryLoop]
    # The oldest versions that have these loops, by the names under which they are installed; None:
    # no version was asked yet, only stand-ins, which have none.
    since: Mapping[str, Optional[Sequence[int]]]
    # Modules with files of their own, whose content decides only what they write there next.
    writers: Sequence[str] = ()
    # Attributes that are others in every process, and are not compared.
    varying: Sequence[str] = ()

    @property
    def file(self) -> str:
        """What it is called where files of the program have names."""
        return f"{_PREFIX}{self.name}"

    @property
    def identifier(self) -> str:
        """As runs name it: those that were recorded without it are asked without it."""
        return f"{self.name} {self.version}"

    def is_named_by(self, path: str) -> bool:
        """Whether a dotted path of an import leads into the library."""
        return any(f"{path}.".startswith(f"{name}.") for name in self.packages)

    def fits_installed(self) -> bool:
        """Whether the version that is installed has these loops; one without a version does."""
        for name, least in self.since.items():
            try:
                parts = importlib.metadata.version(name).split(".")
            except importlib.metadata.PackageNotFoundError:
                continue
            numbers = [int(part) for part in parts[:2] if part.isdigit()]
            if least is None or numbers < list(least):
                return False
        return True

    def told_to(self, texts: Iterable[str]) -> str:
        """Its text, for a program of these files."""
        every = list(texts)
        lines = []
        for line in self.text.split("\n"):
            asked = _WITH.match(line)
            if asked and not _may_use(every, asked.group(2), (asked.group(3) or "").split()):
                line = f"{asked.group(1)}pass"
            lines.append(line)
        return "\n".join(lines)


def is_skeleton(file: str) -> bool:
    return file.startswith(_PREFIX)


def _may_use(texts: Sequence[str], word: str, values: Sequence[str]) -> bool:
    """Whether a program names an argument, or gives some that are named elsewhere."""
    for text in texts:
        if any(one in text for one in _FROM_ELSEWHERE):
            return True
        if text.count(word) > _harmless_uses(text, word, values):
            return True
        for call in ast.walk(ast.parse(text)) if "**" in text and "Train" in text else ():
            if isinstance(call, ast.Call) and "Train" in ast.unparse(call.func):
                if any(one.arg is None for one in call.keywords):
                    return True
    return False


def _harmless_uses(text: str, word: str, values: Sequence[str]) -> int:
    """How often an argument of this name is given one of these values."""
    if not values or word not in text:
        return 0
    given = (one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.keyword))
    named = (one.value for one in given if one.arg == word)
    return sum(isinstance(one, ast.Constant) and one.value in values for one in named)


@functools.lru_cache(maxsize=None)
def skeletons() -> List[Skeleton]:
    """All that there are."""
    try:
        names = sorted(os.listdir(_FOLDER))
    except OSError:
        return []
    return [_read(name[: -len(".json")]) for name in names if name.endswith(".json")]


def skeletons_called(identifiers: Optional[Sequence[str]]) -> List[Skeleton]:
    """Those of a run; None: all."""
    every = skeletons()
    return [one for one in every if identifiers is None or one.identifier in identifiers]


def _read(name: str) -> Skeleton:
    with open(os.path.join(_FOLDER, f"{name}.json"), encoding="utf-8") as stream:
        given: Dict[str, Any] = json.load(stream)
    with open(os.path.join(_FOLDER, f"{name}.skeleton"), encoding="utf-8") as stream:
        text = stream.read()
    loops = {key: _loop(key, one) for key, one in given["loops"].items()}
    packages, since = given["packages"].split(), given.get("since", {})
    writers, varying = given.get("writers", "").split(), given.get("varying", "").split()
    return Skeleton(given["name"], given["version"], packages, text, loops, since, writers, varying)


def _loop(name: str, given: Dict[str, Any]) -> LibraryLoop:
    return LibraryLoop(
        name,
        given["modules"].split(),
        given["function"],
        given.get("number", 0),
        given.get("variables", {}),
        given.get("left", []),
        given.get("locals", "").split(),
        given.get("drop", ""),
        given.get("last", ""),
        given.get("before", ""),
    )


def find_loop(tree: ast.Module, loop: LibraryLoop) -> Optional[ast.stmt]:
    """The statement in the source of a library's module; None: this version has none."""
    scope: Optional[ast.AST] = tree
    for name in loop.function.split("."):
        kinds = (ast.ClassDef, ast.FunctionDef)
        body = getattr(scope, "body", [])
        scope = next((one for one in body if isinstance(one, kinds) and one.name == name), None)
        if scope is None:
            return None
    found = [one for one in _own_nodes(scope) if isinstance(one, (ast.For, ast.While))]
    found.sort(key=lambda one: (one.lineno, one.col_offset))
    return found[loop.number] if loop.number < len(found) else None


def _own_nodes(scope: Optional[ast.AST]) -> List[ast.AST]:
    """What is in a function, and not in functions inside it."""
    found: List[ast.AST] = []
    waiting = [scope] if scope is not None else []
    while waiting:
        node = waiting.pop()
        found.append(node)
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                waiting.append(child)
    return found
