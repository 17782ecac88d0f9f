"""`python -m afterlog.launch PROGRAM ARGUMENTS…`: runs a program as Python itself would, with the
SDK loaded before it. `afterlog run` starts programs so."""

import gc
import importlib
import importlib.machinery
import importlib.util
import os
import re
import sys
import time
import types

from .own_modules import own_modules

with own_modules():
    from .handsfree.call_transform import CallTransform
    from .handsfree.package_calls import PackageCalls
    from .handsfree.library_loops import LibraryLoops
    from .handsfree.loggers import keep_alone, leave_loggers
    from .handsfree.source_hook import SourceHook
    from .handsfree.plain_loops import PlainLoops
    from .handsfree.printed import record_printed
    from .handsfree.loop_transform import LoopTransform
    from .handsfree.printed_text_transform import PrintedTextTransform
    from .handsfree.unseen_call_transform import UnseenCallTransform
    from .record import current
    from .record.replay.probes import ASIDE
    from .record.tracebacks import hide_ours, without_ours
    from .store.package_cache import PackageCache, package_cache_file


def main() -> None:
    began = time.process_time()
    program, sys.argv = sys.argv[1], sys.argv[1:]
    named = current.directive().get("module")
    # As Python does it: modules are looked for beside the program first; of `python -m` where it
    # was started.
    sys.path[0] = os.getcwd() if named else os.path.dirname(os.path.abspath(program))
    with open(program, "rb") as stream:
        source = stream.read()
    # The run begins before the program, so that nothing that it does is missed.
    current.current()
    terminal = current.directive().get("terminal") or {}
    for name in ("stdout", "stderr"):
        if terminal.get(name):
            # It is a terminal behind the pipe: lines are shown as they come.
            getattr(sys, name).reconfigure(line_buffering=True)
    hook = _source_hook()
    hook.install()
    module = _main_module(program)
    if named:
        _make_part_of_package(module, named)
    try:
        code = hook.compile(source, program)
        # What is ours lives as long as the program: its collections of garbage need not go through
        # it again and again.
        gc.freeze()
        current.note_start((time.process_time() - began) * 1000)
        exec(code, module.__dict__)
    except SystemExit as exit_:
        current.note_exit_code(exit_.code)
        raise
    except KeyboardInterrupt as error:
        # Python itself shows it, and ends the process by the signal.
        _show_without_ours(error)
        raise
    except BaseException as error:
        shown = hide_ours(error)
        sys.excepthook(type(shown), shown, shown.__traceback__)
        sys.exit(1)


def _source_hook() -> SourceHook:
    """What is changed in the program's sources: statements that were added to ask are sheltered,
    and plain loops of a program that knows nothing of Afterlog tell of themselves."""
    root = current.directive().get("root") or os.getcwd()
    probes, program, session = current.probes(), current.program(), current.recording()
    probes.install()
    leave_loggers()
    if session is not None and session.replaying:
        keep_alone()
    is_hands_free = program is not None and program.found is not None
    hook = SourceHook(root, current.failed) if is_hands_free else SourceHook(root)
    if program is not None and session is not None:
        calls = CallTransform(program, session.call_results, current.added())
        calls.install()
        hook.add(calls)
        cache = PackageCache(package_cache_file())
        current.as_ours(cache.load)
        session.before_end.append(cache.save)
        packages = PackageCalls(program, session.call_results, cache)
        packages.install()
        hook.packages.append(packages)
        unseen = UnseenCallTransform(program, session.unseen_calls)
        unseen.install()
        hook.add(unseen)
    hook.add(probes)
    if program is None or not is_hands_free:
        return hook
    loops = LoopTransform(program)
    PlainLoops(program, current.recording, lambda: probes.active or ASIDE.active).install()
    if current.prints_are_logged() and _record_printed():
        hook.add(PrintedTextTransform(program))
    hook.add(loops)
    hook.packages.append(LibraryLoops(program))
    return hook


def _record_printed() -> bool:
    """From now on; False if Python does not understand the user's rule."""
    try:
        directive = current.directive()
        record_printed(current.recording, directive.get("consoleRule"))
        return True
    except re.error as error:
        session = current.recording()
        if session is not None:
            session.turn_off("records of what is printed", f"--console: {error}")
        return False


def _main_module(program: str) -> types.ModuleType:
    """As Python makes it for a script."""
    module = types.ModuleType("__main__")
    module.__file__ = program
    module.__loader__ = importlib.machinery.SourceFileLoader("__main__", program)
    module.__dict__["__builtins__"] = __builtins__
    module.__dict__["__cached__"] = None
    if sys.version_info < (3, 14):
        module.__dict__["__annotations__"] = {}
    sys.modules["__main__"] = module
    return module


def _make_part_of_package(module: types.ModuleType, named: str) -> None:
    """As `python -m` does it: the package is imported before its module runs."""
    package = named.rpartition(".")[0]
    if package:
        importlib.import_module(package)
    module.__package__ = package
    module.__spec__ = importlib.util.find_spec(named)


def _show_without_ours(error: BaseException) -> None:
    """Has the program's own traceback shown for an exception that nobody will catch."""
    show, traceback = sys.excepthook, without_ours(error.__traceback__)
    sys.excepthook = lambda kind, value, _: show(kind, value.with_traceback(traceback), traceback)


if __name__ == "__main__":
    main()
