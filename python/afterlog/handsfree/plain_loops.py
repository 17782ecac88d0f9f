"""What rewritten loops call (`loop_transform.py`): which of them are loops of the run when they are
entered, and which are executed untouched. A recording gives up loops that cost more than they may;
a replay of it, with more log statements or without, enters those loops that the recording did.

No error of ours reaches the program.
"""

import ast
import builtins
import sys
from types import FrameType
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from ..format.clocks import process_time
from ..format.errors import AfterlogError, describe_error
from ..format.paths import format_path
from ..format.test_seams import entries_max
from ..record.loops.loop_costs import UNRECORDED_MS, LoopCost, LoopCosts
from ..record.loops.iterators import range_of
from ..record.loops.loop_frame import LoopFrame
from ..record.loops.main_line import MainLine
from ..record.session import Session
from ..source.program.program import Program
from ..source.program.sdk_calls import SourcePositions
from .plain_loop_entry import ROUND, PlainLoopEntry
from .loop_transform import EACH, END, ENDED, LAST, ROUNDS

# A loop inside itself, by recursion, so many times.
_INSIDE_ITSELF_MAX = 4
# Entering and leaving a loop takes microseconds and two lines of the log. One that is entered more
# often than this is not what anybody asks about.
_ENTRIES_MAX = 1_000_000


Drop = Optional[Callable[[], Any]]


class Site(NamedTuple):
    """A loop statement."""

    number: int
    name: str
    # Its file, and where in it the statement stands.
    place: Dict[str, Any]
    has_else: bool
    # It goes over `reversed(…)`, an iterator that nobody else holds.
    is_reversed: bool


class PlainLoops:
    """`session`: the run of this process, if it records. `probing`: whether a statement is being
    executed that the run did not have: its loops are not of the run."""

    def __init__(
        self,
        program: Program,
        session: Callable[[], Optional[Session]],
        probing: Callable[[], bool],
    ) -> None:
        self._sites = _sites_of(program)
        self._session = session
        self._probing = probing
        self._main = MainLine()
        self._costs = LoopCosts()
        self._entries_max = entries_max() or _ENTRIES_MAX
        # Processor time before the program: on a busy machine the clock tells nothing of its work.
        self._began = process_time()
        # Where the record lacks entries of loops that were given up.
        self._lacking: Dict[int, Tuple[Optional[LoopFrame], int]] = {}
        self._unrecorded: Set[int] = set()
        # Those of which it is written that an entry of theirs was not recorded.
        self._noted_off: Set[int] = set()
        # Loops with a test that are going on, by the frame that each stands in.
        self._rounds: Dict[Tuple[int, int], List[PlainLoopEntry]] = {}
        # Loops whose test was false, until their `else` has asked.
        self._ended: Set[Tuple[int, int]] = set()

    def install(self) -> None:
        """Makes the names known that rewritten code calls."""
        setattr(builtins, EACH, self.each)
        setattr(builtins, ROUNDS, self.rounds)
        setattr(builtins, END, self.end)
        setattr(builtins, ENDED, self.ended)
        setattr(builtins, LAST, self.last)

    def each(self, number: int, iterable: Any, drop: Drop = None) -> Any:
        """What a `for` goes through instead of `iterable`. `drop`: takes, besides, what an
        iteration of a library's loop takes for itself."""
        session = self._recording(number)
        if session is None or not _is_iterable(iterable):
            # The program gets its own error, if it is one.
            return iterable
        if self._sites[number].is_reversed:
            iterable = range_of(iterable)
        entered = self._enter(session, number, (iterable, drop), sys._getframe(1))
        return iterable if entered is None else entered.items()

    def rounds(self, number: int, drop: Drop = None) -> Any:
        """What a loop with a test goes through."""
        program = sys._getframe(1)
        session = self._recording(number)
        given = (None, drop)
        entered = None if session is None else self._enter(session, number, given, program)
        if entered is None:
            return ROUND
        key = (number, id(program))
        self._rounds.setdefault(key, []).append(entered)
        entered.when_over = lambda ended: self._over(key, ended)
        return entered.items()

    def end(self, number: int) -> None:
        """The test of a loop says that there is no other iteration."""
        key = (number, id(sys._getframe(1)))
        going_on = self._rounds.get(key)
        if going_on:
            going_on[-1].end()
        elif self._sites[number].has_else:
            self._ended.add(key)

    def last(self, number: int) -> None:
        """The iteration that goes on is the last one, and what comes of it is behind the loop."""
        going_on = self._rounds.get((number, id(sys._getframe(1))))
        if going_on:
            going_on[-1].end_early()

    def ended(self, number: int) -> bool:
        """Whether a loop was left because of its test."""
        key = (number, id(sys._getframe(1)))
        found = key in self._ended
        self._ended.discard(key)
        return found

    def leave_unrecorded(self, number: int, why: str) -> None:
        """It cannot be recorded: from now on it is executed untouched. Nothing is skipped in a run
        that has left a loop alone in its middle."""
        if number not in self._unrecorded:
            self._unrecorded.add(number)
            self._note_off(number, why)
            session = self._session()
            if session is not None:
                session.call_results.turn_off()

    def _note_off(self, number: int, why: str) -> None:
        session = self._session()
        if session is None or number in self._noted_off:
            return
        self._noted_off.add(number)
        session.note_off(self._feature(number), why)

    def _feature(self, number: int) -> str:
        site = self._sites[number]
        return f"loop {site.name} ({site.place['file']}:{site.place['line']})"

    def _over(self, key: Tuple[int, int], ended: bool) -> None:
        going_on = self._rounds[key]
        going_on.pop()
        if not going_on:
            del self._rounds[key]
        if ended and self._sites[key[0]].has_else:
            self._ended.add(key)

    def _recording(self, number: int) -> Optional[Session]:
        """The run, if this loop is to be one of it."""
        if number in self._unrecorded:
            return None
        session = self._session()
        if session is None or self._probing():
            return None
        beside = self._main.why_beside()
        if beside is not None:
            self._note_off(number, beside)
            return None
        # What an iterator does is of whoever goes through it, and may be repeated to get somewhere.
        if session.loops.is_asking():
            self._book_passed(session, number)
            return None
        frame = session.present_frame()
        if self._costs.is_due:
            self._give_up_costly(session)
        cost = self._costs.of(number)
        cost.calls += 1
        cost.nested += frame is not None
        if _times_inside(frame, number) < _INSIDE_ITSELF_MAX and self._is_few(session, cost):
            return session
        self._costs.book_unrecorded(cost)
        session.spend(UNRECORDED_MS)
        return None

    def _book_passed(self, session: Session, number: int) -> None:
        """A loop was entered that is none of the run where it stands."""
        cost = self._costs.of(number)
        cost.calls += 1
        self._costs.book_unrecorded(cost)
        session.spend(UNRECORDED_MS)

    def _is_few(self, session: Session, cost: LoopCost) -> bool:
        number = cost.number
        # It was given up just now.
        if number in self._unrecorded or not self._is_repeated(session, number):
            return False
        cost.entries += 1
        if cost.entries <= self._entries_max or _is_repeating(session):
            return True
        self._give_up(session, number, f"it is entered more than {self._entries_max} times")
        return False

    def _is_repeated(self, session: Session, number: int) -> bool:
        """False: the run that is repeated had given it up here."""
        director, name = session.director, self._sites[number].name
        if director is None or name not in director.recorded.given_up:
            return True
        if director.released:
            # What goes on by itself goes on without it.
            self._give_up(session, number, director.recorded.given_up[name])
            return False
        standing = session.loops.standing_in()
        if self._lacking.get(number) == standing:
            return False
        if format_path(session.loops.next_entry(name)) in director.recorded.entries:
            return True
        self._lacking[number] = standing
        return False

    def _give_up_costly(self, session: Session) -> None:
        """A recording stops to record the loop that costs most, if all of them cost too much."""
        if _is_repeating(session):
            return
        ledger = session.parts.ledger
        # Calls are measured by the clock, of which others may have had a part.
        computed_ms = (process_time() - self._began) * 1000
        program_ms = computed_ms / session.parts.time.running_share - ledger.spent_ms
        cost = self._costs.too_costly(ledger.budget, max(0.0, program_ms))
        if cost is not None:
            self._costs.give_up(cost, _costs_around(session.present_frame(), cost))
            why = "recording it costs more than the budget allows"
            self._give_up(session, cost.number, f"{why}: it was entered {cost.calls} times")

    def _give_up(self, session: Session, number: int, why: str) -> None:
        """It is not recorded from here on. What is recorded of it tells a replay where that is."""
        self._unrecorded.add(number)
        session.loops.forget_inner()
        session.note_given_up(self._sites[number].name, self._feature(number), why)

    def _enter(
        self, session: Session, number: int, given: Tuple[Any, Drop], program: FrameType
    ) -> Optional[PlainLoopEntry]:
        site = self._sites[number]
        try:
            where = session.sites.of_statement(site.place)
            entered = PlainLoopEntry(
                session,
                given,
                lambda error: self._failed(number, error),
                (self._costs, self._costs.of(number)),
            )
            # Outside of `entered`: what the program's own `iter` raises is the program's.
        except Exception as error:
            self._failed(number, error)
            return None
        entered.enter(site.name, number, where, program)
        return entered

    def _failed(self, number: int, error: Exception) -> None:
        if isinstance(error, AfterlogError) and error.code == "AL060":
            self.leave_unrecorded(number, "it runs at the same time as another loop")
        else:
            self.leave_unrecorded(number, describe_error(error))


