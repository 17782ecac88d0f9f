"""The one cell of state that the SDK has: the run of this process.

Importing the SDK notes the states of the random generators, or sets them to those that the repeated
run began with; the run begins with the first call.
"""

import atexit
import json
import os
import random
import secrets
import sys
from functools import partial
from typing import Any, Callable, Dict, List, NoReturn, Optional, Tuple

from ..format.clocks import process_time
from ..format.errors import describe_error
from ..format.settings import Resolved, SettingProblem, resolve_settings
from ..format.visible_text import visible_text
from ..own_modules import Start
from ..source.program.program import Program
from ..store.runs import read_manifest
from .arguments import ABSENT, ProgramArguments
from .begin import BeginOptions, begin, read_orders
from .ending import Ending, EndingWatch
from .files.watch_files import FileWatch
from .generators import Generators, cuda_generators, facts_of
from .after_import import after_import
from .loops.loop_analysis import read_program
from .loops.loop_frame import frame_path
from .ranks import stand_in_for_launcher, told_ranks
from .replay.probes import Probes
from .session import Session
from .status import send_status

DIRECTIVE_VARIABLE = "AFTERLOG_DIRECTIVE"


class _Cell:
    def __init__(self) -> None:
        # `idle`: imported, nothing called yet. `recording`, `off`.
        settings, problems = resolve_settings({}, os.environ)
        self.state = "off" if _is_off(settings, problems) else "idle"
        self.session: Optional[Session] = None
        self.directive = _take_directive()
        self.orders = read_orders(self.directive) if self.state == "idle" else None
        self.seed, self._is_given = _seed_of(self.directive, settings)
        self.watch: Optional[EndingWatch] = None
        self.arguments: Optional[ProgramArguments] = None
        # States of the generators before the program drew from them.
        self.initial: List[Dict[str, Any]] = []
        self.files = FileWatch()
        # Of a program that a command has started.
        self.program: Optional[Program] = None
        if self.state == "idle":
            self._prepare_generators()
            self.files.install()

    def _prepare_generators(self) -> None:
        recorded: List[Dict[str, Any]] = []
        if self.orders is not None:
            parent = read_manifest(self.orders["parent"])
            recorded = parent.get("generators", [])
            stand_in_for_launcher(parent.get("ranks"))
        self._set_generators("random", recorded)
        for module in ("numpy", "torch"):
            after_import(module, partial(self._set_generators, module, recorded))
        after_import("torch", lambda: self._await_devices(recorded))

    def _set_generators(self, module: str, recorded: List[Dict[str, Any]]) -> None:
        """Seeds those of a module that was just loaded, and notes how they begin."""
        if self._is_given:
            _seed(module, int(self.seed))
        generators = Generators()
        wanted = [state for state in recorded if _module_of(state) == module]
        if wanted and not self._is_given:
            generators.set(wanted)
        others = [state for state in self.initial if _module_of(state) != module]
        now = [state for state in generators.states() if _module_of(state) == module]
        self.initial = [*others, *now]

    def _await_devices(self, recorded: List[Dict[str, Any]]) -> None:
        """The generators of CUDA devices are made, each with a seed of its own, when the program
        first uses a device: what it asks for from then on comes behind what is done here."""
        cuda = sys.modules["torch"].cuda
        if not cuda.is_initialized():
            cuda._lazy_call(lambda: self._set_devices(recorded))

    def _set_devices(self, recorded: List[Dict[str, Any]]) -> None:
        by_id = {state["id"]: state for state in recorded}
        try:
            for generator in cuda_generators():
                if self._is_given:
                    generator.seed(int(self.seed))
                elif generator.id in by_id:
                    generator.set(by_id[generator.id]["state"])
                self.initial = [*self.initial, {**facts_of(generator), "draws": 0}]
        except Exception:  # torch would take it for its own
            pass  # What a replay then draws is not what the run drew: it will notice.


