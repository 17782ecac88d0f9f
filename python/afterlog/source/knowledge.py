"""What known functions and methods do: those of Python, of PyTorch and of NumPy. Everything that
is not named here may change its receiver and its arguments, and may keep any of them in any other
(Flor's Table 2, with the paper's library knowledge: §3.3)."""

import re

# Evaluating these changes nothing, and gives numbers, texts or the like.
SCALAR_FUNCTIONS = frozenset(
    "len float int bool str repr abs round hash id isinstance issubclass callable hasattr ord chr "
    "print format type input bytes complex divmod pow any all range slice object".split()
)
# They give what they were given, or what is in it.
PASSING_FUNCTIONS = frozenset(
    "list tuple set dict frozenset sorted reversed zip enumerate map filter iter min max sum "
    "getattr vars memoryview bytearray".split()
)
# They go through their arguments.
ITERATING_FUNCTIONS = frozenset(
    "list tuple set dict frozenset sorted zip enumerate map filter min max sum any all".split()
)
STREAM_FUNCTIONS = frozenset("zip enumerate map filter reversed iter".split())
CONTAINER_FUNCTIONS = frozenset("list tuple set dict frozenset sorted".split())
# The analysis cannot see what they do to names.
DARK_FUNCTIONS = frozenset("exec eval compile globals locals __import__ breakpoint".split())

# Attributes that are numbers, texts, shapes or types.
SCALAR_ATTRIBUTES = frozenset(
    "shape dtype device ndim requires_grad is_cuda itemsize nbytes training __name__ __class__ "
    "__file__ is_leaf batch_size num_workers in_features out_features".split()
)

# Attributes of modules that are tensors.
PARAMETERS = frozenset("weight bias".split())
# Methods that give an iterator, or a dictionary, that nobody else holds.
PART_METHODS = frozenset(
    "parameters named_parameters buffers named_buffers modules named_modules children "
    "named_children state_dict items keys values".split()
)

SCALAR_METHODS = frozenset(
    "item size dim numel nelement element_size data_ptr stride is_floating_point is_contiguous "
    "startswith endswith format join lower upper strip lstrip rstrip replace title zfill ljust "
    "rjust encode decode count index isdigit splitlines tolist tell fileno isoformat strftime "
    "total_seconds get_last_lr is_available device_count exists is_file is_dir as_posix hexdigest "
    "bit_length is_integer find partition rpartition split time perf_counter get_lr".split()
)
# They leave receiver and arguments as they are; what they give may be part of them.
PASSING_METHODS = frozenset(
    "detach data view view_as reshape transpose t permute squeeze unsqueeze flatten expand "
    "expand_as narrow select unbind chunk unfold diagonal contiguous numpy real imag movedim "
    "swapaxes parameters named_parameters modules named_modules children named_children buffers "
    "named_buffers state_dict get_parameter get_submodule items keys values get copy most_common "
    "as_subclass tensor_split hsplit vsplit ravel union intersection difference issubset "
    "issuperset __getitem__ __len__ __contains__ group groups match".split()
)
# The same, and what they give is new.
FRESH_METHODS = frozenset(
    "clone mean sum max min argmax argmin std var norm prod cumsum softmax log_softmax exp log "
    "log2 log10 log1p sqrt rsqrt pow abs neg sign eq ne gt lt ge le add sub mul div matmul mm bmm "
    "dot mv cos sin tan tanh sigmoid relu clamp clip floor ceil round where gather index_select "
    "masked_fill masked_select nonzero topk argsort kthvalue median mode quantile any all isnan "
    "isinf isfinite logsumexp cross outer repeat repeat_interleave roll flip tril triu diag "
    "new_zeros new_ones new_empty new_full new_tensor astype tobytes bincount histc unique "
    "logical_not logical_and logical_or remainder fmod square reciprocal scatter_add index_add "
    "amax amin aminmax cumprod addmm baddbmm lerp maximum minimum allclose equal isclose".split()
)
# Of a tensor they give a new one; of a module they change it.
CONVERTING_METHODS = frozenset("to cpu cuda float double half bfloat16 type long int bool".split())
# They change their receiver and keep their arguments, which stay as they are.
KEEPING_METHODS = frozenset(
    "append extend insert add update setdefault appendleft extendleft push put register_buffer "
    "register_parameter add_module add_param_group load_state_dict write writelines add_scalar "
    "add_scalars set_postfix set_description clear pop popleft popitem remove discard reverse "
    "sort close flush zero_grad set_epoch manual_seed seek read readline readlines train eval "
    "requires_grad_ scale unscale_ copy_ fill_ zero_ add_ sub_ mul_ div_ addcmul_ addcdiv_ lerp_ "
    "clamp_ normal_ uniform_ index_copy_ scatter_ masked_fill_ pow_ sqrt_ neg_ exp_ log_ abs_ "
    "bernoulli_ random_ step_and_update_lr shuffle seed set_state info debug warning error "
    "exception critical".split()
)
# A probe that does no more than this changes nothing: it is put back after it.
SOFT_METHODS = frozenset("train eval".split())

