"""What functions, methods and classes from outside of the program do, as `../libraries/*.json` says
(docs/libraries.md has the format and its words). What stands nowhere may change its receiver and
its arguments, and may keep any of them in any other (Flor's Table 2, with the paper's library
knowledge: §3.3). `src/languages/libraries` reads the same files."""

import ast
import functools
import json
import os
import re
from typing import Any, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Set
from typing import Tuple, Union

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "libraries")
_BUILTINS = "builtins"
_NONE: FrozenSet[str] = frozenset()
_LAST = 1 << 30
# What makes a value another one each time it is asked for.
_SOURCES = frozenset("clock entropy id process network".split())


class Entry(NamedTuple):
    """What is said of a function, a method or a class. `condition`: an argument by its name and,
    if it has one, its place, that says whether `mutates` counts; `unless`: that it does not."""

    words: FrozenSet[str] = _NONE
    mutates: Tuple[Union[int, str], ...] = ()
    condition: Tuple[Any, ...] = ()
    unless: bool = False
    # The class of what it gives.
    makes: str = ""
    # It was found by a pattern, not by its name.
    by_pattern: bool = False

    def works_in_place(self, node: Any) -> bool:
        """Whether a call with a condition fulfils it, as far as the source tells."""
        if not self.condition:
            return False
        name, *places = self.condition
        given = [one.value for one in getattr(node, "keywords", []) if one.arg == name]
        positional = getattr(node, "args", [])
        given += [positional[place] for place in places if place < len(positional)]
        return any(not (isinstance(one, ast.Constant) and self._denies(one)) for one in given)

    def _denies(self, given: ast.Constant) -> bool:
        return bool(given.value) == self.unless


UNKNOWN_ENTRY = Entry()


class _Table:
    """Entries by names and patterns; the first that fits counts."""

    def __init__(self, given: Dict[str, Any], effects: Dict[str, Any]) -> None:
        self.named: Dict[str, Tuple[int, Entry]] = {}
        self._patterns: List[Tuple[int, Any, Entry]] = []
        self._all: List[Tuple[str, Entry]] = []
        for place, (names, value) in enumerate(given.items()):
            entry = _read_entry(value, effects)
            for name in names.split():
                self._all.append((name, entry))
                if "*" in name:
                    pattern = re.compile(_pattern_text(name))
                    found = entry._replace(by_pattern=True)
                    self._patterns.append((place, pattern, found))
                else:
                    self.named.setdefault(name, (place, entry))

    def entries(self) -> Iterator[Entry]:
        yield from (entry for _, entry in self.named.values())
        yield from (entry for _, _, entry in self._patterns)

    def names_with(self, words: FrozenSet[str]) -> Set[str]:
        """Names and patterns of which one of the words is said."""
        return {name for name, entry in self._all if entry.words & words}

    def find(self, name: str) -> Optional[Entry]:
        limit, found = self.named.get(name, (_LAST, None))
        for place, pattern, entry in self._patterns:
            if place < limit and pattern.fullmatch(name):
                return entry
        return found


def _pattern_text(name: str) -> str:
    """`*` stands for anything, `[A-Z]` for a capital letter."""
    return re.escape(name).replace(r"\*", ".*").replace(re.escape("[A-Z]"), "[A-Z]")


def _read_entry(value: Any, effects: Dict[str, Any]) -> Entry:
    """`effects`: those that have names of their own, which are used like words."""
    given = {"is": value} if isinstance(value, str) else value
    for word in given.get("is", "").split():
        given = {**effects.get(word, {}), **given}
    condition = given.get("if", given.get("unless", ()))
    return Entry(
        frozenset(given.get("is", "").split()),
        tuple(given.get("mutates", ())),
        tuple(condition),
        "unless" in given,
        given.get("makes", ""),
    )


_KINDS = ("functions", "methods", "classes", "attributes", "nondeterministic")


class Description:
    def __init__(self, given: Dict[str, Any]) -> None:
        self.packages: List[str] = given["package"].split()
        self.by_name = bool(given.get("byName"))
        self.mutates = given.get("mutates", "").split()
        effects = given.get("effects", {})
        self.tables = {kind: _Table(given.get(kind, {}), effects) for kind in _KINDS}
        self.tables["constants"] = _Table({given.get("constants", ""): ""}, effects)
        self.logs: Dict[str, Any] = given.get("logs", {})
        self.alone: Dict[str, Any] = given.get("alone", {})


@functools.lru_cache(maxsize=None)
def descriptions() -> List[Description]:
    found: List[Description] = []
    try:
        names = sorted(os.listdir(_FOLDER))
    except OSError:
        # Packed into one file without its data: then nothing is known, and a program runs as ever.
        return found
    for name in names:
        if name.endswith(".json"):
            with open(os.path.join(_FOLDER, name), encoding="utf-8") as stream:
                given = json.load(stream)
            found += [Description(one) for one in (given if isinstance(given, list) else [given])]
    return found


