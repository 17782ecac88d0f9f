"""What a program consists of: the project files that it has loaded, and the frameworks."""

import hashlib
import os
import site
import sys
import sysconfig
from typing import Any, Dict, List, Mapping

from ...store.real_paths import real_path

_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _package_folders() -> List[str]:
    folders = [*site.getsitepackages(), site.getusersitepackages(), _OWN]
    folders += [path for name, path in sysconfig.get_paths().items() if name.endswith("lib")]
    folders.append(sysconfig.get_paths()["stdlib"])
    return [os.path.join(os.path.realpath(package_folder), "") for package_folder in folders]


_PACKAGES = _package_folders()


def is_of_package(file: str) -> bool:
    """Whether a file belongs to Python, to an installed package, or to us."""
    real = real_path(file)
    inside = any(real.startswith(folder) for folder in _PACKAGES)
    return inside or "site-packages" in real or "dist-packages" in real


def is_of_standard_library(file: str) -> bool:
    real = real_path(file)
    if "site-packages" in real or "dist-packages" in real:
        return False
    folders = (sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib"))
    return any(real.startswith(os.path.join(os.path.realpath(one), "")) for one in folders)


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
        real = real_path(file)
        if not real.startswith(self._root) or is_of_package(real) or not os.path.isfile(real):
            return
        name = os.path.relpath(real, self._root)
        if name not in self.hashes:
            with open(real, "rb") as stream:
                self.hashes[name] = hashlib.sha256(stream.read()).hexdigest()


def framework_versions() -> Dict[str, str]:
    """Versions of the language and of the frameworks that the program has loaded."""
    versions = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for name in ("torch", "numpy", "torchvision", "transformers"):
        version: Any = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            versions[name] = str(version)
    return versions
