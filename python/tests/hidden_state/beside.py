"""What tensors and tuples are beside their elements, and what is handed on without a name."""

from typing import Dict

from .restored import Row

BESIDE: Dict[str, Row] = {
    "conjugate of what stays": (
        "z = torch.ones(2, dtype=torch.cfloat) * 1j; w = z", "w = z if i == 1 else z.conj()",
        "(w.imag.tolist(), z.imag.tolist())",
    ),
    "conjugate of itself, changed": (
        "z = torch.ones(2, dtype=torch.cfloat) * 1j", "z = z.conj(); z.mul_(1.5)",
        "(z.imag.tolist(), z.is_conj())",
    ),
    "conjugate no more": (
        "z = (torch.ones(2, dtype=torch.cfloat) * 1j).conj(); w = [z]", "z = w[0] = z.conj()",
        "(w[0].imag.tolist(), z.is_conj())",
    ),
    "negative of a part": (
        "z = torch.ones(2, dtype=torch.cfloat) * 1j; y = z.imag", "z.mul_(2); y = z.conj().imag",
        "(y.tolist(), y.is_neg(), z.imag.tolist())",
    ),
    "negative alone": (
        "y = torch.zeros(2)", "y = (torch.ones(2, dtype=torch.cfloat) * 1j * i).conj().imag",
        "(y.tolist(), y.sum().item())",
    ),
    "names of dimensions": ("t = torch.zeros(2, 2)", "t += 1; t.rename_(f'x{i}', 'y')", "t.names"),
    "names of dimensions dropped": (
        "t = torch.zeros(2, 2, names=('x', 'y'))", "t += 1; t.rename_(None)", "t.names",
    ),
    "names of dimensions of a new tensor": (
        "t = None", "t = torch.arange(6.0).view(2, 3).t().rename('x', f'y{i}')",
        "(t.names, t.rename(None).tolist())",
    ),
    "what torch.max gives": (
        "best = None", "best = torch.max(torch.arange(6.0).view(2, 3) * i, 1)",
        "(best.values.tolist(), best.indices.tolist(), type(best).__name__)",
    ),
    "a time of day": (
        "import time; t = time.gmtime(0)", "t = time.gmtime(86400 * i)", "(t.tm_mday, t.tm_zone)"
    ),
    "what an exception holds": (
        "class Stop(Exception): pass\nl = []",
        "try: raise Stop(l)\nexcept Stop as e: e.args[0].append(i)", "l",
    ),
    "an attribute of an exception": (
        "class Stop(Exception):\n    def __init__(s, best): s.best = best\nl = []",
        "try: raise Stop(l)\nexcept Stop as e: e.best.append(i)", "l",
    ),
    "what a function raises": (
        "class Stop(Exception): pass\nl = []\ndef f(): raise Stop(l)",
        "try: f()\nexcept (Stop, KeyError) as e: e.args[0].append(i)", "l",
    ),
    "what yield from gives": (
        "l = []\ndef g():\n    yield 1\n    return l\n"
        "def h():\n    x = yield from g()\n    x.append(1)",
        "list(h())", "l",
    ),
    "arguments given to an exception": (
        "e = ValueError(1)", "e.args += (i,)", "repr(e)"
    ),
    "an exception made with names": (
        "class E(Exception):\n    def __init__(s, *, code):\n        super().__init__('m')\n"
        "        s.code = code\ne = None",
        "e = E(code=i)", "(e.code, e.args)",
    ),
    "an exception of another that is of it": (
        "e = None", "a = OSError(i, 'm'); e = KeyError(a); a.__cause__ = e; e.__suppress_context__",
        "(e.args[0].__cause__ is e, e.args[0].__suppress_context__, e.args[0].errno)",
    ),
    "a value of an exception": ("e = None", "e = StopIteration(i)", "e.value"),
}  # fmt: skip