@functools.lru_cache(maxsize=None)
def _of_package(package: str) -> List[Description]:
    return [one for one in descriptions() if package in one.packages]


@functools.lru_cache(maxsize=4096)
def _find_entry(kind: str, path: str) -> Optional[Entry]:
    """By the longest package that says anything: `torch.nn.functional` comes before `torch`."""
    parts = path.split(".")
    for length in range(len(parts) - 1, 0, -1):
        for one in _of_package(".".join(parts[:length])):
            entry = one.tables[kind].find(".".join(parts[length:]))
            if entry is not None:
                return entry
    return None


def function(path: str) -> Entry:
    """What is said of calling it. Of a class only what it gives: how it is made is the same for
    all classes."""
    entry = _find_entry("functions", path) or UNKNOWN_ENTRY
    if is_class(path):
        return entry._replace(words=entry.words & _OF_CLASSES)
    return entry


# What is said of calling a class.
_OF_CLASSES = frozenset("threads model tokenizer instance container".split())


# What changes what it is given, or what it is called on.
_CHANGING = frozenset("changes keeps mutates converts differentiates".split())


def may_change_given(path: str, count: int, named: Sequence[str], certain: bool) -> bool:
    """Whether a function that is handed over changes what it will be called with: `count` values
    and arguments of these names. `certain`: what is said of a function that nobody knows."""
    if is_class(path):
        return False
    entry = _find_entry("functions", path) or UNKNOWN_ENTRY
    owner, _, name = path.rpartition(".")
    if not entry.words - {"unknown"} and (is_class(owner) or owner.startswith(f"{_BUILTINS}.")):
        # A method, by its class: `torch.Tensor.zero_`, `list.sort`.
        entry = method(name, on_tensor=is_tensor_class(owner))
    if entry.condition:
        argument, *places = entry.condition
        return argument in named or any(place < count for place in places)
    by_place = any(isinstance(one, int) for one in entry.mutates)
    if by_place or entry.words & _CHANGING or mutated_names().intersection(named):
        return True
    return certain and not entry.words & {"computes", "reads"}


def builtin(name: str) -> Entry:
    return _find_entry("functions", f"{_BUILTINS}.{name}") or UNKNOWN_ENTRY


def class_entry(path: str) -> Entry:
    return _find_entry("classes", path) or UNKNOWN_ENTRY


@functools.lru_cache(maxsize=4096)
def method(name: str, made: str = "", on_tensor: bool = False) -> Entry:
    """What is said of a method. `made`: the class of what it is called on, if that is known. Where
    the name alone tells, Python's own objects come first but for tensors, and patterns last."""
    own = [one for part in _prefixes(made) for one in _of_package(part)]
    if made and not any(one.by_name for one in own):
        asked = own
    else:
        asked = [one for one in descriptions() if one.by_name]
        asked.sort(key=lambda one: (_BUILTINS in one.packages) == on_tensor)
    found = [one.tables["methods"].find(name) for one in asked]
    entries = [entry for entry in found if entry is not None]
    return min(entries, key=lambda entry: entry.by_pattern, default=UNKNOWN_ENTRY)


