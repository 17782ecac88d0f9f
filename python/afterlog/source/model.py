"""The model of a program that the planner works with (`src/languages/source-model.ts`), and what a
run needs of it: where each loop stands and which variables are captured there. One analysis gives
both, so that what is captured and what is asked for are the same."""

import ast
from typing import Any, Dict, List, Optional, Sequence, Set

from ..format.test_seams import missed_change
from .analysis.call_paths import CallPaths
from .analysis.facts import LogFacts, LoopFacts, position_of
from .analysis.fixpoint import Analysis
from .analysis.loop_changes import Changed, changes_by_parts, changes_of, iterator_of
from .analysis.set_elements import unordered_sets
from .nondeterminism.chance import Chance, LogVarying, depends_on_chance
from .outline import mode_of, names_of
from .program.parts import lines_of_parts
from .program.program import Program
from .program.scopes import Scope, Var
from .program.sdk_calls import SourcePositions
from .restored.only_computes import computed_logs


class Model:
    """`probes`: what was added to ask."""

    def __init__(self, program: Program, probes: Sequence[Dict[str, Any]] = ()) -> None:
        self.program = program
        self.analysis = Analysis(program)
        trees = {file: module.tree for file, module in program.modules.items()}
        self._parts = lines_of_parts(trees, probes)
        loops = self.analysis.loops
        changes = {number: changes_of(self.analysis, loop) for number, loop in loops.items()}
        self.changes: Dict[int, List[Changed]] = _without_missed(loops, changes)

    @property
    def uncertain(self) -> List[str]:
        return list(dict.fromkeys(self.analysis.uncertain))

    def to_json(self) -> Dict[str, Any]:
        loops = [self.analysis.loops[number] for number in sorted(self.analysis.loops)]
        ordinals: Dict[str, int] = {}
        found = []
        for loop in loops:
            ordinal = ordinals.get(loop.scope.file, 0)
            ordinals[loop.scope.file] = ordinal + 1
            found.append(self._loop_json(loop, ordinal))
        logs = _Logs(self)
        return {
            **mode_of(self.program),
            "files": self.program.own_files(),
            "loops": found,
            "logs": logs.found,
            **_varying_json(logs, self.program.varying_attributes),
            "uncertain": self.uncertain,
        }

    def places(self, file: str) -> SourcePositions:
        return SourcePositions(self.program.modules[file].text)

    def _loop_json(self, loop: LoopFacts, ordinal: int) -> Dict[str, Any]:
        return {
            "id": loop.number,
            "ordinal": ordinal,
            "file": loop.scope.file,
            **self.places(loop.scope.file).start(loop.node),
            "name": loop.name,
            "form": loop.form,
            "changes": _changes_json(self.changes[loop.number]),
            **self._by_parts(loop),
            "iterator": iterator_of(self.analysis, loop),
            **({"counted": True} if loop.counted else {}),
            "awaits": False,
        }

    def _by_parts(self, loop: LoopFacts) -> Dict[str, Any]:
        if not self._parts:
            return {}
        changes = changes_by_parts(self.analysis, loop, self._parts)
        return {"changedByParts": _changes_json(changes)}


def _changes_json(changes: Sequence[Changed]) -> List[Dict[str, Any]]:
    return [
        {
            "key": one.key,
            "name": one.name,
            "access": one.access,
            **({"indirect": True} if one.indirect else {}),
            **({"inside": True} if one.inside else {}),
        }
        for one in changes
        if one.needed
    ]


def _varying_json(logs: "_Logs", attributes: Sequence[str]) -> Dict[str, Any]:
    """What may be another in every execution, if there is anything of the kind: where recorded
    results of calls are given again, and where they are not. `attributes`: of libraries."""
    chance = logs.chance
    found: Dict[str, Any] = {}
    for key, (places, fields, generators), calls in (
        ("varying", chance.given, logs.varying),
        ("varyingFresh", chance.fresh, logs.varying_fresh),
    ):
        fields = [*fields, *attributes]
        if calls or places or fields or generators:
            drawn = {"generators": True} if generators else {}
            found[key] = {"logs": calls, "places": places, "fields": fields, **drawn}
    return found


def _without_missed(
    loops: Dict[int, LoopFacts], changes: Dict[int, List[Changed]]
) -> Dict[int, List[Changed]]:
    """The changes of each loop, without the one that a test asks the analysis to miss."""
    missed = missed_change()
    if missed is None:
        return changes
    left: Dict[int, List[Changed]] = {}
    counts: Dict[str, int] = {}
    for number in sorted(loops):
        file = loops[number].scope.file
        ordinal = counts.get(file, 0)
        counts[file] = ordinal + 1
        left[number] = [one for one in changes[number] if missed != f"{file}#{ordinal} {one.key}"]
    return left


