"""Whether loaders are what the analysis takes them for: those that make their batches anew. Without
a batch size, or with a function that hands on what it is given, the dataset's own items come out,
and a loop that changes them changes the dataset, which no checkpoint holds. Most programs compute
the size, so that only the loader itself tells (`source/analysis/loader_batches.py`)."""

import sys
from types import CodeType, FrameType
from typing import Any, Callable, Optional

from ..after_import import after_import
from ..loops.loop_analysis import LoopAnalysis, SourceLine

_MODULE = "torch.utils.data.dataloader"


def watch_loaders(analysis: LoopAnalysis, otherwise: Callable[[SourceLine], None]) -> None:
    """`otherwise`: told where a loader is gone through that is not what it was taken for."""
    after_import(_MODULE, lambda: _watch(sys.modules[_MODULE], analysis, otherwise))


def _watch(module: Any, analysis: LoopAnalysis, otherwise: Callable[[SourceLine], None]) -> None:
    kind: Any = getattr(module, "_BaseDataLoaderIter", None)
    if kind is None:
        return
    original = kind.__init__

    def begin(self: Any, loader: Any) -> None:
        if not _makes_anew(loader, analysis):
            line = _line_that_assumes(sys._getframe(1), analysis)
            if line is not None:
                otherwise(line)
        original(self, loader)

    kind.__init__ = begin


def _makes_anew(loader: Any, analysis: LoopAnalysis) -> bool:
    if getattr(loader, "batch_sampler", None) is None:
        return False
    function = getattr(loader, "collate_fn", None)
    code = getattr(function, "__code__", None)
    if str(getattr(function, "__module__", "")).startswith("torch.utils.data."):
        return getattr(function, "__name__", "") == "default_collate"
    return isinstance(code, CodeType) and analysis.is_collating(code)


def _line_that_assumes(frame: Optional[FrameType], analysis: LoopAnalysis) -> Optional[SourceLine]:
    """The innermost line of the program that goes through it, if it assumes so."""
    while frame is not None:
        line = analysis.line_of(frame)
        if line is not None:
            return line if line in analysis.batched_lines else None
        frame = frame.f_back
    return None
