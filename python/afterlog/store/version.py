"""A version per run: the source tree that a run executed, as a commit under
`refs/afterlog/runs/<run>`.

Where the command line starts the program, it hands over the tree that it has kept (`recordVersion`
of the engine), and only the commit is made here. A program that was started without it keeps its
own: the user's index, copied and brought up to what the working tree holds; outside a repository a
private one in `.afterlog/git`. HEAD, index, branches, stash, reflogs, configuration and working
tree stay byte for byte as they were, and no hook, editor, signature or prompt is started. What git
cannot take in costs that file and a warning, never the version.
"""

import os
import re
import shutil
import stat
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..format.clocks import wall_time
from ..format.errors import AfterlogError, describe_error
from .git import Git, first_line, git_failed, join_nul, readable, split_nul, start_git
from .layout import STORE_FOLDER
from .version_files import PRIVATE_EXCLUDES, choose_files, describe_nested, find_environments
from .version_files import first_few, hash_large_files, sources_near
from .version_secrets import leave_out_secrets

_TEMPORARY = "version-"
# A folder this old, in seconds, was left by a process that was killed.
_STALE_S = 3600
# A walk longer than this, in seconds, is of something that is no project.
_UNTRACKED_S = 10.0
# Each attempt gives up at least one file or all filters; past this something else is wrong.
_ATTEMPTS_MAX = 24
_IDENTITY = {"NAME": "Afterlog", "EMAIL": "afterlog@localhost"}
_STATUS = (
    "status --porcelain=v2 --branch --no-ahead-behind --no-renames --ignore-submodules=none -z"
).split()
# Exact bytes: a .gitattributes meant for another repository converts nothing here.
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n"

# A tree in the object database, not yet a commit, as `KeptTree` of `src/format/directive.ts`.
KeptTree = Dict[str, Any]


def commit_tree(kept: KeptTree, run: str, started: float) -> Dict[str, Any]:
    """Makes the tree the version of a run, as its manifest has it. Raises AL044."""
    git = Git(kept["gitDir"], kept["workTree"])
    folder, ref = kept["folder"], f"refs/afterlog/runs/{run}"
    message = f"Run {run}\n\nAfterlog-Run: {run}\nAfterlog-Project: {folder}"
    parents = [] if kept["head"] is None else ["-p", kept["head"]]
    environment = {}
    for role in ("AUTHOR", "COMMITTER"):
        for field, value in _IDENTITY.items():
            environment[f"GIT_{role}_{field}"] = value
        environment[f"GIT_{role}_DATE"] = f"@{int(started)} +0000"
    command = ["commit-tree", kept["tree"], *parents, "-m", message]
    commit = git.run(command, environment=environment).decode().strip()
    # The empty old value: the ref must not exist, so no version is ever replaced.
    git.run(["update-ref", ref, commit, ""])
    facts = ("head", "branch", "dirty", "folder", "private", "large", "leftOut", "warnings")
    told = {name: kept[name] for name in facts if name in kept}
    return {"commit": commit, "ref": ref, **told}


def keep_tree(root: str, store: str) -> KeptTree:
    """Keeps the working tree. Raises AL044, and has then changed nothing that is seen."""
    try:
        os.makedirs(store, exist_ok=True)
        _remove_stale(store)
        temporary = tempfile.mkdtemp(prefix=_TEMPORARY, dir=store)
        try:
            repository, why = _locate(root)
            if repository is not None:
                return _repository_tree(repository, store, temporary)
            return _private_tree(root, store, temporary, why)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except (OSError, ValueError) as error:
        raise _cannot_keep(error, store) from error


def _remove_stale(store: str) -> None:
    for entry in os.scandir(store):
        if entry.name.startswith(_TEMPORARY) and entry.is_dir(follow_symlinks=False):
            if wall_time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_S:
                shutil.rmtree(entry.path, ignore_errors=True)


