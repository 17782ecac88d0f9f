"""Automatic mixed precision of PyTorch: in which precision it computes, and the weights in that
precision, which it keeps from their first use until the outermost `autocast` is left. Nobody can
read or set those: a checkpoint that is taken inside says that it lacks them."""

import sys
from typing import Any, Dict, List, Tuple

_WHY = "autocast keeps weights in another precision to itself until it is left"


def autocasts(torch: Any) -> Tuple[bool, bool]:
    """On the CPU, on a GPU."""
    try:
        return torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled("cuda")
    except TypeError:  # before PyTorch 2.4
        return torch.is_autocast_cpu_enabled(), torch.is_autocast_enabled()


def kept_weights() -> List[Dict[str, Any]]:
    """A place without a value, if there may be such weights."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "is_autocast_cache_enabled"):
        return []
    if not (any(autocasts(torch)) and torch.is_autocast_cache_enabled()):
        return []
    return [{"key": "autocast:weights", "source": "d", "absent": _WHY}]
