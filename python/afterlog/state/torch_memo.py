"""Where many tensors lie and what form they have, compared with how they were.

One property is asked of all tensors at once: that takes a twentieth of a microsecond for each where
a line of Python takes half of one, and there are thousands of tensors.
"""

import operator
import sys
from typing import AbstractSet, Any, Iterable, List, Sequence, Tuple

from ..materialize.slots import picker
from .torch_history import gradient_of, history_name
from .torch_memory import has_names

torch = sys.modules["torch"]

_pointer = torch.Tensor.data_ptr
_offset = torch.Tensor.storage_offset
_strides = torch.Tensor.stride
_shape = operator.attrgetter("shape")
_is_leaf = operator.attrgetter("is_leaf")
_gradient = operator.attrgetter("grad")
_device = operator.attrgetter("device")
# What is answered by the same object each time, which is compared in no time.
_QUESTIONS = (
    operator.attrgetter("dtype"),
    # How the elements of a contiguous tensor lie follows from its shape.
    torch.Tensor.is_contiguous,
    operator.attrgetter("requires_grad"),
    torch.Tensor.is_conj,
    torch.Tensor.is_neg,
)


class TensorMemo:
    """How some tensors are."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._answers = [list(map(ask, values)) for ask in _QUESTIONS]
        self._shapes = _interned_forms(map(_shape, values))
        _, are_contiguous, want_gradients, *_ = self._answers
        self._lying = _chosen_tensors(not one for one in are_contiguous)
        self._strides = _interned_forms(map(_strides, self._lying(values)))
        # What wants no gradient came from nothing that does.
        self._wanting = _chosen_tensors(want_gradients)
        are_leaves = self._are_leaves = list(map(_is_leaf, self._wanting(values)))
        self._led_to = _chosen_tensors(not one for one in are_leaves)
        self._histories = list(map(history_name, self._led_to(self._wanting(values))))
        self._pointers = list(map(_pointer, values))
        self._offsets = list(map(_offset, values))
        # Where a tensor lies says on which device, unless it has no elements.
        self._nowhere = _chosen_tensors(not one for one in self._pointers)
        self._devices = list(map(_device, self._nowhere(values)))

    def forms_of(self, values: Sequence[Any]) -> bool:
        """Whether these have the same forms, and nothing else of their own."""
        return (
            all(list(map(ask, values)) == known for ask, known in zip(_QUESTIONS, self._answers))
            and list(map(_shape, values)) == self._shapes
            and list(map(_strides, self._lying(values))) == self._strides
            and self._have_histories(self._wanting(values))
            and not any(map(vars, values))
            and not any(map(has_names, values))
        )

    def _have_histories(self, wanting: Sequence[Any]) -> bool:
        return (
            list(map(_is_leaf, wanting)) == self._are_leaves
            and list(map(history_name, self._led_to(wanting))) == self._histories
        )

    def places_of(self, values: Sequence[Any]) -> bool:
        """Whether these lie where those did. Where the memory begins that each is part of follows
        from both."""
        return (
            list(map(_pointer, values)) == self._pointers
            and list(map(_offset, values)) == self._offsets
            and list(map(_device, self._nowhere(values))) == self._devices
        )

    def are_alone(self, values: Sequence[Any], taken: AbstractSet[int]) -> bool:
        """Whether these, of the same forms, have memory that nobody else sees: each from its
        beginning on, and none of it begins where another's does."""
        # They are on the device of what they are the gradients of.
        if set(map(type, values)) != {torch.Tensor} or any(map(_offset, values)):
            return False
        pointers = set(map(_pointer, values))
        return len(pointers) == len(values) and taken.isdisjoint(pointers)


def _chosen_tensors(chosen: Iterable[bool]) -> Any:
    return picker([at for at, is_chosen in enumerate(chosen) if is_chosen])


def _interned_forms(forms: Iterable[Any]) -> List[Any]:
    """Equal ones are one object: few of them are quickly compared."""
    known: Any = {}
    return [known.setdefault(form, form) for form in forms]


def gradients_of(values: Sequence[Any]) -> Tuple[Any, ...]:
    """The gradient of each, or None."""
    if all(map(_is_leaf, values)):
        return tuple(map(_gradient, values))
    return tuple(map(gradient_of, values))
