"""How a run begins: the project, a run directory, the version, the manifest, the threads.

Whatever fails here turns recording off with one warning; the program runs as if we were not there.
"""

import datetime
import json
import math
import os
import platform
import socket
import sys
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, NoReturn, Optional

from ..format.clocks import perf_counter, process_time, wall_time
from ..format.errors import AfterlogError, describe_error
from ..format.keep import parse_keep
from ..format.manifest import loop_rules_of
from ..format.paths import LoopPath
from ..format.settings import Resolved, resolve_settings
from ..source.outline import mode_of
from ..source.program.program import Program
from ..state.hash_seed import HASH_SEED
from ..state.scalars import tell_root
from ..store.durable import make_folder
from ..store.layout import run_folder, runs_folder
from ..store.project import Project, find_project
from ..store.runs import boot_id, make_run_folder, next_order, process_start, read_manifest
from ..store.settings_file import read_settings_file
from ..store.version import commit_tree, exclude_store, keep_tree
from ..version import VERSION
from .alerts import watch_for_alerts
from .checkpoints.previous_findings import findings_of, previous_findings
from .checkpoints.restore_rates import RestoreRates
from .environment import Environment, changed_since, compare_environment, start_environment
from .files.replay_files import ReplayFiles, ReplayPlaces
from .files.loaded_sources import Sources, framework_versions
from .files.watch_files import FileWatch, WatchedRun
from .generators import Generators
from .loops.loop_frame import frame_path
from .loops.loop_analysis import LoopAnalysis, read_program
from .replay.resume_facts import read_resume_facts
from .replay.resume_retention import retention_of
from .run_manifest import RunManifest, iso
from .session import Session, SessionOptions

# Of the states that generators are seeded with: what `generator` of a manifest says.
GENERATOR = "python"


@dataclass
class BeginOptions:
    # What the command line said that started this process; empty if none did.
    directive: Dict[str, Any]
    orders: Optional[Dict[str, Any]]
    seed: str
    # States of the generators before the program drew from them; of what it has loaded so far.
    initial: Callable[[], List[Dict[str, Any]]]
    notice: Callable[[str], None]
    end_process: Callable[[int], NoReturn]
    # Has watched since the SDK was imported.
    files: FileWatch
    # Of a program that a command has started.
    program: Optional[Program] = None


def begin(options: BeginOptions) -> Session:
    """Starts recording. Raises if it cannot; the caller warns and goes on without."""
    started_at = perf_counter()
    # What we do ourselves to begin a run is not the program's.
    options.files.asleep = True
    directive = options.directive
    program = os.path.abspath(directive.get("program") or _main_program())
    project = _find_project(directive, program)
    orders, mode = options.orders, directive.get("mode", "record")
    if mode == "resume" and orders is not None:
        return _begin_again(options, project, program, orders, started_at)
    started = wall_time()
    version = None
    off: List[Dict[str, Any]] = []
    if mode == "replay" and orders is not None:
        folder, order = orders["out"], 0
        run = os.path.basename(folder)
    else:
        make_folder(runs_folder(project.store))
        run = make_run_folder(project.store, program, started)
        folder = run_folder(project.store, run)
        version = _keep_version(directive, project, run, started, off)
        order = next_order(project.store, int(started * 1000))
        for feature in off:
            options.notice(f"warning: {feature['feature']} turned off: {feature['why']}")
        for warning in (version or {}).get("warnings", []):
            options.notice(f"warning: {warning}")
    manifest = _make_manifest(options, project, program, run, started)
    manifest.update(
        {"version": version, "off": off, "order": order, "parent": _parent(orders)},
        warnings=(version or {}).get("warnings", []),
    )
    if mode != "replay":
        audit = _previous_findings(orders, project.store, manifest)
        manifest.update({"audit": audit} if audit else {})
    sources = Sources(project.root, program, {})
    sources.look()
    variables = start_environment(bool(directive))
    environment = Environment(project.root, run, variables)
    kept = RunManifest(folder, manifest, sources, environment, options.initial)
    session = _open_session(options, project, folder, kept, started_at)
    if mode == "replay" and orders is not None:
        if session.director is not None:
            compare_environment(session.director, read_manifest(orders["parent"]), project.root)
    return session


def _previous_findings(
    orders: Optional[Dict[str, Any]], store: str, manifest: Dict[str, Any]
) -> List[Dict[str, Any]]:
    """What was found before: in the run that is forked, else in the newest of the program."""
    if orders is not None:
        return findings_of(orders["parent"], manifest["program"]) or []
    return previous_findings(store, manifest["program"], manifest["run"])


def _parent(orders: Optional[Dict[str, Any]]) -> Optional[str]:
    return os.path.basename(orders["parent"]) if orders else None


