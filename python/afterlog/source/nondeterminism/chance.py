"""Which values of a program may be others each time it is executed, and by what: a value that comes
from a clock, from entropy or from the process is that of the replay. No comparison of other values
can say that it is the one of the run; nor does it say anything that it differs."""

import ast
from typing import Dict, List, NamedTuple, Sequence

from ..program.program import Program
from .flow_graph import Flow, FlowGraph, LoggedParts, value_of
from .flows import RANDOM, Flows, logged


class LogChance(NamedTuple):
    """What a logged value comes from, in words; names that the call logs and that do not."""

    causes: List[str]
    free: List[str]


class Chance(NamedTuple):
    """What may be another when a program is executed again: calls that log, variables by their
    keys, attributes by their names, random numbers."""

    logs: Dict[ast.Call, LogChance]
    places: List[str]
    fields: List[str]
    generators: bool


def depends_on_chance(program: Program, calls: Sequence[ast.Call]) -> Chance:
    flows = Flows(program, calls)
    graph = flows.graph
    causes = {call: graph.causes_of(logged(call)) for call in calls}
    apart = graph.varying_apart_from_fields()
    variables = [
        scope.var(name).key
        for module in program.modules.values()
        for scope in module.scopes.all()
        for name in sorted(scope.bound)
    ]
    return Chance(
        {
            call: LogChance(found, _free_names(graph, call, flows.parts[call]))
            for call, found in causes.items()
            if found
        },
        [key for key in variables if not apart.isdisjoint(value_of(key))],
        [one for one in sorted(graph.fields) if not apart.isdisjoint(value_of(f".{one}"))],
        RANDOM in graph.varying(),
    )


def _free_names(graph: FlowGraph, call: ast.Call, known: LoggedParts) -> List[str]:
    """Of a line with several values, the names that it logs whatever those are that vary."""

    def varies(flow: Flow) -> bool:
        return any(graph.causes_of(node) for node in flow)

    if known.printing is None or varies(known.control):
        return []
    return known.printing.names_without(call, {part for part, flow in known.parts if varies(flow)})
