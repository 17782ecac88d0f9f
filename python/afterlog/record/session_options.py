"""What a session is opened with."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, NoReturn, Optional

from ..materialize.retention import Retention
from .generators import Generators
from .loop_names import LoopNames
from .resume_facts import ResumeFacts
from .run_manifest import RunManifest


@dataclass
class SessionOptions:
    root: str
    folder: str
    manifest: RunManifest
    generators: Generators
    argv: List[str]
    budget: float
    live: bool
    inline: bool
    setup_ms: float
    # Which checkpoints stay.
    retention: Retention
    # Tells the user a line.
    notice: Callable[[str], None]
    # Ends the run and the process, without what the program would still do.
    end_process: Callable[[int], NoReturn]
    # What a replay, a fork or a resumed run is told; None for a run of its own.
    orders: Optional[Dict[str, Any]] = None
    mode: str = "record"
    # Where a run that is continued left off.
    resumes: Optional[ResumeFacts] = None
    before_end: List[Callable[[], None]] = field(default_factory=list)
    # Looks into the program's sources for what its loops change.
    names: Optional[Callable[[], LoopNames]] = None
