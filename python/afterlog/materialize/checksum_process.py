"""The process that reads slots beside the training (docs/decisions/0022-a-process-beside.md): it
compares memory with memory, and takes checksums.

It is a script of its own, which imports the standard library alone, nothing of this package, and
knows of the program nothing but a socket and its number. It ends when the other end of the socket
is closed, or when the program has ended, however it did.

A request: its number, how many pairs and how many chunks there are, the numbers of the slots that
they are in (the second is 0 where there are no pairs), and with these the slots' files; then of
each pair its offsets in the first and in the second slot and its size, of each chunk its offset and
its size, all in 64 bits. The answer: the number of the request, a byte of 1 for each pair that is
the same, and the CRC-32 of each chunk in 32 bits, the highest first.
"""

import array
import mmap
import os
import select
import signal
import socket
import struct
import sys
import time
import zlib
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

HEAD = struct.Struct("=QQQQQ")
NUMBER = struct.Struct("=Q")
_WORD_BYTES = 8
# The answer is sent in parts, one for so much memory: a sign of life; and whoever it is for may be
# gone.
_PART_BYTES = 256 << 20
# What is compared at once stays in the processor's cache.
_COMPARED_BYTES = 64 << 10
# The program has no more slots at a time.
_SLOTS = 2

_Words = Iterator[int]


class _Slots:
    """The memory of slots, kept while there may be more requests for it: looking at memory for the
    first time takes as long as comparing it."""

    def __init__(self) -> None:
        self._known: Dict[int, mmap.mmap] = {}

    def of(self, numbers: Sequence[int], fds: Sequence[int]) -> List[mmap.mmap]:
        """Of the slots with these numbers, which no other has had or will have."""
        known = self._known
        for number, fd in zip(numbers, fds):
            if number not in known:
                known[number] = mmap.mmap(fd, 0, prot=mmap.PROT_READ)
            os.close(fd)
        found = [known[number] for number in numbers[: len(fds)]]
        for number, memory in list(known.items()):
            # Slots are made anew when they are too small: those before them are no more.
            is_old = len(known) > _SLOTS or len(memory) != len(found[0])
            if is_old and number not in numbers:
                del known[number]
        return found


def _request_results(
    memories: List[mmap.mmap], pairs: _Words, chunks: _Words
) -> Iterator[Tuple[int, bytes]]:
    """The answer, one result after the other, each with how many bytes were read for it."""
    for mine, theirs, size in zip(pairs, pairs, pairs):
        yield 2 * size, b"\1" if _same_memory(memories, (mine, theirs), size) else b"\0"
    for start, size in zip(chunks, chunks):
        yield size, struct.pack(">I", _checksum(memories[0], start, size))


def _checksum(memory: mmap.mmap, start: int, size: int) -> int:
    with memoryview(memory) as whole, whole[start : start + size] as chunk:
        assert len(chunk) == size, (start, size)
        return zlib.crc32(chunk)


def _same_memory(memories: List[mmap.mmap], starts: Tuple[int, int], size: int) -> bool:
    for at in range(0, size, _COMPARED_BYTES):
        count = min(_COMPARED_BYTES, size - at)
        mine, theirs = (
            memory[start + at : start + at + count] for memory, start in zip(memories, starts)
        )
        assert len(mine) == count, (starts, size)
        if mine != theirs:
            return False
    return True


def _answer_request(link: socket.socket, slots: _Slots) -> bool:
    """Answers one request; False if there are no more."""
    data, fds, _, _ = socket.recv_fds(link, HEAD.size, _SLOTS)
    if not data:
        return False
    head = HEAD.unpack(data + _receive_bytes(link, HEAD.size - len(data)))
    number, pairs, chunks = head[:3]
    words = array.array("Q", _receive_bytes(link, (3 * pairs + 2 * chunks) * _WORD_BYTES))
    memories = slots.of(head[3:], fds)
    part, read = [NUMBER.pack(number)], 0
    both = iter(words[: 3 * pairs]), iter(words[3 * pairs :])
    for size, result in _request_results(memories, *both):
        part.append(result)
        read += size
        if read >= _PART_BYTES:
            link.sendall(b"".join(part))
            part, read = [], 0
    part.append(NUMBER.pack(time.process_time_ns()))
    link.sendall(b"".join(part))
    return True


def _receive_bytes(link: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        more = link.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return bytes(data)


def _watch_program(program: int) -> Optional[int]:
    """A file that can be read from when the program has ended, where the system has that: others
    may have inherited the socket from it."""
    try:
        return os.pidfd_open(program)
    except ProcessLookupError:
        raise EOFError from None
    except (AttributeError, OSError):
        return None


def main(socket_fd: int, program: int) -> None:
    # What ends the program, or does not, ends this.
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(one, signal.SIG_IGN)
    # Where the processor is scarce the training comes first (DeepFreeze §IV.A).
    os.nice(10)
    link = socket.socket(fileno=socket_fd)
    try:
        ended = _watch_program(program)
        waiting = select.poll()
        for fd in (socket_fd, ended):
            if fd is not None:
                waiting.register(fd, select.POLLIN)
        slots = _Slots()
        while ended not in [fd for fd, _ in waiting.poll()] and _answer_request(link, slots):
            pass
    except (EOFError, OSError):
        pass  # nobody waits for an answer
    finally:
        # Now, without an interpreter's last tidying: who sees the socket closed sees it gone.
        os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
