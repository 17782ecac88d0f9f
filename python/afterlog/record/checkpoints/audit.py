"""The audit of changesets at record time: variables that a loop only reads, as far as the analysis
can tell, are looked at when the loop is entered and again where it is checkpointed. One that has
changed meanwhile is in no checkpoint, so its loop is never skipped (Flor §3.3 leaves such changes
to the deferred check of the replay, which stays as the second net). Few variables and little of
each are looked at every time; the first time that an outermost loop is entered, when it ends, and
in between as far as the budget goes, as much of all as a fixed amount of work allows. So is what
the packages keep that the program imports, in the outermost loops. What changes there is looked at
in the loops inside too: a checkpoint says what of it is as it was when its loop was entered.
"""

import math
import os
import sys
from weakref import WeakKeyDictionary, WeakSet
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from ...format.clocks import perf_counter
from ...source.analysis.unchanged_variables import UnchangedVariable
from ...state.fingerprint import CHEAP, THOROUGH, Bounds, Fingerprints
from ...state.package_state import SETTINGS, Look, is_changed, look_at_package
from ...state.places import EntryIds, is_known
from ..files.loaded_sources import is_of_package, is_of_standard_library
from ..loops.loop_analysis import SourceLine
from ..loops.loop_frame import LoopFrame
from ..run_parts import RunParts

# Names of one loop that are looked at each time.
_NAMES_MAX = 64
# What thorough looks may take before they must be within the budget.
_THOROUGH_MS_FREE = 200.0
# A variable that takes longer than this to look at, each of the first times, is left out then.
_NAME_MS_MAX = 0.2
_LOOKS_FREE = 3
# One that takes this long once is left out at once.
_LOOK_MS_MAX = 20.0
# Inside an outermost loop, before anything is known to change, only packages are looked at for
# which this takes no longer.
_EARLY_MS_MAX = 5.0
# Classes of a library whose instances hold nothing but what the program sees.
_OPEN = ("torch.nn.", "torch.optim.")

# What these keep no program computes with: they show it, or they are known by their functions.
_NOT_LOOKED_AT = frozenset(
    """afterlog torch tqdm wandb tensorboard tensorboardX mlflow matplotlib seaborn rich loguru
    comet_ml neptune clearml aim""".split()
)

# The key of the finding that items of a dataset come out of a loader as they are.
_DATASET = "dataset:"

Finding = Dict[str, Any]


class _Looks:
    """How long it took to look at a variable."""

    def __init__(self) -> None:
        self.count = 0
        self.best_ms = math.inf
        self.over = False

    def note(self, ms: float) -> None:
        # A look that somebody else's process interrupted says nothing: the quickest one does.
        self.best_ms = min(self.best_ms, ms)
        self.count += 1
        slow = self.count >= _LOOKS_FREE and self.best_ms > _NAME_MS_MAX
        self.over = ms > _LOOK_MS_MAX or slow


class _Thorough(NamedTuple):
    """What a variable was, as far as these bounds let it be seen."""

    variable: UnchangedVariable
    bounds: Bounds
    fingerprint: int


