"""A program has one line of execution in which its loops follow one another (semantics, "Captured
state"): the main thread, and in it the task that the event loop runs until it is complete."""

import sys
import threading
from typing import Any, Callable, Optional
from weakref import ref


class MainLine:
    def __init__(self) -> None:
        self._main = threading.main_thread().ident
        # The task that the event loop runs until it is complete, as far as is known.
        self._task: Callable[[], Any] = lambda: None

    def is_thread(self) -> bool:
        """Whether it is the thread of that line."""
        return threading.get_ident() == self._main

    def why_beside(self) -> Optional[str]:
        """Why the program is not in that line; None: it is. What runs beside it does so in an order
        that a replay need not have."""
        if not self.is_thread():
            return "it runs in another thread"
        task = _current_task()
        if task is None or task is self._task():
            return None
        if not _is_waited_for(task):
            return "it runs in another task"
        self._task = ref(task)
        return None


def _current_task() -> Any:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or asyncio._get_running_loop() is None:
        return None
    return asyncio.current_task()


def _is_waited_for(task: Any) -> bool:
    """Whether it is the one that `asyncio.run` or `run_until_complete` was given: its callback says
    so, and nothing else does."""
    callbacks = getattr(task, "_callbacks", None) or ()
    return any("run_until_complete" in repr(callback) for callback in callbacks)
