"""Starting git so that it reads what it is told to, runs nobody else's code and leaves no trace
besides objects and our own refs. Paths inside a working tree are bytes."""

import os
import re
import subprocess
from typing import Dict, List, NamedTuple, Optional, Sequence

from ..format.errors import AfterlogError

# No git command of ours is worth more: training waits for it.
_TIMEOUT_S = 60.0

# What the caller's environment may still say: where configuration and git itself are.
_KEPT_VARIABLE = re.compile(
    r"GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH"
    r"|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)\Z"
)

_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.logAllRefUpdates=false",
    "core.safecrlf=false",
    # A split index would write its shared half into the user's git folder.
    "core.splitIndex=false",
    # A power cut must not leave a run whose source is gone.
    "core.fsync=committed,loose-object",
    "core.fsyncMethod=batch",
    "commit.gpgSign=false",
    "i18n.commitEncoding=UTF-8",
    "gc.auto=0",
    "maintenance.auto=false",
)


class Answer(NamedTuple):
    ok: bool
    out: bytes
    err: bytes
    # It was stopped: too slow.
    stopped: bool


def start_git(
    cwd: str,
    args: Sequence[str],
    data: bytes = b"",
    environment: Optional[Dict[str, str]] = None,
    settings: Sequence[str] = (),
    timeout_s: float = _TIMEOUT_S,
) -> Answer:
    """Runs git anywhere. AL044 if it cannot be started."""
    flags = [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
    command = ["git", "--no-pager", *flags, *args]
    env = {**_git_environment(), **(environment or {})}
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, input=data, capture_output=True, timeout=timeout_s
        )
    except subprocess.TimeoutExpired as late:
        return Answer(False, late.stdout or b"", late.stderr or b"", True)
    except OSError as error:
        raise AfterlogError(
            "AL044",
            "the source version cannot be kept: git cannot be started",
            ["install git, and make sure that it is on the PATH"],
        ) from error
    return Answer(done.returncode == 0, done.stdout, done.stderr, False)


def _git_environment() -> Dict[str, str]:
    """The environment without what would mislead git. Messages are in English, but the character
    set stays the caller's, because the user's filters run in it too."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name != "LC_ALL" and (not name.startswith("GIT_") or _KEPT_VARIABLE.match(name))
    }
    if os.environ.get("LC_ALL"):
        kept["LC_CTYPE"] = os.environ["LC_ALL"]
    return {
        **kept,
        "LC_MESSAGES": "C",
        "LANGUAGE": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_EDITOR": "true",
        "GIT_ASKPASS": "true",
    }


class Git:
    """A repository. `index`: the one that commands read and write; git's own if None."""

    def __init__(self, git_dir: str, work_tree: str) -> None:
        self.git_dir = git_dir
        self.work_tree = work_tree
        self.index: Optional[str] = None
        self._settings: List[str] = []

    def ask(
        self,
        args: Sequence[str],
        data: bytes = b"",
        environment: Optional[Dict[str, str]] = None,
        timeout_s: float = _TIMEOUT_S,
    ) -> Answer:
        known = {"GIT_DIR": self.git_dir, "GIT_WORK_TREE": self.work_tree, **(environment or {})}
        if self.index is not None:
            known["GIT_INDEX_FILE"] = self.index
        return start_git(self.work_tree, args, data, known, self._settings, timeout_s)

    def run(
        self, args: Sequence[str], data: bytes = b"", environment: Optional[Dict[str, str]] = None
    ) -> bytes:
        """For commands that must succeed: the output, or AL044."""
        answer = self.ask(args, data, environment)
        if not answer.ok:
            raise git_failed(args[0], answer)
        return answer.out

    def update_index(self, options: Sequence[str], paths: Sequence[bytes]) -> None:
        if paths:
            self.run(["update-index", "-z", *options, "--stdin"], join_nul(paths))

    def turn_filters_off(self, answer: Answer, warnings: List[str]) -> bool:
        """Whether there are any to turn off. One that is `required` but not installed (Git LFS,
        most often) makes git refuse the file."""
        asked = ["config", "-z", "--name-only", "--get-regexp", r"^filter\..*\."]
        names = [readable(name).split(".") for name in split_nul(self.ask(asked).out)]
        drivers = list(dict.fromkeys(".".join(parts[1:-1]) for parts in names))
        if self._settings or not drivers:
            return False
        # Named in the message, or else any of them may be the one.
        failed = [driver for driver in drivers if f"'{driver}'" in readable(answer.err)] or drivers
        for driver in drivers:
            self._settings += [f"filter.{driver}.clean=", f"filter.{driver}.process="]
            self._settings += [f"filter.{driver}.required=false"]
        named = ", ".join(failed)
        warnings.append(
            f"the git filter {named} failed: changed files are kept as they are on disk"
        )
        return True

    def file(self, path: bytes) -> bytes:
        return os.path.join(os.fsencode(self.work_tree), path)

    def stat(self, path: bytes) -> Optional[os.stat_result]:
        """What is at a raw path, links not followed; None if nothing is, or nobody may know."""
        try:
            return os.lstat(self.file(path))
        except (OSError, ValueError):
            return None


def git_failed(command: str, answer: Answer) -> AfterlogError:
    why = "it took too long" if answer.stopped else first_line(answer.err)
    asked = "fsck" if command == "update-ref" else "status"
    return AfterlogError(
        "AL044",
        f"the source version cannot be kept: git {command}: {why}",
        [f"try it by hand:  git {asked}"],
    )


def first_line(err: bytes) -> str:
    """The first thing git said, without its prefix, for a message."""
    lines = readable(err).split("\n")
    line = next((one for one in lines if re.match(r"(fatal|error): ", one)), lines[0])
    return re.sub(r"^(fatal|error): ", "", line)


def readable(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def split_nul(out: bytes) -> List[bytes]:
    return out.split(b"\0")[:-1]


def join_nul(parts: Sequence[bytes]) -> bytes:
    return b"".join(part + b"\0" for part in parts)
