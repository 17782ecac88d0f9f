"""A state captured again is what a first walk over it gives, whatever happened in between."""

import collections
import datetime
import gc
import math
import random
import unittest
from typing import Any, Callable, Dict, List

from afterlog.format.safetensors import compact_json
from afterlog.materialize.graph_text import GraphTexts, place_hashes
from afterlog.state.walk_cache import WalkCache
from afterlog.state.places import EntryIds, Place
from afterlog.state.walk import WalkTooLong, capture, identify

try:
    import torch
except ImportError:
    torch = None


class Holder:
    def __init__(self, value: Any) -> None:
        self.value = value


class Text(str):
    """Text that is not Python's own."""


def places_of(record: Dict[str, Any]) -> List[Place]:
    """Names that begin with `new` are variables that may hold another object each time."""
    places = [
        Place(f"m:0:{key}#0", "b", lambda k=key: record[k], print, volatile=True)
        if key.startswith("new")
        else Place(f"d0.{key}", "a", lambda k=key: record[k], print)
        for key in record
    ]
    return sorted(places, key=lambda place: place.volatile)


def comparable(snapshot: Any) -> Any:
    leaves = [(leaf.spec, leaf.number) for leaf in snapshot.leaves]
    return compact_json(snapshot.graph), snapshot.entry, leaves, list(map(id, snapshot.values))


def numbers_of(ids: EntryIds) -> Any:
    numbers = ids._numbers.values()
    known = {number: id(kept()) if weak else id(kept) for number, kept, weak in numbers}
    return known, ids.places, ids.count, len(ids._numbers)


def plain_state() -> Dict[str, Any]:
    shared: List[Any] = [1, 2.5]
    held = Holder(shared)
    held.rates = [0.5]  # type: ignore[attr-defined]
    return {
        "list": [shared, held, (1, shared)],
        "dict": {"a": 1, "f": len},
        "set": set(),
        "n": 1,
        "g": len,
        "new": shared,
    }


def plain_changes(state: Dict[str, Any]) -> List[Callable[[], None]]:
    draw = random.random
    return [
        lambda: state["list"][0].append(draw()),
        lambda: state["list"][0].__setitem__(0, draw()),
        lambda: setattr(state["list"][1], "value", [draw()]),
        lambda: setattr(state["list"][1], "more", draw()),
        lambda: setattr(state["list"][1], "rates", [draw(), "a"]),
        lambda: setattr(state["list"][1], "rates", [draw()]),
        lambda: setattr(state["list"][1], "rates", (draw(), len)),
        lambda: setattr(state["list"][1], "states", collections.defaultdict(list, a=draw())),
        lambda: setattr(state["list"][1], "states", collections.defaultdict(dict)),
        lambda: setattr(state["list"][1], "rates", [draw(), state["list"][0], len]),
        lambda: setattr(state["list"][1], "rates", [state["list"][0]]),
        lambda: state["dict"].update(k2=state["list"][1].rates),
        lambda: state["dict"].update(own={"x": draw()}),
        lambda: state["dict"].update(a=draw()),
        lambda: state["dict"].update({f"k{int(draw() * 3)}": state["list"][0]}),
        lambda: state["dict"].pop("k1", None),
        lambda: state["set"].add(int(draw() * 3)),
        lambda: state["set"].clear(),
        lambda: state.update(n=draw()),
        lambda: state.update(new=[draw(), Holder(len)]),
        lambda: state.update(new=[state["list"]]),
        lambda: state["dict"].update(f=print),
        lambda: state.update(g=[len, print][int(draw() * 2)]),
        lambda: state.update(g=draw()),
        lambda: state.update(n=state["list"]),
        lambda: state["list"].reverse() if len(state["list"]) > 3 else None,
        lambda: None,
    ]


def torch_state() -> Dict[str, Any]:
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    known = {"model": model, "optimizer": optimizer, "x": torch.zeros(3), "best": {}, "new": None}
    known["like_bias"] = torch.ones(2)
    return {**known, "array": torch.arange(6).numpy()}


def torch_changes(state: Dict[str, Any]) -> List[Callable[[], None]]:
    model, optimizer = state["model"], state["optimizer"]

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        model(torch.randn(4, 3)).sum().backward()
        optimizer.step()

    def share() -> None:
        state["x"].data = model[0].bias.data

    def shared_gradient() -> None:
        memory = torch.zeros(8)
        for weight in model.parameters():
            weight.grad = memory[: weight.numel()].view(weight.shape)

    return [
        step,
        step,
        lambda: optimizer.zero_grad(set_to_none=True),
        lambda: optimizer.param_groups[0].update(lr=random.random()),
        lambda: model.train(random.random() < 0.5),
        lambda: model[0].weight.requires_grad_(random.random() < 0.5),
        lambda: state["best"].update(w=model[0].weight.detach().clone()),
        lambda: state["best"].clear(),
        lambda: state.update(new=[torch.ones(2), {"x": state["x"]}]),
        lambda: state.update(new=model[0].weight.grad),
        lambda: state.update(new=model[0].weight.detach()),
        lambda: setattr(state["x"], "note", random.random()),
        lambda: state["x"].add_(1),
        lambda: state["array"].__iadd__(1),
        lambda: setattr(state["array"], "shape", random.choice([(6,), (2, 3)])),
        lambda: state.update(array=state["array"].ravel()[:4]),
        lambda: state.update(new=state["array"].T),
        share,
        shared_gradient,
        lambda: setattr(model[0].bias, "grad", state["like_bias"]),
        lambda: setattr(model[0].bias, "grad", state["like_bias"].detach()),
        lambda: setattr(model[1].bias, "grad", model[0].bias.grad),
        lambda: setattr(model[0], "renamed", model[0].__dict__.pop("in_features", 3)),
        lambda: setattr(model[0], "out_features", model[0].__dict__.pop("out_features")),
        lambda: model.register_buffer("extra", torch.zeros(2)),
    ]


