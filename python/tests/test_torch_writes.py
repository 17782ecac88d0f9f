"""Functions of PyTorch that write into what they are given: what the installed PyTorch says of its
own functions, beside what is known of them (`afterlog/libraries/torch.json`)."""

import ast
import inspect
import re
import textwrap
import unittest
from typing import Any, Dict, Iterator, List, Set, Tuple

from .test_changes import changed, model_of
from .test_state import torch

# Each: a call of so many arguments, and the places of those that it writes into.
Writes = Dict[str, Tuple[int, Set[int]]]

# Of these the schemas say nothing, for the sake of programs older than the schemas.
_SILENT = ("running_mean", "running_var")


def of_schemas() -> Writes:
    """What `torch`, `torch.nn.functional` and tensors give of the functions with schemas."""
    found: Writes = {}
    for schema in torch._C._jit_get_all_schemas():
        namespace, _, name = schema.name.partition("::")
        if namespace != "aten":
            continue
        given = [one for one in schema.arguments if not one.kwarg_only]
        places = {place for place, one in enumerate(given) if _is_written(one)}
        for path, owner in (("torch", torch), ("F", torch.nn.functional), ("", torch.Tensor)):
            function = getattr(owner, name, None)
            if not places or not callable(function) or inspect.isfunction(function):
                continue
            if path or 0 in places:
                count, others = found.get(f"{path}.{name}", (0, set()))
                found[f"{path}.{name}"] = (max(count, len(given)), others | places)
    return found


def _is_written(argument: Any) -> bool:
    """Lists that are written into are TorchScript's own, but for those of `_foreach_…`."""
    alias = argument.alias_info
    is_tensor = "List" not in str(argument.type)
    return argument.name in _SILENT or (is_tensor and alias is not None and alias.is_write)


def of_sources() -> Iterator[Tuple[str, List[str], str]]:
    """Of the functions of `torch.nn.functional` that are written in Python: each with its
    parameters, and one that it hands to what works in place."""
    writes = of_schemas()
    for name, function in sorted(vars(torch.nn.functional).items()):
        function = getattr(function, "__wrapped__", function)
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        tree: Any = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        parameters = [one.arg for one in tree.args.args]
        for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
            called = ast.unparse(call.func)
            if not re.fullmatch(r"((torch|_VF)(\.\w+)*\.)?\w+", called):
                continue
            places = {0} if called.endswith("_") else writes.get(called, (0, set()))[1]
            for given in (call.args[place] for place in places if place < len(call.args)):
                if getattr(given, "id", "") in parameters:
                    yield name, parameters, ast.unparse(given)


@unittest.skipIf(torch is None, "no torch")
class Described(unittest.TestCase):
    def check(self, calls: List[Tuple[str, List[str]]], exactly: bool = False) -> None:
        """Each: a call with `{0}`, `{1}`, … for arguments, and those of them that it changes."""
        before, body, expected = "", "", set()
        for number, (call, written) in enumerate(calls):
            names = [f"v{number}_{place}" for place in range(40)]
            used = [name for place, name in enumerate(names) if f"{{{place}}}" in call]
            before += "".join(f"{name} = torch.ones(2)\n" for name in used)
            body += f"    {call.format(*names)}\n"
            expected.update(f"v{number}_{place}" for place in written)
        text = "import torch.nn.functional as F\nimport functools, operator, random\n"
        text += f"{before}for i in al.loop('step', range(3)):\n{body}"
        found = {name for name in changed(model_of(text)) if not name.endswith("~")}
        wrong = expected ^ found if exactly else expected - found
        missing = {name.partition("_")[0] for name in wrong}
        self.assertEqual([calls[int(name[1:])] for name in sorted(missing)], [])

    def test_what_schemas_say(self) -> None:
        calls = []
        for path, (count, places) in sorted(of_schemas().items()):
            given = [f"{{{place}}}" for place in range(count)]
            call = f"{{0}}{path}({', '.join(given[1:])})"
            if not path.startswith("."):
                call = f"{path}({', '.join(given)})"
            calls.append((call, [str(place) for place in sorted(places)]))
        self.assertGreater(len(calls), 200)
        self.check(calls)

    def test_what_sources_say(self) -> None:
        calls = []
        for name, parameters, written in of_sources():
            place = parameters.index(written)
            given = [f"{{{number}}}" for number in range(len(parameters))]
            named = [f"{one}={value}" for one, value in zip(parameters, given)]
            for arguments in (given, named, [*given[:1], *named[1:]]):
                calls.append((f"F.{name}({', '.join(arguments)})", [str(place)]))
        self.assertGreater(len(calls), 30)
        self.check(calls)

    def test_handed_over(self) -> None:
        """A function that writes into what it is given, and that another one calls."""
        for call, written in (
            ("functools.reduce(torch.Tensor.add_, [{0}], {1})", ["1"]),
            ("functools.reduce(operator.iadd, [{0}], {1})", ["1"]),
            ("functools.reduce(torch.add, [{0}], {1})", []),
            ("list(map(torch.Tensor.zero_, [{0}]))", ["0"]),
            ("list(map(F.relu_, [{0}]))", ["0"]),
            ("list(map(F.relu, [{0}], [True]))", ["0"]),
            ("[*map(list.sort, [{0}])]", ["0"]),
            ("print(*map(random.shuffle, [{0}]))", ["0"]),
            ("max([{0}], key=torch.zero_)", ["0"]),
            ("max([{0}], key=torch.norm)", []),
            ("functools.partial(F.relu, inplace=True)({0})", ["0"]),
            ("functools.partial(torch.norm, dim=0)({0})", []),
            ("functools.partial(torch.add, {0})({1}, out={2})", ["2"]),
            ("functools.partial(F.batch_norm, {0})({1}, {2})", ["1", "2"]),
            ("F.relu({0}, **{{'inplace': True}})", ["0"]),
            ("isinstance({0}, torch.Tensor)", []),
        ):
            with self.subTest(call):
                self.check([(call, written)], exactly=not written)


if __name__ == "__main__":
    unittest.main()
