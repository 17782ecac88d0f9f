"""The variables that an active loop may change, beyond what was declared (semantics, "Captured
state" b).

The source says which (`afterlog.source`); the frames of the running program hold them. Nothing is
rewritten: Python lets a debugger read and set the variables of a frame, and so it lets us, also in
a program that was started without us.
"""

import importlib.util
import os
import sys
from functools import lru_cache, partial
from types import CodeType, FrameType
from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Set, Tuple
from typing import Union

from ...source.analysis.facts import LoopFacts
from ...source.analysis.loop_changes import Changed
from ...source.analysis.unchanged_variables import UnchangedVariable, unchanged_variables
from ...source.model import Model
from ...source.program.parts import parts_by_file
from ...source.program.program import Program
from ...source.program.recorded_text import recorded_by_file
from ...source.program.skeletons import LibraryLoop
from ...state.places import Place
from ...state.undeclared_state import generators_in
from .frame_variables import Variables
from .library_variables import find_in_library, left_places, local_places


# A file of the program and a line in it.
SourceLine = Tuple[str, int]


class LoopContext(NamedTuple):
    """A loop statement that was entered: what it may change, as its frame sees it."""

    frame: FrameType
    facts: LoopFacts
    changes: List[Changed]
    # What it leaves as it is, as far as the source tells.
    reads: List[UnchangedVariable]
    find: Callable[[FrameType, Union[Changed, UnchangedVariable]], Optional[Variables]]
    # What the program imports and is not its own.
    packages: Sequence[str]
    # Of a library's own loop: where its function has what is captured, and where it is left.
    library: Optional[LibraryLoop] = None
    breaks: FrozenSet[int] = frozenset()

    @property
    def file(self) -> str:
        return self.facts.scope.file

    @property
    def head(self) -> Set[SourceLine]:
        """The lines of what it goes through."""
        return set(_lines_of(self.file, getattr(self.facts.statement, "iter", None)))

    def places(self, depth: int) -> List[Place]:
        places: List[Place] = []
        for changed in self.changes:
            variables = self.find(self.frame, changed) if changed.access == "name" else None
            if variables is None:
                continue
            places += places_of(changed, variables, depth)
        if self.library is not None:
            places += local_places(self.library, self.frame, self.file, depth)
            places += left_places(self.library, self.frame, self.file, depth, places)
        return places

    def left_by_break(self, line: int) -> bool:
        """Whether the statement on this line leaves the loop, and nothing but the loop."""
        return line in (self.breaks if self.library is not None else self.facts.breaks)


def places_of(changed: Changed, held: Variables, depth: int) -> List[Place]:
    """The place of a variable that a loop may change, with so many loops around, and those of the
    generators that going through it moves on."""
    key = f"{changed.key}#{depth}"
    place = Place(
        key=key,
        source="b",
        get=lambda: held.get(changed.name),
        set=lambda value: held.set(changed.name, value),
        iterated=changed.iterated,
        dead=changed.dead,
        history=changed.history,
        volatile=changed.iterated or changed.dead or changed.bound or changed.known,
        known=changed.known,
    )
    return [*(_generator_places(key, held, changed.name) if changed.iterated else []), place]


def left_alone(context: Optional[LoopContext], places: Sequence[Place]) -> List[Place]:
    """Places of the loops around one that it leaves as they are. What nothing reads in their next
    iterations is among them: it may be read in this one."""
    changes = context.changes if context is not None else []
    changed = {one.key for one in changes if not one.known}
    bound = {one.key for one in changes if one.bound}

    def is_left_alone(place: Place) -> bool:
        key = place.key.rpartition("#")[0]
        if place.source != "b" or key in bound or place.known or place.left or place.iterated:
            return False
        return key not in changed or _is_unchangeable(place)

    return [place for place in places if is_left_alone(place)]


def _is_unchangeable(place: Place) -> bool:
    """Whether it holds a value that only another one can take the place of."""
    try:
        return isinstance(place.get(), (int, float, complex, str, bytes, type(None)))
    except NameError:
        return False


def _itself(value: Any) -> Any:
    return value


def _generator_places(key: str, held: Variables, name: str) -> List[Place]:
    """A loader or sampler stays as it is when it, or one that an object holds, is gone through; a
    generator of its own moves on."""
    try:
        generators = generators_in(held.get(name))
    except NameError:
        return []
    return [
        Place(f"{key}~{index}", "b", get=partial(_itself, one), set=_itself)
        for index, one in enumerate(generators)
    ]


def read_program(
    root: str,
    program: str,
    orders: Optional[Dict[str, Any]],
    hands_free: bool,
    libraries: Optional[Sequence[str]] = None,
    rules: int = 0,
) -> Program:
    """The sources of a program. Statements that the repeated run did not have (`probes` of the
    orders) must not make what is captured differ from it. `libraries`: those whose loops are its
    own, if it is repeated. `rules`: by which its loops are named."""
    probes, recorded = (orders or {}).get("probes", []), (orders or {}).get("recorded", [])
    folder = os.path.realpath(root)

    def read(file: str) -> Optional[str]:
        try:
            with open(os.path.join(folder, file), "rb") as stream:
                return importlib.util.decode_source(stream.read())
        except (OSError, SyntaxError, UnicodeError):
            return None

    ignored: Dict[str, Set[Tuple[int, int]]] = {}
    for one in (one for one in probes if "end" not in one):
        ignored.setdefault(one["file"], set()).add((one["line"], one["column"]))
    entry = os.path.relpath(os.path.realpath(program), folder)
    ran = recorded_by_file(recorded)
    parts = parts_by_file(probes)
    mode = (hands_free, None, None, ran, libraries, rules)
    return Program(entry, read, ignored, parts, *mode)


