"""What a loop may change (Flor §3.3, Table 2, made to follow calls and aliases), which of it later
code reads, and whether its iterator reads what its body changes."""

import ast
from typing import Container, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional
from typing import Sequence, Set, Tuple

from ..libraries import is_loader
from ..program.scopes import Scope, Var
from .abstract_values import ADDRESS, NO_TAGS, NO_VARS, Vars
from .facts import Effect, LoopFacts, Position, Read, end_of, position_of
from .fixpoint import Analysis
from .loader_batches import is_made_loader
from .liveness import Uses, is_bound_in_iteration, is_read_after_iteration, is_read_after_loop
from .liveness import may_hold_older
from .project_calls import RETURN


# Lines, by file.
Lines = Mapping[str, Container[int]]


class Changed(NamedTuple):
    """A variable that a loop may change. `access`: `name`, or `out-of-reach`."""

    key: str
    name: str
    access: str
    # The function whose frame holds it; None: a variable of a module.
    holder: Optional[Scope]
    scope: Optional[Scope]
    # It is only gone through: what it holds stays as it is.
    iterated: bool = False
    # Its value at the end of an iteration is never read.
    dead: bool = False
    # What led to its value may be needed again, by `backward`.
    history: bool = False
    # It gets other values, and is not only changed in place.
    bound: bool = False
    # It stays as it is, but what is captured may hold objects of it: they must be known again.
    known: bool = False
    # Of what was added to ask: no statement names it as what it changes, only values come from it.
    indirect: bool = False
    # Nothing reads it behind the loop, nor anything else that may be the same object.
    inside: bool = False

    @property
    def needed(self) -> bool:
        """Whether a checkpoint without it is not complete."""
        return self.iterated or not (self.dead or self.known)


def changes_of(analysis: Analysis, loop: LoopFacts) -> List[Changed]:
    return _changes_by(analysis, loop, analysis.effects_in(loop))


def changes_by_parts(analysis: Analysis, loop: LoopFacts, parts: Lines) -> List[Changed]:
    """What statements that were added to ask may change of that which is there when the loop is
    entered. `parts`: their lines, by file."""
    changes = _changes_by(analysis, loop, _effects_of_parts(analysis, parts))
    changes = [one for one in changes if not _is_in_parts(one.scope, parts)]
    changes = _alive_at_parts(analysis, changes, parts)
    named = _changed_by_parts(analysis, parts)
    changes = [one._replace(indirect=not _is_named(one, named)) for one in changes]
    return [one for one in changes if one.access != "out-of-reach" or not one.indirect]


def _alive_at_parts(analysis: Analysis, changes: List[Changed], parts: Lines) -> List[Changed]:
    """Without variables that each call of a function makes anew, if no part can be executed while
    one runs: what a part calls has variables of its own."""
    asking = {scope for scope in analysis.facts if _has_part(scope, parts)}
    if asking & analysis.always:
        return changes
    scopes = {one.scope for one in changes if one.scope is not None and _begins_anew(one.scope)}
    gone = {scope for scope in scopes if not asking & analysis.reached([scope])}
    return [
        one
        for one in changes
        if one.scope not in gone or one.access != "name" or one.name in one.scope.captured
    ]


def _begins_anew(scope: Scope) -> bool:
    """Whether it is a function of which no call waits while others go on."""
    is_async = isinstance(scope.node, ast.AsyncFunctionDef)
    return scope.kind == "function" and not scope.is_generator and not is_async


def _has_part(scope: Scope, parts: Lines) -> bool:
    lines = parts.get(scope.file, ())
    return any(getattr(one, "lineno", 0) in lines for one in ast.walk(scope.node))


def _is_named(change: Changed, names: Container[str]) -> bool:
    """What nobody can reach by a variable is changed by who says its name: that values of a change
    come from it, as nearly all of a program may, is none."""
    is_word = change.name.isidentifier() or change.name.endswith("=")
    return not is_word or change.name in names or change.name.rstrip("=") in names


