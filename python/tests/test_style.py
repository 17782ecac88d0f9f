"""The rules that every Python file of the project follows, checked with `ast` alone: the syntax of
Python 3.9, lines, functions and files of bounded size, no import or name that nothing uses, and
folders of the package that import only those above them (`test/architecture.test.ts` likewise)."""

import ast
import os
import unittest
from typing import Dict, FrozenSet, Iterator, List, Set, Tuple

_PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PACKAGE = os.path.join(_PYTHON, "afterlog")
_ROOT = os.path.dirname(_PYTHON)
_ELSEWHERE = ("bench", "examples", "test")
# Stand-ins have the names that libraries have.
_SKIPPED = {"__pycache__", "node_modules", "build", "dist", "stand-ins"}

_COLUMNS_MAX = 100
_FUNCTION_LINES_MAX = 70
_FILE_LINES_MAX = 500

# Each folder of the package may import those listed; the order is that of ARCHITECTURE.md.
_MAY_IMPORT: Dict[str, FrozenSet[str]] = {
    "format": frozenset(),
    "store": frozenset({"format"}),
    "source": frozenset({"format"}),
    "materialize": frozenset({"format", "store"}),
    "state": frozenset({"format", "materialize"}),
    "record": frozenset({"format", "store", "source", "materialize", "state"}),
    "handsfree": frozenset({"format", "store", "source", "materialize", "state", "record"}),
}
# What no training program need have; who uses it looks whether the program has imported it.
_LIBRARIES = {"torch", "numpy", "pandas"}


def _files(folder: str) -> Iterator[str]:
    for at, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(at, name)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as stream:
        return stream.read()


def _parse(path: str) -> ast.Module:
    return ast.parse(_read(path), path, feature_version=(3, 9))


def _all_files() -> List[str]:
    found = list(_files(_PYTHON))
    for folder in _ELSEWHERE:
        found += _files(os.path.join(_ROOT, folder))
    return found


_Named = Tuple[int, str]


def _bound_by_imports(tree: ast.Module) -> Iterator[_Named]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield node.lineno, alias.asname or alias.name.split(".")[0]


def _used(tree: ast.Module) -> Set[str]:
    """Every name that is read, in code and in annotations that stand in texts."""
    used: Set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            used.add(node.id)
        elif isinstance(node, ast.Attribute):
            used.add(node.attr)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            used.update(node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            used.update(_words(node.value))
    return used


def _words(text: str) -> Set[str]:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _unread_locals(tree: ast.Module) -> Iterator[_Named]:
    """Names that a function binds alone (not as one of several) and nothing in it reads."""
    for function in ast.walk(tree):
        if not isinstance(function, _FUNCTIONS):
            continue
        used = _used(ast.Module([function], []))
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
                target = node.target
            else:
                continue
            if isinstance(target, ast.Name) and not target.id.startswith("_"):
                if target.id not in used and not _in_class(function, node):
                    yield node.lineno, target.id


def _in_class(function: ast.AST, node: ast.AST) -> bool:
    """A class in a function: its names are attributes."""
    classes = [inner for inner in ast.walk(function) if isinstance(inner, ast.ClassDef)]
    return any(node in ast.walk(each) for each in classes)


def _private(tree: ast.Module) -> Iterator[_Named]:
    """What a module keeps for itself: functions, classes and values whose names begin with `_`."""
    for node in tree.body:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        else:
            continue
        for name in names:
            if name.startswith("_") and not name.startswith("__"):
                yield node.lineno, name


class Style(unittest.TestCase):
    def test_every_file(self) -> None:
        files = _all_files()
        self.assertGreater(len(files), 80)
        wrong = [fault for path in files for fault in self._faults(path)]
        self.assertEqual("\n".join(wrong), "")

    def _faults(self, path: str) -> Iterator[str]:
        where = os.path.relpath(path, _ROOT)
        lines = _read(path).split("\n")
        if len(lines) > _FILE_LINES_MAX + 1:
            yield f"{where}: {len(lines)} lines"
        for number, line in enumerate(lines, 1):
            if len(line) > _COLUMNS_MAX:
                yield f"{where}:{number}: {len(line)} columns"
            if "\t" in line or line != line.rstrip():
                yield f"{where}:{number}: a tab, or blanks at the end"
        tree = _parse(path)
        for node in ast.walk(tree):
            if isinstance(node, _FUNCTIONS):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > _FUNCTION_LINES_MAX:
                    yield f"{where}:{node.lineno}: {node.name} has {length} lines"
        used = _used(tree)
        if os.path.basename(path) != "__init__.py":
            for number, name in _bound_by_imports(tree):
                if name not in used:
                    yield f"{where}:{number}: {name} is imported and not used"
        for number, name in _private(tree):
            if name not in used:
                yield f"{where}:{number}: {name} is not used"
        for number, name in _unread_locals(tree):
            yield f"{where}:{number}: {name} is bound and not read"

    def test_every_module_says_what_it_is_for(self) -> None:
        silent = [path for path in _files(_PACKAGE) if not ast.get_docstring(_parse(path))]
        self.assertEqual(silent, [])

    def test_folders_import_only_those_above(self) -> None:
        wrong = []
        for path in _files(_PACKAGE):
            parts = os.path.relpath(path, _PACKAGE).split(os.sep)
            if len(parts) == 1:
                continue
            self.assertIn(parts[0], _MAY_IMPORT)
            allowed = _MAY_IMPORT[parts[0]] | {parts[0], "version", "own_modules"}
            for number, module in _imported_from_package(_parse(path), parts[:-1]):
                if module.split(".")[0] not in allowed:
                    wrong.append(f"{'/'.join(parts)}:{number}: {module}")
        self.assertEqual("\n".join(wrong), "")

    def test_no_library_is_imported_for_the_program(self) -> None:
        wrong = []
        for path in _files(_PACKAGE):
            for node in _parse(path).body:
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    named = {alias.name for alias in node.names}
                    named.add(getattr(node, "module", None) or "")
                    if {name.split(".")[0] for name in named} & _LIBRARIES:
                        wrong.append(f"{os.path.relpath(path, _PACKAGE)}:{node.lineno}")
        self.assertEqual("\n".join(wrong), "")


def _imported_from_package(tree: ast.Module, folders: List[str]) -> Iterator[Tuple[int, str]]:
    """The modules of the package that a file of these folders imports, by their dotted names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("afterlog."):
                    yield node.lineno, alias.name[len("afterlog.") :]
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".") if node.module else []
            if node.level:
                base = folders[: len(folders) - node.level + 1]
            elif module[:1] == ["afterlog"]:
                base, module = [], module[1:]
            else:
                continue
            whole = base + module
            for alias in node.names:
                yield node.lineno, ".".join(whole or [alias.name])


if __name__ == "__main__":
    unittest.main()
