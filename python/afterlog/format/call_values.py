"""Results of calls as JSON (docs/format.md, `called`): unlike logged values they are given to the
program again, so that their types must survive. Only what cannot be changed is written, and new
lists of it; for anything else the answer is that it is not."""

import base64
import datetime
import importlib
import sys
from typing import Any, Callable, Dict, List, Optional

from .values import integer_to_json, number_to_json, string_to_json, value_from_json

# Characters of one result.
_RESULT_MAX = 2048
# Parts of one list or tuple, and levels of these.
_PARTS_MAX = 64
_DEPTH_MAX = 4


def result_to_json(value: Any) -> Optional[str]:
    """JSON text of a result that is worth keeping; None: it is not."""
    text = _encode(value, 0)
    return None if text is None or len(text) > _RESULT_MAX else text


def _encode(value: Any, depth: int) -> Optional[str]:
    encode = _SCALARS.get(type(value))
    if encode is not None:
        return encode(value)
    if depth >= _DEPTH_MAX:
        return None
    if type(value) is list and depth == 0:
        return _parts(value, depth)
    if type(value) is tuple:
        return _tagged("tuple", _parts(value, depth))
    if isinstance(value, tuple):
        return _sequence(value, depth)
    uuid = sys.modules.get("uuid")
    if uuid is not None and type(value) is uuid.UUID:
        return f'{{"$":"uuid","v":"{value.hex}","safe":{_encode(value.is_safe.value, depth)}}}'
    return None


def _bytes(value: bytes) -> Optional[str]:
    if len(value) > _RESULT_MAX:
        return None
    return f'{{"$":"typed","type":"Uint8Array","v":"{base64.b64encode(value).decode()}"}}'


def _time(value: datetime.datetime) -> Optional[str]:
    """`fold` tells apart the two hours of the night in which clocks are set back."""
    zone = value.tzinfo
    if zone is not None and zone is not datetime.timezone.utc:
        return None
    return f'{{"$":"datetime","v":"{value.isoformat()}","fold":{value.fold}}}'


_SCALARS: Dict[type, Callable[[Any], Optional[str]]] = {
    float: number_to_json,
    int: integer_to_json,
    bool: lambda value: "true" if value else "false",
    type(None): lambda value: "null",
    str: lambda value: string_to_json(value) if len(value) <= _RESULT_MAX else None,
    bytes: _bytes,
    datetime.datetime: _time,
    datetime.date: lambda value: f'{{"$":"day","v":"{value.isoformat()}"}}',
    datetime.timedelta: lambda value: (
        f'{{"$":"timedelta","v":[{value.days},{value.seconds},{value.microseconds}]}}'
    ),
}


def _parts(values: Any, depth: int) -> Optional[str]:
    if len(values) > _PARTS_MAX:
        return None
    parts: List[str] = []
    for one in values:
        text = _encode(one, depth + 1)
        if text is None:
            return None
        parts.append(text)
    return f"[{','.join(parts)}]"


def _tagged(tag: str, text: Optional[str], more: str = "") -> Optional[str]:
    return None if text is None else f'{{"$":"{tag}"{more},"v":{text}}}'


def _sequence(value: Any, depth: int) -> Optional[str]:
    """Python's own named tuples, `time.struct_time` for one: some have parts by name alone."""
    kind = type(value)
    if not isinstance(getattr(kind, "n_sequence_fields", None), int):
        return None
    path = f"{kind.__module__}.{kind.__qualname__}"
    if _kind_at(path) is not kind:
        return None
    items, named = value.__reduce__()[1]
    parts = _parts((items, tuple(named.items())), depth)
    return _tagged("sequence", parts, f',"type":"{path}"')


def _kind_at(path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


def result_from_json(encoded: Any) -> Any:
    """The result that `result_to_json` wrote."""
    if isinstance(encoded, list):
        return [result_from_json(one) for one in encoded]
    decode = _TAGGED.get(encoded["$"]) if isinstance(encoded, dict) else None
    return value_from_json(encoded) if decode is None else decode(encoded)


def _uuid(encoded: Dict[str, Any]) -> Any:
    uuid = importlib.import_module("uuid")
    return uuid.UUID(hex=encoded["v"], is_safe=uuid.SafeUUID(encoded["safe"]))


def _named_tuple(encoded: Dict[str, Any]) -> Any:
    items, named = result_from_json(encoded["v"])
    return _kind_at(encoded["type"])(items, dict(named))


_TAGGED: Dict[str, Callable[[Dict[str, Any]], Any]] = {
    "tuple": lambda one: tuple(result_from_json(one["v"])),
    "datetime": lambda one: datetime.datetime.fromisoformat(one["v"]).replace(fold=one["fold"]),
    "day": lambda one: datetime.date.fromisoformat(one["v"]),
    "timedelta": lambda one: datetime.timedelta(*one["v"]),
    "uuid": _uuid,
    "sequence": _named_tuple,
}
