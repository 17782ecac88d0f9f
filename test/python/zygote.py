"""An interpreter that has imported torch already. Importing it takes two seconds, and the tests
start a hundred programs: each gets a fork of one process instead, with its own arguments,
environment, folder and open files, and ends as any process does.

`zygote.py serve SOCKET COMMAND` waits for programs. COMMAND is what these are told that they were
started with; it is a script that calls `zygote.py ask SOCKET INTERPRETER ARGUMENTS…`.
"""

import array
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys

_FILES = range(10)
# Numbers that no open file of the zygote has.
_ABOVE = 200


def ask(path, interpreter, argv):
    """Has the zygote run a module; whatever it cannot do, the interpreter does."""
    same = os.environ.get("PYTHONHASHSEED") == "0"
    if argv[:1] != ["-m"] or not same:
        os.execv(interpreter, [interpreter, *argv])
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except OSError:
        os.execv(interpreter, [interpreter, *argv])
    files = [file for file in _FILES if file != connection.fileno() and _is_open(file)]
    told = {"argv": argv, "env": dict(os.environ), "cwd": os.getcwd(), "files": files}
    handles = array.array("i", files).tobytes()
    message = json.dumps(told).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handles)]
    connection.sendmsg([len(message).to_bytes(4, "little")], rights)
    connection.sendall(message)
    child = int.from_bytes(_received(connection, 4), "little")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda sent, _: os.kill(child, sent))
    status = int.from_bytes(_received(connection, 4), "little")
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def _is_open(file):
    try:
        os.fstat(file)
    except OSError:
        return False
    return True


def _received(connection, size):
    found = b""
    while len(found) < size:
        part = connection.recv(size - len(found))
        if not part:
            raise EOFError
        found += part
    return found


def serve(path):
    """Returns in each child, with what it is to run; in the zygote itself only at its end."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(64)
    waking, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: os.write(woken, b"."))
    children = {}
    # Whoever started the zygote holds its standard input open.
    while True:
        ready = select.select([server, waking, 0, *children.values()], [], [])[0]
        if 0 in ready:
            for child in children:
                os.kill(child, signal.SIGKILL)
            os._exit(0)
        if waking in ready:
            os.read(waking, 4096)
            _reap(children)
        for child, connection in list(children.items()):
            if connection in ready:
                # Who asked for it was killed, and so is it.
                os.kill(child, signal.SIGKILL)
        if server in ready:
            connection = server.accept()[0]
            told = _begin(connection, children)
            if told is not None:
                # Their numbers are for other files now.
                for one in (server, connection, *children.values()):
                    os.close(one.detach())
                os.close(waking)
                os.close(woken)
                _take(told["files"], told["handles"])
                return told


def _reap(children):
    while children:
        child, status = os.waitpid(-1, os.WNOHANG)
        if child == 0:
            return
        connection = children.pop(child, None)
        if connection is not None:
            try:
                connection.sendall(status.to_bytes(4, "little"))
            except OSError:
                pass  # nobody waits for it any more
            connection.close()


def _begin(connection, children):
    """What to run, in the child that is to run it."""
    size, ancillary, _, _ = connection.recvmsg(4, socket.CMSG_SPACE(4 * len(_FILES)))
    handles = array.array("i")
    for _, _, data in ancillary:
        handles.frombytes(data)
    told = json.loads(_received(connection, int.from_bytes(size, "little")))
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        return {**told, "handles": list(handles)}
    connection.sendall(child.to_bytes(4, "little"))
    for handle in handles:
        os.close(handle)
    children[child] = connection
    return None


def _take(files, handles):
    """Gives the open files the numbers that they had."""
    above = [os.dup2(handle, _ABOVE + index) for index, handle in enumerate(handles)]
    for handle in handles:
        os.close(handle)
    os.closerange(0, len(_FILES))
    for file, handle in zip(files, above):
        os.dup2(handle, file)
        os.close(handle)


def main():
    mode, path, *rest = sys.argv[1:]
    if mode == "ask":
        ask(path, rest[0], rest[1:])
    for name in ("numpy", "torch"):
        importlib.import_module(name)
    told = serve(path)
    os.environ.clear()
    os.environ.update(told["env"])
    os.chdir(told["cwd"])
    sys.executable = rest[0]
    _, module, *argv = told["argv"]
    sys.argv = [module, *argv]
    extra = [one for one in told["env"].get("PYTHONPATH", "").split(os.pathsep) if one]
    sys.path[:] = ["", *extra, *sys.path[1:]]
    return module


started = main()
runpy.run_module(started, run_name="__main__", alter_sys=True)
