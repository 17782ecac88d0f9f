"""What comes back."""

from typing import Dict, Tuple

Row = Tuple[str, str, str]

COUNTER = """class Counter:
    def __init__(self): self.n = 0
    def bump(self, *a):
        self.n += 1
        return self.n
    def __call__(self, *a): return self.bump()
"""
ADD = """def add(box, v=0):
    box.append(v)
    return len(box)
"""

ARMS = """class Arm:
    def __init__(self, n): self.n = n
arms = [Arm(n) for n in range(4)]
"""

_KEY = """import dataclasses
@dataclasses.dataclass(frozen=True)
class Key:
    x: int
    y: tuple
"""

HOLDER = """class D:
    n = 1
    @staticmethod
    def go(): return 2
    @classmethod
    def bump(cls): cls.n += 1
class C:
    def __init__(self, d=D):
        self.d = d
        self.n = 0
c = C()
"""

WORLD = """class World:
    MOVES = [(0, 1), (1, 0)]
    START = [[0, 0], [1, 1]]
    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)
        self.at, self.steps = (0, 0), 0
    def step(self):
        self.steps += 1
        dx, dy = self.MOVES[self.rng.randint(2)]
        self.at = (max(self.at[0] + dx, 0), min(self.at[1] + dy, 9))
w = World(1)
"""

SHARED = """class Box:
    def __init__(self, items): self.items, self.n = items, 0
    def put(self, v): self.items.append(v)
box = [0]
b = Box(box)
"""