class _Logs:
    """Log statements, once for each way in which they are reached."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._paths = CallPaths(model.analysis)
        self._to_loops = {
            number: self._paths.to(loop.scope, position_of(loop.node), loop.region)[0]
            for number, loop in model.analysis.loops.items()
        }
        self.found: List[Dict[str, Any]] = []
        logs = [log for facts in model.analysis.facts.values() for log in facts.logs]
        self.chance: Chance = depends_on_chance(
            model.program, [log.call for log in logs], unordered_sets(model.analysis)
        )
        # Where those stand that may log another value each time.
        self.varying: List[Dict[str, Any]] = []
        # The same where recorded results of calls are not given again.
        self.varying_fresh: List[Dict[str, Any]] = []
        self._computed = self._find_computed(logs)
        for log in logs:
            self._add_log(log)

    def _find_computed(self, logs: Sequence[LogFacts]) -> Set[ast.Call]:
        if self._model.uncertain:
            return set()
        restored = {
            number: {
                one.name
                for one in changes
                if one.needed and not one.iterated and one.access == "name"
            }
            for number, changes in self._model.changes.items()
        }
        loops = list(self._model.analysis.loops.values())
        return computed_logs(self._model.program, loops, restored, logs)

    def _add_log(self, log: LogFacts) -> None:
        file = log.scope.file
        module = self._model.program.modules[file]
        known: Dict[str, Any] = {
            "file": file,
            **self._model.places(file).start(log.call),
            "text": ast.get_source_segment(module.text, log.call) or "",
        }
        if _changes_something(self._model.analysis, log):
            known["changes"] = True
        chance = self.chance.logs.get(log.call)
        if chance is not None:
            self._add_varying(log, known, chance.given, self.varying)
            self._add_varying(log, known, chance.fresh, self.varying_fresh)
        elif log.call in self._computed:
            known["computes"] = True
        ways = self._ways_to_log(log)
        for name in names_of(module, log.call, log.printed):
            for way in ways:
                one = {**known, **name, **self._causes_of(log, name["name"]), **way}
                if one not in self.found:
                    self.found.append(one)

    def _causes_of(self, log: LogFacts, name: Optional[str]) -> Dict[str, Any]:
        """What the value of a name depends on; calls whose results are recorded apart."""
        chance = self.chance.logs.get(log.call)
        if chance is None:
            return {}
        words = [one.words for one in chance.causes if one.call is None]
        calls = [{**one.call, "words": one.words} for one in chance.causes if one.call is not None]
        return {
            **({"causes": words} if words and name not in chance.given.free else {}),
            **({"calls": calls} if calls and name not in chance.fresh.free else {}),
        }

    def _add_varying(
        self, log: LogFacts, known: Dict[str, Any], how: LogVarying, to: List[Dict[str, Any]]
    ) -> None:
        if not how.varies:
            return
        place = {one: known[one] for one in ("file", "line", "column")}
        end = self._model.places(log.scope.file).end(log.call)
        found: Dict[str, Any] = {**place, "end": end}
        if how.free:
            found["except"] = how.free
        if found not in to:
            to.append(found)

    def _ways_to_log(self, log: LogFacts) -> List[Dict[str, Any]]:
        """The loops around it, and those that come later, for each way to it."""
        paths, complete = self._paths.to(log.scope, position_of(log.call), log.region)
        if not paths:
            lexical = {"chain": list(log.region), "certain": False, "before": []}
            return [{**lexical, "uncalled": True}]
        ways = []
        for path in paths:
            before = [
                number
                for number, others in self._to_loops.items()
                if others
                and all(
                    self._paths.is_before(path, other)
                    for other in others
                    if not path.chain or path.chain[-1] in other.chain
                )
                and any(not path.chain or path.chain[-1] in other.chain for other in others)
            ]
            certain = complete and not log.vague
            ways.append({"chain": path.chain, "certain": certain, "before": before})
        return ways


def _changes_something(analysis: Analysis, log: LogFacts) -> bool:
    """Whether evaluating what it logs changes what outlives it. Training flags, running means and
    positions are put back around a statement that was added."""
    called = analysis.reached(edge.callee for edge in log.edges)
    effects = [*((log.scope, one) for one in log.effects)]
    effects += [(scope, one) for scope in called for one in analysis.facts[scope].effects]
    for scope, effect in effects:
        if effect.kind in ("lost", "opaque"):
            return True
        if effect.kind in ("change", "iterate") and not effect.soft:
            changed = analysis.store.members(analysis.store.touched(effect))
            if any(_variable_outlives(var, log) for var in changed):
                return True
        bound = analysis.store.members(effect.vars) if effect.kind == "bind" else []
        if any(_is_bound_outside(var, scope, log) for var in bound):
            return True
    return False


def _variable_outlives(var: Var, log: LogFacts) -> bool:
    scope: Scope = var.scope
    if scope.kind in ("module", "class"):
        return True
    return log.scope.is_inside(scope) or var.name in scope.captured or var.name.endswith("=")


def _is_bound_outside(var: Var, scope: Scope, log: LogFacts) -> bool:
    if var.scope.kind == "comprehension":
        return False
    return var.scope is not scope or scope is log.scope
