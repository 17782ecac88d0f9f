"""The memory of PyTorch's tensors: what of it each sees, and giving it back its elements."""

import sys
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

from .kinds import Node
from .tensor_registry import row_major

if TYPE_CHECKING:
    from .restore import Restoration

torch = sys.modules["torch"]


# PyTorch 2.13 has no names of dimensions any more.
has_names: Callable[[Any], bool] = getattr(torch.Tensor, "has_names", lambda tensor: False)


def storage_of(tensor: Any) -> Any:
    """The memory under a tensor; its name has changed with PyTorch 2."""
    if hasattr(tensor, "untyped_storage"):
        return tensor.untyped_storage()
    return tensor._storage()


def raw_view(storage: Any, device: Any, start: int, size: int) -> Any:
    """So many bytes of a memory, as a tensor."""
    empty = torch.empty(0, dtype=torch.uint8, device=device)
    return empty.set_(storage, start, (size,), (1,))


def fill_memory(reader: "Restoration") -> Dict[str, bool]:
    """Gives all tensors of the checkpoint their elements, those that shared memory the same."""
    groups: Dict[str, List[Tuple[Node, Any, bool]]] = {}
    for number, node in enumerate(reader.nodes):
        if node["t"] == "tensor" and node["framework"] == "torch":
            member = (node, reader.object(number), reader.is_live(number))
            if has_names(member[1]):
                # Hardly anything can be done with a tensor that has them.
                name_dimensions(member[1], None)
            groups.setdefault(node["tensor"], []).append(member)
    taken: Dict[Any, str] = {}
    with torch.no_grad():
        for name, members in groups.items():
            data = reader.bytes(name)
            flat = torch.frombuffer(data, dtype=torch.uint8) if len(data) else None
            if members[0][0].get("raw"):
                _fill_raw(name, members, flat, len(data), taken)
            else:
                _fill_logical(name, members, flat, taken)
    return {name: True for name in groups} or {"": True}


def name_dimensions(tensor: Any, names: Optional[List[Optional[str]]]) -> None:
    with torch.no_grad(), warnings.catch_warnings():
        # That names are an experiment: whoever uses them was told.
        warnings.simplefilter("ignore")
        tensor.rename_(*(names or [None]))


def _fill_logical(
    name: str, members: List[Tuple[Node, Any, bool]], flat: Any, taken: Dict[Any, str]
) -> None:
    node, first, _ = members[0]
    shape = tuple(node["shape"])
    dtype, strides = getattr(torch, node["dtype"]), tuple(node.get("strides") or row_major(shape))
    memory = (first.device, storage_of(first).data_ptr())
    fits = tuple(first.shape) == shape and _lies_as(first, node)
    # Memory that another tensor of the checkpoint has taken must not be written twice.
    if not fits or (first.numel() and taken.setdefault(memory, name) != name):
        fresh = torch.empty_strided(shape, strides, dtype=dtype, device=first.device)
        first.data = _seen_as(fresh, node)
    if flat is not None:
        first.data.copy_(flat.view(dtype).view(shape))
    for _, other, _ in members[1:]:
        if other.data_ptr() != first.data_ptr() or not _lies_as(other, node):
            other.data = first.data


def _lies_as(tensor: Any, node: Node) -> bool:
    """Whether its elements lie in memory as the node says; how one of size 1 does, nobody sees."""
    if not _is_seen_as(tensor, node):
        return False
    strides = node.get("strides")
    return tensor.is_contiguous() if strides is None else list(tensor.stride()) == strides


def _is_seen_as(tensor: Any, node: Node) -> bool:
    """Whether it is the conjugate or the negative of its memory exactly if the node says so."""
    return tensor.is_conj() == ("conj" in node) and tensor.is_neg() == ("neg" in node)


def _seen_as(memory: Any, node: Node) -> Any:
    conjugate = memory.conj() if "conj" in node else memory
    return torch._neg_view(conjugate) if "neg" in node else conjugate


def _fill_raw(
    name: str, members: List[Tuple[Node, Any, bool]], flat: Any, size: int, taken: Dict[Any, str]
) -> None:
    """Tensors that see different parts of one memory. Where some of them are there already, the
    others are made over their memory: somebody else may share it with them."""
    device = members[0][1].device
    known = {_leaf_memory(node, one): storage_of(one) for node, one, live in members if live}
    known.pop(None, None)
    memory, storage = known.popitem() if len(known) == 1 else ((0, 0), None)
    if (
        storage is None
        or not _fits_memory(members, memory[1], storage.nbytes() - size)
        or taken.setdefault((device, memory[0]), name) != name
    ):
        storage = storage_of(torch.empty(size, dtype=torch.uint8, device=device))
        memory = (storage.data_ptr(), 0)
    base = memory[1]
    for node, tensor, _ in members:
        if _leaf_memory(node, tensor) != memory:
            view = torch.empty(0, dtype=getattr(torch, node["dtype"]), device=device)
            offset = (base + node["offset"]) // view.element_size()
            view.set_(storage, offset, tuple(node["shape"]), tuple(node["strides"]))
            tensor.data = _seen_as(view, node)
    if flat is not None:
        raw_view(storage, device, base, size).copy_(flat)


def _leaf_memory(node: Node, tensor: Any) -> Any:
    """The storage in which the memory of a leaf lies, and where, if the tensor still is that part
    of it."""
    is_same = list(tensor.shape) == node["shape"] and list(tensor.stride()) == node["strides"]
    if not is_same or not _is_seen_as(tensor, node):
        return None
    at = tensor.storage_offset() * tensor.element_size()
    return storage_of(tensor).data_ptr(), at - node["offset"]


def _fits_memory(members: List[Tuple[Node, Any, bool]], base: int, last: int) -> bool:
    """Whether the memory of a leaf can begin there in a storage, where it can at `last`."""
    aligned = ((base + node["offset"]) % one.element_size() == 0 for node, one, _ in members)
    return 0 <= base <= last and all(aligned)
