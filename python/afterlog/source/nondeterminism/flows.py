"""What flows where in a program: through variables, attributes, arguments, results, and through
conditions, for what is done under one depends on it. An attribute is followed by its name alone,
whatever object it is of; that errs to the safe side. A function as a value stands for what it
gives."""

import ast
from typing import AbstractSet, Any, Dict, List, Optional, Sequence

from .. import libraries
from ..program.program import Program
from ..program.scopes import Scope
from ..program.sdk_calls import SourcePositions
from .call_sites import find_call_sites
from .flow_graph import Cause, Flow, FlowGraph, LoggedParts, bare, value_of
from .memory_told import VARYING, memory_told
from .outside_names import OutsideNames
from .places_told import places_told
from .project_functions import ProjectFunctions, pass_arguments
from .timed_threads import note_timed_threads
from .uses_of_sets import order_cause, taken_from, tells_order

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_CONSTANTS = (ast.Constant, ast.Pass, ast.Global, ast.Nonlocal)
# Modules that are handed on for their seeded generators.
_GENERATORS = ("random", "torch")
# Generators of random numbers: whoever draws at odd times changes all later draws.
RANDOM = "random"
_RAISED = "raised"
# What functions get that are called by nobody knows whom.
_UNKNOWN = "unknown"
# What is called or gone over may be an object of the program's own.
_CALLED = ["__call__", "forward"]
_ITEMS = ["__iter__", "__next__", "__getitem__"]
_CALLED_BY_PYTHON = [*_CALLED, *_ITEMS, "__enter__"]
_READING = libraries.methods_with("computes", "reads")
_KEEPING = libraries.methods_with("keeps", "mutates")
# They show what they are given, and keep nothing of it for the program.
_SHOWING = libraries.methods_with("shows") | {"log", "print"}
_PASSING = libraries.builtins_with("reads") | {"open"}


def logged(call: ast.Call) -> str:
    """The node for what a call is given that logs."""
    return f"logged {id(call)}"


