"""Which of their arguments functions of libraries change in place: by position, or by name. What
stands here is changed whatever `knowledge.py` says of the function."""

import ast
from typing import TYPE_CHECKING, Any, Dict, List, Tuple

from .values import Value

if TYPE_CHECKING:
    from .library_calls import Arguments

_OPERATORS = (
    "iadd iand iconcat ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor "
    "setitem delitem"
)
_OF_ONE = (
    "abs absolute arccos arcsin arctan cbrt ceil conj conjugate cos cosh exp exp2 expm1 fabs floor "
    "log log10 log1p log2 logical_not negative positive reciprocal rint sign sin sinh sqrt square "
    "tan tanh trunc invert isnan isfinite isinf"
)
_OF_TWO = (
    "add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide dot equal floor_divide fmax "
    "fmin fmod greater greater_equal hypot left_shift less less_equal logaddexp logical_and "
    "logical_or logical_xor matmul maximum minimum mod multiply not_equal power remainder "
    "right_shift subtract true_divide float_power"
)

# Positions of arguments that are changed.
_POSITIONS: Dict[str, Tuple[int, ...]] = {
    **{f"operator.{name}": (0,) for name in _OPERATORS.split()},
    **{f"numpy.{name}": (1,) for name in _OF_ONE.split()},
    **{f"numpy.{name}": (2,) for name in _OF_TWO.split()},
    "numpy.clip": (3,),
    "numpy.putmask": (0,),
    "numpy.put_along_axis": (0,),
    "struct.pack_into": (1,),
    "torch.nn.functional.batch_norm": (1, 2),
    "torch.nn.functional.instance_norm": (1, 2),
    # Reading moves a file on; and one that lives in memory is changed by writing, too.
    "json.load": (0,),
    "pickle.load": (0,),
    "torch.load": (0,),
    "numpy.load": (0,),
    "json.dump": (1,),
    "pickle.dump": (1,),
    "torch.save": (1,),
    "numpy.save": (0,),
    "numpy.savez": (0,),
    "numpy.savez_compressed": (0,),
    "numpy.savetxt": (0,),
    "shutil.copyfileobj": (0, 1),
}
_NAMES = ("out", "file", "fp", "running_mean", "running_var")
# Where `inplace` stands if it is not named: of functions, and of the modules that do the same.
_FUNCTION_FLAGS = {
    **dict.fromkeys("relu relu6 selu silu mish hardswish hardsigmoid".split(), 1),
    **dict.fromkeys("elu celu leaky_relu".split(), 2),
    **dict.fromkeys(
        "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout hardtanh "
        "threshold".split(),
        3,
    ),
    "rrelu": 4,
}
_MODULE_FLAGS = {
    **dict.fromkeys("ReLU ReLU6 SELU SiLU Mish Hardswish Hardsigmoid".split(), 0),
    **dict.fromkeys(
        "ELU CELU LeakyReLU Dropout Dropout1d Dropout2d Dropout3d AlphaDropout "
        "FeatureAlphaDropout".split(),
        1,
    ),
    **dict.fromkeys("Hardtanh Threshold RReLU".split(), 2),
}
# They write their argument unless told to make a copy of it.
_COPYING = frozenset(("numpy.nan_to_num", "numpy.array"))


def works_in_place(path: str, node: Any) -> bool:
    """Whether a function of PyTorch is told to change what it gets, or a module is made so."""
    module, _, name = path.rpartition(".")
    flags = _FUNCTION_FLAGS if module == "torch.nn.functional" else _MODULE_FLAGS
    if not module.startswith("torch.nn"):
        return False
    position = flags.get(name)
    positional = getattr(node, "args", [])
    given = [one.value for one in getattr(node, "keywords", []) if one.arg == "inplace"]
    if position is not None and len(positional) > position:
        given.append(positional[position])
    return any(not (isinstance(one, ast.Constant) and not one.value) for one in given)


def shares_memory(path: str, given: "Arguments") -> bool:
    """Whether a function that usually makes a copy may give what it got."""
    return path in _COPYING and "copy" in given.named


def changed_arguments(path: str, given: "Arguments", node: Any) -> List[Value]:
    found = [value for name, value in given.named.items() if name in _NAMES]
    for position in _POSITIONS.get(path, ()):
        found += given.positional[position : position + 1]
    if works_in_place(path, node) and path.startswith("torch.nn.functional."):
        found += given.positional[:1] or given.every
    if path == "torch.nn.functional.embedding" and "max_norm" in given.named:
        found += given.every
    if path == "numpy.nan_to_num" and shares_memory(path, given):
        found += given.positional[:1]
    return [value for value in found if not value.of_kind("made") or not _is_file(value)]


def _is_file(value: Value) -> bool:
    """An open file: what is written to it is no state, and is read through another one."""
    return all(tag == ("made", "io.TextIOWrapper") for tag in value.tags)
