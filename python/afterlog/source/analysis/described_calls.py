"""What is said of calls, as far as it fits what is called: which arguments they change, what a
method does to what it is called on, and of what kind that is."""

import ast
from typing import Any, FrozenSet, List, Optional, Set

from .. import libraries as known
from .abstract_values import DATA, UNKNOWN, Tag, Value
from .project_calls import Arguments

# The type of a number or a text.
SCALAR_TYPE: Tag = ("imm", "type")
# That of something else: called, or asked for a method, it does what nobody knows.
OBJECT_TYPE: Tag = ("imm", "class")


def changed_arguments(
    entry: known.Entry, given: Arguments, node: Any, names: FrozenSet[str] = frozenset()
) -> List[Value]:
    """Those that a call changes in place, by what is said of it, or by their names."""
    found = [value for name, value in given.named.items() if name in names]
    if names and any(one.arg is None for one in getattr(node, "keywords", [])):
        found += given.spread
    if entry.mutates and (not entry.condition or works_in_place(entry, given, node)):
        places = [one for one in entry.mutates if isinstance(one, int)]
        own = [value for place in places for value in given.positional[place : place + 1]]
        own += [value for name, value in given.named.items() if name in entry.mutates]
        found += [*own, *given.spread] if own or not entry.condition else given.every
    return [value for value in found if not value.of_kind("made") or not _is_open_file(value)]


def works_in_place(entry: known.Entry, given: Arguments, node: Any) -> bool:
    """Whether a call may fulfil the condition of an entry. What `*`, `**` and `partial` give is
    not written where it is called."""
    written = {one.arg for one in getattr(node, "keywords", [])}
    unseen = given.spread or set(entry.condition[:1]).intersection(given.named) - written
    return bool(entry.condition and unseen) or entry.works_in_place(node)


def _is_open_file(value: Value) -> bool:
    """An open file: what is written to it is no state, and is read through another one."""
    return all(tag == ("made", "io.TextIOWrapper") for tag in value.tags)


def method_entry(tag: Tag, name: str) -> known.Entry:
    """What is said of a method, as far as what it is called on is what that is said of."""
    entry = known.method(name, tag[1] if tag[0] == "made" else "", tag == DATA)
    # Tensors are the only objects of which the form of a name tells.
    by_form = entry.by_pattern and tag[0] not in ("data", "?")
    # A dictionary's `get` changes nothing, a queue's does.
    unsure = "sure" in entry.words and tag == UNKNOWN
    computed = "computes" in entry.words and "scalar" not in entry.words
    foreign = computed and not entry.makes and tag[0] not in ("data", "?", "container", "stream")
    return known.UNKNOWN_ENTRY if by_form or unsure or foreign else entry


def constant_names(node: Any) -> Optional[Set[str]]:
    """Names of members, as `operator.attrgetter` gets them; None: the program makes some."""
    texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
    if len(texts) < len(node.args):
        return None
    return {name for text in texts for name in str(text).split(".")}


def is_generator(tag: Tag) -> bool:
    """Whether it is one of random numbers: whoever gets it may move it on."""
    return tag[0] == "made" and known.is_drawn_from(tag[1])


def is_tensor(tag: Tag) -> bool:
    """Whether it is a tensor by its class, such as a parameter: one that may have gradients."""
    return tag[0] == "made" and known.is_tensor_class(tag[1])


def may_be_tensor(tag: Tag) -> bool:
    return tag[0] in ("data", "?") or is_tensor(tag)


def type_of(value: Value) -> Tag:
    """The type of what is no instance of the project's classes."""
    is_scalar = value.of_kind("imm", "lib", "func", "class", "module")
    return SCALAR_TYPE if is_scalar else OBJECT_TYPE


def holds_objects(node: Any, given: Arguments) -> bool:
    """Whether an array is made that holds objects, and no numbers."""
    kinds = [one.value for one in getattr(node, "keywords", []) if one.arg == "dtype"]
    named = [one for one in kinds if getattr(one, "value", None) in ("O", "object")]
    tags = {tag for one in given.every for tag in one.tags if tag[0] == "lib"}
    held = {tag[0] for one in given.every for tag in one.tags | one.elems}
    is_said = ("lib", "builtins.object") in tags or ("lib", "numpy.object_") in tags
    return bool(named) or is_said or "inst" in held
