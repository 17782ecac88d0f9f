"""`log`: a value on its way into the log, to whoever watches, and to what decides which checkpoints
stay."""

from time import perf_counter
from types import FrameType
from typing import Any, Callable, Optional, Set

from ..loops.loop_frame import LoopFrame, frame_path
from ..run_parts import RunParts
from ..status import Status
from .logged_tensor import encode_tensor
from .sites import Sites


class ValueLog:
    def __init__(self, parts: RunParts, sites: Sites, status: Status) -> None:
        self._parts = parts
        self._sites = sites
        self._status = status
        # Whether a statement is being executed that the repeated run did not have.
        self.is_probing: Callable[[], bool] = lambda: False
        self._reached: Set[Optional[int]] = set()

    def log(
        self,
        frame: Optional[LoopFrame],
        name: str,
        value: Any,
        caller: Optional[FrameType],
        is_kept: bool = True,
    ) -> None:
        """`caller`: the program's frame, where others stand between it and us. `is_kept`: a run
        logs it too; what it leaves out has nothing to be compared with."""
        parts = self._parts
        started = perf_counter()
        site = self._sites.find("log", frame.site if frame else None, caller)
        probe = not is_kept or self.is_probing()
        parts.recorder.log(frame, str(name), site, value, self._encode_other, probe)
        _note_logged(frame)
        if type(value) is float or type(value) is int:
            self._status.metric(name, float(value))
            if name == parts.retention.watched:
                parts.retention.observe(value, lambda: frame_path(frame))
        parts.ledger.log_ms += (perf_counter() - started) * 1000
        self._status.show(frame)

    def reached(self, frame: Optional[LoopFrame], was: str, caller: Optional[FrameType]) -> None:
        """A statement of the question printed what is no value; each is told once."""
        if not self.is_probing():
            return
        site = self._sites.find("log", frame.site if frame else None, caller)
        if site not in self._reached:
            self._reached.add(site)
            self._parts.recorder.emit("reached", {"site": site, "was": was})

    def _encode_other(self, value: Any) -> Optional[str]:
        return encode_tensor(value, self._parts.materializer.value)


def _note_logged(frame: Optional[LoopFrame]) -> None:
    """Loops that hold a value of the log are not given up: it would lose its place."""
    while frame is not None and frame.cost is not None and not frame.cost.logged:
        frame.cost.logged = True
        frame = frame.parent
