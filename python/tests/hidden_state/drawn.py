"""Generators of random numbers of the program's own, which whoever draws from them moves on."""

from typing import Dict

from .restored import Row

_GENERATOR = "g = torch.Generator().manual_seed(3)\n"
_NEXT = "torch.rand(1, generator=g).item()"
_HOLDER = "class Noise:\n    def __init__(s, g): s.g = g; s.n = 0\n"
_DATA = "from torch.utils.data import BatchSampler, RandomSampler, random_split\n"

# Functions and methods that are given one by its name.
_DRAWS = """torch.rand(1, generator=g)
torch.randn(1, generator=g)
torch.randint(0, 9, (3,), generator=g)
torch.randperm(4, generator=g)
torch.multinomial(torch.ones(3), 2, generator=g)
torch.bernoulli(torch.full((3,), 0.5), generator=g)
torch.normal(0.0, 1.0, (2,), generator=g)
torch.poisson(torch.ones(3), generator=g)
torch.zeros(2).uniform_(generator=g)
torch.zeros(2).normal_(generator=g)
torch.zeros(2).exponential_(generator=g)
torch.zeros(2).random_(generator=g)
torch.zeros(2).bernoulli_(0.5, generator=g)
torch.ones(3).multinomial(2, generator=g)
torch.full((3,), 0.5).bernoulli(generator=g)
torch.zeros(2).cauchy_(generator=g)
torch.zeros(2).geometric_(0.5, generator=g)
torch.zeros(2).log_normal_(generator=g)"""

