"""The pass over a program's syntax tree that has it hand over what it puts into printed texts.

    print(f"loss {x:.4f}")

becomes

    print(texts.joined(7, "loss ", f"{texts.hold(7, 0, x):.4f}", ""))

A call that shows no name tells how its arguments are written, with the last one on its way:

    print(t, texts.says(("t", "loss.item()"), loss.item()))

Only arguments of a call that may print are touched. Every expression is evaluated
where it was, once and in the same order; formatting stays in the program's own frame, so that an
error in it has the same traceback; the call gets the same text.
"""

import ast
import itertools
from typing import List, Optional

from ..source.program.printed_calls import Printing
from ..source.program.program import Program

# The name under which the program reaches `PrintedTexts`; no program has such a name.
TEXTS = "__afterlog_texts__"

_METHODS = frozenset(("info", "debug", "log", "write", "print"))
# Of one text: more holes than that is no line of a log.
_HOLES_MAX = 64
_keys = itertools.count()


def hold_printed_texts(tree: ast.Module, text: str) -> ast.Module:
    """The same tree, changed. Places stay as they are. `text`: the source."""
    return ast.fix_missing_locations(_TextHolder(Printing(tree), text).visit(tree))


class PrintedTextTransform:
    """A transform of sources (`source_hook.py`)."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def wants(self, file: str) -> bool:
        return file in self._program.modules

    def apply(self, tree: ast.Module, text: str, file: str) -> ast.Module:
        return hold_printed_texts(tree, text)


class _TextHolder(ast.NodeTransformer):
    def __init__(self, printing: Printing, text: str) -> None:
        self._printing = printing
        self._text = text

    def visit_Call(self, node: ast.Call) -> ast.AST:
        may_print = _may_print(node.func)
        written = self._printing.written(node, self._text) if may_print else None
        self.generic_visit(node)
        if may_print:
            node.args = [_held(one) for one in node.args]
        if written:
            last = node.args[-1]
            texts = ast.Tuple([ast.Constant(one) for one in written], ast.Load())
            node.args[-1] = _call("says", [texts, last], last)
        return node


def _may_print(callee: ast.expr) -> bool:
    if isinstance(callee, ast.Name):
        return callee.id == "print"
    return isinstance(callee, ast.Attribute) and callee.attr in _METHODS


def _held(argument: ast.expr) -> ast.expr:
    held: Optional[ast.expr] = None
    if isinstance(argument, ast.JoinedStr):
        held = _joined(argument)
    elif isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Mod):
        held = _percent(argument)
    elif isinstance(argument, ast.Call):
        held = _formatted(argument)
    return argument if held is None else ast.copy_location(held, argument)


def _joined(node: ast.JoinedStr) -> Optional[ast.expr]:
    """What is written out and what is put in take turns; the former comes first and last."""
    key = next(_keys)
    parts: List[ast.expr] = []
    holes = 0
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            if len(parts) % 2 == 0:
                parts.append(ast.Constant(""))
            part.value = _call("hold", [_number(key), _number(holes), part.value], part.value)
            parts.append(ast.copy_location(ast.JoinedStr([part]), node))
            holes += 1
        elif isinstance(part, ast.Constant) and len(parts) % 2 == 0:
            parts.append(ast.copy_location(ast.Constant(part.value), node))
        else:
            return None
    if len(parts) % 2 == 0:
        parts.append(ast.Constant(""))
    return _call("joined", [_number(key), *parts], node) if 0 < holes <= _HOLES_MAX else None


def _percent(node: ast.BinOp) -> Optional[ast.expr]:
    pattern = _text(node.left)
    if pattern is None:
        return None
    key = next(_keys)
    node.right = _call("hold_given", [_number(key), _number(0), node.right], node.right)
    return _call("percent", [_number(key), ast.Constant(pattern), node], node)


def _formatted(node: ast.Call) -> Optional[ast.expr]:
    """`"…".format(…)`, if it is known which argument is which."""
    callee = node.func
    if not isinstance(callee, ast.Attribute) or callee.attr != "format":
        return None
    pattern = _text(callee.value)
    if pattern is None or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    if any(argument.arg is None for argument in node.keywords):
        return None
    key = next(_keys)
    names: List[ast.expr] = []
    for at, argument in enumerate(node.args):
        node.args[at] = _call("hold_given", [_number(key), _number(len(names)), argument], argument)
        names.append(ast.Constant(None))
    for named in node.keywords:
        given = [_number(key), _number(len(names)), named.value]
        named.value = _call("hold_given", given, named.value)
        names.append(ast.Constant(named.arg))
    argument_names = ast.Tuple(names, ast.Load())
    return _call("formatted", [_number(key), ast.Constant(pattern), argument_names, node], node)


def _text(node: ast.expr) -> Optional[str]:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def _number(number: int) -> ast.expr:
    return ast.Constant(number)


def _call(name: str, given: List[ast.expr], at: ast.AST) -> ast.expr:
    texts = ast.Name(TEXTS, ast.Load())
    return ast.copy_location(ast.Call(ast.Attribute(texts, name, ast.Load()), given, []), at)
