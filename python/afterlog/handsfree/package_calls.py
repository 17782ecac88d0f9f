"""The same for packages (`call_transform.py`): what they print and keep may come from a clock that
they ask themselves. Their modules are known by their names, wherever they lie."""

import ast
import builtins
import re
import sysconfig
from types import CodeType
from typing import Any, Dict, List, Optional

from ..record.log.call_results import CallResults, WatchedCall
from ..source import libraries
from ..source.nondeterminism.call_sites import find_call_sites
from ..source.program.program import Program
from ..source.program.scopes import Scopes
from ..store.package_cache import PackageCache
from .call_transform import pass_results, watched_calls

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


# The name that changed code calls, in the built-ins; no program has such a name.
GOT = "__afterlog_got_in__"


class PackageCalls:
    """For `source_hook.py`. A call is known by its module and its number there, so that changed
    code can be kept for other processes."""

    def __init__(self, program: Program, results: CallResults, cache: PackageCache) -> None:
        self._program = program
        self._results = results
        # Where the project has a module that is called as one with clocks, packages may import it.
        names = libraries.source_packages()
        is_plain = all(program.module_of("", name) is None for name in names)
        self._cache = cache if is_plain else PackageCache(None)
        # By module: the number of its first call in this process.
        self._first: Dict[str, int] = {}
        self._found: Dict[str, List[WatchedCall]] = {}

    def install(self) -> None:
        """Makes the name known that changed code calls."""
        setattr(builtins, GOT, self._got)

    def _got(self, module: str, at: int, value: Any) -> Any:
        return self._results.got(self._first[module] + at, value)

    def wants_module(self, module: str, file: str) -> bool:
        if module.partition(".")[0] in _LEFT_ALONE or _is_standard(file):
            return False
        kept = self._cache.find(file)
        if kept is not None:
            return kept.code is not None
        try:
            with open(file, "rb") as stream:
                if _MAY_CALL.search(stream.read()) is not None:
                    return True
        except OSError:
            return False
        self._cache.keep(file, None, [])
        return False

    def apply_to_module(self, tree: ast.Module, module: str) -> ast.Module:
        file = f"package:{module}"
        sites = find_call_sites(self._program, file, Scopes(file, tree), attributes=True)
        calls = watched_calls(sites)
        self._open(module, calls)
        self._found[module] = calls
        numbers = {site.node: at for at, site in enumerate(sites)}
        return pass_results(tree, numbers, GOT, module)

    def known_code(self, module: str, file: str) -> Optional[CodeType]:
        kept = self._cache.find(file)
        code = None if kept is None else kept.changed()
        if kept is not None and code is not None:
            self._open(module, [WatchedCall(*one) for one in kept.sites])
        return code

    def keep_code(self, module: str, file: str, code: CodeType) -> None:
        calls = self._found[module]
        self._cache.keep(file, code if calls else None, [tuple(one) for one in calls])

    def _open(self, module: str, calls: List[WatchedCall]) -> None:
        if calls:
            self._first[module] = self._results.open_file(f"package:{module}", calls)


def _is_standard(file: str) -> bool:
    return file.startswith(_STANDARD) and not any(one in file for one in _INSTALLED)
