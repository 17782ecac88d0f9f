"""What can only compute, by name: it gives the same for the same arguments, in any process with the
same packages, apart from the generators of random numbers, which a restore sets. A name that is not
here proves nothing. Nothing is taken from patterns such as `torch.*`: `torch.empty` is whatever was
in the memory."""

import re

from ..described_loggers import of_logger

# Where it is computed there: other hardware sums in another order.
DEVICES = re.compile(r"(?:cuda|mps|xla|xpu|hpu)\b.*")

BUILTINS = frozenset(
    """abs all any bool bytearray bytes chr classmethod complex dict divmod enumerate filter float
    format int isinstance issubclass iter len list map max min next object ord pow print property
    range reversed round slice sorted staticmethod str sum super tuple zip
    Exception ValueError TypeError KeyError IndexError RuntimeError StopIteration AssertionError
    NotImplementedError ZeroDivisionError AttributeError OverflowError ArithmeticError
    NotImplemented Ellipsis __name__""".split()
)

# Nobody can follow what these do to the rest of the program.
HIDING = frozenset(
    """exec eval compile globals locals vars __import__ setattr delattr breakpoint __dict__
    __globals__ __builtins__ __subclasses__""".split()
)

# Something else runs at the same time, or later, or changes code.
CONCURRENT = frozenset(
    """threading _thread multiprocessing concurrent asyncio signal sched ctypes gc weakref atexit
    importlib inspect subprocess socket selectors queue trio anyio joblib ray dask""".split()
)

_TENSOR_FUNCTIONS = """abs add all allclose amax amin any arange argmax argmin argsort bmm cat ceil
    chunk clamp clone cos cumsum diag div dot einsum eq exp eye flatten flip floor full full_like
    gather ge gt isfinite isinf isnan le linspace log log10 log1p log2 log_softmax logsumexp lt
    masked_select matmul max maximum mean median min minimum mm mul mv norm numel ones ones_like
    outer permute pow prod ravel relu reshape round sigmoid sign sin softmax sort split sqrt
    squeeze stack std sub sum t take tan tanh tensor topk transpose trapz tril triu unbind unique
    unsqueeze var vstack hstack where zeros zeros_like"""
_TORCH = """no_grad enable_grad inference_mode from_numpy as_tensor manual_seed rand randn randint
    randperm rand_like randn_like normal bernoulli multinomial float float16 float32 float64 int
    int8 int16 int32 int64 uint8 long double half bool bfloat16 pi inf nan e Size"""
_NUMPY = """array asarray average concatenate corrcoef clip diff digitize divide expand_dims float32
    float64 histogram hypot interp int32 int64 isclose logspace meshgrid mod multiply nanmax nanmean
    nanmin nansum ndim newaxis percentile power ptp quantile repeat roll searchsorted shape size
    square subtract swapaxes tile trace uint8 bool_ pi inf nan e"""
_NUMPY_RANDOM = """seed rand randn randint random random_sample normal uniform choice permutation
    shuffle standard_normal"""
_MODULES = """Linear Conv1d Conv2d Conv3d BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm GroupNorm
    Dropout Dropout1d Dropout2d ReLU ReLU6 LeakyReLU ELU GELU SiLU Tanh Sigmoid Softmax LogSoftmax
    Sequential ModuleList ModuleDict Embedding Flatten Identity MaxPool1d MaxPool2d AvgPool1d
    AvgPool2d AdaptiveAvgPool1d AdaptiveAvgPool2d RNN GRU LSTM Module Parameter MSELoss L1Loss
    CrossEntropyLoss NLLLoss BCELoss BCEWithLogitsLoss SmoothL1Loss HuberLoss Bilinear Softplus"""
_FUNCTIONAL = """relu gelu silu elu leaky_relu tanh sigmoid softmax log_softmax cross_entropy
    mse_loss l1_loss nll_loss binary_cross_entropy binary_cross_entropy_with_logits smooth_l1_loss
    linear conv1d conv2d max_pool1d max_pool2d avg_pool1d avg_pool2d dropout layer_norm one_hot
    normalize pad cosine_similarity softplus logsigmoid"""
_OPTIMIZERS = "SGD Adam AdamW RMSprop Adagrad Adadelta Adamax NAdam RAdam"
_RANDOM = """seed random randint randrange uniform gauss normalvariate choice choices sample shuffle
    Random"""