class Flows:
    def __init__(
        self, program: Program, calls: Sequence[ast.Call], unordered: AbstractSet[ast.AST]
    ) -> None:
        self.graph = FlowGraph()
        self._program = program
        # Expressions that may be a set with an order of its own in every execution.
        self._unordered = unordered
        self._logs = set(calls)
        self.parts: Dict[ast.Call, LoggedParts] = {}
        self._functions = ProjectFunctions(program)
        for var, source in self._functions.imported:
            self.graph.assign(var.key, value_of(source.key))
        texts = "".join(module.text for module in program.modules.values())
        # Of the methods that Python calls, those that the program may have.
        self._methods = {one for one in _CALLED_BY_PYTHON if one in texts}
        self._outside = OutsideNames(program)
        # Where those calls stand whose results are recorded.
        self._recorded: Dict[ast.Call, Dict[str, Any]] = {}
        for module in program.modules.values():
            self._outside.learn(module.file, module.scopes)
            places = SourcePositions(module.text)
            for site in find_call_sites(program, module.file, module.scopes):
                start = places.start(site.shown)
                self._recorded[site.node] = {"file": module.file, **start}
        note_timed_threads(self.graph, program, self._outside, self._functions)
        self._control: Flow = []
        self._loops: List[str] = []
        for module in program.modules.values():
            self._module, self._memory_told = module, memory_told(module.tree)
            self._scope = module.scopes.module
            self._flow_of_body(module.tree.body)
            for name in self._scope.bound:
                self.graph.assign(f".{name}", value_of(self._scope.var(name).key))

    def _path(self, node: ast.expr) -> Optional[str]:
        """The path of what is not of the project."""
        return self._outside.path(self._scope, node)

    def _functions_named(self, node: ast.expr) -> List[Scope]:
        return self._functions.named(self._scope, node)

    def _own(self, *names: str) -> Flow:
        """What methods of the program give that Python calls; nothing if it has none of them."""
        return [one for name in names if name in self._methods for one in value_of(f".{name}")]

    def _place(self, name: str) -> str:
        var = self._scope.resolve(name)
        return f"builtin:{name}" if var is None else var.key

    # Statements

    def _flow_of_body(self, body: Sequence[ast.AST]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: Any) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._defined(node)
        elif isinstance(node, ast.ClassDef):
            self._class(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._alias_star(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assigned(target, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._flow_to_target(node.target, self._flow_of(node.value))
        elif isinstance(node, ast.AugAssign):
            order = self._order_of(node.value) if isinstance(node.op, ast.Add) else []
            flow = [*order, *self._flow_of(node.value), *self._flow_of(node.target)]
            self._flow_to_target(node.target, self.graph.whole(flow))
        elif isinstance(node, ast.If):
            self._flow_under_condition(self._flow_of(node.test), [*node.body, *node.orelse])
        elif isinstance(node, _LOOPS):
            self._loop(node)
        elif isinstance(node, (ast.Break, ast.Continue)):
            for loop in self._loops[-1:]:
                self.graph.add(loop, self._control)
        elif isinstance(node, ast.Return):
            self.graph.add(f"{self._id} called", self._control)
            self._flow_to_result([] if node.value is None else self._flow_of(node.value))
        elif isinstance(node, ast.Raise):
            self.graph.add(f"{self._id} called", self._control)
            self.graph.add(_RAISED, self._flows_of([node.exc]))
        else:
            self._other(node)

    def _other(self, node: Any) -> None:
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                flow = [*self._flow_of(item.context_expr), *self._own("__enter__")]
                if item.optional_vars is not None:
                    self._flow_to_target(item.optional_vars, flow)
            self._flow_of_body(node.body)
        elif isinstance(node, ast.ExceptHandler):
            if node.name:
                self.graph.assign(self._place(node.name), [_RAISED])
            self._flow_of_body(node.body)
        elif type(node).__name__ == "Match":
            subject = self._flow_of(node.subject)
            for case in node.cases:
                for name in ast.walk(case.pattern):
                    bound = getattr(name, "name", None) or getattr(name, "rest", None)
                    if isinstance(bound, str):
                        self._assign(self._place(bound), subject)
                self._flow_under_condition([*subject, *self._flows_of([case.guard])], case.body)
        elif isinstance(node, ast.expr):
            self._flow_of(node)
        elif not isinstance(node, (*_CONSTANTS, ast.Delete)):
            for child in ast.iter_child_nodes(node):
                self._statement(child)

    def _alias_star(self, node: Any) -> None:
        """`from time import *` hides where names come from."""
        if isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names):
            path = node.module or ""
            if self._program.imported(self._module.file, "." * node.level + path)[0] is None:
                self._control = [*self._control, *self._library_flow(f"{path}.*", node)]

    def _flow_under_condition(self, condition: Flow, body: Sequence[ast.AST]) -> None:
        control = self._control
        self._control = [*control, *self.graph.whole(condition)]
        self._flow_of_body(body)
        self._control = control

    def _loop(self, node: Any) -> None:
        """What is done in a loop depends on how often it is gone through."""
        loop = self.graph.node()
        control = self._control
        self._loops.append(loop)
        self._control = [*control, loop]
        if isinstance(node, ast.While):
            self.graph.add(loop, self._flow_of(node.test))
        else:
            items = [*self._gone_through(node.iter), *self._own(*_ITEMS)]
            self.graph.add(loop, items)
            self._flow_to_target(node.target, items)
        self._flow_of_body(node.body)
        self._loops.pop()
        self._flow_of_body(node.orelse)
        self._control = control

    @property
    def _id(self) -> str:
        scope = self._scope.function
        return f"{scope.file}:{scope.label}"

    def _flow_to_result(self, flow: Flow) -> None:
        self.graph.assign(f"{self._id} gives", [*flow, *self._control])

    def _defined(self, node: Any) -> None:
        flow = self._function(node)
        for decorator in node.decorator_list:
            flow = [*flow, *self._called(decorator, [flow], {}, [])]
        self._assign(self._place(node.name), flow)
        if self._scope.kind == "class":
            self._assign(f".{node.name}", flow)

    def _class(self, node: ast.ClassDef) -> None:
        bases = self._flows_of([*node.bases, *node.decorator_list])
        outer, self._scope = self._scope, self._program.scope_of(self._scope, node)
        self._flow_of_body(node.body)
        for name in self._scope.bound:
            self.graph.fields.add(name)
            self.graph.assign(f".{name}", value_of(self._scope.var(name).key))
        self._scope = outer
        self._assign(self._place(node.name), bases)

    def _function(self, node: Any) -> Flow:
        scope = self._program.scope_of(self._scope, node)
        arguments = node.args
        defaults = [*arguments.defaults, *(one for one in arguments.kw_defaults if one is not None)]
        given = self._flows_of(defaults)
        before = (self._scope, self._control, self._loops)
        self._scope, self._loops = scope, []
        self._control = [f"{self._id} called"]
        for name in [*scope.params, scope.vararg, scope.kwarg]:
            if name is not None and name not in ("self", "cls"):
                got = value_of(f"{self._id} gets {name}")
                self.graph.assign(scope.var(name).key, [*got, *given, _UNKNOWN])
        if isinstance(node, ast.Lambda):
            self._flow_to_result(self._flow_of(node.body))
        else:
            self._flow_of_body(node.body)
        gives = value_of(f"{self._id} gives")
        self._scope, self._control, self._loops = before
        return gives

    # What is written

    def _assign(self, place: str, flow: Flow) -> None:
        self.graph.assign(place, [*flow, *self._control])

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        sides = [one.elts for one in (target, value) if isinstance(one, (ast.Tuple, ast.List))]
        is_starred = any(isinstance(one, ast.Starred) for side in sides for one in side)
        if len(sides) == 2 and len(sides[0]) == len(sides[1]) and not is_starred:
            for one, given in zip(*sides):
                self._assigned(one, given)
            return
        self._flow_to_target(target, self._flow_of(value))

    def _flow_to_target(self, target: ast.expr, flow: Flow) -> None:
        if isinstance(target, ast.Name):
            self._assign(self._place(target.id), flow)
        elif isinstance(target, ast.Attribute):
            self._assign(f".{target.attr}", flow)
            put = self.graph.field(target.attr, [*flow, *self._control])
            self._flow_into(target.value, put)
        elif isinstance(target, ast.Subscript):
            self._fill(target.value, [])
            self._flow_into(target.value, [*flow, *self.graph.whole(self._flow_of(target.slice))])
        elif isinstance(target, ast.Starred):
            self._flow_to_target(target.value, flow)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self._flow_to_target(element, [*flow, *self._order_of(target)])

    def _flow_into(self, node: Any, flow: Flow) -> None:
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            self._flow_into(node.value, flow)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and self._path(node) is None:
            self.graph.put(self._flow_of(node), [*flow, *self._control])

    def _fill(self, node: ast.expr, order: Flow) -> None:
        """Which items a list or the like has, and where, follows from what decided about it."""
        if self._path(node) is not None:
            return
        if isinstance(node, ast.Attribute):
            self.graph.add(f".{node.attr}", [*order, *self._control])
        elif isinstance(node, ast.Name):
            self.graph.add(self._place(node.id), [*order, *self._control])

    # Values

    def _flows_of(self, nodes: Sequence[Optional[ast.AST]]) -> Flow:
        return [one for node in nodes if node is not None for one in self._flow_of(node)]

    def _flow_of(self, node: Any) -> Flow:
        path = self._path(node)
        if path is not None:
            return self._library_flow(path, node)
        if isinstance(node, ast.Name):
            return value_of(self._place(node.id))
        if isinstance(node, ast.Attribute):
            name = self._memory_told.get(node, node.attr if node.attr in VARYING else "")
            found = self._source(name, node, -1) if name else []
            return [*found, *bare(self._flow_of(node.value)), *value_of(f".{node.attr}")]
        if isinstance(node, ast.Subscript):
            held = [*self._flow_of(node.value), *self._own("__getitem__")]
            return [*held, *self.graph.whole(self._flow_of(node.slice))]
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Lambda):
            return self._function(node)
        if isinstance(node, ast.NamedExpr):
            flow = self._flow_of(node.value)
            self._flow_to_target(node.target, flow)
            return flow
        if isinstance(node, (ast.Await, ast.Starred)):
            return self._gone_through(node.value)
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            flow = [] if node.value is None else self._flow_of(node.value)
            flow += self._order_of(node.value) if isinstance(node, ast.YieldFrom) else []
            self._flow_to_result(flow)
            return [*flow, _UNKNOWN]
        if isinstance(node, (ast.IfExp, ast.BoolOp)):
            return self._choice(node)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
            return self.graph.holding(self._flows_of(list(ast.iter_child_nodes(node))))
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            return self._comprehension(node)
        if not isinstance(node, ast.AST) or isinstance(node, (*_CONSTANTS, ast.expr_context)):
            return []
        shown = self._order_of(node.value) if isinstance(node, ast.FormattedValue) else []
        return self.graph.whole([*self._flows_of(list(ast.iter_child_nodes(node))), *shown])

    def _gone_through(self, node: ast.expr) -> Flow:
        return [*self._flow_of(node), *self._order_of(node)]

    def _order_of(self, node: Any) -> Flow:
        """The order in which a set is gone through that holds objects: where these lie says it."""
        return self.graph.cause(order_cause(self._module, node)) if node in self._unordered else []

    def _choice(self, node: Any) -> Flow:
        first, rest = (
            (node.test, [node.body, node.orelse])
            if isinstance(node, ast.IfExp)
            else (node.values[0], node.values[1:])
        )
        test = self._flow_of(first)
        control = self._control
        self._control = [*control, *self.graph.whole(test)]
        chosen = self._flows_of(rest)
        self._control = control
        return [*self.graph.whole(test), *test, *chosen]

    def _comprehension(self, node: Any) -> Flow:
        outer, self._scope = self._scope, self._program.scope_of(self._scope, node)
        control = self._control
        gone_through: Flow = []
        for part in node.generators:
            items = [*self._gone_through(part.iter), *self._own(*_ITEMS)]
            self._flow_to_target(part.target, items)
            condition = [*bare(items), *self._flows_of(part.ifs)]
            gone_through += bare(items)
            self._control = [*self._control, *self.graph.whole(condition)]
        given = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        flow = [*self._flows_of(given), *self._control]
        self._scope, self._control = outer, control
        return [*self.graph.holding(flow), *self.graph.whole(gone_through)]

    def _library_flow(
        self, path: str, node: ast.AST, arguments: int = -1, call: Optional[ast.Call] = None
    ) -> Flow:
        is_handed_on = arguments < 0 and path not in _GENERATORS and libraries.hands_on(path)
        if path in VARYING or libraries.is_source(path, arguments) or is_handed_on:
            return self._source(path, node, arguments, call)
        if libraries.draws(path):
            self.graph.add(RANDOM, self._control)
        return [RANDOM] if libraries.may_draw(path) else []

    def _source(
        self, path: str, node: ast.AST, arguments: int, call: Optional[ast.Call] = None
    ) -> Flow:
        calling = "()" if arguments >= 0 else ""
        recorded = None if call is None else self._recorded.get(call)
        line = getattr(node, "lineno", 0) if recorded is None else recorded["line"]
        words = f"{path}{calling} at {self._module.file}:{line}"
        return self.graph.cause(Cause(words, recorded))

    # Calls

    def _call(self, node: ast.Call) -> Flow:
        is_own = bool(self._functions_named(node.func))
        flow_of = self._flow_of if is_own or not tells_order(node) else self._gone_through
        positional = [flow_of(one) for one in node.args]
        named = {one.arg: flow_of(one.value) for one in node.keywords if one.arg is not None}
        rest = [self._flow_of(one.value) for one in node.keywords if one.arg is None]
        rest += [self._flow_of(one) for one in node.args if isinstance(one, ast.Starred)]
        if node in self._logs:
            given = [*positional, *named.values(), *rest, self._places_in(node)]
            flat = [one for flow in given for one in flow]
            self.graph.add(logged(node), [*flat, *self._control])
            self._note_parts(node)
        spread = [one for flow in rest for one in flow]
        return self._called(node.func, positional, named, spread, node)

    def _note_parts(self, node: ast.Call) -> None:
        printing = self._module.printing
        parts = [] if printing is None else printing.parts_of(node)
        shown = [[*self._flow_of(part), *self._places_in(part)] for part in parts]
        flows = [(part, self.graph.whole(flow)) for part, flow in zip(parts, shown)]
        self.parts[node] = LoggedParts(printing, self._control, flows)

    def _places_in(self, part: ast.AST) -> Flow:
        causes = places_told(self._module, part, self._path)
        return [one for cause in causes for one in self.graph.cause(cause)]

    def _called(
        self,
        callee: ast.expr,
        positional: List[Flow],
        named: Dict[str, Flow],
        rest: Flow,
        node: Optional[ast.Call] = None,
    ) -> Flow:
        given = [one for flow in [*positional, *named.values()] for one in flow] + rest
        nodes = [] if node is None else [*node.args, *(one.value for one in node.keywords)]
        self._call_back(nodes, given)
        path = self._path(callee)
        if path is not None:
            return self._called_outside(path, callee, nodes, given, named, node)
        name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", None)
        if isinstance(callee, ast.Name) and self._scope.resolve(callee.id) is None:
            if name == "isinstance":
                # What kind of thing something is does not tell what it would answer.
                return self.graph.whole(positional[0] if positional else [])
            varies = libraries.is_source(f"builtins.{callee.id}", len(nodes))
            found = self._source(callee.id, callee, len(nodes)) if varies else []
            return [*found, *given] if name in _PASSING else self.graph.whole([*found, *given])
        own = self._functions_named(callee)
        for scope in own:
            pass_arguments(self.graph, self._control, scope, positional, named, rest)
        value = self._flow_of(callee)
        value += self._order_of(taken_from(callee))
        if isinstance(callee, ast.Name) and name in self._functions.fields:
            for field in self._functions.fields[callee.id]:
                self.graph.add(f".{field}", given)
            return [*bare(value), *self.graph.holding(given)]
        if own and not (isinstance(callee, ast.Attribute) and name in _READING):
            return value
        return [*value, *self._unknown(callee, nodes, given)]

    def _unknown(self, callee: ast.expr, nodes: Sequence[ast.expr], given: Flow) -> Flow:
        """A function or method that is not of the project, or that nobody can tell."""
        if not isinstance(callee, ast.Attribute):
            self.graph.add(_UNKNOWN, [*given, *self._control])
            return self.graph.whole([*given, *self._own(*_CALLED)])
        if callee.attr in _SHOWING:
            return []
        base = self._flow_of(callee.value)
        if callee.attr in _READING:
            return [*base, *given]
        order = [one for arg in nodes for one in self._order_of(arg) if one in given]
        self._fill(callee.value, order)
        self._flow_into(callee.value, given)
        if callee.attr not in _KEEPING or libraries.method(callee.attr).mutates:
            for one in nodes:
                self._flow_into(one, [*base, *given])
        return self.graph.whole([*base, *given])

    def _called_outside(
        self,
        path: str,
        callee: ast.expr,
        nodes: Sequence[ast.expr],
        given: Flow,
        named: Dict[str, Flow],
        call: Optional[ast.Call],
    ) -> Flow:
        found = self._library_flow(path, callee, len(nodes), call)
        if libraries.fills(path):
            self._flow_into(nodes[0] if nodes else None, found)
        if path.startswith("afterlog.checkpointing"):
            for name, flow in named.items():
                self.graph.field(name, flow)
                self._assign(f".{name}", flow)
        if libraries.seeds(path):
            self.graph.add(RANDOM, [*given, *found, *self._control])
        words = libraries.function(path).words
        is_known = libraries.is_passing(path) or libraries.is_torch_module(path)
        if "changes" in words and "itself" not in words:
            self._flow_into(nodes[0] if nodes else None, [*given, *found])
        elif not (is_known or found or path.startswith(("afterlog.", "torch.", "numpy."))):
            for one in nodes:
                self._flow_into(one, given)
        flow = [*found, *given]
        is_passing = path.startswith("afterlog.") or "progress" in words
        return flow if is_passing else self.graph.whole(flow)

    def _call_back(self, nodes: Sequence[ast.expr], flow: Flow) -> None:
        """Functions among the arguments may be called with all that is there."""
        for node in nodes:
            is_lambda = isinstance(node, ast.Lambda)
            found = (
                [self._program.scope_of(self._scope, node)]
                if is_lambda
                else self._functions_named(node)
            )
            for scope in found:
                pass_arguments(self.graph, self._control, scope, [], {}, flow)