def _changed_by_parts(analysis: Analysis, parts: Lines) -> Set[str]:
    """Names and attributes that statements which were added to ask, and all that they call, assign,
    call a method of, or hand over."""
    called = []
    found: Set[str] = set()
    for scope, facts in analysis.facts.items():
        lines = parts.get(scope.file, ())
        called += [one.callee for one in facts.edges if one.at[0] in lines]
        asked = (one for one in ast.walk(scope.node) if getattr(one, "lineno", 0) in lines)
        found.update(*map(_perhaps_changed, asked))
    for scope in analysis.reached(called):
        found.update(*map(_perhaps_changed, ast.walk(scope.node)))
        found.update(f"{one.arg}=" for one in ast.walk(scope.node) if isinstance(one, ast.arg))
    return found


def _perhaps_changed(node: ast.AST) -> Iterator[str]:
    if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
        yield from _words_in(node)
    if isinstance(node, ast.Call):
        yield from _words_in(getattr(node.func, "value", None))
        yield from _words_in(node.func if isinstance(node.func, ast.Name) else None)
        given = [*node.args, *(one.value for one in node.keywords)]
        for one in given:
            if isinstance(one, (ast.Name, ast.Attribute, ast.Starred)):
                yield from _words_in(one)
    if isinstance(node, (ast.For, ast.comprehension)):
        yield from _words_in(node.iter)


def _words_in(node: Optional[ast.AST]) -> Iterator[str]:
    for one in ast.walk(node) if node is not None else ():
        name = getattr(one, "id", None) or getattr(one, "attr", None)
        if isinstance(name, str):
            yield name


def _is_in_parts(scope: Optional[Scope], parts: Lines) -> bool:
    """Whether a class or function is the question's own."""
    line = getattr(scope.node, "lineno", None) if scope is not None else None
    return scope is not None and line is not None and line in parts.get(scope.file, ())


def _effects_of_parts(analysis: Analysis, parts: Lines) -> Iterator[Tuple[Scope, Effect]]:
    called = []
    for scope, facts in analysis.facts.items():
        lines = parts.get(scope.file, ())
        if lines:
            yield from ((scope, one) for one in facts.effects if one.at[0] in lines)
            called += [one.callee for one in facts.edges if one.at[0] in lines]
    for scope in analysis.reached(called):
        yield from ((scope, one) for one in analysis.facts[scope].effects)


def _changes_by(
    analysis: Analysis, loop: LoopFacts, effects: Iterable[Tuple[Scope, Effect]]
) -> List[Changed]:
    kinds, lost = _effects_by_variable(analysis, loop, effects)
    variables = [_changed_variable(analysis, loop, var, how) for var, how in kinds.items()]
    changes = [change for change in variables if change is not None]
    shared = _sharing_variables(analysis, loop, kinds, _identified_keys(analysis, kinds, changes))
    shared_keys = {change.key for change in shared}
    changes = [change._replace(known=change.key in shared_keys) for change in changes]
    changes += [one for one in shared if one.key not in {change.key for change in changes}]
    changes += [Changed(key, why, "out-of-reach", None, None) for key, why in lost.items()]
    return sorted(changes, key=lambda change: change.key)