def _module_of(state: Dict[str, Any]) -> str:
    """The module that a generator belongs to."""
    return state["id"].partition(".")[0]


def _seed(module: str, seed: int) -> None:
    if module == "random":
        random.seed(seed)
    elif module == "numpy":
        sys.modules["numpy"].random.seed(seed % 2**32)
    else:
        sys.modules["torch"].manual_seed(seed)


def _take_directive() -> Dict[str, Any]:
    """Reads the directive and removes it: processes of the program record on their own. Empty if no
    command has started this one."""
    return json.loads(os.environ.pop(DIRECTIVE_VARIABLE, "") or "{}")


def _seed_of(directive: Dict[str, Any], settings: Dict[str, Resolved]) -> Tuple[str, bool]:
    """The seed, and whether somebody gave it: else nothing is seeded."""
    seed = directive.get("seed") or settings["record.seed"].value
    if seed is not None:
        # What goes on from another run, or repeats it, begins with the states that it began with.
        return seed, directive.get("mode", "record") == "record"
    return str(secrets.randbits(48)), False


def _is_off(settings: Dict[str, Resolved], problems: List[SettingProblem]) -> bool:
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None and multiprocessing.parent_process() is not None:
        return True
    if settings["record.mode"].value == "off":
        # Nobody else will: what is wrong otherwise is said when the run begins.
        for problem in problems:
            if problem.message.startswith("AFTERLOG_MODE="):
                _tell({}, f"warning: {problem.message}; {problem.instead}")
        return True
    ranks = told_ranks()
    if ranks is not None and ranks.own > 0:
        _tell({}, f"rank {ranks.own} of this training records nothing; rank 0 does")
        return True
    return False


def _tell(directive: Dict[str, Any], text: str) -> None:
    """Through the command line that started us, else on the program's stderr."""
    if directive.get("live"):
        send_status({"kind": "notice", "text": text})
    elif sys.stderr is not None:
        sys.stderr.write(f"afterlog: {visible_text(text)}\n")


_cell = _Cell()


def notice(text: str) -> None:
    _tell(_cell.directive, text)


def current() -> Optional[Session]:
    """The run of this process; begins it if needed. None when recording is off."""
    return _start() if _cell.state == "idle" else _cell.session


def unrecorded_argument(name: str, default: Any) -> Any:
    """The program's arguments are the program's, also when nothing is recorded."""
    if _cell.arguments is None:
        _cell.arguments = ProgramArguments(sys.argv[1:])
    value = _cell.arguments.take(name, default)
    return default if value is ABSENT else value


def directive() -> Dict[str, Any]:
    """What the command line said that started this process; empty if none did."""
    return _cell.directive


def probes() -> Probes:
    """The statements that the run being asked did not have."""
    found = Probes(added(), _question_failed, _path, _question_began, _counted)
    if _cell.session is not None:
        _cell.session.values.is_probing = lambda: found.active
        _cell.session.call_results.is_probing = lambda: found.active
    return found


def _path() -> List[Any]:
    return [] if _cell.session is None else frame_path(_cell.session.frame)


def _question_began(is_part: bool) -> Callable[[], None]:
    session = _cell.session
    if session is None or session.director is None:
        return lambda: None
    return session.director.question_began(session.frame if is_part else None)


def _counted(key: str, is_inner: bool) -> int:
    session = _cell.session
    if session is None or session.director is None:
        return 0
    return session.director.counted(key, is_inner, session.frame)


def _question_failed(error: BaseException) -> None:
    if _cell.session is not None:
        _cell.session.question_failed(error)


def added() -> List[Dict[str, Any]]:
    """Where they stand."""
    return (_cell.orders or {}).get("probes", [])


def as_ours(work: Callable[[], None]) -> None:
    """Does something with files that is not of the program."""
    asleep, _cell.files.asleep = _cell.files.asleep, True
    try:
        work()
    finally:
        _cell.files.asleep = asleep