class Recall(unittest.TestCase):
    def check(self, make: Callable[[], Any], changes: Callable[[Any], Any], seed: int) -> None:
        random.seed(seed)
        state = make()
        memory, texts = WalkCache(), GraphTexts()
        # Somebody else has them, too: they are captured when no place leads to them any more.
        others: List[Any] = []
        entry = identify(places_of(state))
        for _ in range(12):
            others.extend(state.values())
            for change in random.sample(changes(state), 2):
                try:
                    change()
                except (RuntimeError, ValueError):
                    pass  # nothing wants a gradient, or it has another size
            if random.random() < 0.2:
                entry = identify(places_of(state))
            places = places_of(state)
            if random.random() < 0.5:
                # Another loop sees less.
                places = places[: len(places) - 2]
            numbered = numbers_of(memory.identify(places))
            self.assertEqual(numbered, numbers_of(identify(places)))
            taken = memory.capture(places, entry)
            self.assertEqual(comparable(taken), comparable(capture(places, entry)))
            text = texts.of(taken.graph)
            self.assertEqual(text.json().decode(), compact_json(taken.graph))
            self.assertEqual(text.place_hashes({}), place_hashes(taken.graph, {}))

    def test_plain(self) -> None:
        for seed in range(60):
            with self.subTest(seed):
                self.check(plain_state, plain_changes, seed)

    @unittest.skipIf(torch is None, "no torch")
    def test_torch(self) -> None:
        for seed in range(60):
            with self.subTest(seed):
                torch.manual_seed(seed)
                self.check(torch_state, torch_changes, seed)

    @unittest.skipIf(torch is None, "no torch")
    def test_trainings_are_recalled(self) -> None:
        """Not only equal: gradients, learning rates and the like that are made anew do not make it
        walk as if for the first time."""
        state = torch_state()
        scaler = state["scaler"] = Holder(collections.defaultdict(torch_state))
        state["schedule"] = torch.optim.lr_scheduler.CosineAnnealingLR(state["optimizer"], 9)
        step = torch_changes(state)[0]
        step()
        state["schedule"].step()
        memory = WalkCache()
        entry = identify(places_of(state))
        memory.capture(places_of(state), entry)
        memory.identify(places_of(state))
        before = [*memory._captured.values(), *memory._numbered.values()]
        for _ in range(3):
            step()
            state["optimizer"].param_groups[0]["lr"] *= 0.5
            state["schedule"].step()
            scaler.value = collections.defaultdict(torch_state)
            memory.capture(places_of(state), memory.identify(places_of(state)))
        self.assertEqual([*memory._captured.values(), *memory._numbered.values()], before)

    def test_one_that_takes_too_long_is_given_up(self) -> None:
        memory, state = WalkCache(), {"kept": [(float(n), [n]) for n in range(3000)], "n": [1]}
        places, entry = places_of(state), identify(places_of(state))
        for ends_at in (0.0, math.inf, 0.0, math.inf):
            state["kept"].append((0.5, [1]))
            if ends_at == math.inf:
                taken = comparable(memory.capture(places, entry, ends_at))
                self.assertEqual(taken, comparable(capture(places, entry)))
            else:
                with self.assertRaises(WalkTooLong):
                    memory.capture(places, entry, ends_at)
            self.assertTrue(gc.isenabled())

    def test_odd_places_are_recalled(self) -> None:
        """A function, a name without a value, a date: none of them makes it walk anew."""
        when = [datetime.date(2026, 1, 2)]
        state = {"f": len, "when": when, "text": Text("a"), "n": 1, "b": bytearray(3)}

        def missing() -> None:
            raise NameError

        places = [*places_of(state), Place("m:0:x#0", "b", missing, print)]
        memory = WalkCache()
        entry = identify(places)
        memory.capture(places, entry)
        before = [*memory._captured.values()]
        state["n"] = 2
        again = comparable(memory.capture(places, entry))
        # What the date says of itself is made anew each time.
        self.assertEqual(again[:3], comparable(capture(places, entry))[:3])
        self.assertEqual([*memory._captured.values()], before)


if __name__ == "__main__":
    unittest.main()
