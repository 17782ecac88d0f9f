"""Reading slots beside the training, in a process of ours: comparing them and taking checksums.

In a thread this releases the interpreter's lock, and takes it again, for each of thousands of
tensors; the training, which does so for each operation, waits for it every time. The process has a
lock of its own, and is asked once for all tensors. Where it cannot be had, dies or does not answer,
all is done here as if there were none: docs/decisions/0022-a-process-beside.md.
"""

import array
import ctypes
import os
import socket
import struct
import subprocess
import sys
import zlib
from typing import Callable, List, Optional, Sequence, Tuple

from .checksum_process import HEAD, NUMBER
from .file_layout import Chunks
from .slots import Slot

PROCESS_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checksum_process.py")
# It ends at once, and with it all that ties the process to the program.
_SHELL = "/bin/sh"
_GO_ON_WITHOUT = '"$@" &'
# Without a sign of life for so long it is given up.
_SILENCE_S = 20.0
_CLOSING_S = 2.0
_PR_GET_CHILD_SUBREAPER = 37

# Offsets of what may be the same in two slots, and its size.
Pair = Tuple[int, int, int]


class ChecksumWorker:
    """The process, from when it is wanted until it is not. Used by one thread."""

    def __init__(self) -> None:
        self._link: Optional[socket.socket] = None
        self._wanted = False
        self._number = 0
        # Its processor time, by its last answer.
        self.ran_ms = 0.0

    def start(self) -> None:
        """Starts it, if it was not; never fails."""
        if not self._wanted:
            self._wanted = True
            try:
                self._link = _start_process() if _can_start_process() else None
            except (OSError, AttributeError, ValueError, subprocess.SubprocessError):
                self._link = None

    def same(self, slot: Slot, other: Slot, pairs: Sequence[Pair]) -> List[bool]:
        """Of each pair, whether the slots have the same bytes there."""
        if not pairs:
            return []
        words = array.array("Q", [word for pair in pairs for word in pair]).tobytes()
        answer = self._ask((slot, other), words, len(pairs), 0)
        data = answer() if answer is not None else None
        if data is not None:
            return [one == 1 for one in data]
        return [slot.same_bytes(mine, other, theirs, size) for mine, theirs, size in pairs]

    def checksums(self, slot: Slot, chunks: Chunks) -> Callable[[], str]:
        """Has the CRC-32 of each chunk computed; they are got by calling: 8 digits each."""
        answer = self._ask((slot,), chunks.words, 0, len(chunks.ranges))

        def digits() -> str:
            data = answer() if answer is not None else None
            return _chunk_checksums(slot.view, chunks.ranges) if data is None else data.hex()

        return digits

    def _ask(
        self, slots: Sequence[Slot], words: bytes, pairs: int, chunks: int
    ) -> Optional[Callable[[], Optional[bytes]]]:
        """How to get the answer; it is None if there is nobody to ask, then or now."""
        fds = [slot.fd for slot in slots if slot.fd is not None]
        if self._link is None or len(fds) < len(slots):
            return None
        self._number = number = self._number + 1
        try:
            numbers = [slot.number for slot in slots] + [0]
            head = HEAD.pack(number, pairs, chunks, *numbers[:2])
            files = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))
            # A program may want to end by the signal that a closed pipe gives.
            self._link.sendmsg([head], [files], socket.MSG_NOSIGNAL)
            self._link.sendall(words, socket.MSG_NOSIGNAL)
        except OSError:
            self._give_process_up()
            return None
        size = 2 * NUMBER.size + pairs + 4 * chunks
        return lambda: self._receive_answer(number, size)

    def _receive_answer(self, number: int, size: int) -> Optional[bytes]:
        data = bytearray()
        try:
            while self._link is not None and len(data) < size:
                more = self._link.recv(size - len(data))
                if not more:
                    break
                data += more
        except OSError:
            pass
        if len(data) == size and NUMBER.unpack_from(data) == (number,):
            (ran_ns,) = NUMBER.unpack(data[-NUMBER.size :])
            self.ran_ms = ran_ns / 1e6
            return bytes(data[NUMBER.size : -NUMBER.size])
        self._give_process_up()
        return None

    def _give_process_up(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def close(self) -> None:
        """Has it end, and waits for that."""
        link, self._link = self._link, None
        if link is None:
            return
        with link:
            try:
                # Closing is not enough: a forked process may have the same socket.
                link.shutdown(socket.SHUT_WR)
                link.settimeout(_CLOSING_S)
                while link.recv(4096):
                    pass
            except OSError:
                pass  # it has ended before, or will


def _chunk_checksums(memory: memoryview, ranges: Sequence[Tuple[int, int]]) -> str:
    found = [zlib.crc32(memory[start:stop]) for start, stop in ranges]
    return struct.pack(f">{len(found)}I", *found).hex()


def _can_start_process() -> bool:
    """Whether a process can be started that is nobody's child, by an interpreter like this one."""
    name = os.path.basename(sys.executable or "").lower()
    # Of a program that was made one file, or has an interpreter inside, that file is the program.
    is_interpreter = name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)
    files = (sys.executable or "", PROCESS_FILE, _SHELL)
    has_all = hasattr(os, "memfd_create") and all(map(os.path.isfile, files))
    return is_interpreter and has_all and not _adopts_orphans()


def _adopts_orphans() -> bool:
    """Whether processes whose parent has ended become children of this one: it might wait for
    them."""
    if os.getpid() == 1:
        return True
    found = ctypes.c_int(0)
    # A system that does not know the question has nobody who adopts, and leaves the 0.
    ctypes.CDLL(None).prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(found), 0, 0, 0)
    return found.value != 0


def _start_process() -> socket.socket:
    ours, theirs = socket.socketpair()
    with theirs:
        fd = theirs.fileno()
        script = [sys.executable, "-I", "-S", PROCESS_FILE, str(fd), str(os.getpid())]
        nothing = subprocess.DEVNULL
        try:
            # Not a child of the program, which may wait for all of those: of a shell that ends.
            first = subprocess.Popen(
                [_SHELL, "-c", _GO_ON_WITHOUT, "afterlog", *script],
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                pass_fds=(fd,),
                cwd="/",
                start_new_session=True,
            )
            first.wait()
        except BaseException:
            ours.close()
            raise
    ours.settimeout(_SILENCE_S)
    return ours
