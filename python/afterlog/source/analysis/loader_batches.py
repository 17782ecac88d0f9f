"""Whether the batches of a loader are new objects."""

import ast

from .project_calls import Arguments

_LOADERS = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
# dataset, batch_size, shuffle, sampler, batch_sampler, num_workers come before `collate_fn`.
_BEFORE_COLLATE = 6


def collates(path: str, node: ast.AST, given: Arguments) -> bool:
    """Whether the call makes a DataLoader that puts its batches together itself. PyTorch's own
    `default_collate` stacks tensors and arrays into new ones, and makes new lists and dictionaries
    around them: whatever is done to a batch, the dataset that it was taken from stays as it is."""
    if path not in _LOADERS or not isinstance(node, ast.Call) or given.spread:
        return False
    named = {one.arg: one.value for one in node.keywords}
    if len(node.args) > _BEFORE_COLLATE or "collate_fn" in named:
        return False
    size = node.args[1] if len(node.args) > 1 else named.get("batch_size")
    return size is None or not _may_be_none(size)


def _may_be_none(node: ast.AST) -> bool:
    """Without a size there are no batches, and the dataset's own items come out."""
    return any(isinstance(one, ast.Constant) and one.value is None for one in ast.walk(node))
