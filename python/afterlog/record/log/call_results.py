"""Results of calls of clocks, of entropy, of facts of the process: recorded in a run, given again
in its replays, so that all that depends on them is what it was. Which calls these are is decided
where the source is changed (`handsfree/call_transform.py`).

A result is known by its call in the text, by the iteration in which it was made, and by how many
that call had given there before. Where that does not tell them apart, or a result is large, it is
not recorded, and none of that call's is used: a replay then says that it took new ones."""

from time import perf_counter
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from ...format.call_values import result_to_json
from ...format.paths import LoopPath, path_element
from ..loops.loop_frame import LoopFrame, frame_path
from ..loops.loop_observer import LoopObserver
from ..loops.loop_stack import LoopStack
from ..loops.main_line import MainLine
from ..replay.director import Director
from ..replay.recorded_calls import PACKAGE, AskedCall, Given
from ..run_parts import RunParts

# Results of one call that are recorded; a loop that waits for a clock asks it millions of times.
_RESULTS_MAX = 100_000
# Characters of all lines of a run; of a line besides its results; of a line.
_LINES_MAX = 4_000_000
_LINE_HEAD = 100
_LINE_MAX = 8192
# One call in so many is timed.
_TIMED = 128


class WatchedCall(NamedTuple):
    """A call in a source file. `path`: what it is of; None: the run did not have it. `gives_item`:
    its result is one of what it was given, and no copy of it will do."""

    line: int
    column: int
    path: Optional[str]
    is_clock: bool
    gives_item: bool


class CallResults(LoopObserver):
    """`is_over`: nothing is recorded any more. `failed`: told of errors of ours."""

    def __init__(
        self,
        parts: RunParts,
        director: Optional[Director],
        is_over: Callable[[], bool],
        failed: Callable[[Exception], None],
    ) -> None:
        self._parts = parts
        self._director = director
        self._is_over = is_over
        self._failed = failed
        # Set when there is one: it tells this one what loops do.
        self.loops: Optional[LoopStack] = None
        # Whether a statement is being executed that the repeated run did not have.
        self.is_probing: Callable[[], bool] = lambda: False
        self._main = MainLine()
        self._files: List[_FileCalls] = []
        self._sites: List[Tuple[_FileCalls, int]] = []
        # By number, those of which nothing is recorded any more.
        self._left: List[bool] = []
        self._counts: List[int] = []
        # Characters, of the program itself and of packages.
        self._written = {False: 0, True: 0}
        self._calls = 0
        self._is_off = False
        # A handler of a signal may call while we are at work: those that it called.
        self._is_busy = False
        self._interrupting: List[int] = []
        self._fresh: Set[Tuple[str, int, int, bool]] = set()

    def open_file(self, file: str, calls: Sequence[WatchedCall]) -> int:
        """A file is about to be executed: the number of the first of its calls."""
        first = len(self._sites)
        opened = _FileCalls(file, calls)
        self._files.append(opened)
        self._sites += [(opened, at) for at in range(len(calls))]
        self._left += [False] * len(calls)
        self._counts += [0] * len(calls)
        fields: Dict[str, Any] = {"file": file, "sites": opened.own, "clocks": opened.clocks}
        if self._is_repeating():
            fields["places"] = [[call.line, call.column] for call in calls]
        self._parts.recorder.emit("calls", fields)
        return first

    def got(self, number: int, value: Any) -> Any:
        """A call has given a value: what the program shall get."""
        if self._left[number] or self._is_over():
            return value
        if self._is_busy and self._main.is_thread():
            self._interrupting.append(number)
            return value
        self._is_busy = True
        try:
            given = self._take(number, value)
            while self._interrupting:
                self._refuse(self._interrupting.pop(), "it interrupted another")
            return given
        except Exception as error:
            self._failed(error)
            return value
        finally:
            self._is_busy = False

    def _take(self, number: int, value: Any) -> Any:
        beside = self._main.why_beside()
        # What an iterator does while items are dropped was done elsewhere in the run.
        if beside is None and self._director is not None and self._director.dropping:
            beside = "items are dropped to get to an iteration"
        if beside is None and self._is_on_the_way() and self._sites[number][0].is_package:
            # A package may wait for a time: nobody knows what it makes of one of another day.
            beside = "the run was resumed"
        if beside is not None:
            self._refuse(number, beside)
        elif self._director is not None and self._director.is_repeating:
            return self._give(self._director, number, value)
        else:
            self._keep(number, value)
        return value

    def _refuse(self, number: int, why: str) -> None:
        """Nobody can tell which result of a call it is."""
        director = self._director
        if self._sites[number][0].is_package and not self._main.is_thread():
            # What a package does in a thread of its own, to show how far it is, is no result.
            return
        if director is None or director.is_on_the_way or not director.is_repeating:
            self._leave_out(number)
        if director is not None and director.is_repeating:
            self._note_fresh(director, number, why, self.is_probing())

    def turn_off(self) -> None:
        """Loops are not what they seemed: no path tells results apart any more."""
        self._is_off = True
        for number in range(len(self._sites)):
            self._leave_out(number)

    def iteration_ended(self, frame: LoopFrame, is_complete: bool) -> None:
        self.flush()

    def loop_ended(self, frame: LoopFrame, how: str, is_unwound: bool) -> None:
        self.flush()

    def flush(self) -> None:
        """Writes what is waiting."""
        for calls in self._files:
            if calls.is_waiting:
                self._write(calls)

    def _keep(self, number: int, value: Any) -> None:
        calls, at = self._sites[number]
        if calls.numbers[at] is None:
            return
        self._calls += 1
        if self._calls % _TIMED != 1:
            self._note(number, calls, at, value)
            return
        started = perf_counter()
        self._note(number, calls, at, value)
        self._parts.ledger.other_ms += (perf_counter() - started) * 1000 * _TIMED

    def _note(self, number: int, calls: "_FileCalls", at: int, value: Any) -> None:
        count = self._counts[number] = self._counts[number] + 1
        is_many = count > _RESULTS_MAX or self._written[calls.is_package] > _LINES_MAX
        text = None if is_many or self._is_off else calls.text_of(at, value)
        if text is None:
            self._leave_out(number)
            return
        frame, index = self._where()
        if calls.is_waiting and (calls.frame is not frame or calls.length > _LINE_MAX):
            self._write(calls)
        calls.add(f"[{calls.numbers[at]},{text}]", frame, index)

    def _where(self) -> Tuple[Optional[LoopFrame], int]:
        return (None, 0) if self.loops is None else self.loops.standing_in()

    def _leave_out(self, number: int) -> None:
        """From now on nothing of this call is recorded, and nothing that was is used."""
        calls, at = self._sites[number]
        own = calls.numbers[at]
        if own is not None and not self._left[number]:
            self._left[number] = not self._is_repeating()
            if own not in calls.off:
                calls.off.append(own)

    def _is_on_the_way(self) -> bool:
        return self._director is not None and self._director.is_on_the_way

    def _is_repeating(self) -> bool:
        return self._director is not None and self._director.is_repeating

    def _write(self, calls: "_FileCalls") -> None:
        # A resumed run has not yet come to where it left off.
        if self._is_repeating():
            return
        path, text, off = calls.take()
        self._written[calls.is_package] += len(text) + _LINE_HEAD
        self._parts.recorder.called(path, calls.file, text, off)

    def _give(self, director: Director, number: int, value: Any) -> Any:
        calls, at = self._sites[number]
        frame, index = self._where()
        is_asked = self.is_probing()
        own = None if is_asked else calls.numbers[at]
        path = _path_at(frame, index)
        asked = AskedCall(calls.file, calls.own, calls.calls[at].is_clock, own, path)
        given = director.recorded.calls.take(asked)
        if isinstance(given, Given):
            return given.value
        if director.is_on_the_way:
            self._leave_out(number)
        self._note_fresh(director, number, given.why, is_asked)
        return value

    def _note_fresh(self, director: Director, number: int, why: str, is_asked: bool) -> None:
        calls, at = self._sites[number]
        file, call = calls.file, calls.calls[at]
        key = (file, call.line, call.column, is_asked)
        if key in self._fresh:
            return
        self._fresh.add(key)
        if not is_asked:
            director.took_fresh_result()
        fields: Dict[str, Any] = {
            "path": _path_at(*self._where()),
            "file": file,
            "line": call.line,
            "column": call.column,
            "why": why,
        }
        self._parts.recorder.emit("fresh", {**fields, "probe": True} if is_asked else fields)


