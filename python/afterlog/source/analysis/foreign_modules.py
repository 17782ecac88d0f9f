"""Modules of PyTorch that a library makes, in code that is not read: `timm.create_model(…)`, a
class of transformers, an entry of a table of constructors. How the program uses what it was given
tells: only a module of PyTorch, or what wraps one, is asked for its `parameters()`.

What is then assumed (docs/decisions/0021): called, such a module may change itself, whole, and it
may change and keep what it is given, but for tensors and mere collections of them, which stay as
they are. Where this is wrong a variable has changed that no checkpoint holds, which is what
`record/checkpoints/audit.py` and the deferred check look for.

The analysis is done twice where there are any: first values carry where they came from, until the
program asks one for its parameters; then what came from there is a module from the start.
"""

import functools
import re
from typing import AbstractSet, Any, FrozenSet, Set

from ..libraries import is_data_class, is_library_model, is_torch_module, method
from .abstract_values import UNKNOWN, Tag, Tags

# A tokenizer of transformers, or the like for images and sounds: it makes tensors in new memory,
# and each call sets it up by its own arguments, so that no call depends on the one before.
TOKENIZER: Tag = ("made", "transformers.Tokenizer")
# Such a module, whatever it holds.
FOREIGN: Tag = ("made", "torch.nn.Foreign")
# Whoever is asked for this is a module.
_ONLY_MODULES_HAVE = frozenset(
    "parameters named_parameters named_modules buffers named_buffers".split()
)
# Without a tensor, they compute as a call does, and change no more than a call.
_COMPUTING = re.compile(r"(?:get_|forward|encode|decode|generate|extract_|predict|embed|num_)\w*")
# With one, all do but these.
_CHANGING = re.compile(
    r"(?:set|add|update|reset|init|register|load|store|append|push|write|step|fit|train|remove|move"
    r"|resize|freeze|unfreeze|merge|fuse|apply|backward|save)(?:_\w*)?|\w*_"
)


def is_of_modules(name: str) -> bool:
    """Whether all modules have such a method, and it does what it does in PyTorch."""
    return "module" in method(name, on_tensor=True).words


def is_computing(name: str, on_data: bool) -> bool:
    """Whether a method, or a part that is called, does no more than a call of the module.
    `on_data`: it is given a tensor."""
    if on_data:
        return _CHANGING.fullmatch(name) is None
    return _COMPUTING.fullmatch(name) is not None


_DATA_KINDS = frozenset("imm data lib func module container stream pair generator".split())


@functools.lru_cache(maxsize=4096)
def is_mere_data(tags: Tags, elems: Tags) -> bool:
    """Numbers, tensors nobody asked gradients of, and what holds nothing else."""
    kinds = tags | elems
    return bool(kinds) and all(
        tag[0] in _DATA_KINDS or (tag[0] == "made" and is_data_class(tag[1])) for tag in kinds
    )


class Origins:
    """`known`: those whose values are modules. An origin is a call of which nobody knows what it
    gives, and for its parts the number of the part too, or the path of a library's class."""

    def __init__(self, own_methods: AbstractSet[str], known: FrozenSet[Any] = frozenset()) -> None:
        self._telling = _ONLY_MODULES_HAVE - own_methods
        self._known = known
        self._found_modules: Set[Any] = set()

    @property
    def found_modules(self) -> FrozenSet[Any]:
        return frozenset(self._found_modules)

    def tag(self, *origin: Any) -> Tag:
        """What a value is that comes from there."""
        return FOREIGN if origin in self._known else (*UNKNOWN, *origin)

    def part(self, tag: Tag, index: int) -> Tag:
        """Of what the tag says, taken apart by an assignment."""
        return self.tag(tag[1], index) if len(tag) == 2 else UNKNOWN

    def made(self, path: str) -> Tag:
        """An instance of a library's class."""
        return FOREIGN if (path,) in self._known else ("made", path)

    def asked(self, tag: Tag, name: str) -> None:
        """A method of a value is called."""
        if name in self._telling and len(tag) > 1 and tag[0] in ("?", "made"):
            if tag[0] == "?" or not tag[1].startswith("torch."):
                self._found_modules.add(tag[1:])

    def is_module(self, path: str) -> bool:
        """Whether instances of a library's class are modules."""
        return is_torch_module(path) or is_library_model(path) or (path,) in self._known
