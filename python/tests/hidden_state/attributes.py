"""What attributes hold, by whatever way it came there, and what only objects of packages hold."""

from typing import Dict

from .restored import COUNTER, Row

_BOX = """@dataclasses.dataclass
class Box:
    a: object
    b: object = None
"""

_GIVES = """class Gives:
    def __init__(s, it): s._it = it
    @property
    def it(s): return s._it
"""

_DATA = """class Data(torch.utils.data.Dataset):
    def __init__(s): s.n, s.rng = 0, random.Random(3)
    def __len__(s): return 4
    def set(s, n): s.n = n
    def __getitem__(s, k):
        s.n += 1
        return k + s.rng.random()
"""

_NAMES = """class Names:
    def __init__(s):
        s.n, s.weight, s.grad, s.running_mean, s.queue = 0, 0.5, 0.0, 0.0, 5
        s.dataset, s.sampler, s.optimizer = 'mnist', 'random', 'adam'
names = Names()
"""

HELD: Dict[str, Row] = {
    "several members of a flag": (
        "class E(enum.Flag): A = 1; B = 2\nf = E.A", "f ^= E.B", "f, f is E.A | E.B, f.value"
    ),
    "field given by its place": (
        _BOX + "l = []; p, q = Box(a=1), Box(l)", "q.a.append(i)", "l, q.a is l"
    ),
    "field of a base given by its place": (
        _BOX + "@dataclasses.dataclass\nclass Sub(Box):\n    c: object = 0\n"
        "l = []; p, q = Sub(1, c=1), Sub(1, 2, l)",
        "q.c.append(i)", "l",
    ),
    "fields given by a list": (
        _BOX + "l = []; p, q = Box(a=1), Box(*[l])", "q.a.append(i)", "l"
    ),
    "fields given by a dictionary": (
        _BOX + "l = []; p, q = Box(a=1), Box(**{'a': l})", "q.a.append(i)", "l"
    ),
    "attribute set by its name": (
        "class C: pass\nl = []; c, d = C(), C(); c.a = 1; setattr(d, 'a', l)",
        "d.a.append(i)", "l",
    ),
    "attributes set by their names": (
        "class C: pass\nl = []; c, d = C(), C(); c.a = 1\n"
        "for k, v in {'a': l}.items(): setattr(d, k, v)",
        "d.a.append(i)", "l",
    ),
    "attribute set in the dictionary": (
        "class C: pass\nl = []; c, d = C(), C(); c.a = 1; vars(d)['a'] = l",
        "d.a.append(i)", "l",
    ),
    "attribute that the dictionary is updated with": (
        "class C: pass\nl = []; c, d = C(), C(); c.a = 1; d.__dict__.update(a=l)",
        "d.a.append(i)", "l",
    ),
    "what a property gives is called": (
        COUNTER + _GIVES + "n = Counter(); g = Gives(n)", "g.it()", "n.n"
    ),
    "what a cached property gives is called": (
        COUNTER + "class Gives:\n    @functools.cached_property\n"
        "    def it(s): return Counter()\ng = Gives()",
        "g.it()", "g.it.n",
    ),
    "module that a property gives": (
        _GIVES + "g = Gives(torch.nn.BatchNorm1d(2))", "g.it(torch.ones(3, 2) * i)",
        "g._it.running_mean.tolist()",
    ),
    "function that a property gives": (
        _GIVES + "l = []; g = Gives(l.append)", "g.it(i)", "l"
    ),
    "dataset that only a loader has": (
        _DATA + "loader = torch.utils.data.DataLoader(Data(), 2)",
        "for batch in loader: pass", "loader.dataset.n, loader.dataset.rng.random()",
    ),
    "dataset that only a loader in a dictionary has": (
        _DATA + "loaders = {'train': torch.utils.data.DataLoader(Data(), 2)}",
        "for batch in loaders['train']: pass", "loaders['train'].dataset.n",
    ),
    "dataset that only a loader of an object has": (
        _DATA + "class Trainer:\n"
        "    def __init__(s): s.loader = torch.utils.data.DataLoader(Data(), 2, shuffle=True)\n"
        "    def epoch(s):\n        for batch in s.loader: pass\nt = Trainer()",
        "t.epoch()", "t.loader.dataset.n",
    ),
    "dataset of a part that only a loader has": (
        _DATA + "part = torch.utils.data.Subset(Data(), [0, 2])\n"
        "loader = torch.utils.data.DataLoader(part, 2)",
        "for batch in loader: pass", "loader.dataset.dataset.n",
    ),
    "what is closed behind a block": (
        "class T:\n    n = 0\n    def close(s): s.n += 1\nt = T()",
        "with contextlib.closing(t): pass", "t.n",
    ),
    "what prints go to for a while": (
        "b = io.StringIO()", "with contextlib.redirect_stdout(b): print(i)", "b.getvalue()"
    ),
    # What the program's own objects have by the same name is no matter.
    "buffer": (
        _NAMES + "class M(torch.nn.Module):\n    def __init__(s):\n        super().__init__()\n"
        "        s.register_buffer('n', torch.zeros(1))\n    def up(s): s.n.mul_(0.5).add_(1)\n"
        "m = M()",
        "m.up()", "m.n.item()",
    ),
    "weight": (
        _NAMES + "m = torch.nn.Linear(1, 1)", "m.weight.data.fill_(i)", "m.weight.item()"
    ),
    "gradient": (
        _NAMES + "m = torch.nn.Linear(1, 1)\nm.weight.grad = torch.zeros(1, 1)",
        "m.weight.grad.add_(1)", "m.weight.grad.item()",
    ),
    "mean that runs": (
        _NAMES + "m = torch.nn.BatchNorm1d(1)", "m.running_mean.add_(1)", "m.running_mean.item()"
    ),
    "dataset of a loader": (
        _NAMES + _DATA + "loader = torch.utils.data.DataLoader(Data(), 2)",
        "loader.dataset.set(i)", "loader.dataset.n",
    ),
    "dataset of a loader, and its name": (
        _NAMES + _DATA + "data = Data(); loader = torch.utils.data.DataLoader(data, 2)",
        "loader.dataset.set(i)", "data.n",
    ),
    "sampler of a loader": (
        _NAMES + "from torch.utils.data.distributed import DistributedSampler\n"
        "s = DistributedSampler(range(8), 2, 0)\n"
        "loader = torch.utils.data.DataLoader(range(8), 2, sampler=s)",
        "loader.sampler.set_epoch(i)", "s.epoch, list(loader.sampler)",
    ),
    "optimizer of a schedule": (
        _NAMES + "m = torch.nn.Linear(1, 1); o = torch.optim.SGD(m.parameters(), 0.1)\n"
        "s = torch.optim.lr_scheduler.StepLR(o, 1)",
        "s.optimizer.param_groups[0]['lr'] = i", "o.param_groups[0]['lr']",
    ),
    "list of a namespace": (
        _NAMES + "x = []; c = types.SimpleNamespace(n=x)", "c.n.append(i)", "x"
    ),
    "list of a namespace of arguments": (
        _NAMES + "x = []; c = argparse.Namespace(n=x)", "c.n.append(i)", "x"
    ),
    "list of a queue": (_NAMES + "q = queue.Queue()", "q.queue.append(i)", "q.qsize()"),
    "attribute set by its class": (
        _NAMES + "class C: pass\nx = []; c = C(); object.__setattr__(c, 'n', x)",
        "c.n.append(i)", "x",
    ),
}  # fmt: skip