def _effects_by_variable(
    analysis: Analysis, loop: LoopFacts, effects: Iterable[Tuple[Scope, Effect]]
) -> Tuple[Dict[Var, Set[str]], Dict[str, str]]:
    """What the loop does to each variable, and what of its doings no variable shows."""
    store = analysis.store
    vars_: Dict[str, Vars] = {}
    lost: Dict[str, str] = {}
    for scope, effect in effects:
        if effect.kind == "lost" and not effect.vars:
            lost[f"{scope.file}:{effect.why}"] = effect.why
        reached = effect.vars
        if effect.kind in ("change", "iterate"):
            reached = store.touched(effect)
        elif effect.kind == "bind" and not (scope is loop.scope and loop.number in effect.region):
            outside = [var for var in store.members(effect.vars) if var.scope is not scope]
            reached = NO_VARS
            for var in outside:
                reached |= store.bit(var)
        if effect.kind == "iterate":
            # A sampler moves a generator of random numbers on. What only a loader or sampler holds,
            # a run looks for.
            vars_["change"] = vars_.get("change", NO_VARS) | (reached & analysis.drawn_from)
        vars_[effect.kind] = vars_.get(effect.kind, NO_VARS) | reached
    kinds: Dict[Var, Set[str]] = {}
    for kind, every in vars_.items():
        for var in store.members(every):
            kinds.setdefault(var, set()).add(kind)
    return kinds, lost


def _identified_keys(
    analysis: Analysis, kinds: Iterable[Var], changes: Iterable[Changed]
) -> Set[str]:
    """Variables whose objects must be known again: what is needed, and instances of the program's
    classes that nothing reads any more, but a question may (`best = arms[i]`). Not what is only
    gone through and stays as it is: nobody looks into it."""
    instances, steady = set(), set()
    for var in kinds:
        tags, elems = analysis.store.kinds_of(var)
        if any(tag[0] == "inst" for tag in tags | elems):
            instances.add(var.key)
        if tags and all(tag[0] == "container" or is_made_loader(tag) for tag in tags):
            steady.add(var.key)
    return {
        one.key
        for one in changes
        if (one.needed and not (one.iterated and one.key in steady))
        or (one.dead and one.key in instances)
    }


def _sharing_variables(
    analysis: Analysis, loop: LoopFacts, kinds: Dict[Var, Set[str]], identified: Set[str]
) -> List[Changed]:
    """Variables that the loop leaves alone and that may share objects with what it changes."""
    changed = NO_VARS
    for var in kinds:
        changed |= analysis.store.bit(var) if var.key in identified else NO_VARS
    found = []
    for var in analysis.store.members(analysis.store.closure(changed)):
        if var in kinds and kinds[var] != {"iterate"}:
            continue
        tags = analysis.store.tags_of(var)
        if all(tag[0] in _CONSTANT for tag in tags) and tags:
            continue
        if _capture_access(analysis, loop, var, {"change"}) == "name":
            holder = None if var.scope.kind == "module" else var.scope
            found.append(Changed(var.key, var.name, "name", holder, var.scope, known=True))
    return found


_CONSTANT = ("imm", "lib", "func", "module", "class")


def _changed_variable(
    analysis: Analysis, loop: LoopFacts, var: Var, how: Set[str]
) -> Optional[Changed]:
    access = _capture_access(analysis, loop, var, how)
    if access is None:
        return None
    holder = None if var.scope.kind == "module" else var.scope
    iterated = how == {"iterate"}
    if access != "name":
        return Changed(var.key, var.name, access, holder, var.scope, iterated)
    dead = not _is_read_later(analysis, loop, var, how)
    tags = analysis.store.tags_of(var)
    # A function is captured by its name, which means another one where the loop is skipped.
    is_redefined = "bind" in how and any(
        tag[0] in ("func", "class") and tag[1].name == var.name for tag in tags
    )
    held, inside = analysis.store.kinds_of(var)
    is_unsteady = is_redefined or ADDRESS in held | inside
    if not dead and not iterated and is_unsteady:
        access = "out-of-reach"
    history = bool(analysis.store.bit(var) & analysis.store.differentiated)
    history = history and _is_read_later(analysis, loop, var, how, plain=False)
    bound = "bind" in how
    found = Changed(var.key, var.name, access, holder, var.scope, iterated, dead, history, bound)
    return found._replace(inside=not dead and _is_read_inside(analysis, loop, var, how))


