"""Capturing and restoring: the same graph, the same bits, the same objects, the same sharing."""

import collections
import gc
import json
import unittest
import weakref
from typing import Any, Callable, Dict, List, Tuple

from afterlog.format.errors import AfterlogError
from afterlog.format.safetensors import compact_json
from afterlog.format.structure import references
from afterlog.materialize.graph_text import GraphTexts, place_hashes
from afterlog.materialize.slots import Slot, lay_out
from afterlog.state.walk_cache import WalkCache
from afterlog.state.places import EntryIds, Place
from afterlog.state.restore import restore
from afterlog.state.walk import capture, identify
from afterlog.store.checkpoint_writer import checksums

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

Point = collections.namedtuple("Point", "x y")


class Plain:
    def __init__(self, value: Any) -> None:
        self.value = value


class Slotted:
    __slots__ = ("a", "__b")

    def __init__(self, a: Any, b: Any) -> None:
        self.a = a
        self.__b = b


def places_of(record: Dict[str, Any]) -> List[Place]:
    return [
        Place(f"d0.{name}", "a", lambda n=name: record[n], lambda v, n=name: record.update({n: v}))
        for name in record
    ]


Saved = Tuple[Dict[str, Any], Dict[str, bytearray]]


def save(record: Dict[str, Any], entry: EntryIds) -> Saved:
    """As a checkpoint would hold it: the structure through JSON, the tensors as bytes."""
    state = capture(places_of(record), entry)
    layout = lay_out(state.leaves)
    slot = Slot(layout.bytes, pin=False)
    data = {}
    for leaf, value, offset in zip(state.leaves, state.values, layout.offsets):
        leaf.copy(value, slot, offset)
        data[leaf.spec.name] = bytearray(slot.view[offset : offset + leaf.spec.bytes])
    apart = GraphTexts().of(state.graph).texts_apart
    structure = {**state.graph, "entry": state.entry, "texts": apart}
    return json.loads(compact_json(structure)), data


def load(record: Dict[str, Any], entry: EntryIds, saved: Saved) -> None:
    structure, data = saved
    restore(places_of(record), structure, entry, lambda name: memoryview(data[name]))


def hashes(saved: Saved) -> List[Dict[str, str]]:
    structure, data = saved
    sums = {name: checksums(memoryview(one)) for name, one in data.items()}
    return place_hashes(structure, sums)


def round_trip(make: Callable[[], Dict[str, Any]], change: Callable[[Dict[str, Any]], None]) -> Any:
    """Changes a state, saves it, and restores it into another one just made, as in a replay."""
    first = make()
    entry = identify(places_of(first))
    change(first)
    saved = save(first, entry)
    for node in saved[0]["nodes"]:
        assert references(node) == everywhere(node), node
    second = make()
    held = identify(places_of(second), hold=True)
    load(second, held, saved)
    return first, second, saved, save(second, held)


def everywhere(value: Any) -> List[int]:
    """References in any part of a node, if none of its texts is one that marks them."""
    if isinstance(value, dict):
        return everywhere(list(value.values()))
    if not isinstance(value, list):
        return []
    return [value[1]] if value[:1] == ["ref"] else sum(map(everywhere, value), [])


@unittest.skipIf(numpy is None, "NumPy is not here")
class Arrays(unittest.TestCase):
    def test_kinds(self) -> None:
        arrays = [
            numpy.arange(6).reshape(2, 3).astype(kind)
            for kind in "f8 f4 f2 i8 i4 i2 i1 u8 u4 u2 u1 ? c8 c16 >f4 M8[ns] U3 S2".split()
        ]
        arrays += [numpy.arange(12).reshape(3, 4).T, numpy.arange(9)[::-2], numpy.zeros((0, 3))]
        twice = numpy.arange(12).reshape(3, 4)[::-1, ::2]
        arrays += [twice, twice[:], numpy.broadcast_to(numpy.arange(3), (2, 3))]
        scalars = [numpy.float32(1.5), numpy.int64(3), numpy.dtype("f4"), numpy.bool_(True)]

        def change(state: Dict[str, Any]) -> None:
            state["x"] = [arrays, scalars]

        _, second, saved, again = round_trip(lambda: {"x": None}, change)
        for mine, theirs in zip(arrays, second["x"][0]):
            self.assertEqual(mine.dtype, theirs.dtype)
            numpy.testing.assert_array_equal(mine, theirs)
            self.assertEqual(mine.strides, theirs.strides)
        self.assertEqual([type(one) for one in second["x"][1]], [type(one) for one in scalars])
        self.assertEqual(hashes(again), hashes(saved))

    def test_shared_memory_and_generators(self) -> None:
        def make() -> Dict[str, Any]:
            base = numpy.zeros(8)
            return {
                "base": base,
                "view": base[2:5],
                "rng": numpy.random.default_rng(1),
                "old": numpy.random.RandomState(1),
            }

        def change(state: Dict[str, Any]) -> None:
            state["base"][:] = state["rng"].random(8) + state["old"].rand(8)

        first, second, saved, again = round_trip(make, change)
        numpy.testing.assert_array_equal(second["base"], first["base"])
        second["base"][3] = 7
        self.assertEqual(second["view"][1], 7)
        self.assertEqual(second["rng"].random(), first["rng"].random())
        self.assertEqual(second["old"].rand(), first["old"].rand())
        self.assertEqual(hashes(again), hashes(saved))


