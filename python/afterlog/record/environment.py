"""The environment variables that a program looks at: a replay in another environment would compute
something else. Values may be secrets, so only hashes of them are kept, each run's own. The rules
are those of `src/sdk/environment.ts`."""

import hashlib
import os
import re
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, NamedTuple

from ..format.safetensors import compact_json

if TYPE_CHECKING:
    from .replay.director import Director

# os.environ["NAME"], os.environ.get("NAME"), os.getenv("NAME")
_NAMED = re.compile(
    r"\b(?:environ\s*(?:\[|\.get\s*\(|\.pop\s*\()|getenv\s*\()\s*[rbu]?[\"']([^\"']+)"
)
# Differ from process to process, or are ours: no program computes with them.
_OF_NO_INTEREST = re.compile(
    r"(?:AFTERLOG_|TMPDIR$|PWD$|OLDPWD$|SHLVL$|_$|TERM$|COLUMNS$|LINES$|FORCE_COLOR$|NO_COLOR$|CI$)"
)
# Who runs the program, where, on which device, and what opens a door: they differ between people
# and change with time, and hardly a program computes with them.
_OF_THE_SURROUNDINGS = re.compile(
    r"(?:HOME|USERPROFILE|USER|USERNAME|LOGNAME|HOST|HOSTNAME|SHELL|PATH|PYTHONPATH"
    r"|(?:CUDA|HIP|ROCR)_VISIBLE_DEVICES"
    r"|(?:.*_)?(?:API)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS))$",
    re.IGNORECASE,
)


_INITIAL = "/proc/self/environ"


def start_environment(has_directive: bool) -> Dict[str, str]:
    """The variables that this process was started with. A program that is started without the
    command begins its run at its first call, when it may have set some: a replay begins before its
    first line and would find them changed. The system knows what they were, where it has a `/proc`.
    """
    if has_directive:
        return dict(os.environ)
    try:
        with open(_INITIAL, "rb") as stream:
            entries = os.fsdecode(stream.read()).split("\0")
    except OSError:
        return dict(os.environ)
    return {name: value for name, _, value in (entry.partition("=") for entry in entries)}


class Environment:
    """The variables as they were when the run began: the program may change them."""

    def __init__(self, root: str, salt: str, variables: Mapping[str, str]) -> None:
        self._root = root
        self._salt = salt
        self._variables = variables

    def hashes(self, files: Iterable[str]) -> Dict[str, str]:
        """Hashes of the variables, set or not, that these sources name."""
        return {name: self._hash(name) for name in sorted(_named(self._root, files))}

    def _hash(self, name: str) -> str:
        text = compact_json([self._salt, name, self._variables.get(name)])
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


class Changed(NamedTuple):
    """Variables that are not what they were."""

    # A program may well compute with them.
    computed: List[str]
    # Hardly; should something differ, they are a reason to think of.
    surroundings: List[str]


def changed_variables(before: Mapping[str, str], now: Mapping[str, str]) -> Changed:
    names = [name for name in before if name in now and before[name] != now[name]]
    of_the_surroundings = [name for name in names if _OF_THE_SURROUNDINGS.match(name)]
    return Changed([name for name in names if name not in of_the_surroundings], of_the_surroundings)


def compare_environment(director: "Director", manifest: Mapping[str, Any], root: str) -> None:
    """Values would be others in another environment, or be those of now."""
    before = manifest.get("environment")
    if before is None:
        return
    now = Environment(root, manifest["run"], os.environ).hashes(manifest["sources"])
    computed, surroundings = changed_variables(before, now)
    director.hints += [_is_changed(name) for name in surroundings]
    for name in computed:
        director.suspect(_is_changed(name))
    for name in sorted(set(now) - set(before)):
        director.suspect(f"the run did not look at {name}: what that variable was is not known")


def changed_since(manifest: Mapping[str, Any], root: str) -> List[str]:
    """What to say of a run that goes on in another environment."""
    now = Environment(root, manifest["run"], os.environ).hashes(manifest["sources"])
    computed, _ = changed_variables(manifest.get("environment") or {}, now)
    return [f"{_is_changed(name)} when the run began" for name in computed]


def _is_changed(name: str) -> str:
    return f"the environment variable {name} is not what it was"


def _named(root: str, files: Iterable[str]) -> List[str]:
    names = {name for file in files for name in _names_in(os.path.join(root, file))}
    return [name for name in names if not _OF_NO_INTEREST.match(name)]


def _names_in(file: str) -> List[str]:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return _NAMED.findall(stream.read())
    except OSError:
        return []
