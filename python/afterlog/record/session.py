"""A run while it records: ties the parts together, and keeps our failures from the training."""

import json
import os
import signal
import traceback
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from types import FrameType
from typing import AbstractSet, Any, Callable, Dict, List, NoReturn, Optional, Set, TypeVar

from ..format.errors import AfterlogError, describe_error
from ..format.log_name import log_name_problem
from ..format.paths import LoopPath, format_path
from ..materialize.ledger import Ledger
from ..materialize.materializer import Events, Materializer
from ..materialize.retention import Retention
from ..store.durable import replace_file
from ..store.layout import RunPaths
from .arguments import ABSENT, ProgramArguments, as_default
from .checkpoints.audit import Audit
from .checkpoints.captured_state import CapturedState
from .checkpoints.checkpointer import Before, Checkpointer, CheckpointerOptions
from .checkpoints.restore_rates import RestoreRates
from .replay.director import Director
from .ending import Ending, outcome_of
from .generators import Generators
from .loops.iterators import Iterators
from .checkpoints.loader_assumptions import watch_loaders
from .checkpoints.loader_generators import LoaderGenerators
from .log.call_results import CallResults
from .log.loop_profile import LoopProfile
from .log.loop_records import LoopRecords
from .loops.loop_frame import LoopFrame, frame_path, path_at
from .loops.loop_analysis import LoopContext, LoopAnalysis, SourceLine
from .loops.loop_observer import LoopObserver
from .loops.loop_stack import LoopStack
from .overhead import RECORDING, closing_text, given_up_hint, overhead_of, stopped_hint
from .log.recorder import Recorder
from .replay.resume_facts import ResumeFacts
from .run_manifest import RunManifest
from .run_parts import RunParts
from .run_time import RunTime
from .log.sites import Sites
from .log.unseen_calls import UnseenCalls
from .log.value_log import ValueLog
from .status import Status

T = TypeVar("T")

# Failures of a question that are kept: more say nothing new.
_FAILURES_MAX = 3


@dataclass
class SessionOptions:
    """What a session is opened with."""

    root: str
    folder: str
    manifest: RunManifest
    generators: Generators
    argv: List[str]
    budget: float
    live: bool
    inline: bool
    # Which checkpoints stay.
    retention: Retention
    # What restoring costs beside materializing.
    rates: RestoreRates
    # Tells the user a line.
    notice: Callable[[str], None]
    # Ends the run and the process, without what the program would still do.
    end_process: Callable[[int], NoReturn]
    # Looks into the program's sources for what its loops change.
    analysis: Callable[[], LoopAnalysis]
    # What a replay, a fork or a resumed run is told; None for a run of its own.
    orders: Optional[Dict[str, Any]] = None
    mode: str = "record"
    # Where a run that is continued left off.
    resumes: Optional[ResumeFacts] = None
    before_end: List[Callable[[], None]] = field(default_factory=list)


