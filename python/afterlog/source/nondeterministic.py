"""What answers otherwise each time it is asked: clocks, entropy, ids and addresses, facts of the
process, the network. By the paths of what a file imports, and by the names of methods."""

import re

_SOURCES = re.compile(
    r"(?:time\.(?!sleep$|struct_time$|strptime$|mktime$)\w+|timeit\.\w+"
    r"|datetime\.(?:datetime\.|date\.)?(?:now|utcnow|today)"
    r"|os\.(?:urandom|getrandom|getpid|getppid|getpgid|getsid|times|getloadavg|get_terminal_size)"
    r"|secrets\.\w+|uuid\.(?:uuid[14678]|getnode)|random\.SystemRandom|tempfile\.\w+"
    r"|psutil\.\w+|resource\.getrusage|tracemalloc\.\w+"
    r"|gc\.(?:get_objects|get_count|get_stats|collect|get_referrers)"
    r"|sys\.(?:getrefcount|getsizeof|_current_frames)"
    r"|threading\.(?:get_ident|get_native_id|active_count|current_thread)"
    r"|multiprocessing\.(?:current_process|active_children)"
    r"|torch\.(?:initial_)?seed|torch\.cuda\.(?:max_)?mem\w+|torch\.cuda\.(?:utilization"
    r"|temperature|power_draw|clock_rate)"
    r"|(?:socket|requests|httpx|aiohttp|urllib\.request|urllib3|http\.client|pynvml|ulid|shortuuid"
    r"|nanoid|pendulum|arrow)\.\w+)(?:\.\w+)*"
)
# Without a seed they begin with entropy.
_UNSEEDED = re.compile(
    r"random\.(?:Random|seed)|numpy\.random\.(?:default_rng|RandomState|SeedSequence|seed|PCG64\w*"
    r"|MT19937|Philox|SFC64)"
)
_SEEDING = re.compile(r"(?:random|numpy\.random|torch(?:\.\w+)*)\.(?:manual_)?(?:seed|seed_all)")
_DRAWING = re.compile(
    r"(?:random|numpy\.random)\.\w+|torch\.(?:rand\w*|normal|bernoulli|multinomial|poisson)"
    r"|torch\.nn\.(?:functional\.)?\w*[dD]ropout\w*|torch\.nn\.init\.\w+"
)

BUILTINS = frozenset(("id",))
# Of whatever object: where a tensor lies, how long an event took, how fast a progress bar is.
METHODS = frozenset("data_ptr elapsed_time format_dict".split())
# They show what they are given, and keep nothing of it for the program.
SHOWING = frozenset(
    "set_postfix set_postfix_str set_description set_description_str info debug warning error "
    "exception critical log write print add_scalar add_scalars add_text add_histogram".split()
)


def is_source(path: str, arguments: int) -> bool:
    """Whether what stands at a path, or what it gives when it is called, is another each time."""
    if _UNSEEDED.fullmatch(path):
        return arguments == 0
    return _SOURCES.fullmatch(path) is not None


def seeds(path: str) -> bool:
    return _SEEDING.fullmatch(path) is not None


def draws(path: str) -> bool:
    """Whether it moves a generator of random numbers on."""
    return _DRAWING.fullmatch(path) is not None


def may_draw(path: str) -> bool:
    return path.startswith(("random.", "numpy.", "torch."))