RESTORED: Dict[str, Row] = {
    "constants of a class that moves follow": (WORLD, "w.step()", "w.at, w.steps, w.MOVES"),
    "what an attribute shares": (SHARED, "b.put(i); b.n += 1", "b.n, b.items is box, box"),
    "what an attribute shares changed elsewhere": (
        SHARED, "box.append(i)", "b.n, b.items is box, b.items"
    ),
    "attribute set beside what is shared": (SHARED, "b.n = i", "b.n, b.items is box, box"),
    "attribute replaced beside what is shared": (
        SHARED, "b.items = [i]; b.items.append(1)", "box, b.items, b.items is box"
    ),
    "element of a pair": ("a, b = [0], [1]", "t = (a, b); t[i % 2][0] += i", "a, b"),
    "names that change places": ("a, b = [0], [1]", "a, b = b, a; a[0] += 1", "a, b"),
    "instance in a list": (
        ARMS, "arms[i].n += 5; best = arms[1]; best.n += 1", "[x.n for x in arms]"
    ),
    "instance in a list of an instance": (
        SHARED + "b.items.append(Box([]))", "b.items[1].n += 1; b.items[1].put(i)",
        "box[1].n, box[1].items",
    ),
    "instance that a generator chose": (
        ARMS + "r = random.Random(1)", "x = r.choice(arms); x.n += 1", "[x.n for x in arms]"
    ),
    "attribute that a method sets": (
        "log = []\nclass P:\n    def __setattr__(s, k, v): log.append(v)\np = P()",
        "p.n = i", "log",
    ),
    "class in an attribute": (HOLDER, "c.n += c.d.go() + c.d.n", "c.n + c.d.n"),
    "class in a list": (HOLDER + "k = [D, 0]", "k[1] += k[0].go()", "k[1], k[0] is D"),
    "bound again before it is read": ("a = [0]", "a = [i]", "sum(a for a in [3])"),
    "deleted": ("", "a = i; del a", "'none'"),
    "closed file": ("import os", "with open(os.devnull) as f: f.read()", "f.closed, f.name"),
    "file that is written": (
        "import os\nf = open(os.devnull, 'w')", "f.write('x')", "f.closed, f.write('yy')"
    ),
    "file that is read": ("import json\nf = open(json.__file__)", "f.readline()", "f.readline()"),
    "alias of what stays": (ARMS + "best = None", "best = arms[i + 1]", "arms.index(best)"),
    "alias by a loop": (ARMS + "best = None", "for best in arms[:i]: pass", "best is arms[1]"),
    "alias in a tuple": (ARMS + "top = ()", "top = (i, arms[i])", "top[1] in arms"),
    "keys that are objects": (
        ARMS + "score = {}",
        "arm = arms[i]; score[arm] = score.get(arm, 0) + 1", "score[arms[2]]",
    ),
    "keys that hold objects": (ARMS + "score = {}", "score[arms[i], 0] = i", "score[arms[2], 0]"),
    "import again": (
        "from math import floor as rnd", "if i > 1:\n    from math import ceil as rnd", "rnd(2.5)",
    ),
    "bound method": (COUNTER + "f = Counter().bump", "f()", "f.__self__.n"),
    "bound of list": ("f = [].append", "f(i)", "len(f.__self__)"),
    "bound of dict": ("d = {}.setdefault", "d(i, i)", "d(99, 0) + len(d.__self__)"),
    "bound of deque": ("f = collections.deque().append", "f(i)", "len(f.__self__)"),
    "bound of Random": ("f = random.Random(3).random", "f()", "f()"),
    "bound in dict": (COUNTER + "h = {'on': Counter().bump}", "h['on']()", "h['on'].__self__.n"),
    "bound in list": (COUNTER + "h = [Counter().bump]", "for f in h: f()", "h[0].__self__.n"),
    "bound in attribute": (
        COUNTER + "class B: pass\nb = B()\nb.f = Counter().bump",
        "b.f()", "b.f()",
    ),
    "bound through map": (COUNTER + "f = Counter().bump", "list(map(f, [1, 2]))", "f.__self__.n"),
    "types.MethodType": (
        "def bump(self): self.append(1)\nf = types.MethodType(bump, [])",
        "f()", "len(f.__self__)",
    ),
    "function.__get__": (
        "def bump(self): self.append(1)\nf = bump.__get__([])",
        "f()", "len(f.__self__)",
    ),
    "partial args": (ADD + "f = functools.partial(add, [])", "f(i)", "len(f.args[0])"),
    "partial keywords": (
        "def add(v, box):\n    box.append(v)\n    return len(box)\n"
        "f = functools.partial(add, box=[])",
        "f(i)", "len(f.keywords['box'])",
    ),
    "partial keywords set": (
        "def g(v, k=0): return v + k\nf = functools.partial(g, k=0)",
        "f.keywords['k'] += 1", "f(0)",
    ),
    "partial of bound": (
        COUNTER + "f = functools.partial(Counter().bump, 1)",
        "f()", "f.func.__self__.n",
    ),
    "partial of instance": (COUNTER + "f = functools.partial(Counter(), 1)", "f()", "f()"),
    "partial attribute": ("f = functools.partial(int)\nf.n = 0", "f.n += 1", "f.n"),
    "partial of partial": (
        ADD + "f = functools.partial(functools.partial(add, []), v=2)",
        "f()", "f()",
    ),
    "closure in partial": (
        "def mk():\n    s = []\n"
        "    return functools.partial(lambda b, v: b.append(v) or len(b), s)\nf = mk()",
        "f(i)", "f(1)",
    ),
    "decorator class": (
        COUNTER + "class Deco:\n    def __init__(s, f): s.f, s.n = f, 0\n"
        "    def __call__(s, *a):\n        s.n += 1\n        return s.f(*a)\n@Deco\n"
        "def f(x): return x",
        "f(i)", "f.n",
    ),
    "cached_property": (
        "class K:\n    @functools.cached_property\n    def v(s): return []\nk = K()",
        "k.v.append(i)", "len(k.v)",
    ),
    "methodcaller": (
        "g = operator.methodcaller('append', [])\na = []",
        "g(a); a[0].append(i)", "len(a[0])",
    ),
    "methodcaller holds": (
        "g = operator.methodcaller('append', [])\na = []",
        "g(a); a[-1].append(i)", "(g(a), len(a[-1]))[1]",
    ),
    "weakref.ref": (COUNTER + "c = Counter(); r = weakref.ref(c)", "r().bump()", "c.n"),
    "weakref.ref of hidden": (
        COUNTER + "def mk():\n    c = Counter()\n    c.me = c\n"
        "    return weakref.ref(c), [c]\nr, keep = mk()",
        "r().bump()", "keep[0].n",
    ),
    "weakref.proxy": (COUNTER + "c = Counter(); p = weakref.proxy(c)", "p.bump()", "c.n"),
    "WeakValueDictionary": (
        COUNTER + "c = Counter(); d = weakref.WeakValueDictionary(); d['c'] = c",
        "d['c'].bump()", "c.n",
    ),
    "WeakKeyDictionary": (
        COUNTER + "c = Counter(); d = weakref.WeakKeyDictionary(); d[c] = 0",
        "d[c] += 1", "d[c]",
    ),
    "WeakKeyDictionary lists": (
        COUNTER + "c = Counter(); d = weakref.WeakKeyDictionary(); d[c] = []",
        "d[c].append(i)", "len(d[c])",
    ),
    "WeakMethod": (COUNTER + "c = Counter(); r = weakref.WeakMethod(c.bump)", "r()()", "c.n"),
    "queue.Queue": ("q = queue.Queue()", "q.put(i)", "q.qsize()"),
    "queue.PriorityQueue": ("q = queue.PriorityQueue()", "q.put(-i)", "q.get()"),
    "deque": ("q = collections.deque(maxlen=2)", "q.append(i)", "list(q)"),
    "deque subclass": (
        "class Q(collections.deque):\n    n = 0\nq = Q()",
        "q.append(i); q.n += 1", "(list(q), q.n)",
    ),
    "heapq": ("q = []", "heapq.heappush(q, -i)", "q[0]"),
    "bisect": ("q = [5]", "bisect.insort(q, i)", "q"),
    "array.array": ("a = array.array('d', [0.0])", "a.append(i); a[0] += 1", "a.tolist()"),
    "memoryview changed through b": ("b = bytearray(4); m = memoryview(b)", "b[0] += 1", "m[0]"),
    "mappingproxy": ("d = {'a': 0}; p = types.MappingProxyType(d)", "d['a'] += 1", "p['a']"),
    "ChainMap": (
        "a = {}; b = {'x': 0}; c = collections.ChainMap(a, b)",
        "c['x'] = c['x'] + 1", "a['x'] * 10 + b['x']",
    ),
    "Counter": ("c = collections.Counter()", "c[i % 2] += 1", "c.most_common()"),
    "defaultdict": ("d = collections.defaultdict(list)", "d[i % 2].append(i)", "dict(d)"),
    "defaultdict with bound": (
        COUNTER + "d = collections.defaultdict(Counter().bump)",
        "d[i]", "d[77]",
    ),
    "defaultdict len factory": (
        "d = collections.defaultdict(lambda: len(d))",
        "d['k%d' % i]", "d['z']",
    ),
    "OrderedDict": (
        "d = collections.OrderedDict(a=1, b=2, c=3)",
        "d.move_to_end('a')\nd['b'] += 1", "list(d.items())",
    ),
    "UserDict": ("d = collections.UserDict()", "d[i] = i", "len(d)"),
    "UserList": ("d = collections.UserList()", "d.append(i)", "len(d)"),
    "UserString": ("d = collections.UserString('a')", "d += 'b'", "str(d)"),
    "SimpleNamespace": (
        "s = types.SimpleNamespace(n=0, l=[])",
        "s.n += 1; s.l.append(i)", "(s.n, s.l)",
    ),
    "zip": ("it = zip(range(9), 'abcdefghi')", "next(it)", "next(it)"),
    "map": ("it = map(str, range(9))", "next(it)", "next(it)"),
    "filter": ("it = filter(None, range(9))", "next(it)", "next(it)"),
    "enumerate": ("it = enumerate('abcdefgh')", "next(it)", "next(it)"),
    "reversed": ("it = reversed([1,2,3,4,5,6])", "next(it)", "next(it)"),
    "list iterator": ("l = [1,2,3,4,5]; it = iter(l)", "next(it)", "next(it)"),
    "dict iterator": ("d = dict(a=1,b=2,c=3,d=4); it = iter(d)", "next(it)", "next(it)"),
    "dict items iterator": (
        "d = dict(a=1,b=2,c=3,d=4); it = iter(d.items())",
        "next(it)", "next(it)",
    ),
    "set iterator": ("d = {1, 2, 3, 4, 5}; it = iter(d)", "next(it)", "next(it)"),
    "dict views": ("d = dict(a=1); v = d.values()", "d['a'] += 1", "list(v)"),
    "str iterator": ("it = iter('abcdefg')", "next(it)", "next(it)"),
    "range iterator": ("it = iter(range(9))", "next(it)", "next(it)"),
    "itertools.count": ("it = itertools.count()", "next(it)", "next(it)"),
    "itertools.cycle": ("it = itertools.cycle([1, 2])", "next(it)", "next(it)"),
    "itertools.chain": ("it = itertools.chain([1, 2], [3, 4, 5])", "next(it)", "next(it)"),
    "itertools.islice": ("it = itertools.islice(itertools.count(), 9)", "next(it)", "next(it)"),
    "itertools.tee": ("a, b = itertools.tee(range(9))", "next(a)", "(next(a), next(b))"),
    "itertools.groupby": ("it = itertools.groupby([1,1,2,3,3,4,5])", "next(it)", "next(it)[0]"),
    "itertools.product": ("it = itertools.product('ab', repeat=4)", "next(it)", "next(it)"),
    "itertools.permutations": ("it = itertools.permutations('abc')", "next(it)", "next(it)"),
    "itertools.accumulate": ("it = itertools.accumulate(range(9))", "next(it)", "next(it)"),
    "itertools.repeat": ("it = itertools.repeat(1, 9)", "next(it)", "len(list(it))"),
    "itertools.zip_longest": ("it = itertools.zip_longest('abcde', 'abc')", "next(it)", "next(it)"),
    "itertools.takewhile": ("it = itertools.takewhile(bool, [1,2,3,4,5])", "next(it)", "next(it)"),
    "shared iterator": ("a = iter(range(20)); b = zip(a, a)", "next(b)", "next(a)"),
    "StringIO": ("s = io.StringIO()", "s.write(str(i))", "s.getvalue()"),
    "BytesIO": ("s = io.BytesIO()", "s.write(b'a')", "s.getvalue()"),
    "BytesIO position": ("s = io.BytesIO(b'abcdefgh')", "s.read(1)", "s.read(1)"),
    "random.Random": ("r = random.Random(2)", "r.random()", "r.random()"),
    "random.Random gauss": ("r = random.Random(2)", "r.gauss(0, 1)", "r.gauss(0, 1)"),
    "Random subclass": (
        "class R(random.Random):\n    n = 0\n    def up(s):\n        s.n += 1\n"
        "        return s.random()\nr = R(2)",
        "r.up()", "(r.n, r.random())",
    ),
    "bound method of a tensor": ("x = torch.zeros(1); f = x.add_", "f(1)", "x.item()"),
    "bound method of an array": ("x = np.zeros(1); f = x.fill", "f(i)", "x[0]"),
    "gradients switched for a while": (
        "n = 0", "with torch.set_grad_enabled(i > 0): n += torch.is_grad_enabled()", "n",
    ),
    "np RandomState": ("r = np.random.RandomState(2)", "r.normal()", "r.normal()"),
    "np default_rng": ("r = np.random.default_rng(2)", "r.normal()", "r.normal()"),
    "np SeedSequence": ("r = np.random.SeedSequence(2)", "r.spawn(1)", "r.spawn(1)[0].spawn_key"),
    "decimal context": ("c = decimal.Context(prec=5)", "c.prec += 1", "c.prec"),
    "decimal flags": (
        "c = decimal.Context(prec=5)",
        "c.divide(decimal.Decimal(1), 3)", "bool(c.flags[decimal.Inexact])",
    ),
    "threading.Event": ("e = threading.Event()", "e.set()", "e.is_set()"),
    "threading.Semaphore": ("e = threading.Semaphore(9)", "e.acquire()", "e._value"),
    "threading.Condition": ("e = threading.Condition()\ne.n = 0", "e.n += 1", "e.n"),
    "threading.Barrier": ("e = threading.Barrier(1)\ne.x = 0", "e.wait(); e.x += 1", "e.x"),
    "dataclass slots": (
        "@dataclasses.dataclass\nclass P:\n    __slots__ = ('x', 'l')\n    x: int\n"
        "    l: list\np = P(0, [])",
        "p.x += 1; p.l.append(i)", "(p.x, p.l)",
    ),
    "dataclass frozen": (
        "@dataclasses.dataclass(frozen=True)\nclass P:\n"
        "    l: list = dataclasses.field(default_factory=list)\np = P()",
        "p.l.append(i)", "len(p.l)",
    ),
    "dataclass default_factory bound": (
        COUNTER + "c = Counter()\n@dataclasses.dataclass\nclass P:\n"
        "    n: int = dataclasses.field(default_factory=c.bump)",
        "P()", "c.n",
    ),
    "namedtuple subclass": (
        "class P(collections.namedtuple('P', 'l')): pass\np = P([])\np.n = 0",
        "p.l.append(i); p.n += 1", "(len(p.l), p.n)",
    ),
    "tuple subclass attr": ("class P(tuple): pass\np = P((1,))\np.n = 0", "p.n += 1", "p.n"),
    "int subclass attr": ("class P(int): pass\np = P(1)\np.n = 0", "p.n += 1", "p.n"),
    "str subclass attr": ("class P(str): pass\np = P('a')\np.l = []", "p.l.append(i)", "len(p.l)"),
    "float subclass attr": (
        "class P(float): pass\np = P(1)\np.l = []",
        "p.l.append(i)", "len(p.l)",
    ),
    "bytes subclass attr": (
        "class P(bytes): pass\np = P(b'a')\np.l = []",
        "p.l.append(i)", "len(p.l)",
    ),
    "bytearray subclass attr": (
        "class P(bytearray): pass\np = P(b'a')\np.l = []",
        "p.l.append(i)", "len(p.l)",
    ),
    "frozenset subclass attr": (
        "class P(frozenset): pass\np = P([1])\np.l = []",
        "p.l.append(i)", "len(p.l)",
    ),
    "set subclass attr": (
        "class P(set): pass\np = P([1])\np.l = []",
        "p.l.append(i); p.add(i + 5)", "(len(p.l), len(p))",
    ),
    "list subclass slots": (
        "class P(list):\n    __slots__ = ('n',)\np = P()\np.n = 0",
        "p.n += 1; p.append(i)", "(p.n, len(p))",
    ),
    "dict subclass slots": (
        "class P(dict):\n    __slots__ = ('n',)\np = P()\np.n = 0",
        "p.n += 1; p[i] = i", "(p.n, len(p))",
    ),
    "deque subclass slots": (
        "class P(collections.deque):\n    __slots__ = ('n',)\np = P()\np.n = 0",
        "p.n += 1; p.append(i)", "(p.n, len(p))",
    ),
    "set subclass slots": (
        "class P(set):\n    __slots__ = ('n',)\np = P()\np.n = 0",
        "p.n += 1; p.add(i)", "(p.n, len(p))",
    ),
    "bytearray subclass slots": (
        "class P(bytearray):\n    __slots__ = ('n',)\np = P(b'a')\np.n = 0",
        "p.n += 1; p[0] += 1", "(p.n, p[0])",
    ),
    "Random subclass slots": (
        "class P(random.Random):\n    pass\np = P(3)\np.l = []",
        "p.l.append(i)", "len(p.l)",
    ),
    "range iterated": ("r = range(5)", "r = range(i)", "list(r)"),
    "complex subclass": ("class P(complex): pass\np = P(1)\np.l = []", "p.l.append(i)", "len(p.l)"),
    "ndarray subclass attr": (
        "class P(np.ndarray): pass\np = np.zeros(2).view(P)\np.l = []",
        "p.l.append(i); p += 1", "(len(p.l), p.sum())",
    ),
    "ctypes int": ("c = ctypes.c_int(0)", "c.value += 1", "c.value"),
    "ctypes structure": (
        "class S(ctypes.Structure):\n    _fields_ = [('n', ctypes.c_int)]\ns = S()",
        "s.n += 1", "s.n",
    ),
    "ctypes from_buffer": (
        "b = bytearray(4); c = ctypes.c_int.from_buffer(b)",
        "c.value += 1", "b[0]",
    ),
    "np.frombuffer": ("b = bytearray(8); x = np.frombuffer(b, np.uint8)", "x[0] += 1", "b[0]"),
    "np.frombuffer of b": ("b = bytearray(8); x = np.frombuffer(b, np.uint8)", "b[0] += 1", "x[0]"),
    "np.frombuffer twice": (
        "b = bytearray(8); x = np.frombuffer(b, np.uint8); y = np.frombuffer(b, np.uint8)",
        "x[0] += 1", "y[0]",
    ),
    "np.frombuffer twice both named": (
        "b = bytearray(8); x = np.frombuffer(b, np.uint8); y = np.frombuffer(b, np.uint8)",
        "x[0] += 1; y[1] += 1; b[2] += 1", "(x.tolist(), y.tolist(), list(b))",
    ),
    "np.frombuffer hidden base": (
        "b = bytearray(8); x = np.frombuffer(b, np.uint8)\n"
        "y = np.frombuffer(b, np.uint8, offset=4)\n"
        "del b",
        "x[4] += 1; y[1] += 1", "(x.tolist(), y.tolist())",
    ),
    "np over array.array": (
        "a = array.array('d', [0.0, 0.0]); x = np.frombuffer(a)",
        "x[0] += 1", "a[0]",
    ),
    "np over memoryview": ("a = bytearray(8); x = np.asarray(memoryview(a))", "x[0] += 1", "a[0]"),
    "np.poly1d": ("p = np.poly1d([1, 2])", "p[0] += 1", "p.coeffs.tolist()"),
    "np.ma": (
        "p = np.ma.array([1, 2, 3], mask=[0, 0, 1])",
        "p[0] += 1; p[1] = np.ma.masked if i == 1 else p[1]", "(p.sum(), p.mask.tolist())",
    ),
    "np.matrix": ("p = np.matrix([[1, 2]])", "p += 1", "p.tolist()"),
    "np 0-d": ("p = np.array(0.0)", "p += 1", "float(p)"),
    "logging handler": (
        "s = []\nclass H(logging.Handler):\n    def emit(self, r): s.append(1)\n"
        "l = logging.getLogger('y'); l.addHandler(H()); l.setLevel(10); l.propagate = False",
        "l.info('a')", "len(s)",
    ),
    "module attr": ("m = types.ModuleType('m')\nm.n = 0", "m.n += 1", "m.n"),
    "module list": ("m = types.ModuleType('m')\nm.l = []", "m.l.append(i)", "len(m.l)"),
    "vars(obj)": (COUNTER + "c = Counter()", "vars(c)['n'] += 1", "c.n"),
    "mock": ("m = mock.Mock()", "m()", "m.call_count"),
    "mock side_effect": ("m = mock.Mock(side_effect=[1, 2, 3, 4, 5])", "m()", "m()"),
    "configparser": (
        "c = configparser.ConfigParser(); c.read_dict({'a': {'n': '0'}})",
        "c['a']['n'] = str(int(c['a']['n']) + 1)", "c['a']['n']",
    ),
    "configparser section": (
        "c = configparser.ConfigParser(); c.read_dict({'a': {'n': '0'}}); s = c['a']",
        "s['n'] = str(int(s['n']) + 1)", "c['a']['n']",
    ),
    "ElementTree attrib": ("e = ET.Element('a', n='0')", "e.set('n', str(i))", "e.get('n')"),
    "email message": ("m = email.message.Message()", "m['x'] = str(i)", "len(m)"),
    "SequenceMatcher": (
        "s = difflib.SequenceMatcher(None, 'abc', 'abd')",
        "s.set_seq2('abc' + str(i))", "s.ratio()",
    ),
    "sched": ("s = sched.scheduler()\nl = []", "s.enter(0, 1, l.append, (1,)); s.run()", "len(l)"),
    "argparse": ("p = argparse.ArgumentParser()", "p.add_argument('--a%d' % i)", "len(p._actions)"),
    "argparse Namespace": ("p = argparse.Namespace(n=0)", "p.n += 1", "p.n"),
    "string.Template": ("t = string.Template('$a')", "t.template += 'b'", "t.template"),
    "Fraction": ("f = fractions.Fraction(1, 3)", "f += 1", "f"),
    "datetime": ("d = datetime.datetime(2020, 1, 1)", "d += datetime.timedelta(1)", "d.day"),
    "ipaddress": ("u = ipaddress.ip_address(1)", "u += 1", "int(u)"),
    "contextlib suppress": (
        "l = []\ns = contextlib.suppress(KeyError)",
        "with s: l.append(i)", "len(l)",
    ),
    "contextmanager": (
        "l = []\n@contextlib.contextmanager\ndef cm():\n    l.append(1)\n    yield l",
        "with cm() as x: x.append(2)", "len(l)",
    ),
    "exception subclass": (
        "class E(Exception):\n    def __init__(s):\n        s.l = []\ne = E()",
        "e.l.append(i)", "len(e.l)",
    ),
    "slice": ("s = slice(0, 1)", "s = slice(0, i)", "s.stop"),
    "super object": (
        COUNTER + "class S(Counter):\n    def mk(s): return super()\nc = S(); s = c.mk()",
        "s.bump()", "c.n",
    ),
    "super object hidden": (
        COUNTER + "class S(Counter):\n    def mk(s): return super().bump\nf = S().mk()",
        "f()", "f()",
    ),
    "self-made iterator": (
        "class I:\n    def __init__(s): s.n = 0\n    def __iter__(s): return s\n"
        "    def __next__(s):\n        s.n += 1\n        return s.n\nit = iter(I())",
        "next(it)", "next(it)",
    ),
    "map over self-made": (
        "class I:\n    def __init__(s): s.n = 0\n    def __iter__(s): return s\n"
        "    def __next__(s):\n        s.n += 1\n        return s.n\nit = map(str, I())",
        "next(it)", "next(it)",
    ),
    "iter(getitem)": (
        "class I:\n    def __getitem__(s, k): return k\nit = iter(I())",
        "next(it)", "next(it)",
    ),
    "wrapper descriptor bound": ("f = [].__iadd__", "f([i])", "len(f.__self__)"),
    "wrapper getitem": ("f = {}.__setitem__", "f(i, i)", "len(f.__self__)"),
    "statistics.NormalDist": ("n = statistics.NormalDist(0, 1)", "n = n + 1", "n.mean"),
    "http cookie": ("c = http.cookies.SimpleCookie()", "c['a'] = str(i)", "c['a'].value"),
    "shared list in partial and name": (
        ADD + "b = []\nf = functools.partial(add, b)",
        "f(i)", "(len(b), f(9))",
    ),
    "shared obj in bound and name": (COUNTER + "c = Counter()\nf = c.bump", "f()", "(c.n, f())"),
    "frozen dataclass as key": (
        _KEY + "q = {}", "q[Key(i % 2, (i,))] = i", "(q[Key(1, (1,))], q[Key(0, (2,))], list(q))"
    ),
    "frozen dataclass as key, made before": (
        _KEY + "k = Key(1, (1,)); q = {k: 0}", "q[Key(1, (1,))] += 1; k = Key(i, ())", "(q, k in q)"
    ),
    "frozen dataclass in a set": (
        _KEY + "s = set()", "s.add(Key(i, ()))", "(Key(2, ()) in s, len(s))"
    ),
    "frozen dataclass in a key": (
        _KEY + "q = {}", "q[(Key(i, ()), Key(0, (Key(i, ()),)))] = i",
        "q[(Key(2, ()), Key(0, (Key(2, ()),)))]",
    ),
    "frozen dataclass in a frozen set": (
        _KEY + "q = {}", "q[frozenset([Key(i, ()), Key(7, ())])] = i",
        "q[frozenset([Key(2, ()), Key(7, ())])]",
    ),
    "key with its own hash": (
        "class K:\n    def __init__(s, n): s.n = [n]\n    def __hash__(s): return hash(s.n[0])\n"
        "    def __eq__(s, o): return s.n == o.n\nq = {}",
        "q[K(i)] = i", "q[K(2)]",
    ),
    "order of a set of NumPy numbers": (
        "s = set(); a = np.array([29, 37, 5, 13])", "s.add(a[i]); s.add((1, a[i]))",
        "[str(one) for one in s]",
    ),
    "order of a set of frozensets": (
        "s = set()", "s.add(frozenset([29 + 8 * i])); s.discard(frozenset([29]))",
        "[sorted(one) for one in s]",
    ),
}  # fmt: skip