def _cannot_keep(cause: BaseException, store: str) -> AfterlogError:
    return AfterlogError(
        "AL044",
        f"the source version cannot be kept: {describe_error(cause)}",
        [f"make sure that {store} and the git repository can be written"],
    )


class _Repository(NamedTuple):
    git: Git
    # The user's index, which is only ever read.
    index_file: str
    # The project's folder inside the working tree: empty, or ending in a slash.
    folder: str


def _locate(root: str) -> Tuple[Optional[_Repository], Optional[str]]:
    """The repository that is to hold the version; if it cannot, why."""
    if _find_git_dir(root) is None:
        return None, None
    asked = ["--absolute-git-dir", "--show-toplevel", "--git-path", "index", "--show-prefix"]
    answer = start_git(root, ["rev-parse", *asked])
    if not answer.ok:
        # Most often a container's user who does not own the files: objects written by that user
        # would lock the owner out of the repository, so it is left alone.
        return None, f"git refuses the repository ({first_line(answer.err)})"
    git_dir, work_tree, index, folder = os.fsdecode(answer.out).split("\n")[:4]
    git = Git(git_dir, work_tree)
    if folder and git.ask(["check-ignore", "--quiet", "--", folder]).ok:
        if git.ask(["ls-files", "-z", "--", folder]).out == b"":
            return None, "the repository around it ignores the project's folder"
    return _Repository(git, os.path.join(root, index), folder), None


def _find_git_dir(start: str) -> Optional[Tuple[str, str]]:
    """The git folder and the working tree around a folder, found without asking git."""
    work_tree = os.path.abspath(start)
    while True:
        git_dir = os.path.join(work_tree, ".git")
        if os.path.isfile(git_dir):
            with open(git_dir, encoding="utf-8") as stream:
                pointer = re.match(r"gitdir: (.+)", stream.read())
            git_dir = os.path.join(work_tree, pointer[1].strip()) if pointer else git_dir
        if os.path.exists(os.path.join(git_dir, "HEAD")):
            return git_dir, work_tree
        parent = os.path.dirname(work_tree)
        if parent == work_tree:
            return None
        work_tree = parent


def exclude_store(root: str, store: str) -> None:
    """Keeps the store out of the user's git: adds it once to `info/exclude` of the repository
    around the project. Outside a repository it does nothing."""
    try:
        found = _find_git_dir(root)
        way = ".." if found is None else os.path.relpath(os.path.abspath(store), found[1])
        if found is None or way == "." or way.startswith(".."):
            return
        common = found[0]
        if os.path.exists(os.path.join(common, "commondir")):
            with open(os.path.join(common, "commondir"), encoding="utf-8") as stream:
                common = os.path.normpath(os.path.join(common, stream.read().strip()))
        # `.afterlog/` wherever it is, for every project there; another name only where it is.
        is_usual = os.path.basename(way) == STORE_FOLDER
        raw = os.fsencode(STORE_FOLDER if is_usual else way)
        pattern = raw + b"/" if is_usual else b"/" + _escaped(raw) + b"/"
        file = os.path.join(common, "info", "exclude")
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "ab+") as stream:
            stream.seek(0)
            text = stream.read()
            if pattern not in text.splitlines():
                stream.write(
                    (b"" if text == b"" or text.endswith(b"\n") else b"\n") + pattern + b"\n"
                )
    except OSError as error:
        raise _cannot_keep(error, store) from error


def _escaped(path: bytes) -> bytes:
    """A raw path as a pattern that matches only itself."""
    return re.sub(rb"[\\*?\[\]!# ]", rb"\\\g<0>", path)


