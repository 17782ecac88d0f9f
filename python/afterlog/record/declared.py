"""What `checkpointing` returns: a record whose fields may be rebound, and a context."""

from typing import Any, Dict, Iterator, Mapping, Optional

from ..format.errors import AfterlogError


class Declared:
    """The declared values, as attributes. They stay declared until the `with` block ends, or, of a
    plain call, for as long as the iteration lasts in which it was made."""

    __slots__ = ("_fields", "_undeclare")

    def __init__(self, fields: Dict[str, Any]) -> None:
        object.__setattr__(self, "_fields", fields)
        object.__setattr__(self, "_undeclare", None)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"{name} is not declared here") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._fields:
            raise AfterlogError(
                "AL061",
                f"{name} is not declared here",
                [f"name it in the call:  checkpointing({name}=…)"],
            )
        self._fields[name] = value

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __enter__(self) -> "Declared":
        return self

    def __exit__(self, *_: object) -> None:
        if self._undeclare is not None:
            self._undeclare()


def fields_of(record: Optional[Mapping[str, Any]], named: Mapping[str, Any]) -> Dict[str, Any]:
    """The fields of a call, given as names or as one dictionary."""
    fields = {**(record or {}), **named} if record is None or _is_record(record) else {}
    if not fields:
        raise AfterlogError(
            "AL061",
            "checkpointing takes named values",
            ["name what the loops change:  checkpointing(model=model, optimizer=optimizer)"],
        )
    return fields


def _is_record(record: Any) -> bool:
    return isinstance(record, Mapping) and all(isinstance(name, str) for name in record)
