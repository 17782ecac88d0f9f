"""Evaluates every function until nothing new is learned, and says which functions may run unseen:
those that a library calls, or that run when something is gone through."""

import functools
import operator
from typing import Dict, Iterable, List, Set, Tuple

from ...format.clocks import thread_time
from ..program.program import Program
from ..libraries import is_loader
from ..program.scopes import Scope, Var
from ..program.skeletons import is_skeleton
from .abstract_values import NO_VARS, Vars
from .classes import base_paths, find_method, is_autograd_function, project_bases
from .expressions import Expressions
from .facts import Edge, Effect, FactsByScope, LoopFacts
from .foreign_modules import Origins
from .described_calls import is_generator
from .points_to import PointsToStore, Watch
from .statements import Statements

_ROUNDS_MAX = 200
# Of processor time. The training waits for it, and a project can be as large as one likes.
_SECONDS_MAX = 30.0
_CALLED = frozenset(("__init__", "__new__", "__call__", "forward"))
# What modules, optimizers and schedules may call of a class that is made from theirs.
_OVERRIDDEN = frozenset(
    "train eval step zero_grad get_lr state_dict load_state_dict parameters named_parameters "
    "named_modules modules children add_param_group on_train_start on_epoch_end".split()
)
_KNOWN_BASES = ("torch.nn.", "torch.utils.data.", "torch.autograd.", "torch.optim.", "typing.")


class TooLong(Exception):
    def __init__(self) -> None:
        super().__init__(f"what its loops change was not found out in {_SECONDS_MAX:.0f} s")