DRAWN: Dict[str, Row] = {
    **{one: (_GENERATOR, one, _NEXT) for one in _DRAWS.splitlines()},
    "torch: seeded anew": (_GENERATOR, "g.manual_seed(i)", _NEXT),
    "torch: set": (_GENERATOR, "g.set_state(torch.Generator().manual_seed(i).get_state())", _NEXT),
    "torch: in an object": (
        _HOLDER + "o = Noise(torch.Generator().manual_seed(3))",
        "torch.rand(1, generator=o.g)", "torch.rand(1, generator=o.g).item()",
    ),
    "torch: in a list": (
        "gs = [torch.Generator().manual_seed(n) for n in range(3)]",
        "torch.rand(1, generator=gs[i])", "torch.rand(1, generator=gs[1]).item()",
    ),
    "torch: in a dict": (
        "gs = {'a': torch.Generator()}; gs['a'].manual_seed(1)",
        "torch.zeros(2).normal_(generator=gs['a'])", "torch.rand(1, generator=gs['a']).item()",
    ),
    "torch: by many names": (
        _GENERATOR + "kw = {'generator': g}", "torch.rand(1, **kw)", _NEXT,
    ),
    "torch: by many names made there": (_GENERATOR, "torch.rand(1, **dict(generator=g))", _NEXT),
    "torch: by many names of a function": (
        _GENERATOR + "def draw(**kw): return torch.rand(1, **kw)", "draw(generator=g)", _NEXT,
    ),
    "torch: by many names of a method": (
        _GENERATOR + "kw = {'generator': g}", "torch.zeros(1).uniform_(**kw)", _NEXT,
    ),
    "torch: in a partial": (
        _GENERATOR + "f = functools.partial(torch.rand, 1, generator=g)", "f()", _NEXT,
    ),
    "torch: in a partial of a method": (
        _GENERATOR + "f = functools.partial(torch.zeros(1).uniform_, generator=g)", "f()", _NEXT,
    ),
    "torch: in a default": (
        _GENERATOR + "def f(g=g): return torch.rand(1, generator=g)", "f()", _NEXT,
    ),
    "torch: a parameter": (
        _GENERATOR + "def f(source): return torch.rand(1, generator=source)", "f(g)", _NEXT,
    ),
    "torch: another name": (_GENERATOR + "h = g", "torch.rand(1, generator=h)", _NEXT),
    "torch: random_split": (
        _GENERATOR + _DATA, "random_split(range(4), [2, 2], generator=g)", _NEXT,
    ),
    "torch: random_split by place": (
        _GENERATOR + _DATA, "random_split(range(4), [2, 2], g)", _NEXT,
    ),
    "torch: random_split of a parameter": (
        _GENERATOR + _DATA + "def f(h): return random_split(range(4), [2, 2], h)", "f(g)", _NEXT,
    ),
    "torch: sampler": (
        _GENERATOR + _DATA + "s = RandomSampler(range(4), generator=g)", "list(s)", _NEXT,
    ),
    "torch: sampler in a loop": (
        _GENERATOR + _DATA + "s = RandomSampler(range(4), generator=g)",
        "for k in s: pass", "list(s)",
    ),
    "torch: sampler of batches": (
        _GENERATOR + _DATA + "s = BatchSampler(RandomSampler(range(4), generator=g), 2, False)",
        "for k in s: pass", "list(s)",
    ),
    "torch: sampler of batches, and its generator": (
        _GENERATOR + _DATA + "s = BatchSampler(RandomSampler(range(4), generator=g), 2, False)",
        "b = [k for k in s]", _NEXT,
    ),
    "torch: sampler made there": (
        _GENERATOR + _DATA, "list(RandomSampler(range(4), generator=g))", _NEXT,
    ),
    "torch: sampler in an object": (
        _DATA + "class D:\n    def __init__(s):\n"
        "        s.g = torch.Generator().manual_seed(3)\n"
        "        s.s = RandomSampler(range(4), generator=s.g)\n"
        "    def go(s): return list(s.s)\nd = D()",
        "d.go()", "d.go()",
    ),
    "torch: sampler that an object holds": (
        _DATA + "class D:\n    def __init__(s):\n"
        "        s.s = RandomSampler(range(4), generator=torch.Generator().manual_seed(3))\n"
        "    def go(s): return list(s.s)\nd = D()",
        "d.go()", "d.go()",
    ),
    "torch: sampler with its own": (
        _DATA + "s = RandomSampler(range(4), generator=torch.Generator().manual_seed(3))",
        "list(s)", "list(s)",
    ),
    "torch: loader that an object holds": (
        "class D:\n    def __init__(s):\n        s.d = torch.utils.data.DataLoader(\n"
        "            range(4), shuffle=True, generator=torch.Generator().manual_seed(3))\n"
        "    def go(s): return [int(one) for one in s.d]\nd = D()",
        "d.go()", "d.go()",
    ),
    "torch: loader": (
        _GENERATOR + "d = torch.utils.data.DataLoader(range(4), shuffle=True, generator=g)",
        "for k in d: pass", "[int(k) for k in d]",
    ),
    "torch: loader, and its generator": (
        _GENERATOR + "d = torch.utils.data.DataLoader(range(4), shuffle=True, generator=g)",
        "b = list(d)", _NEXT,
    ),
    "np: given to a function": (
        "r = np.random.default_rng(2)\ndef draw(rng): return rng.normal()", "draw(r)", "r.normal()",
    ),
    "np: in an object": (
        _HOLDER + "o = Noise(np.random.default_rng(2))", "o.g.normal()", "o.g.normal()",
    ),
    "np: RandomState in a list": (
        "rs = [np.random.RandomState(n) for n in range(3)]", "rs[i].rand()", "rs[1].rand()",
    ),
    "np: of another": (
        "b = np.random.PCG64(2); r = np.random.Generator(b)",
        "r.normal()", "(r.normal(), b.random_raw())",
    ),
    "np: default_rng of another": (
        "r = np.random.default_rng(2)", "np.random.default_rng(r).normal()", "r.normal()",
    ),
    "random: given to a function": (
        "r = random.Random(2)\ndef draw(rng): return rng.random()", "draw(r)", "r.random()",
    ),
    "random: in an object": (
        _HOLDER + "o = Noise(random.Random(2))", "o.g.random()", "o.g.random()",
    ),
    "random: shuffles": ("r = random.Random(2)", "r.shuffle([1, 2, 3])", "r.random()"),
    "random: as a key": (
        "r = random.Random(2)", "sorted([1, 2], key=lambda x: r.random())", "r.random()",
    ),
    "random: bound": ("f = random.Random(2).random", "f()", "f()"),
    "random: mapped": ("r = random.Random(2)", "list(map(r.randrange, [5, 6]))", "r.random()"),
}  # fmt: skip
