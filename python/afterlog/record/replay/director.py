"""Takes a program to the points that a plan asks for (semantics, "How a point is reached"): at each
loop entry it does what the orders say, restores checkpoints, and compares the way that the program
takes with the one that was recorded.

Nothing here guesses: what does not fit ends the process with an outcome that says so, and the
engine then executes more, or tells the user.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, NoReturn, Optional, Set, Tuple, Union
from weakref import WeakKeyDictionary

from ...format.clocks import perf_counter
from ...format.errors import describe_error
from ...format.own_tree import own_tree
from ...format.paths import LoopPath, format_path
from ...format.values import value_from_json
from ...state.places import EntryIds, Place
from ...state.restore import restore
from ...state.walk import identify
from ...store.checkpoint_index import list_checkpoints
from ...store.checkpoint_reader import CheckpointReader, open_checkpoint
from ..loops.loop_analysis import left_alone
from ..loops.loop_frame import LoopFrame, TrackedIterator, frame_path, path_at
from ..loops.loop_observer import LoopObserver, LoopSource
from ..run_parts import RunParts
from .compare_state import StateNow, compare_state, differing_places, read_state, state_in
from .left_behind import LeftBehind
from .recorded_run import RecordedEntry, RecordedRun, places_by_entry


@dataclass
class EntryProgress:
    """How far a loop entry is with its orders."""

    key: str
    course: Optional[Dict[str, Any]]
    recorded: Optional[RecordedEntry]
    # Objects of the state when the loop was entered, kept for restoring.
    ids: Optional[EntryIds]
    leg: int = 0
    restored_leg: int = -1
    # Its end was restored, not reached.
    skipped: bool = False


# A part of the way to another iteration: a restore, or how many items are taken and forgotten.
RESTORE = "restore"
JumpStep = Union[str, int]
# What a loop does before it asks its iterator for the next item: it ends, or jumps.
END = "end"
Move = Union[str, List[JumpStep]]


_COUNTED_INSIDE = "a part of the question that counts was called by another one"
_LEFT_BEHIND = "what is asked changed what the run may come across in iterations left out"
_SKIPPED_APART = (
    "loops were skipped inside of one that changes what cannot be captured, and the state differs"
)


class Director(LoopObserver):
    """`finish` ends the process, with what the outcome is, why, and where."""

    def __init__(
        self,
        parts: RunParts,
        orders: Dict[str, Any],
        mode: str,
        finish: Callable[[str, str, LoopPath], NoReturn],
        restored: Callable[[Dict[str, Any], float], None],
    ) -> None:
        self._parts = parts
        self._end_process = finish
        self._restored = restored
        # A fork and a resumed run go on where the record ends; a replay must not.
        self._mode = mode
        self._parent: str = orders["parent"]
        self._tree = own_tree(orders)
        # The question may change the run for good: then the state shows it.
        self._may_change = bool(orders.get("mayChange"))
        # Whether something of the question ran since the state was equal; what differed without it.
        self.asked = False
        self._different: Set[str] = set()
        self._left_behind = LeftBehind()
        # What counters of the question would have been given in iterations that were left out.
        self._missing: Dict[str, int] = {}
        self._arrive: Optional[str] = orders.get("arrive")
        # What is not compared; and what is not once a call got a new result.
        self._varying: Optional[Dict[str, Any]] = orders.get("varying")
        self._varying_fresh: Optional[Dict[str, Any]] = orders.get("varyingFresh", self._varying)
        self.recorded = RecordedRun(self._parent)
        self.courses = {course["entry"]: course for course in orders["courses"]}
        checkpoints = list_checkpoints(self._parent)
        self._checkpoints = {record["file"]: record for record in checkpoints}
        compared = checkpoints if mode == "replay" else []
        self._by_path = {format_path(record["path"]): record for record in compared}
        self._checkpointed = places_by_entry(checkpoints)
        # Loop entries with iterations that have a checkpoint.
        iterations = [record for record in checkpoints if record["path"][-1][1] != "end"]
        self._compared = set(places_by_entry(iterations))
        self._progress: WeakKeyDictionary[LoopFrame, EntryProgress] = WeakKeyDictionary()
        # Declarations so far in each iteration.
        self._declarations: Dict[str, int] = {}
        # Where iterators stood at the last restore, until a loop takes them up again.
        self._positions: Dict[int, Dict[str, Any]] = {}
        # A fork, or a resumed run, is where it goes on: from here on nothing is compared.
        self.released = mode != "replay" and self._arrive is None
        # The program left a loop where the run did not, and has not failed since.
        self.suspected: Optional[Dict[str, Any]] = None
        # Something was restored that lacks a part of what the loops around it change.
        self._went_along = False
        # What to think of, should something differ.
        self.hints: List[str] = []
        # Told when iterations of a loop are not executed, with a path in it.
        self.on_skip: Callable[[LoopPath], None] = lambda path: None
        # Items are being dropped: loops inside the iterator are then not where the run had them.
        self.dropping = False

    @property
    def is_on_the_way(self) -> bool:
        """A run that is continued has not come yet to where it left off."""
        return self._mode == "resume" and not self.released

    @property
    def is_repeating(self) -> bool:
        """What the program does now, the run did."""
        return self._mode == "replay" or self.is_on_the_way

    @property
    def has_checkpoints(self) -> bool:
        """Whether the run has left any."""
        return bool(self._checkpoints)

    def question_began(self, part_in: Optional[LoopFrame]) -> Callable[[], None]:
        """Something of the question is executed, or a part of it in a loop; what is returned is
        called behind it."""
        self.asked = True
        if part_in is None or not self._may_change or self._mode != "replay":
            return lambda: None
        return self._left_behind.begin(self._parts.captured.places(part_in))

    def counted(self, key: str, is_inner: bool, frame: Optional[LoopFrame]) -> int:
        """What a counter of the question lacks, which gets it now, or begins anew."""
        # One that another part has called may be of another call of its function.
        if is_inner and self._missing.get(key):
            self._end_process("insufficient", _COUNTED_INSIDE, frame_path(frame))
        return self._missing.pop(key, 0)

    def _pass(self, order: Dict[str, Any]) -> None:
        for key, added in order.get("passed", {}).items():
            self._missing[key] = self._missing.get(key, 0) + added

    def took_fresh_result(self) -> None:
        """A call of the run had none that was recorded: what depends on it is another."""
        self._varying = self._varying_fresh

    def record_again(self) -> None:
        """A run that is continued has come to where it left off: from here on it records."""
        if self._mode != "resume" or not self.released:
            return
        record = self._checkpoints.get(self._arrive) if self._arrive is not None else None
        if record is None:
            self._parts.recorder.resume([], -1, 0)
        else:
            self._parts.recorder.resume(record["path"], record["seq"], record["t"])

    def recorded_iterator(self, end: LoopPath) -> Optional[int]:
        """A run that is continued gives what it did before the numbers that it had."""
        if not self.is_on_the_way:
            return None
        entry = self.recorded.entries.get(format_path(end))
        return None if entry is None else entry.iterator

    def declaration_ordinal(self, path: LoopPath) -> Optional[int]:
        """The number that a declaration made now had in the run."""
        text = format_path(path)
        n = self._declarations.get(text, 0)
        self._declarations[text] = n + 1
        return self.recorded.declaration(path, n)

    def entered(self, frame: LoopFrame, source: LoopSource) -> None:
        """Decides what becomes of it."""
        if self.released or frame.name in self.recorded.left_alone:
            return
        self._finish_if_suspected()
        key = format_path(path_at(frame, "end"))
        course, recorded = self.courses.get(key), self.recorded.entries.get(key)
        if course is not None and course["do"] == "stop":
            self._done(frame)
        if recorded is None:
            self._unrecorded(frame)
        # Restoring and comparing alike need to know which objects there were at entry.
        known = key in self._checkpointed
        ids = identify(self._places(frame, key), hold=True) if known else None
        self._progress[frame] = EntryProgress(key, course, recorded, ids)
        if recorded is not None:
            self._take_up_iterator(frame, recorded.iterator)

    def before(self, frame: LoopFrame) -> Optional[Move]:
        """What to do before the next item; None: go on as the program does."""
        progress = self._progress.get(frame)
        if progress is None or self.released:
            return None
        self._finish_if_suspected()
        following = frame.index + 1
        course = progress.course or {}
        if course.get("do") == "skip":
            return END
        legs = course.get("legs") or []
        while progress.leg < len(legs) and _is_passed(legs[progress.leg], following):
            progress.leg += 1
        if progress.leg < len(legs):
            leg = legs[progress.leg]
            there = leg["restore"] is None or progress.restored_leg == progress.leg
            if following < leg["from"] or (following == leg["from"] and not there):
                drop = 0 if leg.get("reposition") == "state" else leg["from"] - following
                return [drop, RESTORE] if leg.get("reposition") == "consume" else [RESTORE, drop]
        elif course.get("after") == "stop":
            self._confirm_end(frame, progress.recorded)
            self._done(frame)
        elif course.get("after") == "skip":
            return END
        self._check_going_on(frame, progress, following)
        return None

    def batch_limit(self, frame: LoopFrame) -> float:
        """None go by unreported where something is ordered or compared between iterations."""
        progress = self._progress.get(frame)
        if self.released or progress is None:
            return math.inf if self.released else 0
        left = progress.recorded.how if progress.recorded is not None else None
        is_free = (
            progress.course is None and left == "exhausted" and progress.key not in self._compared
        )
        return math.inf if is_free else 0

    def restore(self, frame: LoopFrame) -> Tuple[int, Optional[Dict[str, Any]]]:
        """Restores what the present leg begins with: the iteration whose end it is, and the
        checkpoint that the state is of."""
        progress = self._progress[frame]
        leg = (progress.course or {})["legs"][progress.leg]
        progress.restored_leg = progress.leg
        self._pass(leg)
        file = leg["restore"]
        if file is not None:
            self._restore(frame, progress, file, path_at(frame, leg["from"] - 1))
        if leg.get("reposition") == "state":
            self._set_iterator(frame, progress)
        elif progress.recorded is not None and frame.iterator.resumable is not None:
            self._positions.pop(progress.recorded.iterator, None)
        self._release(file)
        return leg["from"] - 1, self._checkpoints.get(file)

    def arrived(self, frame: LoopFrame, restored: Optional[Dict[str, Any]]) -> None:
        self.dropping = False
        self.record_again()

    def _release(self, file: Optional[str]) -> None:
        """Whether it goes on by itself from here."""
        if self._mode != "replay" and file == self._arrive:
            self.released = True

    def skip(self, frame: LoopFrame) -> Tuple[int, str]:
        """Restores the loop's end, as if all its iterations had run: the last one, and how it was
        left."""
        progress = self._progress[frame]
        file = (progress.course or {}).get("restore")
        if file is None:
            return frame.index, "exhausted"
        progress.skipped = True
        self._pass(progress.course or {})
        self._restore(frame, progress, file, path_at(frame, "end"))
        self._release(file)
        recorded = progress.recorded
        if recorded is None or recorded.how is None:
            return -1, "exhausted"
        return recorded.iterations - 1, recorded.how

    def iteration_ended(self, frame: LoopFrame, is_complete: bool) -> None:
        if is_complete and not self.released:
            self._compare(frame, frame_path(frame))

    def loop_ended(self, frame: LoopFrame, how: str, is_unwound: bool) -> None:
        if not frame.abandoned and not self.released:
            self._compare(frame, path_at(frame, "end"))
        progress = self._progress.pop(frame, None)
        if not is_unwound:
            self._compare_end(frame, progress.recorded if progress else None, how)
            self.record_again()

    def _compare_end(self, frame: LoopFrame, recorded: Optional[RecordedEntry], how: str) -> None:
        """A loop has been left by the program itself."""
        if recorded is None or recorded.how is None or self.released:
            return
        iterations = frame.index + 1
        if iterations == recorded.iterations:
            return
        was = f"{recorded.iterations} iterations ({recorded.how})"
        why = f'loop "{frame.name}" ended after {iterations} iterations ({how}); recorded: {was}'
        self.suspected = {"kind": "diverged", "why": why, "path": frame_path(frame)}
        # An exception may be under way, and what it says is worth more: it shows at the end.
        if how in ("exhausted", "break"):
            self._finish_if_suspected()

    def _confirm_end(self, frame: LoopFrame, recorded: Optional[RecordedEntry]) -> None:
        """The process stops behind the last iteration: the state may be that of the loop's end. If
        it is not, that says nothing: asking for the next item may change it."""
        is_last = recorded is not None and frame.index + 1 == recorded.iterations
        if is_last and recorded is not None and recorded.how == "exhausted":
            self._compare(frame, path_at(frame, "end"), early=True)

    def _compare(self, frame: LoopFrame, path: LoopPath, early: bool = False) -> None:
        """An iteration, or a loop, has run to its end: compares the state with its checkpoint."""
        progress, record = self._progress.get(frame), self._by_path.get(format_path(path))
        if progress is None or progress.ids is None or progress.skipped or record is None:
            return
        generators = self._parts.generators.states()
        places = self._places(frame, progress.key)
        now = StateNow(places, progress.ids, generators, self._tree)
        read = functools.partial(read_state, self._parent, record)
        compared, differs = compare_state(now, record, self._varying, read)
        left: List[str] = []
        if not differs:
            self._left_behind.clear()
        elif self._left_behind.is_any:
            with self._left_behind.as_before():
                _, without = compare_state(now, record, self._varying, read)
            left = [key for key in differs if key not in without]
            differs = without
        if compared and not (early and differs):
            fields = {"path": path, "equal": not differs, "differs": differs}
            self._parts.recorder.emit("state", {**fields, "left": left} if left else fields)
            if not self.asked:
                self._different.update(differs)
            # What the question left there the run may still come across.
            self.asked = self.asked and bool(differs or left)
            changed = [key for key in differs if key not in self._different]
            if changed and self._may_change:
                why = f"what is asked changed the state: {', '.join(changed)}"
                self._end_process("diverged", why, path)
            # What the loops around keep where nobody sees it may hold what was only restored as a
            # copy.
            if differs and self._went_along:
                self._end_process("insufficient", f"{_SKIPPED_APART}: {', '.join(differs)}", path)

    def _check_around(
        self, frame: LoopFrame, progress: EntryProgress, reader: CheckpointReader
    ) -> None:
        """What the loops around have changed, and this one leaves alone: where its checkpoint lacks
        a part of it, the rest tells whether the process has all of it. The restore would hide that
        it has not."""
        places = self._places(frame, progress.key)
        now = StateNow(places, progress.ids, [], self._tree)
        left = left_alone(frame.context, places)
        differs = differing_places(now, left, state_in(reader), self._varying)
        if differs:
            raise LookupError(f"the loops around have made something else of {', '.join(differs)}")

    def too_short(self, frame: LoopFrame, items: int) -> NoReturn:
        """The iterator of a loop has fewer items than it had."""
        why = f'the iterator of loop "{frame.name}" ended after {items} items'
        self._end_process("diverged", why, frame_path(frame))

    def suspect(self, why: str) -> None:
        """What will be computed is not what was: the process ends at its first loop, or its end."""
        self.suspected = self.suspected or {"kind": "diverged", "why": why, "path": []}

    def _finish_if_suspected(self) -> None:
        if self.suspected is not None:
            suspected = self.suspected
            self._end_process(suspected["kind"], suspected["why"], suspected["path"])

    def _places(self, frame: LoopFrame, entry: str) -> List[Place]:
        """The places that the run captured in this loop entry: a statement that was added may make
        them differ from those here, and objects are numbered by walking them."""
        keys = self._checkpointed.get(entry)
        places = self._parts.captured.places(frame)
        return [place for place in places if keys is None or place.left or place.key in keys]

    def _done(self, frame: LoopFrame) -> NoReturn:
        self._finish("done", "all that was asked for has run", frame)

    def _finish(self, ordered: str, why: str, frame: LoopFrame) -> NoReturn:
        kind = "insufficient" if self.dropping else ordered
        self._end_process(kind, why, frame_path(frame))

    def _check_going_on(self, frame: LoopFrame, progress: EntryProgress, following: int) -> None:
        """No loop yields more iterations than were recorded."""
        recorded = progress.recorded
        if recorded is None or recorded.how is None or self._mode != "replay":
            return
        # An iterator that ended the loop, by being empty or by raising, was asked once more.
        if following < recorded.iterations or recorded.how in ("exhausted", "throw"):
            return
        where = f"where the run left it ({recorded.how})"
        why = f'loop "{frame.name}" continued after {following} iterations, {where}'
        self._finish("diverged", why, frame)

    def _unrecorded(self, frame: LoopFrame) -> None:
        if self._mode != "replay":
            return
        if not self.recorded.sealed:
            self._done(frame)
        self._finish("diverged", f'the run did not enter loop "{frame.name}" here', frame)

    def _restore(
        self, frame: LoopFrame, progress: EntryProgress, file: str, path: LoopPath
    ) -> None:
        started = perf_counter()
        parts = self._parts
        self.on_skip(path)
        if self._left_behind.is_any:
            # Whether the run would have felt it, nobody would see.
            self._end_process("insufficient", _LEFT_BEHIND, path)
        try:
            record = self._checkpoints.get(file)
            if record is None:
                raise LookupError(f"checkpoint {file} is not in the index")
            if progress.ids is None:
                raise LookupError("nothing is known of the state at entry")
            with open_checkpoint(self._parent, record) as reader:
                if progress.course is not None and progress.course.get("along"):
                    self._went_along = True
                    self._check_around(frame, progress, reader)
                told = None if self._tree is None else self._tree.as_in_tree
                structure = reader.structure(told)
                places = self._places(frame, progress.key)
                lacking = self._when_lacking(file, path)
                restore(places, structure, progress.ids, reader.tensor, lacking)
            parts.generators.set(structure["generators"])
            self._positions = {position["id"]: position for position in structure["iterators"]}
            self._forget_loops_around(frame)
        except Exception as error:
            why = f"{file} cannot be restored: {describe_error(error)}"
            self._end_process("insufficient", why, path)
        ms = round((perf_counter() - started) * 1000, 3)
        parts.recorder.emit("restore", {"path": path, "file": file})
        parts.recorder.profile({"k": "load", "path": path, "ms": ms, "bytes": record["stateBytes"]})
        self._restored(record, ms)

    def _when_lacking(self, file: str, path: LoopPath) -> Callable[[str, str], None]:
        def finish(place: str, what: str) -> None:
            why = f"{file} lacks of {place} {what}"
            self._end_process("insufficient", why, path)

        return finish

    def _forget_loops_around(self, frame: LoopFrame) -> None:
        """Loops around are where they were: what they go through has not been left."""
        around = frame.parent
        while around is not None:
            progress = self._progress.get(around)
            if progress is not None and progress.recorded is not None:
                self._positions.pop(progress.recorded.iterator, None)
            around = around.parent

    def _set_iterator(self, frame: LoopFrame, progress: EntryProgress) -> None:
        """The loop's own iterator, at the position that the checkpoint has."""
        position = self._positions.get(progress.recorded.iterator) if progress.recorded else None
        # One that has begun may hold a position of its own besides the one that it is given.
        if (
            position is None
            or "state" not in position
            or frame.iterator.resumable is None
            or frame.index >= 0
        ):
            why = f'the iterator of loop "{frame.name}" cannot be set to its position'
            self._end_process("insufficient", why, frame_path(frame))
        self._give(frame.iterator, position)

    def _give(self, iterator: TrackedIterator, position: Dict[str, Any]) -> None:
        self._positions.pop(position["id"], None)
        iterator.resumable.restore(value_from_json(position["state"]))
        iterator.delivered = position["delivered"]

    def _take_up_iterator(self, frame: LoopFrame, number: int) -> None:
        """An iterator that was used before the last restore goes on from where it stood then."""
        position, iterator = self._positions.get(number), frame.iterator
        if position is None:
            return
        if "state" in position and iterator.resumable is not None:
            self._give(iterator, position)
        elif iterator.delivered != position["delivered"]:
            what = "an iterator that cannot be set to its position"
            why = f'loop "{frame.name}" continues with {what}'
            self._end_process("insufficient", why, frame_path(frame))


def _is_passed(leg: Dict[str, Any], following: int) -> bool:
    return leg["to"] is not None and following > leg["to"]
