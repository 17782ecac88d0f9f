"""Which of the texts of a restored state are one object.

Nothing that a program computes with a text depends on that, but what it saves does: `pickle` and
`torch.save` write an object once and then refer to it. JSON makes each text anew. So texts that say
the same are one object, except where the checkpoint has noted that they were not.
"""

import sys
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ..format.structure import with_values


def with_shared_texts(structure: Dict[str, Any], live: Iterable[Any]) -> Dict[str, Any]:
    """The structure with the texts that the program is given. `live`: its objects."""
    texts, apart = _Texts(live), dict(structure.get("texts", ()))
    places = []
    for place in structure["places"]:
        if isinstance(place.get("value"), str):
            place = {**place, "value": texts.of(apart.get(place["key"]))(place["value"])}
        places.append(place)
    nodes = [
        with_values(node, texts.of(apart.get(number)))
        for number, node in enumerate(structure["nodes"])
    ]
    return {**structure, "places": places, "nodes": nodes}


class _Texts:
    def __init__(self, live: Iterable[Any]) -> None:
        self._live = live
        self._held: Optional[Dict[str, str]] = None
        self._known: Dict[Tuple[str, int], str] = {}

    def of(self, numbers: Optional[Sequence[int]]) -> Callable[[Any], Any]:
        """To be asked for one value of a holder after the other. `numbers`: those of its texts
        among the objects that say the same."""
        following = iter(numbers or ())

        def shared(value: Any) -> Any:
            return self._object(value, next(following, 0)) if isinstance(value, str) else value

        return shared

    def _object(self, text: str, number: int) -> str:
        key = (text, number)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = text if number else self._first_object(text)
        return known

    def _first_object(self, text: str) -> str:
        if _is_like_a_name(text):
            return sys.intern(text)
        if self._held is None:
            self._held = _held_texts(self._live)
        return self._held.get(text, text)


def _is_like_a_name(text: str) -> bool:
    """Of such constants, and of the names of attributes, Python has one object."""
    return text.isascii() and text.replace("_", "a").isalnum()


def _held_texts(objects: Iterable[Any]) -> Dict[str, str]:
    """What containers of the program hold: it most likely put the same objects elsewhere."""
    found: Dict[str, str] = {}
    for one in objects:
        held: List[Any] = []
        if type(one) in (list, tuple):
            held = one
        elif type(one) is dict:
            held = [*one, *one.values()]
        for item in held:
            if type(item) is str:
                found.setdefault(item, item)
    return found
