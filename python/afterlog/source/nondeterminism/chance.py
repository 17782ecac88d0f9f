"""Which values of a program may be others each time it is executed, and by what: a value that comes
from a clock, from entropy or from the process is that of the replay. No comparison of other values
can say that it is the one of the run; nor does it say anything that it differs."""

import ast
from typing import AbstractSet, Callable, Dict, List, NamedTuple, Sequence

from ..program.program import Program
from .flow_graph import Cause, Flow, FlowGraph, LoggedParts, value_of
from .flows import RANDOM, Flows, logged


class LogVarying(NamedTuple):
    """Whether a call may log other values each time; names that it logs and for which that is not
    so."""

    varies: bool
    free: List[str]


class LogChance(NamedTuple):
    """What a logged value comes from. `given`: where recorded results are given again; `fresh`:
    where they are not."""

    causes: List[Cause]
    given: LogVarying
    fresh: LogVarying


class VaryingState(NamedTuple):
    """Variables by their keys, attributes by their names, random numbers."""

    places: List[str]
    fields: List[str]
    generators: bool


class Chance(NamedTuple):
    """What may be another when a program is executed again."""

    logs: Dict[ast.Call, LogChance]
    given: VaryingState
    fresh: VaryingState


def depends_on_chance(
    program: Program, calls: Sequence[ast.Call], unordered: AbstractSet[ast.AST] = frozenset()
) -> Chance:
    """`unordered`: expressions that may be a set with an order of its own in every execution."""
    flows = Flows(program, calls, unordered)
    causes = {call: flows.graph.causes_of(logged(call)) for call in calls}
    logs = {call: _log_chance(flows, call, found) for call, found in causes.items() if found}
    variables = [
        scope.var(name).key
        for module in program.modules.values()
        for scope in module.scopes.all()
        for name in sorted(scope.bound)
    ]
    return Chance(
        logs,
        _state(flows.graph, variables, given=True),
        _state(flows.graph, variables, given=False),
    )


def _state(graph: FlowGraph, variables: Sequence[str], given: bool) -> VaryingState:
    varying, apart = graph.varying(given)
    return VaryingState(
        [key for key in variables if not apart.isdisjoint(value_of(key))],
        [one for one in sorted(graph.fields) if not apart.isdisjoint(value_of(f".{one}"))],
        RANDOM in varying,
    )


def _log_chance(flows: Flows, call: ast.Call, causes: List[Cause]) -> LogChance:
    def varying(counts: Callable[[Cause], bool]) -> LogVarying:
        free = _free_names(flows.graph, call, flows.parts[call], counts)
        return LogVarying(any(counts(one) for one in causes), free)

    return LogChance(causes, varying(lambda one: one.call is None), varying(lambda one: True))


def _free_names(
    graph: FlowGraph, call: ast.Call, known: LoggedParts, counts: Callable[[Cause], bool]
) -> List[str]:
    """Of a line with several values, the names that it logs whatever those are that vary."""

    def varies(flow: Flow) -> bool:
        return any(counts(cause) for node in flow for cause in graph.causes_of(node))

    if known.printing is None or varies(known.control):
        return []
    return known.printing.names_without(call, {part for part, flow in known.parts if varies(flow)})
