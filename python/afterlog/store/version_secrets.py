"""What looks like a secret (a private key, a token) by its name or by what it holds. Such a file is
neither kept in a version nor sent, unless the user has put it into git or has named it in
`record.not_secret`. Twin of `src/store/versions/version-secrets.ts`, which says more;
`test/fixtures/secrets.json` holds both together."""

import os
import re
import stat
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..format.settings import resolve_settings
from .git import Git, readable
from .settings_file import read_settings_file

# Patterns are texts: of most only the words are looked for, and compiling them all takes longer.
_NAMES: Tuple[Tuple[bytes, str], ...] = (
    (rb"^\.env(?:rc|[._-].*)?$", "a file of environment variables"),
    (rb"^id_[^.]*$|^id_(?:rsa|dsa|ecdsa|ed25519)[A-Za-z0-9_-]*\.(?!pub$).*$", "a private key"),
    (rb"\.(?:pem|p12|pfx|jks|keystore|ppk)$", "a private key"),
    (rb"^\.?credentials|^application_default_credentials|^client_secret", "credentials"),
    (rb"^[._]netrc$|^\.(?:git-credentials|pgpass|pypirc|htpasswd)$|^kaggle\.json$", "credentials"),
)
# What is there to be filled in, and text of programs, which may be called anything.
_TEMPLATE = rb"(?:^|[._-])(?:example|sample|template|dist|defaults?)(?:[._-]|$)"
_PROGRAM = (
    rb"\.(?:[cm]?[jt]sx?|py[ixw]?|pxd|ipynb|r|jl|lua|rs|go|java|kt|scala|swift|c|cc|cpp|cu|cuh|h"
    rb"|hpp)$"
)
_CONTENTS: Tuple[Tuple[Tuple[bytes, ...], bytes, str], ...] = (
    ((b"PRIVATE KEY",), rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY", "a private key"),
    ((b"AKIA", b"ASIA"), rb"\b(?:AKIA|ASIA)(?![A-Z2-7]{9}EXAMPLE)[A-Z2-7]{16}\b", "a key of AWS"),
    (
        (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"),
        rb"\bgh[pousr]_[A-Za-z0-9]{36,255}\b",
        "a token of GitHub",
    ),
    ((b"github_pat_",), rb"\bgithub_pat_[A-Za-z0-9_]{22,255}\b", "a token of GitHub"),
    ((b"glpat-",), rb"\bglpat-[\w-]{20,}", "a token of GitLab"),
    ((b"hf_",), rb"\bhf_[A-Za-z0-9]{34,}\b", "a token of Hugging Face"),
    (
        (b"sk-",),
        rb"\bsk-(?:proj|svcacct|admin|ant)-[\w-]{20,}|\bsk-[A-Za-z0-9]{48}\b",
        "an API key",
    ),
    ((b"T3BlbkFJ",), rb"\bsk-[\w-]{10,}T3BlbkFJ[\w-]{10,}", "a key of OpenAI"),
    ((b"wandb_v1_",), rb"\bwandb_v1_[\w-]{20,}", "a key of W&B"),
    (
        (b"WANDB_API_KEY",),
        rb"WANDB_API_KEY[\"']?\]?\s{0,4}[=:,]\s{0,4}[\"']?[0-9a-f]{40}\b",
        "a key of W&B",
    ),
    ((b"wandb.login",), rb"wandb\.login\([^)\n]{0,80}[\"'][0-9a-f]{40}[\"']", "a key of W&B"),
    (
        (b"api.wandb.ai",),
        rb"api\.wandb\.ai\s{1,80}login\s{1,8}\S{1,80}\s{1,80}password\s{1,8}[0-9a-f]{40}",
        "a key of W&B",
    ),
    ((b"xox",), rb"\bxox[abeprs]-[A-Za-z0-9-]{20,}", "a token of Slack"),
    ((b"AIza",), rb"\bAIza[\w-]{35}\b", "a key of Google"),
    ((b"sk_live_", b"rk_live_"), rb"\b[rs]k_live_[A-Za-z0-9]{20,}", "a key of Stripe"),
    ((b"npm_",), rb"\bnpm_[A-Za-z0-9]{36}\b", "a token of npm"),
    ((b"pypi-AgEIcHlwaS5vcmc",), rb"\bpypi-AgEIcHlwaS5vcmc[\w-]{50,}", "a token of PyPI"),
)
# A run waits for it. Larger files were not written by hand; what is left is looked at when it is
# sent.
_LOOKED_BYTES_MAX = 1_000_000
_LOOKED_SUM_MAX = 32_000_000
_LOOKED_FILES_MAX = 2000
# Files that a message names.
_SHOWN = 5


class Secrets(NamedTuple):
    # The files that may be kept.
    kept: List[bytes]
    # The others, as the manifest has them.
    left_out: List[Dict[str, Any]]


def secret_by_name(path: bytes) -> Optional[str]:
    """What a file looks like by its name; a program may be called anything."""
    name = path.rpartition(b"/")[2]
    if re.search(_PROGRAM, name, re.I) or re.search(_TEMPLATE, name, re.I):
        return None
    return next((what for pattern, what in _NAMES if re.search(pattern, name, re.I)), None)


def secret_in_text(text: bytes) -> Optional[str]:
    """What the bytes of a file hold; nothing in one that is no text."""
    if b"\0" in text[:8000]:
        return None
    for words, pattern, what in _CONTENTS:
        if any(word in text for word in words) and re.search(pattern, text):
            return what
    return None


def leave_out_secrets(
    git: Git, paths: Sequence[bytes], folder: str, warnings: List[str]
) -> Secrets:
    """Divides files of a working tree, and says what is left out. `folder`: the project's in it,
    empty or ending in a slash."""
    found = _find(git, paths)
    if found:
        allowed = _named(os.path.join(git.work_tree, folder))
        own = {path: _own_path(readable(path), folder) for path in found}
        found = {
            path: what
            for path, what in found.items()
            if not any(pattern.fullmatch(own[path]) for pattern in allowed)
        }
        warnings += _describe(found, [own[path] for path in found])
    left_out = [{"file": readable(path), "what": what} for path, what in found.items()]
    return Secrets([path for path in paths if path not in found], left_out)


def _find(git: Git, paths: Sequence[bytes]) -> Dict[bytes, str]:
    found: Dict[bytes, str] = {}
    left, files = _LOOKED_SUM_MAX, _LOOKED_FILES_MAX
    for path in paths:
        known = git.stat(path)
        # Links hold no text of their own.
        if known is None or not stat.S_ISREG(known.st_mode):
            continue
        what = secret_by_name(path)
        size = min(known.st_size, _LOOKED_BYTES_MAX)
        if what is None and size <= left and files > 0:
            left, files = left - size, files - 1
            what = secret_in_text(_beginning_of(git.file(path), size))
        if what is not None:
            found[path] = what
    return found


def _beginning_of(path: bytes, size: int) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read(size)
    except OSError:
        return b""  # git says so


def _named(root: str) -> List["re.Pattern[str]"]:
    settings, _ = resolve_settings({}, os.environ, read_settings_file(root))
    named = str(settings["record.not_secret"].value or "").split(",")
    patterns = [one.strip() for one in named if one.strip()]
    return [
        # `*` stands for anything.
        re.compile(".*".join(re.escape(part) for part in re.sub(r"^\./", "", one).split("*")), re.S)
        for one in patterns
    ]


def _own_path(path: str, folder: str) -> str:
    """A path of the tree as it is from the project's folder in it."""
    return path[len(folder) :] if path.startswith(folder) else "../" * folder.count("/") + path


def _describe(found: Dict[bytes, str], own: Sequence[str]) -> List[str]:
    if not found:
        return []
    files = [f"{readable(path)} ({what})" for path, what in found.items()]
    listed = [*files[:_SHOWN], "…"] if len(files) > _SHOWN else files
    said = "looks like a secret: it is" if len(files) == 1 else "look like secrets: they are"
    line = f'not_secret = "{", ".join(own)}"  in [record] of afterlog.toml'
    return [
        f"{', '.join(listed)} {said} neither kept nor sent, and replays take what lies there; "
        f"if one is none:  {line}"
    ]