def _is_repeating(session: Session) -> bool:
    """It does what a run did: nothing is decided here."""
    return session.director is not None and not session.director.released


def _is_iterable(value: Any) -> bool:
    return hasattr(type(value), "__iter__") or hasattr(type(value), "__getitem__")


def _costs_around(frame: Optional[LoopFrame], own: LoopCost) -> List[LoopCost]:
    """Of the loops that the program is in, without one."""
    found: List[LoopCost] = []
    while frame is not None:
        if frame.cost is not None and frame.cost is not own and frame.cost not in found:
            found.append(frame.cost)
        frame = frame.parent
    return found


def _times_inside(frame: Optional[LoopFrame], number: int) -> int:
    times = 0
    while frame is not None:
        times += frame.context is not None and frame.context.facts.number == number
        frame = frame.parent
    return times


def _is_reversed(node: ast.AST) -> bool:
    head = node.iter if isinstance(node, ast.For) else None
    called = head.func if isinstance(head, ast.Call) else None
    return isinstance(called, ast.Name) and called.id == "reversed"


def _sites_of(program: Program) -> Dict[int, Site]:
    sites: Dict[int, Site] = {}
    for node, loop in (program.found.by_node if program.found is not None else {}).items():
        file = loop.scope.file
        places = SourcePositions(program.modules[file].text)
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
        column = places.column(end_line, end)
        place = {"file": file, **places.start(loop.node), "endLine": end_line, "endColumn": column}
        if loop.function is not None:
            place["function"] = loop.function
        number = program.loop_numbers[node]
        sites[number] = Site(number, loop.name, place, bool(loop.node.orelse), _is_reversed(node))
    return sites
