"""What a program consists of: the project files it has loaded, and the environment variables that
they name. Values of variables may be secrets, so only hashes of them are kept, each run's own."""

import hashlib
import os
import re
import site
import sys
import sysconfig
from typing import Any, Dict, Iterable, List, Mapping

from ..format.safetensors import compact_json

# os.environ["NAME"], os.environ.get("NAME"), os.getenv("NAME")
_NAMED = re.compile(
    r"\b(?:environ\s*(?:\[|\.get\s*\(|\.pop\s*\()|getenv\s*\()\s*[rbu]?[\"']([^\"']+)"
)
# Differ from process to process, or are ours: no program computes with them.
_OF_NO_INTEREST = re.compile(
    r"(?:AFTERLOG_|TMPDIR$|PWD$|OLDPWD$|SHLVL$|_$|TERM$|COLUMNS$|LINES$|FORCE_COLOR$|NO_COLOR$|CI$)"
)
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _package_folders() -> List[str]:
    found = [*site.getsitepackages(), site.getusersitepackages(), _OWN]
    found += [path for name, path in sysconfig.get_paths().items() if name.endswith("lib")]
    found.append(sysconfig.get_paths()["stdlib"])
    return [os.path.join(os.path.realpath(folder), "") for folder in found]


_PACKAGES = _package_folders()


def is_of_package(file: str) -> bool:
    """Whether a file belongs to Python, to an installed package, or to us."""
    real = os.path.realpath(file)
    inside = any(real.startswith(folder) for folder in _PACKAGES)
    return inside or "site-packages" in real or "dist-packages" in real


class Sources:
    """SHA-256 of each project source that was loaded, by file; each is read once."""

    def __init__(self, root: str, program: str, known: Mapping[str, str]) -> None:
        self._root = os.path.join(os.path.realpath(root), "")
        self._program = program
        self.hashes: Dict[str, str] = dict(known)

    def look(self) -> bool:
        """Notices what was loaded since; whether there was more."""
        before = len(self.hashes)
        loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        for file in (self._program, *(file for file in loaded if isinstance(file, str))):
            self._add(file)
        return len(self.hashes) > before

    def _add(self, file: str) -> None:
        real = os.path.realpath(file)
        if not real.startswith(self._root) or is_of_package(real) or not os.path.isfile(real):
            return
        name = os.path.relpath(real, self._root)
        if name not in self.hashes:
            with open(real, "rb") as stream:
                self.hashes[name] = hashlib.sha256(stream.read()).hexdigest()


class Environment:
    """The variables as they were when the run began: the program may change them."""

    def __init__(self, root: str, salt: str) -> None:
        self._root = root
        self._salt = salt
        self._variables = dict(os.environ)

    def hashes(self, files: Iterable[str]) -> Dict[str, str]:
        """Hashes of the variables, set or not, that these sources name."""
        names = {name for file in files for name in _names_in(os.path.join(self._root, file))}
        return {
            name: self._hash(name) for name in sorted(names) if not _OF_NO_INTEREST.match(name)
        }

    def _hash(self, name: str) -> str:
        text = compact_json([self._salt, name, self._variables.get(name)])
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _names_in(file: str) -> List[str]:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return _NAMED.findall(stream.read())
    except OSError:
        return []


def framework_versions() -> Dict[str, str]:
    """Versions of the language and of the frameworks that the program has loaded."""
    found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for name in ("torch", "numpy", "torchvision", "transformers"):
        version: Any = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            found[name] = str(version)
    return found
