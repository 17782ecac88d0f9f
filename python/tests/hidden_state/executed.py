"""What nobody can bring back, or of which it is not told what changes."""

from typing import Dict

from .restored import ADD, COUNTER, HOLDER, WORLD, Row

_TENSORS = "t = torch.zeros(3); d = [torch.zeros(3) for _ in range(3)]\n"

EXECUTED: Dict[str, Row] = {
    "constants of a class changed": (WORLD, "w.step(); w.MOVES.append((i, i))", "len(World.MOVES)"),
    "constants of a class changed inside": (
        WORLD, "w.step(); x = w.START[0]; x[0] += 1", "World.START"
    ),
    "constants of a class changed by their place": (
        WORLD, "w.step(); w.MOVES[0] = (i, i)", "World.MOVES"
    ),
    "constants of a class added to": (WORLD, "w.step(); w.START += [i]", "World.START"),
    "tensor of a class": (
        WORLD + "World.t = np.zeros(1)", "w.step(); World.t += 1", "World.t[0]"
    ),
    "tensor of a class by an instance": (
        WORLD + "World.t = np.zeros(1)", "w.step(); w.t[0] = i", "World.t[0]"
    ),
    "tensor of a class alone by an instance": (
        WORLD + "World.t = np.zeros(1)", "w.t[0] = i", "World.t[0]"
    ),
    "tensor of a class above by an instance": (
        WORLD + "World.t = np.zeros(1)\nclass Sub(World): pass\ns = Sub(2)", "s.t += 1", "w.t[0]"
    ),
    "function kept that was made in the loop": (
        "h = []", "def g(y=i): return y\nh.append(g)", "h[1]()"
    ),
    "class kept that was made in the loop": ("h = []", "class G: n = i\nh.append(G)", "h[1].n"),
    "attribute that a property sets": (
        "log = []\nclass P:\n    def __init__(s, log): s.log = log\n"
        "    @property\n    def n(s): return len(s.log)\n"
        "    @n.setter\n    def n(s, v): s.log.append(v)\np = P(log)",
        "p.n = i", "log, p.n",
    ),
    "item that a method sets": (
        "log = []\nclass P:\n    def __init__(s, log): s.log = log\n"
        "    def __setitem__(s, k, v): s.log.append(v)\np = P(log)",
        "p[i] = i", "log",
    ),
    "function made in a branch": (
        "h = []\ndef g(y=7): return y",
        "if i == 1:\n    def g(y=i): return y\nh.append(g())", "h, g()",
    ),
    "class in an attribute changed": (HOLDER, "c.n += 1; c.d.n += 1", "D.n"),
    "class in an attribute changed by its method": (HOLDER, "c.n += 1; c.d.bump()", "D.n"),
    "class in an attribute given a list": (
        HOLDER + "D.items = []", "c.n += 1; c.d.items.append(i)", "len(D.items)"
    ),
    "class in an attribute set by name": (HOLDER, "c.n += 1; setattr(c.d, 'n', i)", "D.n"),
    "class in an attribute deleted from": (
        HOLDER + "D.x = 1", "c.n += 1\nif i == 1: del c.d.x", "hasattr(D, 'x')"
    ),
    "class changed through its dictionary": (
        HOLDER + "D.items = []", "c.n += 1; vars(c.d)['items'].append(i)", "len(D.items)"
    ),
    "deleted at last": ("a = 1", "if i == 2: del a", "'a' in globals()"),
    "two partials one list": (
        ADD + "def mk():\n    b = []\n"
        "    return functools.partial(add, b), functools.partial(add, b)\nf, g = mk()",
        "f(i)", "g(1)",
    ),
    "def again": ("def g(): return 0", "if i > 0:\n    def g(y=i): return y", "g()"),
    "class again": ("class G: n = 0", "class G: n = i", "G.n"),
    "lambda again": ("g = lambda: 0", "g = lambda y=i: y", "g()"),
    "def by another name": ("def g(): return 0\ndef h(): return 1", "g = h", "g()"),
    "bound of itertools.count __next__": ("f = itertools.count().__next__", "f()", "f()"),
    "bound of generator": (
        "def g():\n    n = 0\n    while True:\n        yield n\n        n += 1\n"
        "f = g().__next__",
        "f()", "f()",
    ),
    "bound of generator send": (
        "def g():\n    n = 0\n    while True:\n        n += (yield n)\nf = g().send\n"
        "f(None)",
        "f(2)", "f(0)",
    ),
    "partial rebound in loop": (
        ADD + "f = functools.partial(add, [])",
        "f = functools.partial(add, [i])", "f(1)",
    ),
    "partial made in loop kept": (
        ADD + "h = []",
        "h.append(functools.partial(add, [i]))", "h[2](1) + h[1].args[0][0]",
    ),
    "bound rebound in loop": (
        COUNTER + "f = Counter().bump",
        "c = Counter(); f = c.bump; f()", "f()",
    ),
    "partialmethod": (
        "class K:\n    def add(self, box, v): box.append(v); return len(box)\n"
        "    go = functools.partialmethod(add, [])\nk = K()",
        "k.go(i)", "k.go(1)",
    ),
    "function attribute": ("def f(): f.n += 1\nf.n = 0", "f()", "f.n"),
    "function default": (
        "def f(v, seen=[]):\n    seen.append(v)\n    return len(seen)",
        "f(i)", "f(1)",
    ),
    "function kwdefault": (
        "def f(v, *, seen=[]):\n    seen.append(v)\n    return len(seen)",
        "f(i)", "f(1)",
    ),
    "lambda default": ("f = lambda v, seen=[]: seen.append(v) or len(seen)", "f(i)", "f(1)"),
    "closure nonlocal": (
        "def mk():\n    n = 0\n    def f():\n        nonlocal n\n        n += 1\n"
        "        return n\n    return f\nf = mk()",
        "f()", "f()",
    ),
    "closure list": (
        "def mk():\n    s = []\n    return lambda v: s.append(v) or len(s)\nf = mk()",
        "f(i)", "f(1)",
    ),
    "closure with a generator of random numbers": (
        "def mk():\n    g = torch.Generator().manual_seed(3)\n"
        "    return lambda: torch.rand(1, generator=g).item()\nf = mk()",
        "f()", "f()",
    ),
    "gradients switched": ("", "torch.set_grad_enabled(i < 1)", "torch.is_grad_enabled()"),
    "gradients switched by another name": (
        "from torch.autograd import set_grad_enabled as switch",
        "switch(False)", "torch.is_grad_enabled()",
    ),
    "gradients switched in a function": (
        "def off(): torch.set_grad_enabled(False)", "off()", "torch.is_grad_enabled()",
    ),
    "gradients switched by what is kept": (
        "", "c = torch.set_grad_enabled(False)", "torch.is_grad_enabled()",
    ),
    "anomalies": (
        "", "torch.autograd.set_detect_anomaly(True)", "torch.is_anomaly_enabled()",
    ),
    "looks of tensors": (
        "", "torch.set_printoptions(precision=2)", "str(torch.tensor(1.23456))",
    ),
    "threads of PyTorch": ("", "torch.set_num_threads(1 + i)", "torch.get_num_threads()"),
    "type of new tensors": (
        "", "torch.set_default_dtype(torch.float64)", "str(torch.zeros(1).dtype)",
    ),
    "looks of arrays": ("", "np.set_printoptions(precision=2)", "str(np.array([1.23456]))"),
    "errors of arrays": ("", "np.seterr(all='raise')", "np.geterr()['over']"),
    "bound of a NumPy generator": ("f = np.random.default_rng(2).normal", "f()", "f()"),
    "partial of a NumPy generator": (
        "r = np.random.default_rng(2); f = functools.partial(r.normal, 0, 1)", "f()", "r.normal()",
    ),
    "closure in dict": (
        "def mk():\n    s = []\n    return {'put': s.append, 'get': lambda: len(s)}\n"
        "f = mk()",
        "f['put'](i)", "f['get']()",
    ),
    "decorated function": (
        "def d(f):\n    n = [0]\n    @functools.wraps(f)\n    def w(*a):\n"
        "        n[0] += 1\n        return n[0]\n    return w\n@d\ndef f(x): return x",
        "f(i)", "f(1)",
    ),
    "wrapped attr": (
        "def d(f):\n    @functools.wraps(f)\n    def w(*a):\n        w.calls += 1\n"
        "        return f(*a)\n    w.calls = 0\n    return w\n@d\ndef f(x): return x",
        "f(i)", "f.calls",
    ),
    "lru_cache": (
        "@functools.lru_cache(None)\ndef f(k): return k",
        "f(i)", "f.cache_info().currsize",
    ),
    "lru in attribute": (
        "class K:\n"
        "    def __init__(s): s.f = functools.lru_cache(None)(lambda k: [k])\nk = K()",
        "k.f(i)", "k.f.cache_info().currsize",
    ),
    "WeakSet": (
        COUNTER + "c = Counter(); d = weakref.WeakSet(); k = []",
        "k.append(Counter()); d.add(k[-1])", "len(d)",
    ),
    "weakref.finalize": (
        "l = []\nclass O: pass\no = O()\nf = weakref.finalize(o, l.append, 1)",
        "f() if i == 1 else None", "len(l) + 10 * f.alive",
    ),
    "contextvar": ("v = contextvars.ContextVar('v', default=0)", "v.set(v.get() + 1)", "v.get()"),
    "contextvar list": (
        "v = contextvars.ContextVar('v', default=[])",
        "v.get().append(i)", "len(v.get())",
    ),
    "context.run": (
        "v = contextvars.ContextVar('v', default=0)\nc = contextvars.copy_context()\n"
        "def up(): v.set(v.get() + 1)",
        "c.run(up)", "c.run(v.get)",
    ),
    "queue.SimpleQueue": ("q = queue.SimpleQueue()", "q.put(i)", "q.qsize()"),
    "memoryview of bytearray": ("b = bytearray(4); m = memoryview(b)", "m[0] += 1", "b[0]"),
    "memoryview only": ("m = memoryview(bytearray(4))", "m[0] += 1", "m[0]"),
    "memoryview of array": ("a = array.array('i', [0, 0]); m = memoryview(a)", "m[0] += 1", "a[0]"),
    "mappingproxy inner list": (
        "p = types.MappingProxyType({'a': []})",
        "p['a'].append(i)", "len(p['a'])",
    ),
    "defaultdict with partial": (
        "d = collections.defaultdict(functools.partial(next, itertools.count()))",
        "d[i]", "d[77]",
    ),
    "defaultdict with count.__next__": (
        "d = collections.defaultdict(itertools.count().__next__)",
        "d[i]", "d[77]",
    ),
    "generator": (
        "def g():\n    n = 0\n    while True:\n        yield n\n        n += 1\nit = g()",
        "next(it)", "next(it)",
    ),
    "generator expression": ("it = (x * x for x in range(99))", "next(it)", "next(it)"),
    "map with bound": (COUNTER + "it = map(Counter().bump, range(99))", "next(it)", "next(it)"),
    "dict views only": ("v = dict(a=[]).values()", "next(iter(v)).append(i)", "list(v)"),
    "callable iterator": (COUNTER + "it = iter(Counter().bump, 99)", "next(it)", "next(it)"),
    "itertools.starmap bound": (
        COUNTER + "it = itertools.starmap(Counter().bump, itertools.repeat(()))",
        "next(it)", "next(it)",
    ),
    "re.Scanner": (
        "l = []\ns = re.Scanner([('a', lambda s, t: l.append(t))])",
        "s.scan('aa')", "len(l)",
    ),
    "re finditer": ("it = re.finditer('a', 'aaaaaa')", "next(it)", "next(it).start()"),
    "re match": ("m = re.match('a', 'a')", "m = re.match('a+', 'a' * (i + 1))", "m.end()"),
    "TextIOWrapper": (
        "s = io.TextIOWrapper(io.BytesIO())",
        "s.write('a'); s.flush()", "len(s.buffer.getvalue())",
    ),
    "BufferedReader": ("s = io.BufferedReader(io.BytesIO(b'abcdefgh'))", "s.read(1)", "s.read(1)"),
    "csv.writer": ("s = io.StringIO(); w = csv.writer(s)", "w.writerow([i])", "len(s.getvalue())"),
    "csv.reader": ("r = csv.reader(['a,b', 'c,d', 'e', 'f', 'g'])", "next(r)", "next(r)"),
    "struct.Struct": (
        "s = struct.Struct('i'); b = bytearray(4)",
        "s.pack_into(b, 0, i + 1)", "b[0]",
    ),
    "threading.local": ("t = threading.local(); t.n = 0", "t.n += 1", "t.n"),
    "threading.local subclass": (
        "class T(threading.local):\n    n = 0\nt = T()",
        "t.n += 1", "t.n",
    ),
    "enum member attr": ("class E(enum.Enum):\n    A = 1\nE.A.n = 0", "E.A.n += 1", "E.A.n"),
    "enum mutable value": (
        "class E(enum.Enum):\n    A = []\ne = E.A",
        "e.value.append(i)", "len(E.A.value)",
    ),
    "ctypes array": ("c = (ctypes.c_int * 3)()", "c[0] += 1", "c[0]"),
    "ctypes create_string_buffer": ("b = ctypes.create_string_buffer(4)", "b[0] = i + 1", "b.raw"),
    "hashlib": ("h = hashlib.sha256()", "h.update(b'a')", "h.hexdigest()"),
    "zlib compressobj": ("h = zlib.compressobj()", "h.compress(b'abc')", "h.flush()"),
    "zlib decompressobj": (
        "h = zlib.decompressobj()\nd = zlib.compress(b'abcdefgh')",
        "h.decompress(d[i * 3:i * 3 + 3])", "len(h.unconsumed_tail) + len(h.unused_data) + h.eof",
    ),
    "np over mmap twice": (
        "m = mmap.mmap(-1, 16); x = np.frombuffer(m, np.uint8); y = np.frombuffer(m, np.uint8)",
        "x[0] += 1; y[1] += 1", "(x.tolist(), y.tolist())",
    ),
    "np over ctypes": (
        "c = (ctypes.c_double * 2)(); x = np.ctypeslib.as_array(c)",
        "x[0] += 1", "c[0]",
    ),
    "np.nditer": (
        "x = np.arange(5.0)\nit = np.nditer(x, op_flags=['readwrite'])",
        "it[0] = 7; it.iternext()", "x.tolist()",
    ),
    "np.flatiter": ("x = np.arange(5.0)\nf = x.flat", "f[i] = 9", "x.tolist()"),
    "np.flatiter next": ("x = np.arange(5.0)\nf = x.flat", "next(f)", "next(f)"),
    "np.ndenumerate": ("x = np.arange(5.0)\nf = np.ndenumerate(x)", "next(f)", "next(f)"),
    "np.recarray": ("p = np.zeros(2, dtype=[('a', int)])", "p['a'] += 1", "p['a'].sum()"),
    "np object array": ("p = np.array([[], None], dtype=object)", "p[0].append(i)", "len(p[0])"),
    "property object": (
        COUNTER + "class K:\n    c = Counter()\n"
        "    v = property(lambda s: s.c.bump())\nk = K()",
        "k.v", "k.v",
    ),
    "staticmethod attr": (
        "class K:\n    l = []\n    @staticmethod\n    def up(): K.l.append(1)\nf = K.up",
        "f()", "len(K.l)",
    ),
    "class attr list": ("class K:\n    l = []", "K.l.append(i)", "len(K.l)"),
    "class attr": ("class K:\n    n = 0", "K.n += 1", "K.n"),
    "class in variable": ("class K:\n    n = 0\nh = K", "h.n += 1", "h.n"),
    "class in dict": ("class K:\n    n = 0\nh = {'k': K}", "h['k'].n += 1", "K.n"),
    "class in a function": (
        "def mk():\n    class K:\n        n = 0\n    return K\nK = mk()",
        "K.n += 1", "K.n",
    ),
    "descriptor with state": (
        "class D:\n    def __init__(s): s.n = 0\n    def __get__(s, o, t):\n"
        "        s.n += 1\n        return s.n\nclass K:\n    v = D()\nk = K()",
        "k.v", "k.v",
    ),
    "descriptor weak values": (
        "class D:\n    def __init__(s): s.v = {}\n"
        "    def __get__(s, o, t): return s.v.get('k', 0)\n"
        "    def __set__(s, o, x): s.v['k'] = x\nclass K:\n    v = D()\nk = K()",
        "k.v += 1", "k.v",
    ),
    "globals()": ("n = 0", "globals()['n'] += 1", "n"),
    "exec": ("n = 0", "exec('n += 1', globals())", "n"),
    "function __defaults__": ("def f(n=0): return n", "f.__defaults__ = (i,)", "f()"),
    "function __code__": ("def f(): return 1\ndef g(): return 2", "f.__code__ = g.__code__", "f()"),
    "function in list attr": ("def f(): pass\nf.n = 0\nh = [f]", "h[0].n += 1", "f.n"),
    "lambda attr in obj": (
        "class B: pass\nb = B(); b.f = lambda: 0\nb.f.n = 0",
        "b.f.n += 1", "b.f.n",
    ),
    "contextlib ExitStack": (
        "l = []\ns = contextlib.ExitStack()",
        "s.callback(l.append, i)", "(s.close(), len(l))[1]",
    ),
    "asyncio.Queue": ("q = asyncio.Queue()", "q.put_nowait(i)", "q.qsize()"),
    "asyncio.Event": ("q = asyncio.Event()", "q.set()", "q.is_set()"),
    "typing.NamedTuple": (
        "class P(typing.NamedTuple):\n    l: list\np = P([])",
        "p.l.append(i)", "len(p.l)",
    ),
    "functools.cmp_to_key": (
        "l = []\nk = functools.cmp_to_key(lambda a, b: l.append(1) or a - b)",
        "sorted([2, 1], key=k)", "len(l)",
    ),
    "cmp_to_key object": (
        COUNTER + "k = functools.cmp_to_key(Counter().bump)",
        "sorted([2, 1], key=k)", "(k(1) < k(2), k(1))[0]",
    ),
    "copy.copy partial": (ADD + "f = copy.copy(functools.partial(add, []))", "f(i)", "f(1)"),
    "instance of generic class": (
        "T = typing.TypeVar('T')\nclass G(typing.Generic[T]):\n"
        "    def __init__(s): s.l = []\ng = G[int]()",
        "g.l.append(i)", "len(g.l)",
    ),
    "np.frombuffer new view": (
        "b = bytearray(8); x = np.frombuffer(b, np.uint8); y = x",
        "y = np.frombuffer(b, np.uint8, offset=i + 1); y[0] += 1; x[7] += 1",
        "(x.tolist(), y.tolist(), list(b))",
    ),
    "np.frombuffer made in the loop": (
        "b = bytearray(8); x = np.frombuffer(b, np.uint8); y = None",
        "y = np.frombuffer(b, np.uint8); y[0] += 1",
        "(y.__setitem__(1, 9), x.tolist(), list(b))[1:]",
    ),
    "np.frombuffer of an array.array": (
        "a = array.array('d', [0.0, 0.0]); x = None", "x = np.frombuffer(a); x[0] += 1",
        "(x.__setitem__(1, 9), a.tolist())[1:]",
    ),
    "which object() a list holds": (
        "GONE = object(); items = []", "items.append(GONE if i % 2 else i)",
        "sum(one is GONE for one in items)",
    ),
    "which text a queue holds": (
        "class Queue:\n"
        "    def __init__(s): s.REMOVED = '<removed>' + str(len('ab')); s.items = []\n"
        "    def left(s): return sum(one is not s.REMOVED for one in s.items)\n"
        "q = Queue()",
        "q.items.append(q.REMOVED if i % 2 else str(i))", "q.left()",
    ),
    "which number a variable is": (
        "NO = float('inf'); best = NO\ndef is_none(): return best is NO",
        "best = NO if i else 0.5", "is_none()",
    ),
    # Memory of one tensor that another is given, and objects that it is given to hold.
    "memory of a tensor assigned": (
        _TENSORS, "t.data = d[1]; t.add_(1)", "[one.sum().item() for one in d]"
    ),
    "memory of a tensor set": (
        _TENSORS, "t.set_(d[1]); t.add_(1)", "[one.sum().item() for one in d]"
    ),
    "memory of a tensor set by its class": (
        _TENSORS, "torch.Tensor.set_(t, d[1]); t.add_(1)", "[one.sum().item() for one in d]"
    ),
    "memory of a tensor set by name": (
        _TENSORS, "setattr(t, 'data', d[1]); t.add_(1)", "[one.sum().item() for one in d]"
    ),
    "memory of a tensor set by its method": (
        _TENSORS, "t.__setattr__('data', d[1]); t.add_(1)", "[one.sum().item() for one in d]"
    ),
    "memory of a parameter assigned": (
        _TENSORS + "p = torch.nn.Linear(2, 3)",
        "p.bias.data = d[1]\nwith torch.no_grad(): p.bias.add_(1)",
        "[one.sum().item() for one in d]",
    ),
    "memory of a gradient": (
        _TENSORS, "t.grad = d[1]; t.grad.add_(1)", "[one.sum().item() for one in d]"
    ),
    "tensor in an attribute of a tensor": (
        _TENSORS, "t.src = d[1]; t.src.add_(1)", "[one.sum().item() for one in d]"
    ),
    "list in an attribute of a tensor": (
        _TENSORS + "x = [0]", "t.src = x; t.src.append(i)", "len(x)"
    ),
    "list in an attribute of a tensor, before": (
        _TENSORS + "x = [0]; t.src = x", "t.src.append(i)", "len(x), len(t.src)"
    ),
    "list in the dictionary of a tensor": (
        _TENSORS + "x = [0]", "vars(t)['src'] = x; t.src.append(i)", "len(x)"
    ),
    # Attributes of functions and of modules.
    "dictionary of a function": ("def f(): pass\nf.d = {}", "f.d[i] = i", "len(f.d)"),
    "list of a function": ("def f(): pass\nf.l = []", "f.l.append(i)", "len(f.l)"),
    "list of a function that is called": (
        "def f(n): f.l.append(n)\nf.l = []", "f(i)", "len(f.l)"
    ),
    "list of a function set by name": (
        "def f(): pass\nsetattr(f, 'l', [])", "f.l.append(i)", "len(f.l)"
    ),
    "number of a function set by name": (
        "def f(): pass", "setattr(f, 'n', i)", "getattr(f, 'n', None)"
    ),
    "number of a module set by name": (
        "string.zz = 0", "setattr(string, 'zz', i)", "string.zz"
    ),
    "list of a method": (
        "class C:\n    def m(self): pass\nC.m.l = []", "C.m.l.append(i)", "len(C.m.l)"
    ),
    "list of a method by an instance": (
        "class C:\n    def m(self): pass\nC.m.l = []; c = C()", "c.m.l.append(i)", "len(C.m.l)"
    ),
    "list of a function in a variable": (
        "def f(): pass\nf.l = []; x = f.l", "f.l.append(i)", "len(x)"
    ),
    "list of a module": ("string.zz = []", "string.zz.append(i)", "len(string.zz)"),
    "list of a module in a variable": (
        "x = []; string.zz = x", "string.zz.append(i)", "len(x)"
    ),
    # What is handed on where there is nothing else.
    "default of get": ("x = [0]; d = {}", "d.get(1, x).append(i)", "len(x)"),
    "default of pop": ("x = [0]; d = {}", "d.pop(1, x).append(i)", "len(x)"),
    "default of setdefault": ("x = [0]", "d = {}; d.setdefault(1, x).append(i)", "len(x)"),
    "default of max": ("x = [0]", "max([], default=x).append(i)", "len(x)"),
    "default of next": ("x = [0]", "next(iter([]), x).append(i)", "len(x)"),
    "default of getattr": ("x = [0]", "getattr(3, 'no', x).append(i)", "len(x)"),
    "default of getattr of an instance": (
        "class C: pass\nc = C(); x = [0]", "getattr(c, 'no', x).append(i)", "len(x)"
    ),
    "default of get of an element": (
        "x = [[0], [1]]; d = {}", "d.get(1, x[1]).append(i)", "len(x[1])"
    ),
    "default of get of a function": (
        "x = [[0], [1]]; d = {}\ndef hit(k): return d.get(k, x[1])",
        "hit(i).append(i)", "len(x[1])",
    ),
    # Exceptions of the language hold what they are made with.
    "arguments of an exception": (
        "x = [0]",
        "try: raise ValueError(x)\nexcept ValueError as e: e.args[0].append(i)", "len(x)",
    ),
    "value of StopIteration": ("x = [0]", "StopIteration(x).value.append(i)", "len(x)"),
    "attribute of an exception": (
        "x = [0]",
        "try:\n    e = ValueError(); e.x = x; raise e\nexcept ValueError as e: e.x.append(i)",
        "len(x)",
    ),
    "arguments of an exception that a function raises": (
        "x = [0]\ndef f(): raise KeyError('no', x)",
        "try: f()\nexcept Exception as e: e.args[1].append(i)", "len(x)",
    ),
    # Functions of types, and what calls what it is given.
    "method of a type": ("x = [0]", "type(x).append(x, i)", "len(x)"),
    "method of a class of a value": ("x = [0]", "x.__class__.append(x, i)", "len(x)"),
    "np.partition in place": ("x = np.arange(9.0)[::-1].copy()", "x.partition(4)", "x.tolist()"),
    "np.partition in place of another": (
        "x = np.array([float(9 - n) for n in range(9)])", "x.partition(4)", "x.tolist()"
    ),
    "np.array of objects": ("x = [0]", "np.array([x, None], dtype=object)[0].append(i)", "len(x)"),
    "np.array of objects in a variable": (
        "x = [0]; a = np.empty(2, dtype=object); a[0] = x", "a[0].append(i)", "len(x)"
    ),
    "np.array of objects by place": (
        "x = [0]; a = np.empty(2, object); a[0] = x", "a[0].append(i)", "len(x)"
    ),
    "np.frompyfunc": ("x = [0]", "np.frompyfunc(x.append, 1, 1)([i])", "len(x)"),
    "np.frompyfunc in a variable": (
        "x = [0]; f = np.frompyfunc(x.append, 1, 1)", "f([i])", "len(x)"
    ),
    "np.vectorize": ("x = [0]; f = np.vectorize(x.append)", "f([i])", "len(x)"),
    "functools.lru_cache of a method": (
        "x = [0]", "functools.lru_cache(x.append)(i)", "len(x)"
    ),
    "functools.lru_cache of a method in a variable": (
        "x = [0]; f = functools.lru_cache(x.append)", "f(i)", "len(x)"
    ),
    "property that a case asks for": (
        "x = [0]\nclass K:\n    @property\n    def v(self):\n        x.append(1)\n"
        "        return 1\nk = K()",
        "match i:\n    case k.v: pass", "len(x)",
    ),
    "dictionary of an object replaced": (
        "class C: pass\nc = C(); c.n = 0; old = c.__dict__", "c.__dict__ = {'n': i}",
        "c.n * 100 + old['n']",
    ),
    "where an exception was raised": (
        "e = None", "try: 1 / 0\nexcept ZeroDivisionError as x: e = x", "e.__traceback__ is None"
    ),
    "metadata of a type": (
        "a = None", "a = np.zeros(2, np.dtype('f8', metadata={'a': i}))", "a.dtype.metadata"
    ),
}  # fmt: skip