# What makes the fields of a dataclass, each time that one is made, and what else runs unseen.
MADE: Dict[str, Row] = {
    **{
        f"field by {name}": (
            f"{before}\n@dataclasses.dataclass\nclass P:\n"
            f"    v: object = dataclasses.field(default_factory={made})",
            "P()", "P().v",
        )
        for name, before, made in (
            ("a counter", "ids = itertools.count()", "ids.__next__"),
            ("a counter without a name", "", "itertools.count().__next__"),
            ("a partial", "ids = itertools.count()", "functools.partial(next, ids)"),
            ("a lambda", "ids = itertools.count()", "lambda: next(ids)"),
            ("a generator of numbers", "r = random.Random(3)", "r.random"),
            ("a generator of NumPy", "r = np.random.default_rng(3)", "r.random"),
            ("a method of a list", "free = list(range(9))", "free.pop"),
            ("a method", COUNTER + "c = Counter()", "c.bump"),
            ("an instance", COUNTER + "c = Counter()", "c"),
            (
                "a closure",
                "def mk():\n    n = [0]\n    return lambda: n.append(0) or len(n)",
                "mk()",
            ),
            (
                "a class that counts",
                "class G:\n    n = 0\n    def __init__(s): G.n += 1; s.v = G.n\n"
                "    def __repr__(s): return str(s.v)",
                "G",
            ),
        )
    },
    "field of a base by a counter": (
        "ids = itertools.count()\n@dataclasses.dataclass\nclass Q:\n"
        "    v: int = dataclasses.field(default_factory=ids.__next__)\n"
        "@dataclasses.dataclass\nclass P(Q):\n    w: int = 0",
        "P()", "P().v",
    ),
    "what makes a field shared": (
        "x = []\n@dataclasses.dataclass\nclass P:\n"
        "    v: list = dataclasses.field(default_factory=lambda: x)",
        "P().v.append(i)", "x",
    ),
    "what prints go to": (
        "b = io.StringIO(); c = contextlib.redirect_stdout(b)\n"
        "def f(i):\n    with contextlib.redirect_stdout(b): print(i)", "f(i)", "b.getvalue()",
    ),
    "what is closed and has no name": (
        "class T:\n    l = []\n    def close(s): T.l.append(1)",
        "with contextlib.closing(T()): pass", "len(T.l)",
    ),
}  # fmt: skip
