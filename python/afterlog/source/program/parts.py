"""Statements in a row that were added to a program in order to ask, one part of a question, by
where they stand: without them it is the program that was recorded."""

import ast
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Set, Tuple

from .sdk_calls import SourcePositions

Place = Tuple[int, int]
Part = Tuple[Place, Place]

_LISTS = ("body", "orelse", "finalbody")


def parts_by_file(probes: Sequence[Dict[str, Any]]) -> Dict[str, List[Part]]:
    """Those probes that are parts, by where they begin and end."""
    found: Dict[str, List[Part]] = {}
    for probe in probes:
        end = probe.get("end")
        if end is not None:
            first, last = (probe["line"], probe["column"]), (end["line"], end["column"])
            found.setdefault(probe["file"], []).append((first, last))
    return found


def without_parts(tree: ast.Module, text: str, parts: Sequence[Part]) -> ast.Module:
    """The tree as it was before; it is changed in place."""

    def drop(statements: List[ast.stmt], which: Sequence[int]) -> List[ast.stmt]:
        kept = [one for one, part in zip(statements, which) if part < 0]
        return kept or [ast.copy_location(ast.Pass(), statements[0])]

    change_parts(tree, text, parts, drop)
    return tree


def change_parts(
    tree: ast.Module,
    text: str,
    parts: Sequence[Part],
    change: Callable[[List[ast.stmt], Sequence[int]], List[ast.stmt]],
) -> None:
    """Gives every list of statements that holds some of a part to `change`, with the number of the
    part that each belongs to, or -1."""
    places = SourcePositions(text)

    def part_of(statement: ast.stmt) -> int:
        decorators: List[ast.expr] = getattr(statement, "decorator_list", [])
        place = places.start(decorators[0] if decorators else statement)
        start = (place["line"], place["column"])
        within = (at for at, (first, last) in enumerate(parts) if first <= start < last)
        return next(within, -1)

    for node, field, statements in list(_lists_in(tree)):
        which = [part_of(one) for one in statements]
        # A part may hold lists of its own: those are not looked into.
        if any(part >= 0 for part in which) and not all(part >= 0 for part in which):
            setattr(node, field, change(statements, which))


def statements_of_parts(
    tree: ast.Module, text: str, probes: Sequence[Dict[str, Any]]
) -> List[ast.stmt]:
    """Statements of a file that were added to ask, be they parts or single ones."""
    places = SourcePositions(text)
    single = {(one["line"], one["column"]) for one in probes if one.get("end") is None}
    parts = [part for of_file in parts_by_file(probes).values() for part in of_file]
    found: List[ast.stmt] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        decorators: List[ast.expr] = getattr(node, "decorator_list", [])
        place = places.start(decorators[0] if decorators else node)
        start = (place["line"], place["column"])
        if start in single or any(first <= start < last for first, last in parts):
            found.append(node)
    return found


def lines_of_parts(
    trees: Mapping[str, ast.Module], probes: Sequence[Dict[str, Any]]
) -> Dict[str, Set[int]]:
    """The lines of what was added to ask, by file."""
    found: Dict[str, Set[int]] = {}
    for probe in probes:
        tree = trees.get(probe["file"])
        first, end = probe["line"], probe.get("end")
        if tree is None:
            continue
        if end is not None:
            last = end["line"] if end["column"] > 1 else end["line"] - 1
        else:
            calls = (one for one in ast.walk(tree) if isinstance(one, ast.Call))
            last = max(
                (one.end_lineno or first for one in calls if one.lineno == first), default=first
            )
        found.setdefault(probe["file"], set()).update(range(first, last + 1))
    return found


def _lists_in(tree: ast.AST) -> Iterator[Tuple[ast.AST, str, List[ast.stmt]]]:
    for node in ast.walk(tree):
        for field in _LISTS:
            statements = getattr(node, field, None)
            if isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
                yield node, field, statements