def _prefixes(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition(".")[0]


@functools.lru_cache(maxsize=None)
def methods_with(*words: str) -> FrozenSet[str]:
    """Names of methods of which one of these words is said, of whatever object."""
    return frozenset(
        name
        for one in descriptions()
        if one.by_name
        for name, (_, entry) in one.tables["methods"].named.items()
        if entry.words.intersection(words)
    )


@functools.lru_cache(maxsize=None)
def builtins_with(word: str) -> FrozenSet[str]:
    named = [table.tables["functions"].named for table in _of_package(_BUILTINS)]
    return frozenset(
        name for one in named for name, (_, entry) in one.items() if word in entry.words
    )


@functools.lru_cache(maxsize=None)
def packages_with(word: str) -> FrozenSet[str]:
    """Packages all of whose functions have the word, as far as nothing else is said of one."""
    found: Set[str] = set()
    for one in descriptions():
        entry = one.tables["functions"].find("*")
        if entry is not None and word in entry.words:
            found.update(one.packages)
    return frozenset(found)


@functools.lru_cache(maxsize=None)
def attributes_with(word: str) -> FrozenSet[str]:
    named = [one.tables["attributes"].named for one in descriptions()]
    return frozenset(
        name for one in named for name, (_, entry) in one.items() if word in entry.words
    )


@functools.lru_cache(maxsize=4096)
def attribute(name: str) -> FrozenSet[str]:
    """What is said of an attribute, of whatever object."""
    found = [one.tables["attributes"].find(name) for one in descriptions()]
    return _NONE.union(*(entry.words for entry in found if entry is not None))


@functools.lru_cache(maxsize=None)
def mutated_names() -> FrozenSet[str]:
    """Arguments that are changed wherever they are given by these names."""
    return frozenset(name for one in descriptions() for name in one.mutates)


def is_class(path: str) -> bool:
    """Libraries begin the names of their classes with a capital letter."""
    last = path.rpartition(".")[2].lstrip("_")
    return last[:1].isupper()


def is_constant(path: str) -> bool:
    return _find_entry("constants", path) is not None


def is_passing(path: str) -> bool:
    """Whether it leaves what it is given as it is."""
    entry = _find_entry("functions", path) or UNKNOWN_ENTRY
    return bool(entry.words & {"computes", "reads"}) and not entry.words & {"model", "tokenizer"}


def is_library_model(path: str) -> bool:
    """Functions and classes of well-known libraries that give a module of PyTorch."""
    return "model" in function(path).words


def is_loader(path: str) -> bool:
    return "loader" in class_entry(path).words


def is_torch_module(path: str) -> bool:
    return is_class(path) and "module" in class_entry(path).words


def is_data_class(path: str) -> bool:
    """Its instances hold nothing that has gradients."""
    return "data" in class_entry(path).words


def is_tensor_class(path: str) -> bool:
    return "tensor" in class_entry(path).words


def is_drawn_from(path: str) -> bool:
    """Whether its instances are generators of random numbers: whoever gets one may move it on."""
    return "drawn" in class_entry(path).words


# What answers otherwise each time it is asked.


@functools.lru_cache(maxsize=4096)
def _nondeterminism(path: str) -> FrozenSet[str]:
    """What is said of the path, or of what it is a part of."""
    for part in _prefixes(path):
        entry = _find_entry("nondeterministic", part)
        if entry is not None:
            return entry.words
    return _NONE


def is_source(path: str, arguments: int) -> bool:
    """Whether what stands at a path, or what it gives when it is called, is another each time."""
    words = _nondeterminism(path)
    if "unseeded" in words:
        # Without a seed it begins with entropy.
        return arguments == 0
    return bool(words & _SOURCES)


@functools.lru_cache(maxsize=4096)
def hands_on(path: str) -> bool:
    """Whether what stands at a path has such members: whoever gets it may ask them."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        before = "".join(f"{part}." for part in parts[length:])
        for one in _of_package(".".join(parts[:length])):
            table = one.tables["nondeterministic"]
            if any(name.startswith(before) for name in table.names_with(_SOURCES)):
                return True
    return False


# Of these a result says too little: it stands for something that is not there in a replay, or the
# call has done more than to give it.
_NOT_GIVEN = frozenset("network live fills seeds draws unseeded".split())


def is_given_again(path: str, arguments: int) -> bool:
    """Whether small results are recorded, and given again in replays."""
    return is_source(path, arguments) and not _nondeterminism(path) & _NOT_GIVEN


def tells_place(path: str) -> bool:
    """Whether it tells where the program lies, or what else lies there."""
    return "place" in _nondeterminism(path)


def is_clock(path: str) -> bool:
    return "clock" in _nondeterminism(path)


def fills(path: str) -> bool:
    """Whether it changes its first argument by chance."""
    return "fills" in _nondeterminism(path)


def gives_item(path: str) -> bool:
    return "item" in _nondeterminism(path)


@functools.lru_cache(maxsize=None)
def source_packages() -> FrozenSet[str]:
    """Which have something that answers otherwise each time."""
    return frozenset(
        package.partition(".")[0]
        for one in descriptions()
        if any(entry.words & _SOURCES for entry in one.tables["nondeterministic"].entries())
        for package in one.packages
    )


def may_ask_outside(text: str) -> bool:
    """Whether a source file may call what answers otherwise each time."""
    return any(package in text for package in source_packages())


def seeds(path: str) -> bool:
    return "seeds" in _nondeterminism(path)


def draws(path: str) -> bool:
    """Whether it moves a generator of random numbers on."""
    return bool(_nondeterminism(path) & {"draws", "unseeded"})


def may_draw(path: str) -> bool:
    """Whether it is of a package that has generators of random numbers."""
    return path.partition(".")[0] in _drawing_packages()


@functools.lru_cache(maxsize=None)
def _drawing_packages() -> FrozenSet[str]:
    found: Set[str] = set()
    for one in descriptions():
        if any("draws" in entry.words for entry in one.tables["nondeterministic"].entries()):
            found.update(package.partition(".")[0] for package in one.packages)
    return frozenset(found)
