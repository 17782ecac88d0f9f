"""What a program saves of a restored state: the same bytes as of that of the run."""

import collections
import copy
import io
import pickle
import unittest
import zipfile
from typing import Any, Callable, Dict

from .test_state import Plain, Point, Slotted, round_trip, torch


class SavedBytes(unittest.TestCase):
    def test_plain_data(self) -> None:
        """Of equal texts and the like, those are one object that were one: `pickle` looks."""
        word, pair, raw = "".join(["two ", "words"]), (1.5, "ab c"), b"raw bytes"
        rate = float("0.25")
        rows: Dict[str, Callable[[Dict[str, Any]], Any]] = {
            "keys of constants": lambda s: [{"step": 1, "exp_avg": i} for i in range(3)],
            "keys of constants, with spaces": lambda s: [{"val loss": i} for i in range(3)],
            "keys, each its own": lambda s: [{f"0.{name}": 1 for name in "ab"} for _ in range(3)],
            "words, each its own": lambda s: [one for _ in range(3) for one in "cat dog".split()],
            "a word twice": lambda s: [word, {word: word}, "".join(["two ", "words"])],
            "shared": lambda s: [pair, pair, (1.5, "ab c"), raw, raw, rate, rate, None, True],
            "nested": lambda s: {"a b": {"a b": {"a b": ["a b", ("a b",)]}}},
            "instances": lambda s: [Plain(word), Plain("step"), Plain(Plain(word))],
            "slots": lambda s: [Slotted("a b", word), Slotted("a b", word)],
            "named tuples": lambda s: [Point(word, "x y"), Point("x y", word)],
            "a counter": lambda s: collections.Counter("a bc a bc de".split(" ")),
            "a defaultdict": lambda s: collections.defaultdict(list, {word: [word]}),
            "texts that are held since before": lambda s: {s["names"][0]: [s["names"][1]]},
            "other characters": lambda s: ["\u00e4b", {"\u00e4b": 1}],
        }
        for name, made in rows.items():
            with self.subTest(name):
                words = ["held before", "held too"]

                def change(state: Dict[str, Any]) -> None:
                    state["value"] = made(state)
                    state["again"] = state["value"]
                    state["word"] = word

                first, second, _, _ = round_trip(
                    lambda: {"names": list(words), "value": None, "again": None, "word": ""}, change
                )
                self.assertEqual(pickle.dumps(second), pickle.dumps(first))

    @unittest.skipUnless(torch, "no PyTorch here")
    def test_models(self) -> None:
        """A model, what trains it, and what was kept of it."""

        def make() -> Dict[str, Any]:
            torch.manual_seed(1)
            layers = [torch.nn.Linear(2, 2) for _ in range(12)]
            model = torch.nn.ModuleDict({"a part": torch.nn.Sequential(*layers)})
            adam = torch.optim.Adam(model.parameters())
            sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
            schedule = torch.optim.lr_scheduler.CosineAnnealingLR(sgd, 5)
            held = {"model": model, "adam": adam, "sgd": sgd, "schedule": schedule}
            return {**held, "kept": [], "history": collections.defaultdict(list)}

        def change(state: Dict[str, Any]) -> None:
            for epoch in range(3):
                state["model"]["a part"](torch.ones(1, 2)).sum().backward()
                state["adam"].step()
                state["sgd"].step()
                state["schedule"].step()
                state["kept"].append(copy.deepcopy(state["model"].state_dict()))
                state["history"]["val loss"].append(epoch)

        def saved(state: Dict[str, Any]) -> Dict[str, bytes]:
            return {name: self._saved(one) for name, one in [*state.items(), ("all", state)]}

        first, second, _, _ = round_trip(make, change)
        self.assertEqual(saved(second), saved(first))

    def _saved(self, value: Any) -> bytes:
        file = io.BytesIO()
        if hasattr(value, "state_dict"):
            value = [value.state_dict(), value]
        torch.save(value, file)
        with zipfile.ZipFile(file) as parts:
            return b"".join(parts.read(one) for one in parts.namelist())
