"""What a loop leaves as it is, as far as the analysis can tell: variables that it could reach and
that are not among its changes. A run looks at them (`record/checkpoints/audit.py`)."""

from typing import Dict, Iterable, List, NamedTuple, Optional

from ..program.scopes import Scope, Var
from .facts import LoopFacts
from .fixpoint import Analysis
from .loop_changes import Changed

# Nothing of them changes, or nothing that could be told.
_FIXED = frozenset(("func", "class", "module", "lib", "method", "generator", "stream", "super"))


class UnchangedVariable(NamedTuple):
    key: str
    name: str
    # The function whose frame holds it; None: a variable of a module.
    holder: Optional[Scope]
    scope: Scope
    # It may share memory with what the loop changes.
    shares: bool
    # Functions alone: they change if something is put on them, or kept in them.
    is_function: bool = False


def unchanged_variables(
    analysis: Analysis, loop: LoopFacts, changes: Iterable[Changed]
) -> List[UnchangedVariable]:
    """Objects come first, for they change unseen; then classes."""
    changed = {one.key: one for one in changes}
    found = []
    for var in _visible_variables(analysis, loop):
        known = changed.get(var.key)
        is_changed = known is not None and not known.known
        is_function = _is_function(analysis, var)
        if is_changed or not (is_function or _may_change(analysis, var)):
            continue
        holder = None if var.scope.kind == "module" else var.scope
        about = (holder, var.scope, known is not None, is_function)
        found.append(UnchangedVariable(var.key, var.name, *about))
    found.sort(key=lambda one: (not _may_be_object(analysis, one), one.key))
    return [*found, *_unchanged_classes(analysis, loop, changed)]


def _unchanged_classes(
    analysis: Analysis, loop: LoopFacts, changed: Dict[str, Changed]
) -> List[UnchangedVariable]:
    """Classes whose attributes the loop leaves alone. Those whose bodies give values to names come
    first."""
    bodies = {one.scope for one in changed.values()}
    outer = {loop.scope, *(scope for scope in analysis.facts if loop.scope.is_inside(scope))}
    found = []
    for scope in analysis.program.classes():
        parent = scope.parent
        if parent is None or not (parent.kind == "module" or parent in outer):
            continue
        var = parent.var(scope.name)
        if scope not in bodies and var.key not in changed:
            holder = None if parent.kind == "module" else parent
            found.append((scope, UnchangedVariable(var.key, var.name, holder, parent, False)))
    found.sort(key=lambda one: (one[0].bound <= set(one[0].methods), one[1].key))
    return [variable for _, variable in found]


def _visible_variables(analysis: Analysis, loop: LoopFacts) -> Iterable[Var]:
    """Variables of the project's modules, and of the functions around the loop."""
    for scope in analysis.program.scopes():
        if scope.kind == "module" or loop.scope.is_inside(scope):
            for name in sorted(scope.bound - scope.globals - scope.nonlocals):
                yield scope.var(name)


def _may_change(analysis: Analysis, var: Var) -> bool:
    tags = analysis.store.tags_of(var)
    return any(tag[0] not in _FIXED for tag in tags)


def _is_function(analysis: Analysis, var: Var) -> bool:
    tags = analysis.store.tags_of(var)
    return bool(tags) and all(tag[0] == "func" for tag in tags)


def _may_be_object(analysis: Analysis, one: UnchangedVariable) -> bool:
    """Whether it may be an object, which changes without an assignment."""
    tags = analysis.store.tags_of(Var(one.scope, one.name))
    return any(tag[0] not in ("imm", *_FIXED) for tag in tags)