_FRESH_PATHS = re.compile(
    r"(?:torch\.nn\.functional|torch\.linalg|torch\.fft|torch\.special|torch\.random"
    r"|numpy\.linalg|numpy\.random|numpy\.fft|torch|numpy|math|random|statistics|secrets)\.[a-z]\w*"
)
_PASSING_PATHS = re.compile(
    r"(?:os|sys|time|json|pickle|copy|itertools|functools|collections|operator|re|datetime"
    r"|pathlib|argparse|warnings|logging|string|typing|dataclasses|contextlib|csv|glob|hashlib"
    r"|types|uuid|platform|pprint|textwrap|enum|abc|inspect|struct|base64|math|shutil|tempfile"
    r"|torch\.cuda|torch\.distributed|torch\.utils\.data|torch\.backends|torch\.profiler"
    r"|torchvision\.transforms|torchvision\.utils|sklearn\.metrics|tqdm)(?:\.|$)"
)
_VIEWS = re.compile(
    r"\.(?:as_tensor|from_numpy|reshape|transpose|permute|squeeze|unsqueeze|flatten|ravel|split"
    r"|chunk|unbind|narrow|select|movedim|swapaxes|t|real|imag|view_as_real|view_as_complex|asarray"
    r"|ascontiguousarray|broadcast_to|diagonal|detach|atleast_[123]d|choice|sample|choices|dropout"
    r"|expand_dims|array_split|rot90|flip|fliplr|flipud|require|frombuffer|broadcast_arrays|nditer"
    r"|rollaxis|moveaxis|tensor_split|swapdims|adjoint|as_strided|broadcast_tensors|unflatten|trim"
    r"|[hvd]split|resolve_conj|resolve_neg|positive)$"
)
# They change what they are given first.
_CHANGING = re.compile(
    r"(?:_|\.shuffle|\.copyto|\.put|\.place|\.fill_diagonal|heapq\.\w+|bisect\.insort\w*)$"
)
# They change how the library works, which no checkpoint holds.
_SETTING = re.compile(
    r"^(?:torch|numpy)\.(?:\w+\.)*(?:set_|use_deterministic|enable_|disable_|seterr)\w*$"
)
_CONTEXTS = frozenset(
    "torch.set_grad_enabled torch.enable_grad torch.autograd.set_grad_enabled "
    "torch.set_num_threads torch.autograd.set_detect_anomaly torch.set_printoptions "
    "numpy.set_printoptions".split()
)
# They change the process itself: its environment, its folder, where modules are found.
_PROCESS = re.compile(
    r"^(?:os\.(?:chdir|fchdir|putenv|unsetenv|umask|nice|setpriority|sched_setaffinity)"
    r"|(?:os\.environb?|sys\.(?:path|argv|modules|meta_path))\.(?:update|pop|popitem|setdefault"
    r"|clear|append|insert|extend|remove|reverse|sort|__setitem__|__delitem__))$"
)
_THREADS = re.compile(
    r"^(?:threading\.(?:Thread|Timer)|concurrent\.futures\.|asyncio\.|_thread\.|signal\.signal"
    r"|multiprocessing\.(?:Pool|Process|pool\.|dummy))"
)
_CONSTANTS = re.compile(
    r"(?:math|numpy|torch|cmath|sys|os|string)\.(?:inf|nan|pi|e|tau|float\w*|u?int\d*|bool\w*|half"
    r"|long|double|bfloat16|complex\d+|maxsize|version\w*|argv|platform|sep|linesep|newaxis)"
)
_PROGRESS = re.compile(r"tqdm\.(?:(?:auto|autonotebook|notebook|std)\.)?tqdm")
_LOADERS = re.compile(r"^torch\.utils\.data\.")
_MODULES = re.compile(r"^torch\.nn\.(?!functional|utils|init|parameter|Parameter)")
_LOSSES = re.compile(r"Loss$")
# Modules that always compute something new.
_COMPUTING = re.compile(
    r"\.(?:Lazy)?(?:Linear|Bilinear|Conv\w*|LSTM\w*|GRU\w*|RNN\w*|BatchNorm\w*|LayerNorm|GroupNorm"
    r"|InstanceNorm\w*|Embedding\w*|MultiheadAttention|Transformer\w*|\w*Pool\dd|Softmax\w*"
    r"|LogSoftmax|Tanh|Sigmoid|GELU|CosineSimilarity|PairwiseDistance|Upsample\w*)$"
)
# They hold nothing that has gradients.
_DATASETS = re.compile(r"^torch\.utils\.data\.|^torchvision\.datasets\.|^torch\.Generator$")