def _capture_access(analysis: Analysis, loop: LoopFacts, var: Var, how: Set[str]) -> Optional[str]:
    """How it can be captured where the loop stands; None: it does not outlive what changes it."""
    scope = var.scope
    if var.name == RETURN or scope.kind == "comprehension":
        return None
    if scope.kind == "class" or var.name.endswith("="):
        return "out-of-reach"
    tags = analysis.store.tags_of(var)
    if "change" in how and any(tag[0] == "class" for tag in tags):
        if analysis.open_classes & analysis.store.bit(var):
            return "out-of-reach"
        if how == {"change"} and all(tag[0] == "class" for tag in tags):
            return None
    if how == {"bind"} and len(tags) == 1 and all(tag[0] in ("lib", "module") for tag in tags):
        return None
    if scope.kind == "module" or loop.scope.is_inside(scope):
        is_deleted = "lost" in how and _is_read_later(analysis, loop, var, how)
        return "out-of-reach" if is_deleted else "name"
    return "out-of-reach" if var.name in scope.captured else None


# Which values are read after the end of an iteration.


def _is_read_later(
    analysis: Analysis, loop: LoopFacts, var: Var, how: Set[str], plain: bool = True
) -> bool:
    """Whether what it holds at the end of an iteration may be read before it is bound again, or is
    changed for others that hold it. `plain`: also for a number."""
    statement = loop.statement
    reads = _own_reads(analysis, loop, var)
    if statement is None or reads is None:
        return True
    if any(scope is not loop.scope for scope, read in reads if plain or not read.plain):
        return True
    every = _uses_of(analysis, loop, var, reads)
    if how & {"change", "iterate"} and may_hold_older(every, statement):
        return True
    wanted = {read.at for _, read in reads if plain or not read.plain}
    return bool(wanted) and is_read_after_iteration(every._replace(reads=wanted), statement)


def _is_read_inside(analysis: Analysis, loop: LoopFacts, var: Var, how: Set[str]) -> bool:
    """Whether only the loop itself reads it. What is changed in place was made in the iteration, or
    is an iterator that nobody else can have."""
    statement = loop.statement
    reads = _own_reads(analysis, loop, var)
    if statement is None or reads is None or any(scope is not loop.scope for scope, _ in reads):
        return False
    uses = _uses_of(analysis, loop, var, reads)
    if how & {"change", "iterate"}:
        is_own = is_bound_in_iteration(uses, statement) or _is_own_iterator(analysis, uses, reads)
        if not is_own or may_hold_older(uses, statement):
            return False
    return not is_read_after_loop(uses, statement)


def _is_own_iterator(analysis: Analysis, uses: Uses, reads: Sequence[Tuple[Scope, Read]]) -> bool:
    """Whether it is bound to nothing but iterators that are made where it is bound, and is read
    only to be asked for an item: nobody else has them."""
    names, asked = set(), set()
    for node in (one for statement in uses.body for one in ast.walk(statement)):
        if isinstance(node, ast.Assign) and _binds(node, uses.name):
            if len(node.targets) > 1 or not _makes_iterator(analysis, reads[0][0], node.value):
                return False
            names.add(node.targets[0])
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) == "next" and node.args:
            asked.add(position_of(node.args[0]))
    bound = {
        one
        for statement in uses.body
        for one in ast.walk(statement)
        if getattr(one, "id", None) == uses.name and not isinstance(getattr(one, "ctx"), ast.Load)
    }
    return bound == names and uses.reads <= asked


def _binds(node: ast.Assign, name: str) -> bool:
    return any(getattr(one, "id", None) == name for one in node.targets)