class _Status:
    """What `git status` says about a working tree, by raw paths."""

    def __init__(self, out: bytes) -> None:
        self.head: Optional[str] = None
        self.branch: Optional[str] = None
        # Tracked paths whose content in the working tree is not the one in the index; those gone.
        self.changed: List[bytes] = []
        self.deleted: List[bytes] = []
        self.untracked: List[bytes] = []
        # Repositories inside that are no submodules; submodules with changes that no commit holds.
        self.nested: List[bytes] = []
        self.dirty_submodules: List[bytes] = []
        # Tracked paths that differ from HEAD.
        self.tracked = 0
        # Whether that is so of all of them: one that differs twice (staged, then changed or taken
        # back) may equal HEAD after all.
        self.is_certain = True
        for line in split_nul(out):
            self._read(line)

    def _read(self, line: bytes) -> None:
        if line.startswith(b"# branch.oid ") and not line.endswith(b"(initial)"):
            self.head = readable(line[13:])
        elif line.startswith(b"# branch.head ") and not line.endswith(b"(detached)"):
            self.branch = readable(line[14:])
        elif line.startswith(b"? "):
            (self.nested if line.endswith(b"/") else self.untracked).append(line[2:])
        elif line[:2] in (b"1 ", b"u "):
            self._read_entry(line)

    def _read_entry(self, line: bytes) -> None:
        is_unmerged = line.startswith(b"u")
        *fields, path = line.split(b" ", 10 if is_unmerged else 8)
        staged, changed = list(readable(fields[1]))
        submodule = readable(fields[2])
        if submodule.startswith("S") and set(submodule[2:]) & {"M", "U"}:
            self.dirty_submodules.append(path)
        # Of a submodule only the commit can be kept, so only a new one is a change.
        is_kept = submodule[0] == "N" or submodule[1] == "C"
        if fields[6] == b"000000" if is_unmerged else changed == "D":
            self.deleted.append(path)
        elif is_unmerged or (changed != "." and is_kept):
            self.changed.append(path)
        elif staged == ".":
            return
        self.tracked += 1
        if is_unmerged or staged == "D" or (staged != "." and changed != "."):
            self.is_certain = False


def _read_status(repository: _Repository, warnings: List[str]) -> _Status:
    git = repository.git
    answer = git.ask([*_STATUS, "--untracked-files=all"], timeout_s=_UNTRACKED_S)
    if not answer.ok and not answer.stopped and git.turn_filters_off(answer, warnings):
        answer = git.ask([*_STATUS, "--untracked-files=all"], timeout_s=_UNTRACKED_S)
    if answer.ok:
        start = "warning: could not open directory"
        lines = [line for line in readable(answer.err).split("\n") if line.startswith(start)]
        warnings += [f"{line.replace('warning: ', '', 1)}: it is not kept" for line in lines]
        return _Status(answer.out)
    if not answer.stopped:
        raise git_failed("status", answer)
    warnings.append(
        f"listing the untracked files took over {_UNTRACKED_S:.0f} s: "
        "only source files near the project's top are kept; add data to .gitignore"
    )
    status = _Status(git.run([*_STATUS, "--untracked-files=no"]))
    status.is_certain = False
    prefix = os.fsencode(repository.folder)
    near = [prefix + path for path in sources_near(os.path.join(git.work_tree, repository.folder))]
    ignored = set(split_nul(git.ask(["check-ignore", "-z", "--stdin"], join_nul(near)).out))
    tracked = set(split_nul(git.run(["ls-files", "-z"])))
    status.untracked = [one for one in near if one not in ignored | tracked]
    return status