def _begin_again(
    options: BeginOptions, project: Project, program: str, orders: Dict[str, Any], started: float
) -> Session:
    """A run that was interrupted goes on: the same folder, the same log, another process."""
    folder = orders["parent"]
    before = read_manifest(folder)
    now = iso(datetime.datetime.now(datetime.timezone.utc))
    manifest = {
        **before,
        "status": "recording",
        "ended": None,
        "exitCode": None,
        "signal": None,
        "host": _host_facts(),
        "resumed": [*before.get("resumed", []), now],
    }
    sources = Sources(project.root, program, before["sources"])
    environment = Environment(project.root, before["run"], dict(os.environ))
    kept = RunManifest(folder, manifest, sources, environment, lambda: before.get("generators", []))
    session = _open_session(options, project, folder, kept, started)
    for warning in changed_since(before, project.root):
        session.warn(warning)
    return session


def _open_session(
    options: BeginOptions, project: Project, folder: str, manifest: RunManifest, started: float
) -> Session:
    directive, orders = options.directive, options.orders
    mode = directive.get("mode", "record")
    settings = _settings(options, project, manifest.facts.get("directive"))
    overhead, persist = settings["record.overhead"].value, settings["record.persist"].value
    policy = parse_keep(settings["record.keep"].value)
    assert policy is not None, "a setting is read when it is resolved"
    argv = sys.argv[1:]
    if orders is not None:
        argv = [f"{name}={text}" for name, text in orders["args"].items()]
    program = os.path.join(project.root, manifest.facts["program"])
    tell_root(os.path.realpath(project.root))
    resumes = read_resume_facts(folder) if mode == "resume" else None
    session = Session(
        SessionOptions(
            root=project.root,
            folder=folder,
            manifest=manifest,
            generators=Generators(),
            argv=argv,
            budget=math.inf if overhead == "inf" else overhead,
            live=bool(directive.get("live")),
            inline=persist == "inline" or mode == "replay",
            retention=retention_of(policy, orders, resumes),
            rates=RestoreRates(project.store, manifest.facts["program"], folder, mode == "replay"),
            notice=options.notice,
            end_process=options.end_process,
            orders=orders,
            mode=mode,
            resumes=resumes,
            before_end=[options.files.seal],
            analysis=lambda: _analyze_loops(options, project.root, program),
        )
    )
    if not directive:
        # The command that starts a program does it itself.
        watch_for_alerts(project, os.path.basename(folder), options.notice)
    _watch_files(session, options, project, folder)
    session.parts.recorder.profile({"k": "start", "ms": round(_process_ms(started), 3)})
    setup_ms = round((perf_counter() - started) * 1000, 3)
    session.parts.recorder.profile({"k": "setup", "ms": setup_ms})
    return session


def _analyze_loops(options: BeginOptions, root: str, program: str) -> LoopAnalysis:
    """Reads the program's sources, if nobody has, which is no reading of the program's."""
    files = options.files
    asleep, files.asleep = files.asleep, True
    try:
        known = options.program or read_program(root, program, options.orders, False)
        return LoopAnalysis(root, known)
    finally:
        files.asleep = asleep


def _watch_files(session: Session, options: BeginOptions, project: Project, folder: str) -> None:
    def path() -> LoopPath:
        return frame_path(session.frame)

    files, director = options.files, session.director
    if options.directive.get("mode") == "replay" and director is not None:
        copies = os.path.join(os.path.dirname(folder), "outside")
        mirror = ((options.orders or {}).get("tree") or {}).get("mirror")
        places = ReplayPlaces(project.root, project.store, copies, mirror)
        skeletons = options.program.skeletons.values() if options.program else ()
        writers = frozenset(one for skeleton in skeletons for one in skeleton.writers)
        guard = ReplayFiles(places, director.recorded, session.finish, path, writers)
        files.guard(guard)
        director.on_skip = guard.skipped
    files.report(
        WatchedRun(
            root=project.root,
            store=project.store,
            path=path,
            emit=lambda event: session.parts.recorder.emit("file", event),
            too_many=lambda limit: session.turn_off("file tracking", f"more than {limit} files"),
            spent=session.spend,
        )
    )


def _main_program() -> str:
    main = sys.modules.get("__main__")
    return getattr(main, "__file__", None) or sys.argv[0] or "python"


def _find_project(directive: Dict[str, Any], program: str) -> Project:
    if directive:
        return Project(directive["root"], directive["store"])
    start = os.path.dirname(program) if os.path.exists(program) else os.getcwd()
    return find_project(start, os.getcwd(), os.environ.get("AFTERLOG_DIR"))


