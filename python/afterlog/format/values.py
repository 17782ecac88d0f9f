"""Logged values as JSON that every reader understands (docs/format.md, Values).

What JSON has no word for is an object whose first key is `$`. Nothing here raises on the data of a
program: what cannot be written becomes `{"$":"unsupported"}` with a description.
"""

import base64
import datetime
import json
import math
from typing import Any, Callable, Dict, List, Optional, Tuple

# Integers beyond this are not all doubles.
SAFE_INTEGER_MAX = 2**53
# How deep a logged value may nest, and of how much it may consist, to be looked at in a table.
_DEPTH_MAX = 64
_PARTS_MAX = 1_000_000

# JSON text of a value that only other layers understand (tensors), or None.
EncodeOther = Callable[[Any], Optional[str]]

_dumps = json.JSONEncoder(ensure_ascii=False).encode


def number_to_json(value: float) -> str:
    """JSON text of a float: exact for every double, and minus zero stays so."""
    if math.isfinite(value):
        return float.__repr__(value)
    name = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return f'{{"$":"float","v":"{name}"}}'


def integer_to_json(value: int) -> str:
    text = int.__repr__(value)
    inside = -SAFE_INTEGER_MAX <= value <= SAFE_INTEGER_MAX
    return text if inside else f'{{"$":"bigint","v":"{text}"}}'


def string_to_json(value: str) -> str:
    if is_unicode(value):
        return _dumps(value)
    return f'{{"$":"utf16","v":"{encode_utf16(value)}"}}'


def is_unicode(text: str) -> bool:
    """Whether it can be written as UTF-8: it has no half of a surrogate pair."""
    try:
        text.encode()
        return True
    except UnicodeEncodeError:
        return False


def encode_utf16(text: str) -> str:
    return base64.b64encode(text.encode("utf-16-le", "surrogatepass")).decode()


def decode_utf16(text: str) -> str:
    return base64.b64decode(text).decode("utf-16-le", "surrogatepass")


def well_formed(text: str) -> str:
    """The text with halves of surrogate pairs replaced, for names and messages."""
    return text.encode("utf-8", "replace").decode() if not is_unicode(text) else text


def value_to_json(value: Any, other: Optional[EncodeOther] = None) -> str:
    """JSON text of any logged value."""
    try:
        return _Encoding(other).encode(value, ())
    except Exception as error:  # what a program's own __repr__ or __iter__ raises
        return _unsupported(str(error) or type(error).__name__)


def _unsupported(description: str) -> str:
    return f'{{"$":"unsupported","v":{_dumps(well_formed(description))}}}'


class _Encoding:
    def __init__(self, other: Optional[EncodeOther]) -> None:
        self._other = other
        # Values written so far: an object that is shared is written each time it is met.
        self._parts = 0

    def encode(self, value: Any, parents: Tuple[int, ...]) -> str:
        self._parts += 1
        if self._parts > _PARTS_MAX:
            raise ValueError(f"more than {_PARTS_MAX} values; log an array instead")
        if value is None:
            return "null"
        if value is True or value is False:
            return "true" if value else "false"
        if isinstance(value, float):
            return number_to_json(value)
        if isinstance(value, int):
            return integer_to_json(value)
        if isinstance(value, str):
            return string_to_json(value)
        return self._encode_object(value, parents)

    def _encode_object(self, value: Any, parents: Tuple[int, ...]) -> str:
        special = self._other(value) if self._other else None
        if special is not None:
            return special
        if id(value) in parents:
            return _unsupported("circular value")
        if len(parents) >= _DEPTH_MAX:
            return _unsupported(f"nested more than {_DEPTH_MAX} deep")
        inner = parents + (id(value),)
        if isinstance(value, dict):
            return self._encode_dict(value, inner)
        if isinstance(value, (list, tuple)):
            return "[" + ",".join(self.encode(item, inner) for item in value) + "]"
        if isinstance(value, (set, frozenset)):
            items = ",".join(self.encode(item, inner) for item in value)
            return f'{{"$":"set","v":[{items}]}}'
        if isinstance(value, (bytes, bytearray)):
            text = base64.b64encode(value).decode()
            return f'{{"$":"typed","type":"Uint8Array","v":"{text}"}}'
        if isinstance(value, datetime.datetime):
            return f'{{"$":"date","v":"{_iso(value)}"}}'
        return _unsupported(_describe(value))

    def _encode_dict(self, value: dict, inner: Tuple[int, ...]) -> str:
        if not all(isinstance(key, str) for key in value):
            pairs = self._pairs(value, inner, self.encode)
            return f'{{"$":"map","v":[{pairs}]}}'
        # A program's own `$` key, and a key that readers would refuse, are kept as pairs.
        if any(key == "$" or not is_unicode(key) for key in value):
            pairs = self._pairs(value, inner, lambda key, _: string_to_json(key))
            return f'{{"$":"object","v":[{pairs}]}}'
        fields = (f"{_dumps(key)}:{self.encode(item, inner)}" for key, item in value.items())
        return "{" + ",".join(fields) + "}"

    def _pairs(self, value: dict, inner: Tuple[int, ...], key_to_json: Callable) -> str:
        pairs: List[str] = []
        for key, item in value.items():
            pairs.append(f"[{key_to_json(key, inner)},{self.encode(item, inner)}]")
        return ",".join(pairs)


def _iso(value: datetime.datetime) -> str:
    at = value.astimezone(datetime.timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def _describe(value: Any) -> str:
    name = getattr(value, "__qualname__", None)
    kind = type(value).__name__
    return f"{kind} {name}" if isinstance(name, str) else kind


def value_from_json(encoded: Any) -> Any:
    """The value that `value_to_json` wrote. Tensors and what is unsupported stay as they are."""
    if isinstance(encoded, list):
        return [value_from_json(item) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    if "$" in encoded:
        return _untag(encoded)
    return {key: value_from_json(item) for key, item in encoded.items()}


def _untag(tagged: Dict[str, Any]) -> Any:
    kind, inner = tagged["$"], tagged.get("v", "")
    if kind == "float":
        return float(inner.replace("Infinity", "inf"))
    if kind == "bigint":
        return int(inner)
    if kind == "utf16":
        return decode_utf16(inner)
    if kind == "undefined":
        return None
    if kind == "date":
        return datetime.datetime.fromisoformat(inner.replace("Z", "+00:00"))
    if kind in ("map", "object"):
        return {_hashable(value_from_json(key)): value_from_json(item) for key, item in inner}
    if kind == "set":
        return {_hashable(value_from_json(item)) for item in inner}
    if kind == "typed":
        return base64.b64decode(inner)
    return tagged


def _hashable(value: Any) -> Any:
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value