class Session:
    def __init__(self, options: SessionOptions) -> None:
        self._options = options
        # Done when the run ends, in this order.
        self.before_end = list(options.before_end)
        facts = options.manifest.facts
        self.run: str = facts["run"]
        self._manifest = options.manifest
        self._off: List[Dict[str, str]] = list(facts["off"])
        self._warnings: List[str] = []
        # Those that were looked at.
        self._log_names: Set[str] = set()
        self._given_up: List[str] = []
        # Loops that the program named, of which no more is recorded.
        self.left_alone: Set[str] = set()
        self._checkpoints = 0
        self._checkpoint_bytes = 0
        # What the start took the processor.
        self.setup_ms = 0.0
        self._begun = False
        self.dead = False
        # How a replay ended, where that is known before the process ends.
        self._outcome: Optional[Dict[str, Any]] = None
        # Where what is asked threw, and what.
        self._failures: List[str] = []
        self._failure_count = 0
        self.parts = parts = self._make_parts()
        self._status = Status(self.run, options.live, self._abandoned)
        self._status.begin(facts["version"])
        self._arguments = ProgramArguments(options.argv)
        resumes = options.resumes
        self.sites = Sites(options.root, self.parts.recorder.site, resumes.site if resumes else 0)
        self.values = ValueLog(parts, self.sites, self._status)
        self._analysis: Optional[LoopAnalysis] = None
        orders = options.orders
        self.director = (
            None
            if orders is None
            else Director(parts, orders, options.mode, self.finish, options.rates.restored)
        )
        self.call_results = CallResults(parts, self.director, lambda: self.dead, self.die)
        self._audit = self._make_audit()
        self._checkpointer = self._make_checkpointer()
        self._profile = LoopProfile(parts)
        self.unseen_calls = UnseenCalls(parts.recorder, lambda: self.loops.top)
        recorded = None if self.director is None else self.director.recorded_iterator
        self.loops = LoopStack(self._observers(), parts.iterators, recorded)
        self.call_results.loops = self.loops
        if self.replaying:
            self._checkpointer.turn_off()
        if self.director is not None:
            self.director.record_again()

    def _make_parts(self) -> RunParts:
        options, resumes = self._options, self._options.resumes
        run_time = RunTime()
        events = Events(self._committed, self._failed)
        positions = resumes.positions if resumes else None
        materializer = Materializer(self.run, options.folder, events, options.inline, positions)
        continues = resumes.lines if resumes else None
        return RunParts(
            materializer=materializer,
            ledger=Ledger(options.budget, options.rates.factor),
            retention=options.retention,
            recorder=Recorder(materializer, run_time.origin, self.run, continues),
            captured=CapturedState(),
            iterators=Iterators(resumes.iterator if resumes else 0),
            generators=options.generators,
            loaders=LoaderGenerators(),
            time=run_time,
        )

    def _make_checkpointer(self) -> Checkpointer:
        resumes = self._options.resumes
        options = CheckpointerOptions(
            before=Before() if resumes is None else resumes.before,
            on_the_way=lambda: self.director is not None and self.director.is_on_the_way,
            skips=self._is_skipped,
            turned_off=lambda why: self.turn_off("checkpoints", why),
            # As if the signal had come to the program itself: a handler of its own is called.
            stopped=lambda: os.kill(os.getpid(), signal.SIGTERM),
        )
        return Checkpointer(self.parts, self._audit, options)

    def _is_skipped(self, frame: LoopFrame) -> bool:
        """On the way to where a run goes on, by the end that it has."""
        if self.director is None or not self.director.is_on_the_way:
            return False
        course = self.director.courses.get(format_path(path_at(frame, "end")))
        return course is not None and course["do"] == "skip"

    def _make_audit(self) -> Audit:
        manifest = self._manifest
        found = lambda: manifest.keep_audit(self._audit.findings)
        return Audit(self.parts, self._options.root, manifest.facts.get("audit", []), found)

    def _observers(self) -> List[LoopObserver]:
        """Who is told what loops do, in this order:

        - what times calls asks for nothing of the others;
        - the profile comes before the checkpointer, whose decisions rest on the times of all
          bodies, the one that just ended too;
        - the log comes before the checkpointer: a checkpoint names the last record before it, and
          is durable only when the log is up to there;
        - results of calls are in the log before the checkpoint behind them, for the same reason;
        - the director comes after both: objects are known as they were before it sets an iterator,
          and a resumed run, which may be told here that it records again, has this end in its log
          already;
        - what was declared in an iteration is forgotten when all that look at its state have seen
          it;
        - the status line comes last: it shows what the others made of it.
        """
        directors = [] if self.director is None else [self.director]
        first = [self._profile, self.call_results, LoopRecords(self.parts), self._checkpointer]
        return [self.unseen_calls, *first, *directors, self.parts.captured, self._status]

    @property
    def replaying(self) -> bool:
        """It repeats a run: it keeps nothing but its log, and no failure of ours is hidden."""
        return self._options.mode == "replay"

    @property
    def frame(self) -> Optional[LoopFrame]:
        return self.loops.top

    # What the program calls.

    def arg(self, name: str, default: Any) -> Any:
        given = self._arguments.take(name, default)
        recorded = self.director.recorded.args if self.director else {}
        if given is not ABSENT:
            value, source = given, "argv"
        elif name in recorded:
            value, source = as_default(recorded[name], default), "recorded"
        else:
            value, source = default, "default"
        self.safely(lambda: self.parts.recorder.arg(name, value, default, source))
        return value

    def is_log_name(self, name: Any, caller: FrameType) -> bool:
        """Whether values can be logged under a name; if not, that is said once for each place."""
        if isinstance(name, str) and name in self._log_names:
            return True
        problem = log_name_problem(name)
        if problem is None:
            self._log_names.add(name)
            return True
        file = os.path.relpath(caller.f_code.co_filename, self._options.root)
        text = f"AL061: {problem} ({file}:{caller.f_lineno}); nothing is logged there"
        if text not in self._warnings:
            self.warn(text)
        return False

    def log(
        self, name: str, value: Any, caller: Optional[FrameType] = None, is_kept: bool = True
    ) -> None:
        """`caller`: the program's frame, where others stand between it and us. `is_kept`: a run
        logs it too, and not only the replay that may be asked for it."""
        if self.dead:
            return
        try:
            self.values.log(self.loops.present(), name, value, caller, is_kept)
        except Exception as error:
            self.die(error)

    def printed(self, was: str, caller: Optional[FrameType] = None) -> None:
        """Something was printed that logs nothing, or not all of it: `was` says what."""
        if self.replaying and not self.dead:
            self.safely(lambda: self.values.reached(self.loops.present(), was, caller))

    def declare(self, record: Dict[str, Any], site: Optional[int]) -> Optional[int]:
        """Declares a record; its ordinal."""

        def work() -> int:
            path = frame_path(self.loops.present())
            known = self.director.declaration_ordinal(path) if self.director else None
            ordinal = self._checkpointer.declare(record, self.loops.top, site, known)
            fields = {"ordinal": ordinal, "path": path, "site": site, "fields": list(record)}
            self.parts.recorder.emit("declare", fields)
            return ordinal

        return self.safely(work)

    # What loops ask.

    def context(self, frame: FrameType, number: Optional[int] = None) -> Optional[LoopContext]:
        """The loop statement that a frame of the program is about to enter. `number`: of a plain
        loop."""
        analysis = self._analysis
        if analysis is None:
            return None
        return self.safely(partial(analysis.context, frame, number))

    def present_frame(self) -> Optional[LoopFrame]:
        """The innermost loop that the program is in."""
        return self.safely(self.loops.present)

    # Failures and the end.

    def turn_off(self, feature: str, why: str) -> None:
        """Puts a feature of ours out of action: said once, and written into the manifest."""
        if self.note_off(feature, why):
            self.warn(f"{feature} turned off: {why}")

    def note_off(self, feature: str, why: str) -> bool:
        """Writes it into the log and the manifest; False: it is known."""
        if not self._list_off(feature, why):
            return False
        self.parts.recorder.emit("off", {"feature": feature, "why": why})
        return True

    def leave_alone(self, loop: str, error: AfterlogError) -> None:
        """A loop that the program named ran at the same time as another: no more of it is recorded.
        Nothing is skipped in such a run."""
        if loop in self.left_alone:
            return
        self.left_alone.add(loop)
        self.call_results.turn_off()
        why = f"it runs at the same time as another loop; {error.help[0]}"
        self.turn_off(f"loop {loop}", why)

    def note_given_up(self, loop: str, feature: str, why: str) -> None:
        """A loop was given up for what it costs. The log says so also where the manifest of a run
        that goes on has it already: the line of before may be superseded."""
        if self._list_off(feature, why):
            self._given_up.append(feature)
        self.parts.recorder.emit("off", {"feature": feature, "why": why, "loop": loop})

    def _list_off(self, feature: str, why: str) -> bool:
        if any(known["feature"] == feature for known in self._off):
            return False
        self._off.append({"feature": feature, "why": why})
        return True

    def warn(self, text: str) -> None:
        self._warnings.append(text)
        self._options.notice(f"warning: {text}")

    def spend(self, ms: float) -> None:
        """Books time of the training thread that went into recording."""
        self.parts.ledger.other_ms += ms

    def finish(self, kind: str, why: str, path: LoopPath) -> NoReturn:
        """Ends the process: a replay has done what it was told, or cannot do it."""
        self._outcome = self._outcome or {"kind": kind, "why": why, "path": path}
        if not self.replaying:
            self._options.notice(f"error: the run cannot be resumed: {why}")
        self._options.end_process(0 if kind == "done" else 1)

    def end(self, ending: Ending) -> None:
        """Waits for what is being written, seals the log, completes the manifest."""
        run_time = self.parts.time
        run_ms, elapsed_ms = (perf_counter() - run_time.origin) * 1000, run_time.elapsed_ms
        if not self._begun:
            self._check_arguments()
        for work in self.before_end:
            self.safely(work)
        self._profile.finish(self.loops.top)
        self.safely(self.call_results.flush)
        self._checkpointer.finish()
        retention, warnings = self._options.retention, list(self._audit.warnings)
        if retention.is_blind:
            warnings.append(f"nothing logged {retention.watched}: every checkpoint is kept")
        for text in [] if self.replaying else warnings:
            self.warn(text)
        wait_from = perf_counter()
        self.parts.materializer.drain()
        # Other handlers of the exit may still log: too late, the log is sealed.
        self.dead = True
        interrupted = ending.signal is not None
        status = "interrupted" if interrupted else "failed" if ending.exit_code else "done"
        self.parts.materializer.finish(
            None if interrupted else status, lambda: self.parts.recorder.lines
        )
        self._options.rates.sample(self._checkpointer.newest, run_ms)
        end_ms = (perf_counter() - wait_from) * 1000
        times = {"endMs": end_ms, "setupMs": self.setup_ms, "runMs": run_ms}
        times["processorMs"] = run_time.processor_ms
        self.parts.left_ms()
        taken = (self._checkpoints, self._checkpoint_bytes)
        overhead = overhead_of(self.parts.ledger, times, elapsed_ms, taken)
        self._complete_manifest(status, ending, overhead)
        if self.replaying:
            self._write_outcome(ending)
        hints = given_up_hint(self._given_up)
        if self._checkpointer.missed_declaration and not self._manifest.is_hands_free:
            hints = ["no checkpoints: declare what the loops change with checkpointing(…)"]
        if self.parts.loaders.is_missing and not self._manifest.is_hands_free:
            hints.append("a DataLoader has a generator of its own: declare it with the model")
        hints = [*stopped_hint(self._off), *hints]
        self._status.end({"status": status, "overhead": overhead, "hints": hints})
        if not self._options.live and not self.replaying:
            root, facts = self._options.root, self._manifest.facts
            self._options.notice(closing_text(facts, root, status, overhead))

    def _complete_manifest(self, status: str, ending: Ending, overhead: Dict[str, Any]) -> None:
        try:
            self._manifest.complete(
                {
                    "status": status,
                    "exitCode": ending.exit_code,
                    "signal": ending.signal,
                    "off": self._off,
                    "warnings": [*self._manifest.facts["warnings"], *self._warnings],
                    "overhead": overhead,
                    **({} if self.replaying else {"audit": self._audit.findings}),
                }
            )
        except Exception as error:
            why = describe_error(error)
            self._options.notice(f"warning: run.json could not be completed: {why}")

    def _write_outcome(self, ending: Ending) -> None:
        suspected = self.director.suspected if self.director else None
        outcome = self._outcome or outcome_of(ending, suspected)
        hints = self.director.hints if self.director else []
        more = self._failure_count if self._failure_count > len(self._failures) else 0
        noted = {"hints": hints, "failures": self._failures, "failureCount": more}
        text = json.dumps({**outcome, **{key: told for key, told in noted.items() if told}})
        replace_file(RunPaths(self._options.folder).outcome, text + "\n")

    def question_failed(self, error: BaseException) -> None:
        """What is asked threw: there is no value here, and the run continues as it did."""
        path = frame_path(self.frame)
        where = f"at {format_path(path)}" if path else "outside of all loops"
        self._failure_count += 1
        if len(self._failures) < _FAILURES_MAX:
            # Where it did is read from what the process says.
            traceback.print_exception(type(error), error, error.__traceback__)
            self._failures.append(f"what is asked failed {where}: {describe_error(error)}")

    def begin_loops(self) -> None:
        """A loop is entered. The first time, what the program consists of has been loaded."""
        if not self._begun:
            self.safely(self._begin)

    def _found_unlike_loader(self, line: SourceLine) -> None:
        self.safely(lambda: self._audit.unlike_loader(line, self.loops.present()))

    def _begin(self) -> None:
        self._begun = True
        started, started_ms = perf_counter(), self.parts.time.exact_ms
        try:
            self._analysis = self._options.analysis()
            self._leave_lives_alone(self._analysis)
            arguments = self._analysis.arguments
            watch_loaders(self._analysis, self._found_unlike_loader)
        except Exception as error:  # then only what is declared is captured
            self.note_off("names", describe_error(error))
            arguments = set()
        # A mistyped one is told now and not after hours; one that is read in a loop is none.
        self._check_arguments(arguments)
        if self.replaying:
            return
        self._manifest.keep_sources()
        self.parts.ledger.outermost_ms += self.parts.time.exact_ms - started_ms
        self.parts.ledger.booked_ms += (perf_counter() - started) * 1000

    def _leave_lives_alone(self, analysis: LoopAnalysis) -> None:
        """A program that may ask which objects still live: a frame that is asked for its variables
        holds them, and a list that is to be known again lives on, with what is in it."""
        where = analysis.looks_at_lives
        # A run of before has checkpoints all the same.
        if where is None or (self.director is not None and self.director.has_checkpoints):
            return
        analysis.captures = False
        if not self.replaying:
            self._failed("checkpoints", f"the program may ask which objects still live ({where})")

    def _check_arguments(self, later: AbstractSet[str] = frozenset()) -> None:
        self._begun = True
        for word, nearest in [] if self._manifest.is_hands_free else self._arguments.unused(later):
            hint = "" if nearest is None else f"; did you mean {nearest}?"
            self.warn(f"argument {word} is not used by the program{hint}")

    def _abandoned(self, frame: Optional[LoopFrame]) -> None:
        """The replayer was killed: it keeps what is here when it goes on."""
        if self.replaying:
            self.finish("failed", "nobody waits for it any more", frame_path(frame))

    def _committed(self, record: Dict[str, Any]) -> None:
        self._checkpoints += 1
        self._checkpoint_bytes += record["bytes"]
        self._checkpointer.committed(record, self.loops.top)

    def _failed(self, feature: str, why: str) -> None:
        if feature in ("checkpoints", "log"):
            self._checkpointer.turn_off()
        self.turn_off(feature, why)
        # Its consequence, not another failure: kept, but not said again.
        if feature == "log":
            self.note_off("checkpoints", "the log cannot be written")

    def forget(self) -> None:
        """This process is not the run: it was forked from it, and nobody writes what it says."""
        self.dead = True

    def safely(self, work: Callable[[], T]) -> Optional[T]:
        if self.dead:
            return None
        try:
            return work()
        except Exception as error:
            self.die(error)
            return None

    def die(self, error: Exception) -> None:
        """Errors of use (a code, a help line) reach the program; errors of ours must not: nothing
        more is recorded then, and the training goes on."""
        if isinstance(error, AfterlogError):
            raise error
        if self.replaying:
            self.finish("insufficient", describe_error(error), frame_path(self.frame))
        self.dead = True
        self.turn_off(RECORDING, describe_error(error))
