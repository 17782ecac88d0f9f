"""What one function does, as its text tells: the raw material of the questions about loops."""

import ast
from dataclasses import dataclass, field
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Tuple, Union

from ...format.console_rule import PrintedNames
from ..program.scopes import Scope, Var
from .abstract_values import NO_VARS, Tags, Value, Vars

# Line and column, as Python counts them.
Position = Tuple[int, int]
# Loops of the same function around something, outermost first, by number.
Region = Tuple[int, ...]


def position_of(node: ast.AST) -> Position:
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


def end_of(node: ast.AST) -> Position:
    return (getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0)


class Effect(NamedTuple):
    """`bind`: a name gets another value. `change`: objects are changed in place. `iterate`: they
    are gone through, which may move them on. `lost`: something is changed that nobody can capture.
    `opaque`: nobody can tell what is done, now or later."""

    kind: str
    vars: Vars
    at: Position
    region: Region
    # What the library knows how to put back: training flags, running means.
    soft: bool = False
    why: str = ""
    # The objects themselves are changed, and what they hold stays as it is.
    shallow: bool = False
    # PyTorch's own doing: no numbers, texts, lists of these, classes and functions are changed.
    tensors: bool = False


class Read(NamedTuple):
    """A name is read. `plain`: for a number or a text, which needs no history of a tensor."""

    var: Var
    at: Position
    region: Region
    plain: bool


class Edge(NamedTuple):
    """A call. `how`: `call`, `import`, or `later` where nobody knows when it runs."""

    callee: Scope
    at: Position
    region: Region
    how: str


@dataclass
class LoopFacts:
    number: int
    scope: Scope
    # Null when it is computed.
    name: Optional[str]
    # The call of `loop`, or a statement that stands for itself.
    node: Union[ast.Call, ast.For, ast.While]
    # The statement that goes over it.
    statement: Union[ast.For, ast.While, None]
    # Loops of the same function around it.
    region: Region
    items: Value
    item_reads: Vars
    at: Position
    # An `enumerate` around it counts its items.
    counted: bool = False

    @property
    def form(self) -> str:
        """As the engine calls it: `plain` has no iterator."""
        if isinstance(self.statement, ast.While):
            return "plain"
        return "other" if self.statement is None else "for"

    @property
    def breaks(self) -> FrozenSet[int]:
        return frozenset() if self.statement is None else breaks_of(self.statement)


def breaks_of(statement: Union[ast.For, ast.While]) -> FrozenSet[int]:
    """Lines that hold a `break` of this loop and no other way out of it. None where an `else`
    follows: after a `break` it is not executed, and a loop that is skipped would."""
    if statement.orelse:
        return frozenset()
    breaks, others = set(), set()
    queue: List[Tuple[ast.AST, bool]] = [(one, True) for one in statement.body]
    while queue:
        node, own = queue.pop()
        if isinstance(node, ast.Break) and own:
            breaks.add(node.lineno)
        elif isinstance(node, (ast.Return, ast.Break, ast.Raise)):
            others.add(node.lineno)
        inner = own and not isinstance(node, (ast.For, ast.While, ast.AsyncFor))
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            queue += [(child, inner) for child in ast.iter_child_nodes(node)]
    return frozenset(breaks - others)


@dataclass
class LogFacts:
    scope: Scope
    call: ast.Call
    region: Region
    effects: List[Effect]
    edges: List[Edge]
    # Nobody knows which loops are active when it runs.
    vague: bool = False
    # It is no call of `log`: what it prints is logged under these names.
    printed: Optional[PrintedNames] = None


@dataclass
class ScopeFacts:
    """Of a module or a function, with class bodies and comprehensions in it."""

    effects: List[Effect] = field(default_factory=list)
    edges: List[Edge] = field(default_factory=list)
    loops: List[LoopFacts] = field(default_factory=list)
    logs: List[LogFacts] = field(default_factory=list)
    reads: List[Read] = field(default_factory=list)
    # Statements, and those that are executed again and again.
    statements: List[Tuple[Position, Position]] = field(default_factory=list)
    repeated: List[Tuple[Position, Position]] = field(default_factory=list)
    # Expressions that may be a set, each with what may be in it.
    sets: List[Tuple[ast.AST, Tags]] = field(default_factory=list)
    # Expressions that are taken for loaders that make their batches anew, or for iterators over
    # one; and functions of the program that do so for them. Whether it is so, a run knows.
    batched: List[ast.AST] = field(default_factory=list)
    collating: List[Scope] = field(default_factory=list)
    # Variables of classes that may have, or get, what their bodies do not show.
    open_classes: Vars = NO_VARS


FactsByScope = Dict[Scope, ScopeFacts]