def _makes_iterator(analysis: Analysis, scope: Scope, node: ast.expr) -> bool:
    """A call of a generator of the program, or `iter` of a loader or a list in a variable."""
    if isinstance(node, ast.GeneratorExp):
        return True
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    var = scope.resolve(node.func.id)
    if var is not None:
        tags = analysis.store.tags_of(var)
        return bool(tags) and all(tag[0] == "func" and tag[1].is_generator for tag in tags)
    given = node.args[0] if node.func.id == "iter" and len(node.args) == 1 else None
    held = scope.resolve(given.id) if isinstance(given, ast.Name) else None
    tags = NO_TAGS if held is None else analysis.store.tags_of(held)
    return bool(tags) and all(
        tag[0] in ("container", "data") or (tag[0] == "made" and is_loader(tag[1])) for tag in tags
    )


def _own_reads(analysis: Analysis, loop: LoopFacts, var: Var) -> Optional[List[Tuple[Scope, Read]]]:
    """Where it is read; None: others may read it, whom no text shows."""
    if var.scope is not loop.scope or var.name in var.scope.captured:
        return None
    if any(scope is loop.scope for scope in analysis.called_in(loop)):
        return None
    return [
        (scope, read)
        for scope, facts in analysis.facts.items()
        for read in facts.reads
        if read.var == var
    ]


def _uses_of(
    analysis: Analysis, loop: LoopFacts, var: Var, reads: Sequence[Tuple[Scope, Read]]
) -> Uses:
    body = getattr(loop.scope.node, "body", [])
    ignored = analysis.program.module_at(loop.scope).ignored
    return Uses(var.name, body, {read.at for _, read in reads}, ignored)


# Iterators.

_STEADY = ("container", "data", "imm", "stream", "generator")


def iterator_of(analysis: Analysis, loop: LoopFacts) -> str:
    """`index`, `independent` or `dependent` (semantics, "Iterators"); `state`: it has none, and
    where it stands is in its variables."""
    items = loop.items
    library = analysis.program.library_loops.get(loop.number)
    if library is not None and library.drop:
        # Batches that are dropped are those that it would have taken: the description says so.
        return "independent"
    if loop.form == "plain":
        return "state"
    if loop.counted:
        # What counts would begin anew.
        return "dependent"
    if loop.statement is None or not items.tags:
        return "dependent"
    if items.of_kind("container", "data", "imm"):
        return "index"
    scopes: Set[Scope] = set()
    for tag in items.tags:
        if tag[0] == "generator":
            scopes |= analysis.reached([tag[1]])
        elif tag[0] == "inst":
            iterate = tag[1].methods.get("__iter__")
            if iterate is None or not iterate.is_generator:
                return "dependent"
            scopes |= analysis.reached([iterate])
        elif not (tag[0] in _STEADY or (tag[0] == "made" and is_loader(tag[1]))):
            return "dependent"
    read = analysis.store.closure(items.srcs | loop.item_reads)
    read |= analysis.reads_of(scopes | analysis.always)
    return "dependent" if read & _changed_by_body(analysis, loop, scopes) else "independent"


def _is_in_head(loop: LoopFacts, at: Position) -> bool:
    """Whether something stands in what the loop goes through."""
    items = getattr(loop.statement, "iter", None)
    return items is not None and position_of(items) <= at < end_of(items)


def _changed_by_body(analysis: Analysis, loop: LoopFacts, iterating: Set[Scope]) -> Vars:
    """What the loop changes, less what going through it does."""
    found = NO_VARS
    edges = [one for one in analysis.facts[loop.scope].edges if loop.number in one.region]
    called = analysis.reached(one.callee for one in edges if not _is_in_head(loop, one.at))
    head = analysis.reached(one.callee for one in edges if _is_in_head(loop, one.at))
    only_iterating = (iterating | head) - called - {loop.scope}
    for scope, effect in analysis.effects_in(loop):
        if effect.kind == "iterate" or scope in only_iterating:
            continue
        if scope is loop.scope and _is_in_head(loop, effect.at):
            continue
        if effect.kind == "bind":
            for var in analysis.store.members(effect.vars):
                outside = var.scope is not scope or scope is loop.scope
                found |= analysis.store.bit(var) if outside else NO_VARS
        else:
            found |= analysis.store.touched(effect)
    return found
