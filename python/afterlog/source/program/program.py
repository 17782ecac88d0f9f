"""The files of a program: parsed, their scopes found, and which file an import leads to."""

import ast
import functools
import posixpath
from typing import Any, Callable, Dict, FrozenSet, Iterable, Iterator, List, Mapping, Optional
from typing import Sequence, Set, Tuple

from ...format.manifest import LOOP_RULES
from ..analysis.facts import position_of
from .found_loops import FoundLoops, commented_loop_name
from .global_names import names_bound_by_key
from .identity_comparisons import names_compared_by_is
from .parts import Part, without_parts
from .printed_calls import MakePrinting, make_printing
from .recorded_text import RecordedText
from .scopes import Scope, Scopes
from .sdk_calls import SourcePositions, SdkCalls, literal_text
from .skeletons import LibraryLoop, Skeleton, is_skeleton, skeletons_called


# Lines and columns of calls, by file, as the engine counts them.
Ignored = Mapping[str, Set[Tuple[int, int]]]


class Module:
    """`printing`: what is printed is logged. `ran`: what the run executed of it, if that is
    known; else it is the text without the parts and what is ignored."""

    def __init__(
        self,
        file: str,
        text: str,
        ignored: Set[Tuple[int, int]],
        parts: Sequence[Part],
        printing: Optional[MakePrinting] = None,
        ran: Optional[RecordedText] = None,
    ) -> None:
        self.file = file
        self.text = text
        if ran is not None:
            self.tree, ignored = ran.tree(file), set()
        else:
            self.tree = without_parts(ast.parse(text, file), text, parts)
        self.scopes = Scopes(file, self.tree)
        self.sdk = SdkCalls(self.tree)
        self.printing = None if printing is None else printing(self.tree)
        # Statements that are taken for not being there.
        self.ignored = self._find_ignored(ignored) if ignored else set()

    def _find_ignored(self, ignored: Set[Tuple[int, int]]) -> Set[ast.AST]:
        places = SourcePositions(self.text)
        found: Set[ast.AST] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Expr, ast.Assign)):
                start = places.start(node.value if isinstance(node, ast.Expr) else node)
                if (start["line"], start["column"]) in ignored:
                    found.add(node)
        return found