def _repository_tree(repository: _Repository, store: str, temporary: str) -> KeptTree:
    """The working tree as it is: tracked, and untracked but not ignored."""
    git = repository.git
    warnings: List[str] = []
    status = _read_status(repository, warnings)
    # The store may not be excluded yet, and is never source.
    own = os.fsencode(os.path.relpath(os.path.realpath(store), git.work_tree)) + b"/"
    untracked = [path for path in status.untracked if not path.startswith(own)]
    files = choose_files(git, untracked, warnings)
    kept, left_out = leave_out_secrets(git, files.kept, repository.folder, warnings)
    hidden = _hidden(git, repository.index_file)
    large = hash_large_files(git, store, files.large, warnings)
    dirty = [
        f"submodule {readable(path)} has changes of its own: only its commit is kept"
        for path in status.dirty_submodules
    ]
    warnings += first_few(dirty, "submodules")
    warnings += describe_nested([path for path in status.nested if not path.startswith(own)])
    changed = [*status.changed, *(path for paths in hidden.values() for path in paths)]
    differing = status.tracked + len(kept)
    if status.head is not None and differing == 0 and not changed:
        tree = f"{status.head}^{{tree}}"
    else:
        git.index = os.path.join(temporary, "index")
        _copy_index(repository.index_file, git.index)
        for flag, paths in hidden.items():
            git.update_index([f"--no-{flag}"], paths)
        git.update_index(["--force-remove"], status.deleted)
        _add_paths(git, [*dict.fromkeys(changed), *kept], warnings)
        tree = _write_tree(git)
        if status.head is not None and not (status.is_certain and changed == status.changed):
            compared = ["diff-tree", "-r", "-z", "--name-only", status.head, tree]
            differing = len(split_nul(git.run(compared)))
    return {
        "gitDir": git.git_dir,
        "workTree": git.work_tree,
        "tree": tree,
        "head": status.head,
        "branch": status.branch,
        "dirty": differing + len(files.large) + files.left + len(left_out),
        "folder": repository.folder.rstrip("/") or ".",
        "private": False,
        "large": large,
        **({"leftOut": left_out} if left_out else {}),
        "warnings": warnings,
    }


def _hidden(git: Git, index: str) -> Dict[str, List[bytes]]:
    """Tracked files whose changes git was told to overlook, by the flag that does it. The program
    ran with them all the same. A skipped file that is absent was left out by a sparse checkout."""
    if not os.path.exists(index):
        return {}
    lines = split_nul(git.run(["ls-files", "-v", "-z"]))
    tagged = [(line[:1], line[2:]) for line in lines if line[:1] not in (b"H", b"M")]
    there = {path for _, path in tagged if git.stat(path) is not None}
    return {
        "skip-worktree": [path for tag, path in tagged if tag.upper() == b"S" and path in there],
        "assume-unchanged": [
            path for tag, path in tagged if tag.islower() and (tag != b"s" or path in there)
        ],
    }


def _copy_index(source: str, target: str) -> None:
    """Copies an index with its stat cache still valid; nothing if there is none yet."""
    if os.path.exists(source):
        shutil.copyfile(source, target)
        # Git distrusts entries not older than the index file ("racy git"): a copy with a later
        # time would make it trust them.
        seconds = int(os.stat(source).st_mtime)
        os.utime(target, (seconds, seconds))


def _add_paths(git: Git, paths: Sequence[bytes], warnings: List[str]) -> None:
    """Takes the content of paths from the working tree."""
    command = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"]
    rest = list(paths)
    for attempt in range(_ATTEMPTS_MAX + 1):
        answer = git.ask(command, join_nul(rest))
        if answer.ok or not rest:
            return
        dropped = [path for path in rest if not _can_read(git, path)]
        if not dropped and not git.turn_filters_off(answer, warnings):
            dropped = sorted((path for path in rest if path in answer.err), key=len)[-1:]
            if not dropped:
                break
        lines = [f"{readable(path)} cannot be read: its content is not kept" for path in dropped]
        warnings += first_few(lines, "files")
        rest = [path for path in rest if path not in dropped]
    raise git_failed("update-index", answer)


def _can_read(git: Git, path: bytes) -> bool:
    """Whether git can take the path in: a readable file, a link, or a submodule's folder."""
    found = git.stat(path)
    if found is None or stat.S_ISLNK(found.st_mode) or stat.S_ISDIR(found.st_mode):
        return True
    return stat.S_ISREG(found.st_mode) and os.access(git.file(path), os.R_OK)