_PATHS = {
    "torch": f"{_TENSOR_FUNCTIONS} {_TORCH}",
    "torch.linalg": "norm vector_norm matrix_norm det svdvals",
    "torch.nn": _MODULES,
    "torch.nn.functional": _FUNCTIONAL,
    "torch.nn.utils": "clip_grad_norm_ parameters_to_vector",
    "torch.optim": _OPTIMIZERS,
    "numpy": f"{_TENSOR_FUNCTIONS} {_NUMPY}",
    "numpy.linalg": "norm det",
    "numpy.random": _NUMPY_RANDOM,
    "random": _RANDOM,
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "copy": "copy deepcopy",
    "dataclasses": "dataclass field asdict replace",
    "abc": "ABC abstractmethod",
    "enum": "Enum IntEnum auto",
    "__future__": "annotations",
    "json": "dumps loads",
}
# Packages all of whose functions compute.
_WHOLE = frozenset("math cmath statistics itertools operator typing".split())
_NAMES = {package: frozenset(names.split()) for package, names in _PATHS.items()}

_DRAWING = re.compile(
    r"random\..*|numpy\.random\..*|torch\.(?:rand\w*|normal|bernoulli|multinomial|manual_seed)"
    r"|torch\.nn\.[A-Z]\w*|torch\.nn\.functional\.dropout"
)
_NOT_DRAWING = frozenset(
    "afterlog time datetime os sys argparse pathlib logging json re string warnings pprint".split()
)
_SETTING = re.compile(r"(?:set|use|enable|disable|register|seterr|install|patch)(?:_\w*)?")

METHODS = frozenset(
    """abs add all amax amin any append argmax argmin argsort backward bool capitalize ceil clamp
    clear clone contiguous copy cos count cpu cumsum detach diag dim div double endswith eq eval
    exp extend find flatten float floor format ge get gt half index insert int is_integer isdigit
    items item join keys le log log10 log1p log2 log_softmax logsumexp long lower lstrip lt
    masked_fill matmul max mean median min mm most_common mul named_parameters ndimension nonzero
    norm numel numpy outer parameters permute pop popleft pow prod ravel relu remove replace reshape
    reverse round rstrip setdefault sigmoid sign sin size softmax sort split sqrt square squeeze
    startswith state_dict std step strip sub sum t tan tanh title to tolist topk train transpose
    tril triu type unbind unsqueeze update upper values var view view_as zero_grad zfill
    load_state_dict requires_grad_ children modules named_modules named_children buffers
    add_ mul_ sub_ div_ zero_ fill_ copy_ clamp_ manual_seed""".split()
)
# Of these, those that leave what they are called on as it is.
READING_METHODS = METHODS - frozenset(
    """append backward clear eval extend insert pop popleft remove reverse setdefault sort step
    train update zero_grad load_state_dict requires_grad_ add_ mul_ sub_ div_ zero_ fill_ copy_
    clamp_ manual_seed to type cpu double float half long int bool""".split()
)
# They draw from generators of the program.
DRAWING_METHODS = frozenset(
    """shuffle choice choices sample random randint randrange uniform gauss normal normal_ uniform_
    bernoulli bernoulli_ multinomial random_ permutation""".split()
)


def is_computing(path: str) -> bool:
    """Whether what stands at a path outside of the project can only compute."""
    package, _, name = path.rpartition(".")
    # A module by itself does nothing.
    if path in _NAMES or path in _WHOLE or package in _WHOLE or name in _NAMES.get(package, ()):
        return True
    return of_logger(path)


def is_package(path: str) -> bool:
    """Whether a path is that of a package, or leads to one."""
    known = (*_NAMES, *_WHOLE)
    return any(one == path or one.startswith(f"{path}.") for one in known)


def may_draw(path: str) -> bool:
    """Whether it may move a generator of random numbers: who is not known may."""
    if path.partition(".")[0] in _NOT_DRAWING:
        return False
    return not is_computing(path) or _DRAWING.fullmatch(path) is not None


def is_setting(path: str) -> bool:
    """Whether it changes how functions of its package compute from then on."""
    return _SETTING.fullmatch(path.rpartition(".")[2]) is not None