class LoopAnalysis:
    def __init__(self, root: str, program: Program) -> None:
        self._root = os.path.realpath(root)
        self._program = _real_path(os.path.join(self._root, program.entry))
        self._model = Model(program)
        self._by_file: Dict[str, List[LoopFacts]] = {}
        for loop in self._model.analysis.loops.values():
            self._by_file.setdefault(loop.scope.file, []).append(loop)
        self._known: Dict[Tuple[CodeType, int], Optional[LoopFacts]] = {}
        self._module_names: Dict[str, Optional[str]] = {}
        self._reads: Dict[int, List[UnchangedVariable]] = {}
        self._batched: Optional[Set[SourceLine]] = None
        self._packages = sorted(program.packages)
        self.looks_at_lives = program.looks_at_lives
        self.captures = True
        self._libraries = program.library_loops
        self._breaks = program.library_breaks

    @property
    def arguments(self) -> Set[str]:
        """Arguments that the program asks for somewhere, as its sources tell."""
        return self._model.program.argument_names()

    @property
    def batched_lines(self) -> Set[SourceLine]:
        """Where the program is taken to go through batches that are made anew."""
        if self._batched is None:
            every = self._model.analysis.facts.items()
            nodes = ((scope.file, node) for scope, facts in every for node in facts.batched)
            self._batched = {line for one in nodes for line in _lines_of(*one)}
        return self._batched

    def is_collating(self, code: CodeType) -> bool:
        """Whether it is a function of the program that is taken to make batches anew."""
        every = self._model.analysis.facts.values()
        return any(_is_code(code, one, self._root) for facts in every for one in facts.collating)

    def line_of(self, frame: FrameType) -> Optional[SourceLine]:
        """Where a frame of the program is; None: it is one of a library."""
        file = os.path.relpath(_real_path(frame.f_code.co_filename), self._root)
        return (file, frame.f_lineno) if file in self._model.program.modules else None

    def context(self, frame: FrameType, number: Optional[int]) -> Optional[LoopContext]:
        """The loop that a frame is about to enter: the one of that number, or whichever stands
        there; None: the source does not tell."""
        if number is not None:
            facts = self._model.analysis.loops.get(number)
            return None if facts is None else self._context(facts, frame)
        key = (frame.f_code, frame.f_lasti)
        if key not in self._known:
            self._known[key] = self._find(frame)
        facts = self._known[key]
        return None if facts is None else self._context(facts, frame)

    def _context(self, facts: LoopFacts, frame: FrameType) -> LoopContext:
        changes = self._model.changes[facts.number] if self.captures else []
        reads, library = self._only_read(facts), self._libraries.get(facts.number)
        find: Any = self._variables
        if library is not None:
            find = partial(find_in_library, library, self._variables)
        breaks = self._breaks.get(facts.number, frozenset())
        return LoopContext(frame, facts, changes, reads, find, self._packages, library, breaks)

    def _only_read(self, facts: LoopFacts) -> List[UnchangedVariable]:
        unchanged = self._reads.get(facts.number)
        if unchanged is None:
            changes = self._model.changes[facts.number]
            unchanged = self._reads[facts.number] = unchanged_variables(
                self._model.analysis, facts, changes
            )
        return unchanged

    def _find(self, frame: FrameType) -> Optional[LoopFacts]:
        file = os.path.relpath(os.path.realpath(frame.f_code.co_filename), self._root)
        line = frame.f_lineno
        fitting = [
            loop
            for loop in self._by_file.get(file, [])
            if loop.statement is not None
            and loop.statement.lineno <= line <= (loop.node.end_lineno or loop.node.lineno)
            and loop.node is not loop.statement
            and _is_code_of(frame.f_code, loop)
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _variables(
        self, frame: FrameType, changed: Union[Changed, UnchangedVariable]
    ) -> Optional[Variables]:
        """Where a variable is held, seen from the frame that the loop stands in."""
        if changed.scope is None:
            return None
        if changed.holder is None:
            module = self._module(changed.scope.file)
            return None if module is None else Variables(module.__dict__)
        holder: Optional[FrameType] = frame
        while holder is not None:
            if _is_code(holder.f_code, changed.holder, self._root):
                return Variables(holder)
            holder = holder.f_back
        return None

    def _module(self, file: str) -> Any:
        whole = os.path.join(self._root, file)
        if _real_path(whole) == self._program:
            return sys.modules.get("__main__")
        # Asked at every checkpoint, and there are thousands of modules.
        name = self._module_names.get(file)
        if name is None or _file_of(sys.modules.get(name)) != _real_path(whole):
            modules = list(sys.modules.items())
            module_names = (
                name for name, module in modules if _file_of(module) == _real_path(whole)
            )
            name = self._module_names[file] = next(module_names, None)
        return None if name is None else sys.modules.get(name)


def _lines_of(file: str, node: Any) -> List[SourceLine]:
    first = getattr(node, "lineno", 0)
    return [(file, line) for line in range(first, (getattr(node, "end_lineno", 0) or first) + 1)]


@lru_cache(maxsize=None)
def _real_path(path: str) -> str:
    return os.path.realpath(path)


def _file_of(module: Any) -> Optional[str]:
    path = getattr(module, "__file__", None)
    return _real_path(path) if isinstance(path, str) else None


def _is_code_of(code: CodeType, loop: LoopFacts) -> bool:
    if loop.scope.kind == "module":
        return code.co_name == "<module>"
    return code.co_name == loop.scope.name and code.co_firstlineno == loop.scope.first_line


def _is_code(code: CodeType, scope: Any, root: str) -> bool:
    if code.co_name != scope.name or code.co_firstlineno != scope.first_line:
        return False
    return _real_path(code.co_filename) == os.path.join(root, scope.file)
