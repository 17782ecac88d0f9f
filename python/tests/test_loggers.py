"""What programs log by a library of their own: names that the source shows, and values."""

import ast
import contextlib
import os
import sys
import types
import unittest
import unittest.mock
from typing import Any, Dict, Iterator, List, Optional, Tuple

from afterlog.handsfree.loggers import Loggers, keep_alone
from afterlog.source.model import Model
from afterlog.source.program.printed_calls import Printing
from afterlog.source.program.program import Program

# Head of a file, a call, names that it shows and patterns of others; None: no log statement.
_CALLS: List[Tuple[str, str, Optional[List[str]], List[str]]] = [
    ("", "writer.add_scalar('train/loss', x, i)", ["train/loss"], []),
    ("", "self.logger.writer.add_scalar(f'acc/{k}', x)", [], [r"^acc\/\S*$"]),
    ("", "w.add_scalar(scalar_value=x, tag='loss', global_step=i)", ["loss"], []),
    ("", "w.add_scalars('run', {'a': x, 'b': y, **more}, i)", ["run/a", "run/b"], []),
    ("", "w.add_scalar('loss')", None, []),
    ("", "w.add_scalar(*both)", None, []),
    ("import wandb", "wandb.log({'loss': x, 'in': {'er': y}})", ["loss", "in.er"], []),
    ("import wandb", "wandb.log(dict(loss=x), step=i)", ["loss"], []),
    ("import wandb", "wandb.log(metrics)", [], [r"^\S*$"]),
    ("import wandb", "wandb.log({f'{k}': x})", [], [r"^\S*$"]),
    ("import wandb", "run.log({'loss': x})", ["loss"], []),
    ("import wandb", "self._run.log({'loss': x})", ["loss"], []),
    ("import wandb as wb", "wb.log({'loss': x})", ["loss"], []),
    ("", "self._wandb.log({'loss': x})", ["loss"], []),
    ("import wandb", "math.log(x)", None, []),
    ("import wandb", "history.log({'loss': x})", None, []),
    ("", "run.log({'loss': x})", None, []),
    ("import trackio", "trackio.log({'loss': x})", ["loss"], []),
    ("import mlflow", "mlflow.log_metric('loss', x, step=i)", ["loss"], []),
    ("import mlflow", "mlflow.log_metrics({'loss': x, 'acc': y})", ["loss", "acc"], []),
    ("from mlflow import log_metric", "log_metric('loss', x)", ["loss"], []),
    ("", "log_metric('loss', x)", None, []),
    ("", "bar.set_postfix(loss=x, refresh=False, acc=f'{y:.2f}')", ["loss", "acc"], []),
    ("", "bar.set_postfix({'loss': x}, acc=y)", ["loss", "acc"], []),
    ("", "bar.set_postfix(OrderedDict(loss=x))", [], [r"^\S*$"]),
    ("", "bar.set_postfix(**both)", [], [r"^\S*$"]),
    ("", "bar.set_postfix(refresh=False)", None, []),
    ("", "self.log_metric('loss', x)", None, []),
]

_OWN_CLASS = """\
class Board:
    def __init__(self):
        self.seen = []

    def add_scalar(self, tag, value, step=None):
        self.seen.append(value)

board = Board()
for i in range(3):
    board.add_scalar("loss", i)
print("seen", len(board.seen))
"""