def program() -> Optional[Program]:
    """The sources of a program that a command has started, read when they are first asked for. Of
    one that knows nothing of Afterlog the plain loops are loops of the run."""
    directive = _cell.directive
    if directive.get("program") and _cell.program is None and _cell.state == "idle":
        as_ours(_read_program)
    return _cell.program


def _read_program() -> None:
    directive, orders = _cell.directive, _cell.orders
    root, is_hands_free = directive["root"], bool(directive.get("handsFree"))
    libraries = read_manifest(orders["parent"]).get("libraries", []) if orders else None
    rules = directive.get("loopRules", 0)
    file = directive["program"]
    _cell.program = read_program(root, file, orders, is_hands_free, libraries, rules)


def prints_are_logged() -> bool:
    """Whether what a hands-free program prints is logged. A run that goes on does as it began; a
    replay logs it even if the run did not, for it may be what is asked for."""
    directive = _cell.directive
    if directive.get("mode") == "resume" and _cell.orders is not None:
        directive = read_manifest(_cell.orders["parent"]).get("directive") or {}
    return directive.get("mode") == "replay" or directive.get("console") is not False


def recording() -> Optional[Session]:
    """The run of this process, if one has begun."""
    return _cell.session


def failed(file: str, error: Exception) -> None:
    """A source file is executed as it is, though its loops were to be recorded."""
    if _cell.session is not None:
        _cell.session.note_off(f"loop {file}", describe_error(error))


def note_start(ms: float) -> None:
    """What it took the processor to begin the run, besides loading what is ours, and the command
    that started us."""
    if _cell.session is not None:
        command_ms = _cell.directive.get("startMs", 0.0)
        _cell.session.setup_ms = Start.ms + command_ms + ms


def note_exit_code(code: Any) -> None:
    """The launcher knows with what the program has exited."""
    if _cell.watch is not None:
        _cell.watch.note_code(code)


def _start() -> Optional[Session]:
    directive, began = _cell.directive, process_time()
    try:
        known = program()
        # So that a failure inside does not start another one.
        _cell.state = "off"
        options = BeginOptions(
            directive=directive,
            orders=_cell.orders,
            seed=_cell.seed,
            initial=lambda: _cell.initial,
            notice=notice,
            end_process=_end_process,
            files=_cell.files,
            program=known,
        )
        _cell.watch = EndingWatch()
        _cell.session = begin(options)
        note_start((process_time() - began) * 1000)
    except Exception as error:
        if directive.get("mode", "record") != "record":
            # Without its run the program would begin at its start, which nobody asked for.
            notice(f"error: the run cannot be resumed: {describe_error(error)}")
            os._exit(1)
        notice(f"warning: not recording: {describe_error(error)}")
        return None
    _cell.state = "recording"
    atexit.register(_end)
    os.register_at_fork(after_in_child=_forget)
    return _cell.session


def _forget() -> None:
    """A forked process is not the run: a loader's worker, for example."""
    if _cell.session is not None:
        # Loops that the process goes on with, as a copy of the run's, are its own.
        _cell.session.forget()
    _cell.state = "off"
    _cell.session = None
    _cell.files.forget()


def _end() -> None:
    if _cell.session is not None and _cell.watch is not None:
        _end_as(_cell.watch.ending())


def _end_as(ending: Ending) -> None:
    """What goes wrong here must not become the program's exit code."""
    session, _cell.session = _cell.session, None
    _cell.state = "off"
    if session is None:
        return
    try:
        session.end(ending)
    except (Exception, KeyboardInterrupt) as error:
        notice(f"warning: the run could not be completed: {describe_error(error)}")


def _end_process(code: int) -> NoReturn:
    """At once: what the program would still do, in a `finally` for example, is not of the run."""
    _end_as(Ending(code))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass  # nobody reads it any more
    os._exit(code)
