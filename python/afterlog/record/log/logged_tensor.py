"""A logged tensor or array: its bytes go to `values.bin`, its statistics to the log."""

import ctypes
import json
import sys
import zlib
from typing import Any, Callable, Dict, Optional

from ...format.values import number_to_json, value_to_json
from ...state.unseen import unseen_work

Keep = Callable[[bytes], Optional[int]]


@unseen_work
def encode_tensor(value: Any, keep: Keep) -> Optional[str]:
    """JSON of the reference, or None if the value is no tensor. `keep` answers the offset of the
    bytes, if it keeps them."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(value, torch.Tensor):
        return _encode_torch(torch, value, keep)
    if numpy is not None and isinstance(value, numpy.generic):
        return value_to_json(value.item())
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _encode_numpy(numpy, value, keep)
    return None


def _encode_torch(torch: Any, value: Any, keep: Keep) -> Optional[str]:
    from ...state.torch_kinds import DTYPES, dtype_name, has_memory

    word, per = DTYPES.get(dtype_name(value.dtype), ("U8", 0))
    is_plain = value.layout is torch.strided and not value.is_quantized and has_memory(value)
    if per != 1 or word == "U8" and value.dtype is not torch.uint8 or not is_plain:
        return value_to_json(f"{type(value).__name__} of {value.dtype} {tuple(value.shape)}")
    with torch.no_grad():
        dense = value.detach().to("cpu").contiguous()
        data = ctypes.string_at(dense.data_ptr(), dense.numel() * dense.element_size())
        flat = dense.reshape(-1)
        stats = _torch_statistics(torch, flat)
    return _reference(word, list(value.shape), data, stats, keep)


def _torch_statistics(torch: Any, flat: Any) -> Dict[str, Any]:
    count = flat.numel()
    wide = flat.to(torch.float64)
    seen = wide[~torch.isnan(wide)]
    stats = _empty_statistics(count, count - seen.numel())
    if seen.numel():
        mean = seen.mean()
        std = (seen - mean).square().mean().sqrt()
        known = {"min": seen.min(), "max": seen.max(), "mean": mean, "std": std}
        stats.update({name: float(one) for name, one in known.items()})
    if count == 1:
        stats["item"] = flat[0].item()
    return stats


def _encode_numpy(numpy: Any, value: Any, keep: Keep) -> Optional[str]:
    from ...state.numpy_kinds import word_of

    word, per = word_of(value.dtype)
    if per != 1 or (word == "U8" and value.dtype != numpy.uint8):
        return value_to_json(f"array of {value.dtype} {tuple(value.shape)}")
    data = numpy.ascontiguousarray(value).tobytes()
    wide = value.reshape(-1).astype(numpy.float64)
    seen = wide[~numpy.isnan(wide)]
    stats = _empty_statistics(value.size, value.size - seen.size)
    if seen.size:
        known = {"min": seen.min(), "max": seen.max(), "mean": seen.mean(), "std": seen.std()}
        stats.update({name: float(one) for name, one in known.items()})
    if value.size == 1:
        stats["item"] = value.reshape(-1)[0].item()
    return _reference(word, list(value.shape), data, stats, keep)


def _empty_statistics(count: int, nan: int) -> Dict[str, Any]:
    return {"count": count, "nan": nan, "min": None, "max": None, "mean": None, "std": None}


def _reference(word: str, shape: list, data: bytes, stats: Dict[str, Any], keep: Keep) -> str:
    offset = keep(data) if data else 0
    kept = "" if offset is None else f'"offset":{offset},'
    place = f'{kept}"bytes":{len(data)},"crc32":"{zlib.crc32(data):08x}"'
    numbers = ",".join(f'"{name}":{_number(one)}' for name, one in stats.items())
    head = f'{{"$":"tensor","dtype":"{word}","shape":{json.dumps(shape)}'
    return f'{head},{place},"stats":{{{numbers}}}}}'


def _number(value: Any) -> str:
    return number_to_json(value) if type(value) is float else value_to_json(value)