class NoBoolean:
    number = 0

    def __bool__(self) -> bool:
        raise TypeError("it cannot be used as a boolean")


@unittest.skipIf(torch is None, "torch is not here")
class Tensors(unittest.TestCase):
    def test_kinds(self) -> None:
        names = "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64"
        names += " complex128 uint16 uint32 uint64 float8_e4m3fn float8_e5m2"
        kinds = [getattr(torch, name) for name in names.split() if hasattr(torch, name)]
        tensors = [torch.arange(6).reshape(2, 3).to(kind) for kind in kinds]
        tensors += [torch.randn(3, 4).t(), torch.zeros(3).expand(2, 3), torch.empty(0, 3)]
        last = torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last)
        tensors += [torch.tensor(1.5), last]

        def change(state: Dict[str, Any]) -> None:
            state["x"] = tensors

        _, second, saved, again = round_trip(lambda: {"x": None}, change)
        for mine, theirs in zip(tensors, second["x"]):
            self.assertIs(mine.dtype, theirs.dtype)
            # Some types cannot be compared, but their bytes can.
            pair = [one.contiguous().reshape(-1).view(torch.uint8) for one in (mine, theirs)]
            self.assertTrue(torch.equal(*pair), mine.dtype)
            self.assertEqual(mine.stride(), theirs.stride())
        self.assertEqual(hashes(again), hashes(saved))

    def test_sharing(self) -> None:
        def make() -> Dict[str, Any]:
            base = torch.zeros(10)
            weight = torch.nn.Parameter(torch.zeros(2, 2))
            return {
                "views": [base[:4], base[2:6], base.view(torch.int32)[:3]],
                "tied": [weight, weight.detach(), weight],
                "apart": [torch.zeros(3), torch.zeros(3)],
            }

        def change(state: Dict[str, Any]) -> None:
            state["views"][0].add_(torch.arange(4))
            state["tied"][1].add_(2)
            # They share from now on.
            state["apart"][1] = state["apart"][0]

        _, second, saved, again = round_trip(make, change)
        views, tied, apart = second["views"], second["tied"], second["apart"]
        self.assertEqual(views[0].data_ptr() + 8, views[1].data_ptr())
        self.assertEqual(views[0].tolist(), [0, 1, 2, 3])
        self.assertIs(tied[0], tied[2])
        self.assertEqual(tied[0].data_ptr(), tied[1].data_ptr())
        self.assertEqual(tied[0].tolist(), [[2, 2], [2, 2]])
        self.assertIs(apart[0], apart[1])
        self.assertEqual(hashes(again), hashes(saved))

    def test_what_cannot_be_a_boolean(self) -> None:
        """In an attribute of a module, where hooks are that are empty mostly."""

        def make() -> Dict[str, Any]:
            module = torch.nn.Linear(2, 2)
            module.counts = torch.zeros(3)
            module.held = NoBoolean()
            return {"module": module}

        def change(state: Dict[str, Any]) -> None:
            state["module"].held.number = 7

        _, second, saved, again = round_trip(make, change)
        self.assertEqual(second["module"].held.number, 7)
        self.assertEqual(hashes(again), hashes(saved))

    def test_what_was_apart_stays_apart(self) -> None:
        """The live tensors share memory, those of the checkpoint do not."""
        first = {"a": torch.zeros(3), "b": torch.zeros(3)}
        entry = identify(places_of(first))
        first["a"].fill_(1)
        saved = save(first, entry)
        shared = torch.zeros(3)
        second = {"a": shared, "b": shared.view(3)}
        load(second, identify(places_of(second), hold=True), saved)
        self.assertEqual(second["a"].tolist(), [1, 1, 1])
        self.assertEqual(second["b"].tolist(), [0, 0, 0])

    def test_training(self) -> None:
        def make() -> Dict[str, Any]:
            torch.manual_seed(0)
            nn = torch.nn
            layers = [nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Dropout(0.1), nn.Linear(6, 2)]
            model = nn.Sequential(*layers)
            extra = torch.zeros(2, dtype=torch.bfloat16)
            model[0].register_buffer("extra", extra, persistent=False)
            model[3].weight.requires_grad_(False)
            optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 0.01)
            schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch)
            return {"model": model, "optimizer": optimizer, "schedule": schedule, "last": None}

        def train(state: Dict[str, Any]) -> None:
            for _ in range(3):
                loss = state["model"](torch.randn(8, 4)).pow(2).mean()
                state["optimizer"].zero_grad()
                loss.backward()
                state["optimizer"].step()
            state["schedule"].step()
            state["model"][0].extra.add_(1)
            state["model"].eval()
            state["last"] = loss

        first, second, saved, again = round_trip(make, train)
        self.assertEqual(hashes(again), hashes(saved))
        self.assertFalse(second["model"].training)
        self.assertFalse(second["model"][3].weight.requires_grad)
        groups = second["optimizer"].param_groups
        self.assertIs(groups[0]["params"][0], second["model"][0].weight)
        ends = []
        for state in (first, second):
            torch.manual_seed(1)
            state["model"].train()
            train(state)
            ends.append(hashes(save(state, identify(places_of(state)))))
        self.assertEqual(ends[0], ends[1])

    def test_history(self) -> None:
        """It is not captured: who only reads sees no difference, who needs it is told."""

        def make() -> Dict[str, Any]:
            return {"model": torch.nn.Linear(2, 1), "sum": torch.zeros(1), "kept": None}

        def change(state: Dict[str, Any]) -> None:
            loss = state["model"](torch.ones(1, 2)).sum()
            state["sum"] += loss
            state["model"].last = Plain(loss)
            state["kept"] = (loss * 2).detach()

        first, second, saved, again = round_trip(make, change)
        self.assertEqual(hashes(again), hashes(saved))
        for one, other in (
            (first["sum"], second["sum"]),
            (first["model"].last.value, second["model"].last.value),
            (first["kept"], second["kept"]),
        ):
            self.assertEqual((str(one), one.is_leaf), (str(other), other.is_leaf))
        (second["kept"] + second["model"].bias).sum().backward()
        for value in (second["sum"], second["model"].last.value * 2):
            # It is also what a run that is repeated hears of.
            with self.assertRaisesRegex(AfterlogError, "(?s)AL071.*backward"):
                (value + second["model"].bias).sum().backward()

    def test_a_history_keeps_nothing_alive(self) -> None:
        def change(state: Dict[str, Any]) -> None:
            state["x"], state["y"] = torch.ones(2, requires_grad=True) * 3, torch.zeros(3)

        second = round_trip(lambda: {"x": None, "y": None}, change)[1]
        gone = weakref.ref(second["y"])
        second["y"] = None
        gc.collect()
        self.assertIsNone(gone())

    def test_kept_gradients(self) -> None:
        def change(state: Dict[str, Any]) -> None:
            state["x"] = torch.ones(2, requires_grad=True) * 3
            state["x"].retain_grad()
            state["x"].pow(2).sum().backward()

        first, second, saved, again = round_trip(lambda: {"x": None}, change)
        self.assertEqual(second["x"].grad.tolist(), [6.0, 6.0])
        self.assertEqual(hashes(again), hashes(saved))

    def test_scaler(self) -> None:
        scaler = torch.cuda.amp.GradScaler(enabled=False)
        record: Dict[str, Any] = {"scaler": scaler}
        capture(places_of(record), identify(places_of(record)))
        scaler._per_optimizer_states = {1: {"stage": 1}}
        with self.assertRaisesRegex(AfterlogError, "(?s)AL070.*scaler.*update"):
            capture(places_of(record), identify(places_of(record)))

    def test_refused(self) -> None:
        quantised = torch.quantize_per_tensor(torch.zeros(2), 0.1, 0, torch.qint8)
        sparse = torch.eye(2).to_sparse()
        compiled = torch.jit.script(torch.nn.Linear(1, 1))
        rows = ((quantised, "quantised"), (sparse, "sparse"), (compiled, "compiled"))
        for value, what in rows:
            record = {"x": [value]}
            # What cannot be captured can be numbered, each time anew.
            memory = WalkCache()
            for _ in range(2):
                memory.identify(places_of(record))
            with self.subTest(what), self.assertRaisesRegex(AfterlogError, rf"AL070.*x\.0.*{what}"):
                capture(places_of(record), identify(places_of(record)))


if __name__ == "__main__":
    unittest.main()
