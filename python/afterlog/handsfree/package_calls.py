"""The same for packages (`call_transform.py`): what they print and keep may come from a clock that
they ask themselves. Their modules are known by their names, wherever they lie."""

import ast
import re
import sysconfig

from ..record.log.call_results import CallResults
from ..source.nondeterminism.call_sites import find_call_sites
from ..source.program.program import Program
from ..source.program.scopes import Scopes
from .call_transform import watch_calls

# Large packages that show nothing of a clock by themselves: to look into them takes long.
_LEFT_ALONE = frozenset(
    "torch numpy scipy pandas matplotlib sklearn PIL sympy jax tensorflow afterlog".split()
)
_MAY_CALL = re.compile(
    rb"\b(?:time|perf_counter|monotonic|process_time|thread_time|default_timer)(?:_ns)?\("
    rb"|\b(?:now|utcnow|today|localtime|gmtime|strftime|ctime|asctime)\("
    rb"|\b(?:uuid[14]|urandom|getrandom|token_\w+|randbelow|randbits)\("
)
_STANDARD = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
_INSTALLED = ("site-packages", "dist-packages")


class PackageCalls:
    """For `source_hook.py`."""

    def __init__(self, program: Program, results: CallResults) -> None:
        self._program = program
        self._results = results

    def wants_module(self, module: str, file: str) -> bool:
        if module.partition(".")[0] in _LEFT_ALONE or _is_standard(file):
            return False
        try:
            with open(file, "rb") as stream:
                return _MAY_CALL.search(stream.read()) is not None
        except OSError:
            return False

    def apply_to_module(self, tree: ast.Module, module: str) -> ast.Module:
        file = f"package:{module}"
        sites = find_call_sites(self._program, file, Scopes(file, tree), attributes=True)
        return watch_calls(tree, sites, file, self._results)


def _is_standard(file: str) -> bool:
    return file.startswith(_STANDARD) and not any(one in file for one in _INSTALLED)