def _write_tree(git: Git) -> str:
    # In a partial clone, looking whether each object is there could fetch it.
    return git.run(["write-tree", "--missing-ok"]).decode().strip()


def _private_tree(root: str, store: str, temporary: str, why: Optional[str]) -> KeptTree:
    """The project's folder in a repository of its own, which is made if there is none. It is bare
    and not called `.git`, so that nothing takes the project for a repository."""
    git = Git(_open_private(store, temporary), os.path.realpath(root))
    warnings = [] if why is None else [f"{why}: the version is kept in {STORE_FOLDER}/git instead"]
    own = os.fsencode(os.path.relpath(os.path.realpath(store), git.work_tree)) + b"/"
    listed = [path for path in _list_files(git, temporary, warnings) if not path.startswith(own)]
    paths = [path for path in listed if not path.endswith(b"/")]
    files = choose_files(git, paths, warnings)
    sources, left_out = leave_out_secrets(git, files.kept, "", warnings)
    large = hash_large_files(git, store, files.large, warnings)
    warnings += describe_nested([path for path in listed if path.endswith(b"/")])
    kept = os.path.join(git.git_dir, "index")
    git.index = os.path.join(temporary, "index")
    _copy_index(kept, git.index)
    if os.path.exists(git.index):
        known, present = split_nul(git.run(["ls-files", "-z"])), set(sources)
        git.update_index(["--force-remove"], [path for path in known if path not in present])
    _add_paths(git, sources, warnings)
    tree = _write_tree(git)
    # Its stat cache saves the next run from reading every file again.
    if os.path.exists(git.index):
        os.rename(git.index, kept)
    return {
        "gitDir": git.git_dir,
        "workTree": git.work_tree,
        "tree": tree,
        "head": None,
        "branch": None,
        "dirty": 0,
        "folder": ".",
        "private": True,
        "large": large,
        **({"leftOut": left_out} if left_out else {}),
        "warnings": warnings,
    }


def _open_private(store: str, temporary: str) -> str:
    """The private repository. Made aside and renamed, since two runs may make it at once."""
    git_dir = os.path.join(store, "git")
    if not os.path.exists(os.path.join(git_dir, "HEAD")):
        made = os.path.join(temporary, "git")
        answer = start_git(temporary, ["init", "--quiet", "--bare", "--template=", made])
        if not answer.ok:
            raise git_failed("init", answer)
        os.makedirs(os.path.join(made, "info"), exist_ok=True)
        with open(os.path.join(made, "info", "attributes"), "w", encoding="ascii") as stream:
            stream.write(_ATTRIBUTES)
        try:
            os.rename(made, git_dir)
        except OSError:
            if not os.path.exists(os.path.join(git_dir, "HEAD")):
                raise
    return git_dir


def _list_files(git: Git, temporary: str, warnings: List[str]) -> List[bytes]:
    """All that is not ignored; of a folder that is no project only source near its top."""
    # With an index that does not exist, every file is an "other".
    git.index = os.path.join(temporary, "none")
    others = ["ls-files", "-z", "--others", "--exclude-standard"]
    environments = find_environments(git.work_tree, set())
    if environments is None and os.path.exists(os.path.join(git.work_tree, ".gitignore")):
        # Once more, without what is ignored.
        answer = git.ask([*others, "--ignored", "--directory"], timeout_s=_UNTRACKED_S)
        environments = find_environments(git.work_tree, set(split_nul(answer.out)))
    if environments is None:
        warnings.append(
            "the project's folder is too large to be kept whole: only source files near its top "
            "are. Put the program in a folder of its own, or make it a git repository"
        )
        return sources_near(git.work_tree)
    patterns = os.path.join(temporary, "exclude")
    with open(patterns, "wb") as stream:
        escaped = [b"/" + _escaped(path) for path in environments]
        stream.write(b"\n".join([*PRIVATE_EXCLUDES, *escaped, b""]))
    return split_nul(git.run([*others, f"--exclude-from={patterns}"]))
