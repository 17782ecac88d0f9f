"""The clocks as they are when Afterlog begins: a program may put others in their place for itself
(a test that makes time stand still), and ours need go on, and not be counted among its own."""

from time import perf_counter, process_time, thread_time
from time import time as wall_time

__all__ = ["perf_counter", "process_time", "thread_time", "wall_time"]
