"""Runs a command on a terminal of its own, as a user at a keyboard would.

Usage: on_terminal.py COLUMNS ROWS COMMAND [ARGUMENT...]
What the terminal shows goes to standard output; the exit code is the command's (128 + signal).
Standard input has lines: `resize COLUMNS ROWS`, `key C` (Ctrl-C), `kill` (SIGINT to the command
alone).
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios


def resize(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def obey(line, pid, terminal):
    word, *rest = line.split()
    if word == "resize":
        resize(terminal, int(rest[0]), int(rest[1]))
    elif word == "key":
        os.write(terminal, bytes([ord(rest[0]) & 31]))
    elif word == "kill":
        os.kill(pid, signal.SIGINT)


def copy(pid, terminal):
    """Until nobody holds the terminal any more."""
    inputs = [terminal, 0]
    while True:
        ready, _, _ = select.select(inputs, [], [])
        if 0 in ready:
            text = os.read(0, 4096).decode()
            if text == "":
                inputs.remove(0)
            for line in text.splitlines():
                obey(line, pid, terminal)
        if terminal in ready:
            try:
                shown = os.read(terminal, 65536)
            except OSError:
                return
            if shown == b"":
                return
            os.write(1, shown)


def main():
    columns, rows, *command = sys.argv[1:]
    pid, terminal = pty.fork()
    if pid == 0:
        # The size must be there before the command asks for it.
        resize(0, int(columns), int(rows))
        os.execvp(command[0], command)
    copy(pid, terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.exit(status if status >= 0 else 128 - status)


main()