def _keep_version(
    directive: Dict[str, Any], project: Project, run: str, started: float, off: List[Dict[str, str]]
) -> Optional[Dict[str, Any]]:
    """Of the source tree that the command line has kept, else of one that is kept now."""
    source = directive.get("source")
    try:
        if source is None:
            _exclude_store(project, off)
            tree = keep_tree(project.root, project.store)
        else:
            off += source["off"]
            tree = source["tree"]
        return None if tree is None else commit_tree(tree, run, started)
    except Exception as error:
        off.append({"feature": "version", "why": describe_error(error)})
        return None


def _exclude_store(project: Project, off: List[Dict[str, str]]) -> None:
    try:
        exclude_store(project.root, project.store)
    except AfterlogError as error:
        off.append({"feature": "exclusion from git", "why": describe_error(error)})


def _make_manifest(
    options: BeginOptions, project: Project, program: str, run: str, started: float
) -> Dict[str, Any]:
    directive = options.directive
    at = datetime.datetime.fromtimestamp(started, datetime.timezone.utc)
    return {
        "format": 1,
        "run": run,
        "name": directive.get("name"),
        "kind": directive.get("mode", "record"),
        "parent": None,
        "directive": directive or None,
        "project": os.path.basename(project.root),
        "program": os.path.relpath(os.path.realpath(program), os.path.realpath(project.root)),
        "language": "python",
        "argv": sys.argv[1:],
        "cwd": os.path.relpath(os.getcwd(), project.root),
        "started": iso(at),
        "ended": None,
        "order": 0,
        "status": "recording",
        "exitCode": None,
        "signal": None,
        "host": _host_facts(),
        "versions": {"afterlog": VERSION, **framework_versions()},
        "version": None,
        "loopRules": loop_rules_of(directive),
        **_mode(options.program, directive),
        "seed": options.seed,
        "generator": GENERATOR,
        "interpreter": sys.executable,
        **_module(directive),
        "hashSeed": HASH_SEED,
        "sources": {},
        "environment": {},
        "off": [],
        "warnings": [],
        "overhead": None,
    }


def _module(directive: Dict[str, Any]) -> Dict[str, str]:
    """The module that `python -m` named: its package is imported first, and the folder in which it
    was started comes before its own."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    name = directive.get("module") if directive else getattr(spec, "name", None)
    return {"module": name} if name else {}


def _mode(program: Optional[Program], directive: Dict[str, Any]) -> Dict[str, Any]:
    """How the program was understood; nothing of its sources is rewritten to capture variables."""
    rewriter = {"version": None, "rewritten": False, "captureMap": None}
    known = {} if program is None else mode_of(program)
    if not known:
        return {"rewriter": rewriter}
    rule = directive.get("consoleRule")
    return {
        "handsFree": True,
        **({} if rule is None else {"consoleRule": rule}),
        **({"libraries": known["libraries"]} if "libraries" in known else {}),
        "rewriter": {**rewriter, "leftAlone": known["leftAlone"]},
    }


def _host_facts() -> Dict[str, Any]:
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        memory = 0
    machine = platform.machine()
    return {
        "name": socket.gethostname(),
        "platform": sys.platform,
        "arch": {"x86_64": "x64", "aarch64": "arm64"}.get(machine, machine),
        "cpus": os.cpu_count() or 1,
        "memoryBytes": memory,
        "bootId": boot_id(),
        "pid": os.getpid(),
        "pidStart": process_start(os.getpid()),
    }


def _process_ms(at: float) -> float:
    """Milliseconds from the start of the process to a time of perf_counter."""
    start = process_start(os.getpid())
    try:
        with open("/proc/uptime", encoding="ascii") as stream:
            uptime = float(stream.read().split()[0])
        age = uptime - float(start or "") / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        age = process_time()
    return max(0.0, (age - (perf_counter() - at)) * 1000)


def _settings(
    options: BeginOptions, project: Project, begun: Optional[Dict[str, Any]]
) -> Dict[str, Resolved]:
    """What the command line handed over; of a continued run as it was begun; else as environment
    and `afterlog.toml` say. The command has looked into that file already, a program alone has
    not."""
    directive, begun = options.directive, begun or {}
    overhead = directive.get("overhead")
    overhead = begun.get("overhead") if overhead is None else overhead
    flags = {
        "record.overhead": None if overhead is None else str(overhead),
        "record.keep": directive.get("keep") or begun.get("keep"),
        "record.persist": directive.get("persist"),
        "record.seed": directive.get("seed"),
    }
    file = None if directive else read_settings_file(project.root)
    settings, problems = resolve_settings(flags, os.environ, file)
    for problem in problems:
        options.notice(f"warning: {problem.message}; {problem.instead}")
    return settings


def read_orders(directive: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    if "orders" not in directive:
        return None
    with open(directive["orders"], encoding="utf-8") as stream:
        return json.load(stream)