class _FileCalls:
    """The calls of one file, and results that wait to be written."""

    def __init__(self, file: str, calls: Sequence[WatchedCall]) -> None:
        self.file = file
        self.is_package = file.startswith(PACKAGE)
        self.calls = calls
        # Of those that the run had: what they are, and their numbers by place in `calls`.
        own = [at for at, call in enumerate(calls) if call.path is not None]
        self.own = [calls[at].path or "" for at in own]
        ordinals = {at: number for number, at in enumerate(own)}
        self.numbers: List[Optional[int]] = [ordinals.get(at) for at in range(len(calls))]
        self.clocks = [number for number, at in enumerate(own) if calls[at].is_clock]
        self.frame: Optional[LoopFrame] = None
        self.length = 0
        self.off: List[int] = []
        self._texts: List[str] = []
        self._path: LoopPath = []
        self._index = 0

    @property
    def is_waiting(self) -> bool:
        return bool(self._texts or self.off)

    def text_of(self, at: int, value: Any) -> Optional[str]:
        """JSON of a result; None: it is not recorded."""
        is_part = type(value) is list and self.calls[at].gives_item
        return None if is_part else result_to_json(value)

    def add(self, result: str, frame: Optional[LoopFrame], index: int) -> None:
        if not self._texts:
            self.frame = frame
            self._path = _path_at(frame, index)
        elif index != self._index:
            self._texts.append(str(index - self._index))
        self._texts.append(result)
        self._index = index
        self.length += len(result)

    def take(self) -> Tuple[LoopPath, str, List[int]]:
        path, text = self._path, ",".join(self._texts)
        # Other threads may add to it at any time.
        off = self.off[:]
        del self.off[: len(off)]
        self._texts, self._path, self.frame, self.length = [], [], None, 0
        return path, text, off


def _path_at(frame: Optional[LoopFrame], index: int) -> LoopPath:
    """The path of an iteration in which a loop is."""
    if frame is None:
        return []
    return [*frame_path(frame.parent), path_element(frame.name, index, frame.entry)]