class Program:
    """Reads the program's first file and whatever of the project it imports. `ignored`: statements
    that were added to ask; without them it is the program that was recorded. `hands_free`: it knows
    nothing of Afterlog, so that its plain loops are loops of the run, and what it prints is logged;
    `rule`: the user's own for that. `recorded`: the same text without what was added to ask; its
    loops are the loops of this one. `ran`: what the run executed of files, where that is known.
    `libraries`: those whose loops are loops of the run (`skeletons.py`), by name; None: all.
    `rules`: by which its loops are named."""

    def __init__(
        self,
        entry: str,
        read: Callable[[str], Optional[str]],
        ignored: Ignored = {},
        parts: Mapping[str, Sequence[Part]] = {},
        hands_free: bool = False,
        rule: Optional[str] = None,
        recorded: Optional["Program"] = None,
        ran: Mapping[str, RecordedText] = {},
        libraries: Optional[Sequence[str]] = None,
        rules: int = LOOP_RULES,
    ) -> None:
        self.entry = entry
        self._skeletons = skeletons_called(libraries) if hands_free else []
        self._is_recorded = libraries is not None
        self._printing = make_printing(rule) if hands_free else None
        self._ignored = ignored
        self._parts = parts
        self._ran = ran
        self.modules: Dict[str, Module] = {}
        self.uncertain: List[str] = []
        self._read = read
        self._missing: Set[str] = set()
        waiting = [entry]
        while waiting:
            file = waiting.pop(0)
            module = self._load_module(file)
            if module is not None:
                waiting += self._imported_files(module)
        self.skeletons = self._load_skeletons()
        # Lines at which loops of libraries are left, by number, once their modules are loaded.
        self.library_breaks: Dict[int, FrozenSet[int]] = {}
        own = recorded or self
        self.compared_by_is = frozenset().union(
            *(names_compared_by_is(one.tree, one.ignored) for one in own.modules.values())
        )
        known = None if recorded is None else recorded.found
        self.found: Optional[FoundLoops] = FoundLoops(self, rules, known) if hands_free else None

    def _load_skeletons(self) -> Dict[str, Skeleton]:
        """Of the libraries that the program imports, by the names of their files."""
        found: Dict[str, Skeleton] = {}
        texts = [module.text for module in self.modules.values()]
        imported = {
            path for one in self.modules.values() for path in _absolute_imports(ast.walk(one.tree))
        }
        for one in self._skeletons:
            if any(one.is_named_by(path) for path in imported) and (
                self._is_recorded or one.fits_installed()
            ):
                found[one.file] = one
                self.modules[one.file] = Module(one.file, one.told_to(texts), set(), ())
        return found

    def skeleton_of(self, path: str) -> Optional[Module]:
        """Of the library that a dotted path means."""
        for one in self.skeletons.values():
            if path in one.packages:
                return self.modules[one.file]
        return None

    def path_beside(self, module: Scope, name: str) -> Optional[str]:
        """The path in its library of a name that a skeleton does not have; None: it has it."""
        skeleton = self.skeletons.get(module.file)
        if skeleton is None or name in module.bound:
            return None
        return f"{skeleton.packages[0]}.{name}"

    @property
    def missing(self) -> List[str]:
        """Files that an import may mean and that were not there."""
        return sorted(self._missing)

    def _load_module(self, file: str) -> Optional[Module]:
        if file in self.modules or file in self._missing:
            return None
        text = self._read(file)
        if text is None:
            self._missing.add(file)
            return None
        parts, ran = self._parts.get(file, ()), self._ran.get(file)
        try:
            ignored = self._ignored.get(file, set())
            module = Module(file, text, ignored, parts, self._printing, ran)
        except (SyntaxError, ValueError, RecursionError) as error:
            self._missing.add(file)
            line = getattr(error, "lineno", None) or 1
            self.uncertain.append(f"{file}:{line} cannot be read: {error}")
            return None
        # What `globals()[key]` binds and nothing else is a variable of the file all the same.
        module.scopes.module.bound.update(names_bound_by_key(module.scopes))
        self.modules[file] = module
        return module

    @property
    def packages(self) -> Set[str]:
        """What its files import that is none of the project's, by the first part of the name."""
        found = set()
        for module in self.modules.values():
            for path in _absolute_imports(ast.walk(module.tree)):
                if self._own_module_of(module.file, path) is None:
                    found.add(path.partition(".")[0])
        return found

    @property
    def looks_at_lives(self) -> Optional[str]:
        """Where a file of the project may ask which objects still live; None: none does."""
        for module in self.modules.values():
            for node in ast.walk(module.tree):
                if "weakref" in _absolute_imports([node]) or _is_told_of_ends(node):
                    return f"{module.file}:{getattr(node, 'lineno', 0)}"
        return None

    def _imported_files(self, module: Module) -> List[str]:
        found: List[str] = []
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    found += self._import_candidates(module.file, name.name)
            elif isinstance(node, ast.ImportFrom):
                path = "." * node.level + (node.module or "")
                found += self._import_candidates(module.file, path)
                dot = "" if path.endswith(".") else "."
                for name in node.names:
                    found += self._import_candidates(module.file, f"{path}{dot}{name.name}")
        return found

    def _import_candidates(self, importer: str, path: str) -> List[str]:
        """Files that a dotted path may mean, with the packages around it."""
        level = len(path) - len(path.lstrip("."))
        names = path.lstrip(".").split(".") if path.strip(".") else []
        base = posixpath.dirname(importer)
        bases = [base, posixpath.dirname(self.entry)]
        for file in (importer, self.entry) if names else ():
            # `import pkg.data` in `pkg/train.py`: how a module of a package names another.
            around = posixpath.dirname(file).split("/")
            bases += ["/".join(around[:at]) for at, one in enumerate(around) if one == names[0]]
        if level:
            for _ in range(level - 1):
                base = posixpath.dirname(base)
            bases = [base]
        found = []
        for folder in bases:
            for count in range(1, len(names) + 1):
                whole = posixpath.join(folder, *names[:count])
                found += [f"{whole}.py", f"{whole}/__init__.py"]
            if not names:
                found.append(posixpath.join(folder, "__init__.py"))
        return found

    def module_of(self, importer: str, path: str) -> Optional[Module]:
        """The project's module that a dotted path means; None: of a library."""
        module = self._own_module_of(importer, path)
        return module if module is not None else self.skeleton_of(path)

    def _own_module_of(self, importer: str, path: str) -> Optional[Module]:
        candidates = self._import_candidates(importer, path)
        whole = path.lstrip(".").replace(".", "/")
        for file in candidates:
            if file in self.modules and (
                not whole or file.endswith(f"{whole}.py") or file.endswith(f"{whole}/__init__.py")
            ):
                return self.modules[file]
        return None

    def imported(self, importer: str, path: str) -> Tuple[Optional[Module], Optional[str]]:
        """What `from path import name` gives: a module, or a name of one."""
        module = self.module_of(importer, path)
        if module is not None:
            return module, None
        package, _, name = path.rpartition(".")
        holder = self.module_of(importer, package or ".") if package or path[:1] == "." else None
        if holder is None or (is_skeleton(holder.file) and name not in holder.scopes.module.bound):
            return None, None
        return holder, name

    @functools.cached_property
    def loop_numbers(self) -> Dict[ast.AST, int]:
        """Calls of `loop` and statements that are loops by themselves, in order of files and
        places."""
        found: Dict[ast.AST, int] = {}
        plain = self.found.by_node if self.found is not None else {}
        for module in self.modules.values():
            nodes = [
                node
                for node in ast.walk(module.tree)
                if node in plain
                or (isinstance(node, ast.Call) and module.sdk.called(node) == "loop")
            ]
            for node in sorted(nodes, key=position_of):
                found[node] = len(found)
        return found

    @functools.cached_property
    def library_loops(self) -> Dict[int, LibraryLoop]:
        """Where libraries have the loops of their skeletons, by the numbers of those."""
        found: Dict[int, LibraryLoop] = {}
        for node, one in (self.found.by_node if self.found is not None else {}).items():
            skeleton = self.skeletons.get(one.scope.file)
            if skeleton is not None:
                name = commented_loop_name(self.modules[skeleton.file].text.splitlines(), one.node)
                found[self.loop_numbers[node]] = skeleton.loops[name or ""]
        return found

    @property
    def varying_attributes(self) -> List[str]:
        """What objects of libraries have otherwise in every process."""
        return [name for skeleton in self.skeletons.values() for name in skeleton.varying]

    @functools.cached_property
    def library_loop_scopes(self) -> FrozenSet[Scope]:
        """Functions of skeletons that have loops of the run in them."""
        loops = self.found.by_node.values() if self.found is not None else ()
        return frozenset(one.scope for one in loops if one.scope.file in self.skeletons)

    def scopes(self) -> List[Scope]:
        """Modules and functions: whatever has code of its own."""
        return [
            scope
            for module in self.modules.values()
            for scope in module.scopes.all()
            if scope.kind in ("module", "function")
        ]

    def classes(self) -> List[Scope]:
        return [
            scope
            for module in self.modules.values()
            for scope in module.scopes.all()
            if scope.kind == "class"
        ]

    def own_files(self) -> List[str]:
        """Those of the project."""
        return [file for file in self.modules if not is_skeleton(file)]

    def argument_names(self) -> Set[str]:
        """Names that calls of `arg` spell out."""
        return {
            literal_text(node) or ""
            for module in self.modules.values()
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Call) and module.sdk.called(node) == "arg"
        }

    @functools.cached_property
    def set_by_methods(self) -> Set[str]:
        """Names of attributes for which a class has a function that is called to set them."""
        functions = (one for scope in self.classes() for one in getattr(scope.node, "body", []))
        return {
            one.name
            for one in functions
            for decorator in getattr(one, "decorator_list", [])
            if getattr(decorator, "attr", "") in ("setter", "deleter")
        }

    def own_methods(self) -> Set[str]:
        """Names of methods that the project's classes define."""
        return {name for scope in self.classes() for name in scope.methods}

    def module_at(self, scope: Scope) -> Module:
        return self.modules[scope.file]

    def scope_of(self, scope: Scope, node: Any) -> Scope:
        return self.modules[scope.file].scopes.of[node]


# What an object does for itself when it is let go: whether sooner or later changes no number.
_CLEANING = frozenset(
    """close shutdown stop cleanup release terminate join kill cancel flush disconnect quit unlink
    super hasattr getattr __del__""".split()
)


def _is_told_of_ends(node: ast.AST) -> bool:
    """Whether it is a `__del__` that does more than to clean up."""
    if not isinstance(node, ast.FunctionDef) or node.name != "__del__":
        return False
    calls = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    names = {
        one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in calls
    }
    changes = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)
    return not names <= _CLEANING or any(isinstance(one, changes) for one in ast.walk(node))


def _absolute_imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