class Analysis:
    """Raises `TooLong`: what nobody knows of a program is not captured, and re-executed."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.store = PointsToStore(Origins(program.own_methods()))
        self.facts: FactsByScope = {}
        self.uncertain: List[str] = list(program.uncertain)
        # How many times a module or a function was evaluated: what the analysis costs.
        self.evaluations = 0
        self.loops: Dict[int, LoopFacts] = {}
        # Methods that a library calls.
        self._implicit: Set[Scope] = set()
        self._until = thread_time() + _SECONDS_MAX
        self._solve()
        if self.store.origins.found_modules:
            # Something turned out to be a module: once more, knowing that.
            self.store = PointsToStore(
                Origins(program.own_methods(), self.store.origins.found_modules)
            )
            self.facts, self.uncertain = {}, list(program.uncertain)
            self._solve()
        for facts in self.facts.values():
            for loop in facts.loops:
                self.loops[loop.number] = loop
        # Functions that may run at any time, with all that they call.
        self.unseen: Set[Scope] = self._functions_run_unseen()
        self.always: Set[Scope] = self.reached(self.unseen)
        opened = (facts.open_classes for facts in self.facts.values())
        self.open_classes: Vars = functools.reduce(operator.or_, opened, NO_VARS)
        # What is or holds a generator of random numbers.
        self.drawn_from: Vars = self.store.vars_that(is_generator)
        self._note_opaque()

    def expressions(self, scope: Scope) -> Expressions:
        return Expressions(self.program, self.store, scope)

    def _solve(self) -> None:
        # What a class of a library is, is known before one is made from it.
        scopes = sorted(self.program.scopes(), key=lambda one: not is_skeleton(one.file))
        watches: Dict[Scope, Watch] = {}
        # What calls functions of a skeleton is seen; what others are given would be guessed at.
        called: Set[Scope] = set()
        for _ in range(_ROUNDS_MAX):
            before = self.store.learned, len(called)
            for scope in scopes:
                if not _may_run(scope, called):
                    continue
                # Most functions have nothing to do with what was learned of late.
                if scope in watches and not self.store.is_stale(watches[scope]):
                    continue
                if thread_time() > self._until:
                    raise TooLong
                watches[scope] = self.store.watch()
                self.facts[scope] = Statements(self.expressions(scope)).run()
                called.update(edge.callee for edge in self.facts[scope].edges)
                self.evaluations += 1
            self._lend_instances()
            called |= self._implicit
            if (self.store.learned, len(called)) == before:
                called |= self._called_elsewhere(called)
                if len(called) > before[1]:
                    continue
                if self.store.settled:
                    return
                self.store.settled = True
                watches.clear()
        self.uncertain.append("what the program's values are cannot be settled")

    def _called_elsewhere(self, called: Set[Scope]) -> Set[Scope]:
        """Functions of libraries whose loops the program is not seen to run: a trainer may be made
        by something else."""
        loops = self.program.library_loop_scopes
        files = {one.file for one in loops} - {one.file for one in loops if one in called}
        return {one for one in self.program.scopes() if one.file in files}

    def _lend_instances(self) -> None:
        """A method that a library calls gets any instance of its class."""
        entry = self.program.modules.get(self.program.entry)
        if entry is None:
            return
        evaluator = self.expressions(entry.scopes.module)
        self._implicit = set()
        for scope in self.program.classes():
            found = (
                find_method(evaluator, scope, name) for name in _implicit_names(evaluator, scope)
            )
            methods = {method for method in found if method is not None}
            bodies = _with_bases(evaluator, scope)
            methods |= {one for one in self.store.lent if one.parent in bodies}
            for method in sorted(methods, key=lambda one: (one.file, one.label)):
                self._implicit.add(method)
                if method.params:
                    for var in self._holders(scope):
                        value = self.store.value(var).tagged(("inst", scope))
                        self.store.assign(method.var(method.params[0]), value)

    def _holders(self, scope: Scope) -> List[Var]:
        """Variables that may hold an instance. A loader gives batches, and calls the dataset that
        nothing else may have: `DataLoader(Data())`."""
        found = self.store.vars_with(("inst", scope))
        loaders = self.store.vars_that(lambda tag: tag[0] == "made" and is_loader(tag[1]))
        held = functools.reduce(operator.or_, map(self.store.bit, found), NO_VARS)
        calling = loaders & self.store.reaching(held)
        if not calling:
            return found
        return self.store.members(held | self.store.reaching(calling))

    def _functions_run_unseen(self) -> Set[Scope]:
        found = set(self._implicit)
        for facts in self.facts.values():
            for edge in facts.edges:
                if edge.how == "later" or edge.callee.is_generator:
                    found.add(edge.callee)
        return found

    def _note_opaque(self) -> None:
        for scope, facts in self.facts.items():
            for effect in facts.effects:
                if effect.kind == "opaque":
                    self.uncertain.append(f"{scope.file}:{effect.at[0]}: {effect.why}")
        for scope in self.unseen:
            given = [name for name in scope.params[1:] if not _is_bound(self, scope, name)]
            if scope.name == "__call__" or self._is_of_autograd(scope):
                # What a library gives an instance is its own, or was given to it, and seen there.
                continue
            for effect in self.facts[scope].effects:
                vars_ = self.store.members(effect.vars)
                changed = {var.name for var in vars_ if var.scope is scope}
                for name in changed.intersection(given) if effect.kind == "change" else ():
                    where = f"{scope.file}:{effect.at[0]}"
                    why = f"nobody knows what {name} of {scope.name} is, which is changed"
                    self.uncertain.append(f"{where}: {why}")

    def _is_of_autograd(self, scope: Scope) -> bool:
        """Gradients are made for whoever gets them."""
        of = scope.parent
        return (
            of is not None and of.kind == "class" and is_autograd_function(self.expressions(of), of)
        )

    def reached(self, scopes: Iterable[Scope]) -> Set[Scope]:
        """With all functions that they may call."""
        found: Set[Scope] = set()
        queue = list(scopes)
        while queue:
            scope = queue.pop()
            if scope in found or scope not in self.facts:
                continue
            found.add(scope)
            queue += [edge.callee for edge in self.facts[scope].edges]
        return found

    def called_in(self, loop: LoopFacts) -> Set[Scope]:
        """Functions that may run while the loop does."""
        edges = self.facts[loop.scope].edges
        called = self.reached(edge.callee for edge in edges if loop.number in edge.region)
        return called | self.always

    def effects_in(self, loop: LoopFacts) -> Iterable[Tuple[Scope, Effect]]:
        for effect in self.facts[loop.scope].effects:
            if loop.number in effect.region:
                yield loop.scope, effect
        for scope in self.called_in(loop):
            for effect in self.facts[scope].effects:
                yield scope, effect

    def reads_of(self, scopes: Iterable[Scope]) -> Vars:
        """What these functions read, with all that it may be part of."""
        found = NO_VARS
        for var in {read.var for scope in scopes for read in self.facts[scope].reads}:
            found |= self.store.bit(var)
        return self.store.closure(found)

    def callers(self) -> Dict[Scope, List[Tuple[Scope, Edge]]]:
        found: Dict[Scope, List[Tuple[Scope, Edge]]] = {}
        for scope, facts in self.facts.items():
            for edge in facts.edges:
                found.setdefault(edge.callee, []).append((scope, edge))
        return found


def _may_run(scope: Scope, called: Set[Scope]) -> bool:
    return scope.kind != "function" or not is_skeleton(scope.file) or scope in called


def _is_bound(analysis: Analysis, scope: Scope, name: str) -> bool:
    own = analysis.store.bit(scope.var(name))
    return bool(analysis.store.closure(own) & ~own)


def _with_bases(at: Expressions, scope: Scope) -> List[Scope]:
    """The class and those of the project above it."""
    found = [scope]
    for one in found:
        found += [base for base in project_bases(at, one) if base not in found]
    return found


def _implicit_names(at: Expressions, scope: Scope) -> List[str]:
    """Methods of a class that nobody calls by name, and that yet run."""
    classes = _with_bases(at, scope)
    paths = [path for one in classes for path in base_paths(at, one)]
    names = {name for one in classes for name in one.methods}
    strange = [path for path in paths if not path.startswith(_KNOWN_BASES)]
    return sorted(
        name
        for name in names - _CALLED
        if (name.startswith("__") and name.endswith("__"))
        or strange
        or (paths and name in _OVERRIDDEN)
    )
