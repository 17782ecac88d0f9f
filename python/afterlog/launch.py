"""`python -m afterlog.launch PROGRAM ARGUMENTS…`: runs a program as Python itself would, with the
SDK loaded before it. `afterlog run` starts programs so."""

import os
import sys
import types

from .record import current


def main() -> None:
    program, sys.argv = sys.argv[1], sys.argv[1:]
    # As Python does it: modules are looked for beside the program first.
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    with open(program, "rb") as stream:
        source = stream.read()
    # The run begins before the program, so that nothing that it does is missed.
    current.current()
    terminal = (current.directive() or {}).get("terminal") or {}
    for name in ("stdout", "stderr"):
        if terminal.get(name):
            # It is a terminal behind the pipe: lines are shown as they come.
            getattr(sys, name).reconfigure(line_buffering=True)
    probes = current.probes()
    probes.install()
    module = types.ModuleType("__main__")
    module.__file__ = program
    module.__dict__["__builtins__"] = __builtins__
    module.__dict__["__cached__"] = None
    sys.modules["__main__"] = module
    try:
        exec(probes.compile(source, program), module.__dict__)
    except SystemExit as exit_:
        current.note_exit_code(exit_.code)
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # Without our own frames: the traceback is the program's.
        traceback = error.__traceback__.tb_next if error.__traceback__ else None
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        sys.exit(1)


if __name__ == "__main__":
    main()