def _package(name: str, **members: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
    return module


class Source(unittest.TestCase):
    def test_names(self) -> None:
        for head, text, names, patterns in _CALLS:
            with self.subTest(f"{head}: {text}"):
                tree = ast.parse(f"{head}\n{text}")
                found = Printing(tree).names_of(tree.body[-1].value)
                shown = None if found is None else (found.names, found.patterns)
                self.assertEqual(shown, None if names is None else (names, patterns))

    def test_parts_that_may_be_left_out(self) -> None:
        tree = ast.parse("import wandb\nwandb.log({'loss': x, 'clock': t}, step=i)")
        call = tree.body[1].value  # type: ignore[attr-defined]
        printing = Printing(tree)
        parts = printing.parts_of(call)
        self.assertEqual([ast.unparse(part) for part in parts], ["x", "t"])
        self.assertEqual(printing.names_without(call, {parts[1]}), ["loss"])

    def test_a_method_of_the_program_is_followed(self) -> None:
        program = Program("a.py", {"a.py": _OWN_CLASS}.get, hands_free=True)
        [loop] = Model(program).to_json()["loops"]
        self.assertEqual([one["name"] for one in loop["changes"]], ["board"])

    def test_what_a_library_is_told_changes_nothing(self) -> None:
        for head, text in (
            (
                "from torch.utils.tensorboard import SummaryWriter\nw = SummaryWriter()",
                "w.add_scalar('a', i)",
            ),
            (
                "from tensorboardX import SummaryWriter\nw = SummaryWriter()",
                "w.add_text('a', 'b'); w.flush()",
            ),
            ("import wandb\nw = wandb.init(project='p')", "w.log({'a': i}); wandb.log({'b': i})"),
            ("import mlflow\nmlflow.start_run()", "mlflow.log_metric('a', i)"),
        ):
            with self.subTest(text):
                source = f"{head}\nx = []\nfor i in range(3):\n    x.append(i); {text}\n"
                program = Program("a.py", {"a.py": source}.get, hands_free=True)
                model = Model(program).to_json()
                names = [one["name"] for loop in model["loops"] for one in loop["changes"]]
                self.assertEqual(sorted(set(names) - {"i"}), ["x"])


class Calls(unittest.TestCase):
    def setUp(self) -> None:
        self.logged: List[Tuple[str, Any]] = []
        self.kept: List[str] = []
        self._inside = 0
        self._before = dict(sys.modules)
        environment = unittest.mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)

    def tearDown(self) -> None:
        for name in set(sys.modules) - set(self._before):
            del sys.modules[name]

    @contextlib.contextmanager
    def _once(self) -> Iterator[None]:
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    def _record(self, read: Any, caller: Any, given: Any) -> None:
        if not self._inside:
            reading = read()
            self.logged += reading(True)
            self.kept += [name for name, _ in reading(False)]

    def _watch(self) -> None:
        Loggers(self._once, self._record).watch()

    def test_values_and_what_is_none(self) -> None:
        given: List[Dict[str, Any]] = []

        class Run:
            def log(self, data: Dict[str, Any], step: Optional[int] = None) -> str:
                given.append(data)
                return "given back"

        run_module = _package("wandb.sdk.wandb_run", Run=Run)
        _package("wandb", sdk=_package("wandb.sdk", wandb_run=run_module), init=Run, Run=Run)
        self._watch()
        data = {
            "loss": 0.5,
            "ok": True,
            "who": "me",
            "time": 3.0,
            "object": object(),
            4: 1,
            "in": {"er": 2},
        }
        self.assertEqual(Run().log(data, step=3), "given back")
        self.assertIs(given[0], data)
        expected = [("loss", 0.5), ("ok", True), ("who", "me"), ("time", 3.0), ("in.er", 2)]
        self.assertEqual(self.logged, expected)
        self.assertEqual(self.kept, ["loss", "ok", "who", "in.er"])

    def test_the_outermost_call_logs(self) -> None:
        class SummaryWriter:
            def add_scalar(self, tag: str, scalar_value: Any, global_step: Any = None) -> None:
                pass

            def add_scalars(
                self, main_tag: str, tag_scalar_dict: Any, global_step: Any = None
            ) -> None:
                for tag, value in tag_scalar_dict.items():
                    self.add_scalar(f"inner/{tag}", value)

        _package(
            "tensorboardX", writer=_package("tensorboardX.writer", SummaryWriter=SummaryWriter)
        )
        self._watch()
        writer = SummaryWriter()
        writer.add_scalars("main", {"a": 1, "b": 2.5})
        writer.add_scalar(tag="c", scalar_value=3)
        self.assertEqual(self.logged, [("main/a", 1), ("main/b", 2.5), ("c", 3)])

    def test_what_is_shown_beside_a_bar(self) -> None:
        class tqdm:
            def set_postfix(
                self, ordered_dict: Any = None, refresh: bool = True, **values: Any
            ) -> None:
                pass

        _package("tqdm", std=_package("tqdm.std", tqdm=tqdm))
        self._watch()
        tqdm().set_postfix({"a": "0.25"}, refresh=False, b=2, c="3 of 4", s="12.5 s")
        self.assertEqual(self.logged, [("a", 0.25), ("b", 2), ("c", "3 of 4"), ("s", "12.5 s")])

    def test_a_call_that_fails_logs_nothing_and_fails_as_before(self) -> None:
        def log_metric(key: str, value: Any, step: Any = None) -> None:
            raise ValueError("no server")

        mlflow = _package("mlflow", log_metric=log_metric)
        self._watch()
        with self.assertRaisesRegex(ValueError, "no server"):
            mlflow.log_metric("loss", 1)
        self.assertEqual(self.logged, [])

    def test_a_run_that_has_a_function_in_the_place_of_its_method(self) -> None:
        class Run:
            def log(self, data: Any) -> None:
                raise AssertionError

        def init(**given: Any) -> Run:
            run = Run()
            run.log = lambda data, *_, **__: None  # type: ignore[method-assign]
            sys.modules["wandb"].log = run.log  # type: ignore[attr-defined]
            return run

        run_module = _package("wandb.sdk.wandb_run", Run=Run)
        wandb = _package("wandb", sdk=_package("wandb.sdk", wandb_run=run_module), init=init)
        self._watch()
        run = wandb.init(project="p")
        run.log({"a": 1})
        wandb.log({"b": 2}, step=1)
        self.assertEqual(self.logged, [("a", 1), ("b", 2)])

    def test_a_replay_tells_nobody(self) -> None:
        asked: List[Any] = []
        wandb = _package("wandb", init=lambda **given: asked.append(given))
        mlflow = _package("mlflow", set_tracking_uri=asked.append)
        keep_alone()
        wandb.init(project="p", mode="online")
        mlflow.set_tracking_uri("http://127.0.0.1:1")
        self.assertEqual(asked, [{"project": "p", "mode": "disabled"}])