class Audit:
    """`previous`: what earlier runs of the program found. `found`: told when there is more."""

    def __init__(
        self, parts: RunParts, root: str, previous: List[Finding], found: Callable[[], None]
    ) -> None:
        self._ledger = parts.ledger
        self._left_ms = parts.left_ms
        self._root = os.path.join(os.path.realpath(root), "")
        self._on_finding = found
        self._findings: List[Finding] = list(previous)
        self._found = {_id_of(finding) for finding in previous}
        # What the loops that were entered only read, by file and loop.
        self._read: Dict[Tuple[str, str], Set[str]] = {}
        # Variables that an active loop only reads, and what each was at entry.
        self._seen: WeakKeyDictionary[
            LoopFrame, List[Tuple[UnchangedVariable, int]]
        ] = WeakKeyDictionary()
        # The same of outermost loops, looked at thoroughly; and what such a look took.
        self._thorough: WeakKeyDictionary[LoopFrame, List[_Thorough]] = WeakKeyDictionary()
        self._thorough_loops: Set[Tuple[str, str]] = set()
        self._thorough_ms = self._thorough_ms_all = 0.0
        self._packages: WeakKeyDictionary[LoopFrame, Dict[str, Look]] = WeakKeyDictionary()
        # Packages that are the same at the checkpoint that is being taken of an inner loop.
        self._still: WeakKeyDictionary[LoopFrame, List[str]] = WeakKeyDictionary()
        # Outermost loops whose packages were looked at again.
        self._looked: WeakSet[LoopFrame] = WeakSet()
        self._looks: Dict[str, _Looks] = {}
        # Lines that go through a loader which is not what the analysis takes it for, and the loops
        # that were active there.
        self._unlike: Set[SourceLine] = set()
        self._with_unlike: Set[Tuple[str, str]] = set()
        self._classes: Dict[type, bool] = {}
        self._look_ms = 0.0

    @property
    def findings(self) -> List[Finding]:
        """All that earlier runs and this one found; what checkpoints hold by now is left out."""
        return [
            finding
            for finding in self._findings
            if finding["key"]
            in self._read.get((finding["file"], finding["loop"]), {finding["key"]})
        ]

    @property
    def warnings(self) -> List[str]:
        """The same in words for the user."""
        return [_warning(finding) for finding in self.findings]

    def unlike_loader(self, line: SourceLine, frame: Optional[LoopFrame]) -> None:
        """Items of a dataset come out of a loader that was taken to make batches anew: what
        changes them changes the dataset. `frame`: the innermost loop."""
        self._unlike.add(line)
        while frame is not None:
            self._note_dataset(frame)
            frame = frame.parent

    def _note_dataset(self, frame: LoopFrame) -> None:
        context = frame.context
        if context is None:
            return
        loop = (context.file, frame.name)
        self._read.setdefault(loop, set()).add(_DATASET)
        if loop not in self._with_unlike:
            self._with_unlike.add(loop)
            self._note(frame, _DATASET, "the dataset of a DataLoader")
            self._on_finding()

    def entered(self, frame: LoopFrame) -> None:
        """A loop that may be checkpointed is entered; its state has been numbered."""
        context = frame.context
        if context is None or frame.checkpoints.entry_ids is None:
            return
        read = self._read[(context.file, frame.name)] = {one.key for one in context.reads}
        if (context.file, frame.name) in self._with_unlike:
            read.add(_DATASET)
        elif self._unlike and not self._unlike.isdisjoint(context.head):
            self._note_dataset(frame)
        if frame.parent is None:
            packages = [one for one in context.packages if _is_looked_at(one)]
            read.update(map(_package_key, packages))
            self._look_at_packages(frame, frame.checkpoints.entry_ids, packages)
        else:
            packages = self._packages_around(frame)
            self._look_at_packages(frame, frame.checkpoints.entry_ids, packages)
        around = _captured_around(frame)
        reads: List[UnchangedVariable] = [
            variable for variable in context.reads if variable.key not in around
        ]
        if not reads or (frame.parent is not None and not self._affords()):
            return
        started = perf_counter()
        seen = []
        for variable in [one for one in reads if not one.is_function][:_NAMES_MAX]:
            fingerprint = self._look(frame, variable)
            if fingerprint is not None:
                seen.append((variable, fingerprint))
        self._seen[frame] = seen
        self._book(started)
        if frame.parent is None:
            self._look_thoroughly(frame, (context.file, frame.name), reads)

    def _look_thoroughly(
        self, frame: LoopFrame, loop: Tuple[str, str], reads: List[UnchangedVariable]
    ) -> None:
        """The first time that the loop is entered, unless the program has many of them."""
        affords = self._thorough_ms_all < _THOROUGH_MS_FREE or self._affords_thorough()
        if loop in self._thorough_loops or not affords:
            return
        self._thorough_loops.add(loop)
        started, bounds = perf_counter(), THOROUGH
        looks = self._thorough[frame] = []
        for variable in reads:
            # None takes all that there is for those that follow.
            own = bounds._replace(parts=bounds.parts // 2, element_bytes=bounds.element_bytes // 2)
            fingerprint, left = self._fingerprint(frame, variable, own)
            if fingerprint is not None:
                looks.append(_Thorough(variable, own, fingerprint))
            bounds = bounds._replace(
                parts=bounds.parts - own.parts + left.parts,
                element_bytes=bounds.element_bytes - own.element_bytes + left.element_bytes,
            )
        self._book_thorough(started)

    def _compare_thoroughly(self, frame: LoopFrame, always: bool) -> None:
        looks = self._thorough.get(frame, [])
        if not looks or not (always or self._affords_thorough()):
            return
        started = perf_counter()
        same = []
        for one in looks:
            now, _ = self._fingerprint(frame, one.variable, one.bounds)
            if now == one.fingerprint:
                same.append(one)
            elif now is not None:
                self._note(frame, one.variable.key, one.variable.name)
        self._thorough[frame] = same
        self._book_thorough(started)

    def compare(self, frame: LoopFrame, always: bool) -> None:
        """The loop is being checkpointed. `always`: whatever the budget says."""
        self._still.pop(frame, None)
        context, seen = frame.context, self._seen.get(frame, [])
        packages = self._packages.get(frame, {})
        looks = seen or packages or self._thorough.get(frame)
        if not looks or context is None or not (always or self._affords()):
            return
        started = perf_counter()
        same, findings = [], len(self._findings)
        for variable, before in seen:
            now = self._look(frame, variable)
            if now == before:
                same.append((variable, before))
            elif now is not None:
                self._note(frame, variable.key, variable.name)
        self._seen[frame] = same
        for package, look in list(packages.items()):
            is_same = self._is_same(frame, package, look)
            if is_same is False:
                del packages[package]
                if frame.parent is None:
                    self._note(frame, _package_key(package), f"the state of {package}")
            elif is_same and frame.parent is not None:
                self._still.setdefault(frame, []).append(_package_key(package))
        if frame.parent is None:
            self._looked.add(frame)
        self._book(started)
        self._compare_thoroughly(frame, always)
        if len(self._findings) > findings:
            self._on_finding()

    def still_packages(self, frame: LoopFrame) -> List[str]:
        """Keys of what packages keep that an inner loop has left alone, as far as can be seen."""
        return self._still.get(frame, [])

    def _packages_around(self, frame: LoopFrame) -> List[str]:
        """Those that an outermost loop was seen to change, or may yet be: what is around a loop in
        it may have done so."""
        outermost = frame
        while outermost.parent is not None:
            outermost = outermost.parent
        context = outermost.context
        if context is None:
            return []
        changing = {
            finding["key"]
            for finding in self._findings
            if (finding["file"], finding["loop"]) == (context.file, outermost.name)
        }
        early = () if outermost in self._looked else self._packages.get(outermost, ())
        return [
            one
            for one in filter(_is_looked_at, context.packages)
            if _package_key(one) in changing
            or (one in early and self._looks[_package_key(one)].best_ms <= _EARLY_MS_MAX)
        ]

    def _look_at_packages(self, frame: LoopFrame, ids: EntryIds, packages: List[str]) -> None:
        started = perf_counter()
        looks = ((one, self._look_at_package(one, ids)) for one in packages)
        self._packages[frame] = {one: look for one, look in looks if look is not None}
        self._book(started)

    def _look_at_package(self, package: str, ids: EntryIds) -> Optional[Look]:
        looks = self._looks.setdefault(_package_key(package), _Looks())
        # A loop that is entered again and again is looked at as long as there is time for it.
        if looks.over or (looks.count >= _LOOKS_FREE and not self._affords()):
            return None
        started = perf_counter()
        try:
            look = look_at_package(package, _captured_in(ids), ids.instances)
        except Exception:  # something in it cannot be looked at
            look = None
        looks.count += 1
        looks.best_ms = min(looks.best_ms, (perf_counter() - started) * 1000)
        looks.over = look is None
        return look

    def _is_same(self, frame: LoopFrame, package: str, before: Look) -> Optional[bool]:
        """None: it cannot be told in time."""
        ids = frame.checkpoints.entry_ids
        now = None if ids is None else look_at_package(package, _captured_in(ids), ids.instances)
        if now is None:
            return None
        if is_changed(before, now):
            return False
        before.update(now)
        return True

    def _note(self, frame: LoopFrame, key: str, name: str) -> None:
        context = frame.context
        assert context is not None, "only what its source tells is looked at"
        line, column = context.facts.at
        where: Finding = {"file": context.file, "line": line, "column": column + 1}
        finding = {**where, "loop": frame.name, "key": key, "name": name}
        if _id_of(finding) not in self._found:
            self._found.add(_id_of(finding))
            self._findings.append(finding)

    def _look(self, frame: LoopFrame, variable: UnchangedVariable) -> Optional[int]:
        """None: it cannot be told, or not in time."""
        looks = self._looks.setdefault(variable.key, _Looks())
        if looks.over:
            return None
        started = perf_counter()
        fingerprint, _ = self._fingerprint(frame, variable, CHEAP)
        looks.note((perf_counter() - started) * 1000)
        return fingerprint

    def _fingerprint(
        self, frame: LoopFrame, variable: UnchangedVariable, bounds: Bounds
    ) -> Tuple[Optional[int], Bounds]:
        """And what it leaves of the bounds. None: it cannot be told."""
        context, ids = frame.context, frame.checkpoints.entry_ids
        if context is None or ids is None:
            return None, bounds
        variables = context.find(context.frame, variable)
        if variables is None:
            return None, bounds
        captured = _captured_in(ids)
        fingerprints = Fingerprints(self._is_own, captured, not variable.shares, bounds)
        try:
            return fingerprints.of(variables.get(variable.name)), fingerprints.left
        except Exception:
            # Not bound yet, or a value that cannot be looked at.
            return None, fingerprints.left

    def _is_own(self, kind: Any) -> bool:
        """Whether a class, or a function, is the program's, or one of which everything is known."""
        if not isinstance(kind, type):
            return self._is_of_program(kind.__code__.co_filename)
        is_own = self._classes.get(kind)
        if is_own is None:
            is_own = self._classes[kind] = self._is_open(kind)
        return is_own

    def _is_open(self, kind: type) -> bool:
        module = kind.__module__
        if not isinstance(module, str):
            return False
        if f"{module}.".startswith(_OPEN):
            return True
        file = getattr(sys.modules.get(module), "__file__", None)
        return isinstance(file, str) and self._is_of_program(file)

    def _is_of_program(self, file: str) -> bool:
        return os.path.realpath(file).startswith(self._root) and not is_of_package(file)

    def _affords(self) -> bool:
        return self._left_ms() > 2 * self._look_ms

    def _affords_thorough(self) -> bool:
        return self._left_ms() > 2 * self._thorough_ms

    def _book_thorough(self, started: float) -> None:
        self._thorough_ms = (perf_counter() - started) * 1000
        self._thorough_ms_all += self._thorough_ms
        self._ledger.book(self._thorough_ms, self._ledger.booked_ms)

    def _book(self, started: float) -> None:
        self._look_ms = (perf_counter() - started) * 1000
        self._ledger.book(self._look_ms, self._ledger.booked_ms)


def _package_key(package: str) -> str:
    return f"package:{package}"


def _is_looked_at(package: str) -> bool:
    """Of what comes with Python, whose functions are described, settings alone."""
    if package in SETTINGS or package in _NOT_LOOKED_AT:
        return package in SETTINGS and package in sys.modules
    file = getattr(sys.modules.get(package), "__file__", None)
    return isinstance(file, str) and not is_of_standard_library(file)


def _captured_around(frame: LoopFrame) -> Set[str]:
    """Variables that checkpoints hold for the sake of the loops around."""
    keys: Set[str] = set()
    outer = frame.parent
    while outer is not None:
        changes = outer.context.changes if outer.context is not None else []
        keys |= {
            changed.key for changed in changes if changed.access == "name" and not changed.known
        }
        outer = outer.parent
    return keys


def _captured_in(ids: EntryIds) -> Callable[[Any], bool]:
    def is_captured(value: Any) -> bool:
        number = ids.get(value)
        if number is None or number in ids.shallow:
            return False
        return not is_known(number)

    return is_captured


def _id_of(finding: Finding) -> Tuple[str, str, str]:
    return finding["file"], finding["loop"], finding["key"]


def _warning(finding: Finding) -> str:
    run = finding.get("run")
    when = "changes inside the loop" if run is None else f"changed inside the loop in {run}"
    where = f"{finding['file']}:{finding['line']} `{finding['name']}`"
    return f"{where} {when} but was not captured: replays execute the loop"