def is_class(path: str) -> bool:
    """Libraries begin the names of their classes with a capital letter."""
    last = path.rpartition(".")[2].lstrip("_")
    return last[:1].isupper()


def is_constant(path: str) -> bool:
    return _CONSTANTS.fullmatch(path) is not None


def is_described(path: str) -> bool:
    """Whether the names of methods above are to be trusted of an instance of this class."""
    return path.startswith(("torch.", "numpy.", "afterlog.", "torchvision.", "io.", "random."))


def is_fresh(path: str) -> bool:
    return _FRESH_PATHS.fullmatch(path) is not None and _VIEWS.search(path) is None


def is_passing(path: str) -> bool:
    if path == "operator.methodcaller":
        return False
    return _FRESH_PATHS.fullmatch(path) is not None or _PASSING_PATHS.match(path) is not None


def changes_arguments(path: str) -> bool:
    return _CHANGING.search(path) is not None


def is_wrapping(path: str) -> bool:
    """It changes a module in place, and gives it back."""
    return path.startswith("torch.nn.utils.") and not is_class(path)


def is_choosing(path: str) -> bool:
    """It gives some of what it is given first."""
    return path in ("random.choice", "random.choices", "random.sample")


def is_compiling(path: str) -> bool:
    """It gives a module or a function that does what the given one does, with the same parts."""
    return path in ("torch.compile", "torch._dynamo.optimize")


def is_setting(path: str) -> bool:
    return _SETTING.match(path) is not None and path not in _CONTEXTS


def changes_process(path: str) -> bool:
    return _PROCESS.match(path) is not None


def starts_thread(path: str) -> bool:
    return _THREADS.match(path) is not None


def is_copying(path: str) -> bool:
    return path in ("copy.deepcopy", "pickle.loads", "torch.load", "torch.tensor", "numpy.array")


def is_progress(path: str) -> bool:
    """It gives what it is given, and shows how far it has come."""
    return _PROGRESS.fullmatch(path) is not None


def is_parsing(path: str, method: str) -> bool:
    """Arguments of the command line: what it gives shares nothing with the parser."""
    return path == "argparse.ArgumentParser" and method == "parse_args"


def is_loader(path: str) -> bool:
    return _LOADERS.match(path) is not None


def is_loss(path: str) -> bool:
    return _MODULES.match(path) is not None and _LOSSES.search(path) is not None


def is_computing(path: str) -> bool:
    """What it gives shares no memory with what it gets."""
    return is_loss(path) or (is_torch_module(path) and _COMPUTING.search(path) is not None)


def is_torch_module(path: str) -> bool:
    return _MODULES.match(path) is not None and is_class(path)


def is_data_class(path: str) -> bool:
    return _DATASETS.match(path) is not None
