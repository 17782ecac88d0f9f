"""Whether the batches of a loader are new objects."""

import ast

from ..program.scopes import Scope
from .abstract_values import Tag, Value
from .points_to import PointsToStore
from .project_calls import RETURN, Arguments

_LOADERS = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
# dataset, batch_size, shuffle, sampler, batch_sampler, num_workers come before `collate_fn`.
_BEFORE_COLLATE = 6
# Tensors, numbers and texts, and what holds nothing else.
_DATA = ("data", "imm", "container")


def is_made_loader(tag: Tag) -> bool:
    """Whether it says that something is a DataLoader, which stays as it is when it is gone
    through."""
    return tag[0] == "made" and tag[1] in _LOADERS


def collates(path: str, node: ast.AST, given: Arguments, store: PointsToStore) -> bool:
    """Whether the call makes a DataLoader that puts its batches together anew. PyTorch's own
    `default_collate` stacks tensors and arrays into new ones, and makes new lists and dictionaries
    around them: whatever is done to a batch, the dataset that it was taken from stays as it is. So
    it does where a function of the program gives nothing back of what it is given. That a size is
    none, or that the loader is given another function later, only a run knows, which looks at the
    loader itself (`record/checkpoints/loader_assumptions.py`)."""
    if path not in _LOADERS or not isinstance(node, ast.Call) or given.spread:
        return False
    named = {one.arg: one.value for one in node.keywords}
    if len(node.args) > _BEFORE_COLLATE:
        return False
    if "collate_fn" in named and not _makes_anew(given.named["collate_fn"], store):
        return False
    size = node.args[1] if len(node.args) > 1 else named.get("batch_size")
    return size is None or not _may_be_none(size)


def _makes_anew(function: Value, store: PointsToStore) -> bool:
    """Whether functions give back data that they have made themselves. What they give is found out
    while the program is gone through: nothing, at first."""
    return function.of_kind("func") and all(_is_new(scope, store) for _, scope in function.tags)


def _is_new(scope: Scope, store: PointsToStore) -> bool:
    result = store.value(scope.var(RETURN))
    if scope.is_generator or any(tag[0] not in _DATA for tag in result.tags | result.elems):
        return False
    # A parameter is of the function, and what it is given is not.
    held = store.members(result.srcs)
    return all(var.scope is scope and var.name not in scope.params for var in held)


def _may_be_none(node: ast.AST) -> bool:
    """Without a size there are no batches, and the dataset's own items come out."""
    return any(isinstance(one, ast.Constant) and one.value is None for one in ast.walk(node))
