"""Iterators that the loop goes through in part: who asks them next gets what follows."""

from typing import Dict

from .restored import Row

_NUMBERS = "(float(n) for n in range(1, 99))"
_HOLDER = "class Data:\n    def __init__(s, it): s.it = it\n"

# How it is made, and how it is called then.
_ITERATORS = {
    "generator expression": (f"g = {_NUMBERS}", "g"),
    "generator": (
        "def numbers():\n    for n in range(1, 99): yield float(n)\ng = numbers()", "g"
    ),
    "generator over another": (f"h = {_NUMBERS}; g = (2 * n for n in h)", "g"),
    "map": ("g = map(float, range(1, 99))", "g"),
    "iterator over a list": ("g = iter([float(n) for n in range(1, 99)])", "g"),
    "zip": ("g = zip(range(99), range(99))", "g"),
    "count": ("g = itertools.count(1.0)", "g"),
    "cycle": (f"g = itertools.cycle([1.0, 2.0, 3.0, 5.0, 7.0])", "g"),
    "chain": (f"g = itertools.chain([1.0], {_NUMBERS})", "g"),
    "iterator over a loader": (
        "g = iter(torch.utils.data.DataLoader(torch.arange(1.0, 99)))", "g"
    ),
    "file": ("g = open(collections.__file__)", "g"),
    "rows": ("g = map(tuple, csv.reader(open(collections.__file__)))", "g"),
    "flat": ("g = np.arange(9.0).flat", "g"),
    "nditer": ("g = np.nditer(np.arange(9.0))", "g"),
    "ndenumerate": ("g = np.ndenumerate(np.arange(9.0))", "g"),
    "ndindex": ("g = np.ndindex(9)", "g"),
    "broadcast": ("g = np.broadcast(np.arange(9.0), 1)", "g"),
    "in a list": (f"gs = [{_NUMBERS}]", "gs[0]"),
    "in a dict": (f"gs = dict(a={_NUMBERS})", "gs['a']"),
    "in an ordered dict": (f"gs = collections.OrderedDict(a={_NUMBERS})", "gs['a']"),
    "in pairs of a dict": (f"gs = collections.OrderedDict([('a', {_NUMBERS})])", "gs['a']"),
    "in an attribute": (f"{_HOLDER}d = Data({_NUMBERS})", "d.it"),
    "in an attribute of a list": (f"{_HOLDER}d = Data(Data({_NUMBERS}))", "d.it.it"),
}  # fmt: skip
_WAYS = """list(itertools.islice({}, 2))
for z in itertools.islice({}, 2): pass
for z in {}: break
for z, k in zip({}, range(2)): pass
list(zip(range(2), {}))
next(z for z in {} if z)
a, b, *c = itertools.islice({}, 3)
max(*itertools.islice({}, 2))
[z for z, k in zip({}, 'ab')]
collections.deque(itertools.islice({}, 2), 1)
next(enumerate({}))
list(map(lambda p, q: q, range(2), {}))"""

_METHOD = (
    f"{_HOLDER}    def take(s): return list(itertools.islice(s.it, 2))\n"
    f"    def pair(s): return next(iter(zip(s.it, range(3))))\nd = Data({_NUMBERS})"
)

GONE_THROUGH: Dict[str, Row] = {
    **{
        f"{name}: {way}": (made, way.format(called), f"repr(next({called}))")
        for name, (made, called) in _ITERATORS.items()
        for way in _WAYS.splitlines()
    },
    "by a method": (_METHOD, "d.take()", "next(d.it)"),
    "by a method that pairs": (_METHOD, "d.pair()", "next(d.it)"),
    "by a generator over it": (f"g = {_NUMBERS}; h = (n for n in g)", "next(h)", "next(g)"),
    "of a dataset": (
        "class Stream(torch.utils.data.IterableDataset):\n    def __init__(s, it): s.it = it\n"
        f"    def __iter__(s): return s.it\ng = {_NUMBERS}\n"
        "loader = torch.utils.data.DataLoader(Stream(g), batch_size=2)",
        "for batch in loader: break", "next(g)",
    ),
}  # fmt: skip
