"""Dropout between the layers of an LSTM, GRU or RNN on a GPU: cuDNN draws it from a state of its
own, which it makes from torch's generator when it first needs it, and which nobody can read or set.
A checkpoint says that it lacks it: such a run is re-executed from its start, where it is made
again."""

import sys
import weakref
from typing import Any, Dict, List

_WHY = "cuDNN keeps the state of the dropout between the layers of an LSTM, GRU or RNN to itself"
# Those that a walk has met; how they are is asked when a checkpoint is taken.
_met: "weakref.WeakSet[Any]" = weakref.WeakSet()


def note_module(value: Any) -> None:
    if isinstance(value, sys.modules["torch"].nn.RNNBase):
        _met.add(value)


def hidden_places() -> List[Dict[str, Any]]:
    """A place without a value, if there is such a state."""
    is_hidden = any(one.dropout > 0 and one.num_layers > 1 and _uses_cudnn(one) for one in _met)
    return [{"key": "cudnn:dropout", "source": "d", "absent": _WHY}] if is_hidden else []


def _uses_cudnn(module: Any) -> bool:
    weights = module.parameters(recurse=False)
    return any(map(sys.modules["torch"].backends.cudnn.is_acceptable, weights))
