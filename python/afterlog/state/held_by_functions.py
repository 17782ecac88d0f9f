"""What functions hold: arguments of a partial, the object of a bound method. A function itself is
known only as the one that was there when the loop was entered, and no place may lead to what it
holds: that is numbered apart, behind all else, and captured as what no place reaches."""

import functools
import types
from typing import Any, List

from .scalars import NOT_A_SCALAR, encode_scalar

HOLDERS = (
    functools.partial,
    types.MethodType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.ModuleType,
)


def held_by(function: Any) -> List[Any]:
    """The objects that it holds."""
    if isinstance(function, functools.partial):
        own = getattr(function, "__dict__", None)
        held = [function.func, *function.args, function.keywords, own]
    elif isinstance(function, types.MethodType):
        held = [function.__func__, function.__self__]
    elif isinstance(function, types.ModuleType):
        # Nobody can import it: the program has made it.
        held = [vars(function)]
    else:
        held = [getattr(function, "__self__", None)]
    return [one for one in held if encode_scalar(one) is NOT_A_SCALAR]
