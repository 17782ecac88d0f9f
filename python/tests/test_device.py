"""What is copied on a device and beside the training is what a plain copy gives."""

import random
import unittest
from typing import Any, Dict, List

from afterlog.format.safetensors import TensorSpec
from afterlog.materialize.device_copy import DeviceCopies, ElementsOf, elements_of
from afterlog.materialize.slots import Leaf, Slot, lay_out
from afterlog.materialize.staging import Stage, bits_of, stage_plans
from afterlog.state.places import Place
from afterlog.state.walk_cache import WalkCache
from afterlog.state.walk import identify

from .test_state import hashes, places_of, round_trip, save

try:
    import torch

    has_device = torch.cuda.is_available()
except ImportError:
    torch = None
    has_device = False


def state(device: str) -> Dict[str, Any]:
    memory = torch.randn(4096, device=device)
    values: Dict[str, Any] = {
        "types": [
            torch.arange(2000, device=device).to(getattr(torch, name))
            for name in ("float64", "float32", "float16", "bfloat16", "int64", "uint8", "bool")
        ],
        "tiny": [torch.tensor(n, device=device) for n in (1, 2.5, True)],
        "complex": torch.randn(700, dtype=torch.complex64, device=device).conj(),
        "lying": torch.randn(8, 16, 9, 9, device=device).to(memory_format=torch.channels_last),
        "turned": torch.randn(90, 70, device=device).t(),
        "shared": [memory[:3000], memory[1000:], memory.view(64, 64)],
        "host": torch.randn(5000),
        # As optimizers have it: counts on the host between moments on the device.
        "mixed": [torch.full((n % 3 + 1,), float(n)).to((device, "cpu")[n % 2]) for n in range(9)],
        "negative": torch.randn(5, dtype=torch.complex64, device=device).conj().imag,
        "negated": torch._neg_view(torch.randn(6, device=device)),
        "odd": torch.randn(40, 60, device=device)[::2, ::3],
        "wide": torch.randn(9, 5, dtype=torch.complex128, device=device).t(),
        "nan": torch.tensor([-3, 5], dtype=torch.int16, device=device).view(torch.bfloat16),
        "empty": torch.empty(0, device=device),
        "model": torch.nn.Sequential(*[torch.nn.Linear(30, 40) for _ in range(5)]).to(device),
    }
    if hasattr(torch, "float8_e4m3fn"):
        values["small"] = torch.randn(6000, device=device).to(torch.float8_e4m3fn)
    return values


@unittest.skipIf(torch is None, "no torch")
class Elements(unittest.TestCase):
    def test_those_that_memory_does_not_say(self) -> None:
        number = torch.tensor([1 + 2j, 3 - 4j])
        negative = number.conj().imag
        values = [torch.ones(2), number.conj(), negative, torch.zeros(3), torch.arange(4)]
        self.assertTrue(negative.is_neg())
        spec = TensorSpec("x", "F32", (1,), 4)
        ways: List[Any] = [elements_of, elements_of, elements_of, None, lambda one: one[1:]]
        elements = ElementsOf([Leaf(spec, 0, print, way) for way in ways], values)
        for some in (values, [torch.ones(2)] * 4 + [torch.arange(4)]):
            found = elements.get(torch, some)
            self.assertEqual(found[4].tolist(), [1, 2, 3])
            for one, value in zip(found[:3], some):
                wanted = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
                self.assertTrue(torch.equal(one, wanted))
                self.assertFalse(one.is_conj())


def places_in(record: Dict[str, Any]) -> List[Place]:
    return [Place(f"d0.{key}", "a", lambda k=key: record[k], print) for key in record]


@unittest.skipIf(torch is None, "no torch")
class Staged(unittest.TestCase):
    """Where there is no device, memory of the host does as well."""

    def test_only_its_own_bytes(self) -> None:
        """Twice into the same memory: it is given back in between. Every third stays out of it:
        as if that were on another device, or on none."""
        taken = WalkCache().capture(places_in(state("cpu")), None)
        leaves, values = taken.leaves, taken.values
        layout = lay_out(leaves)
        copied = [index for index, leaf in enumerate(leaves) if index % 3 and not is_raw(leaf)]
        stage = None
        wanted, slot = Slot(layout.bytes, False), Slot(layout.bytes, False)
        for one in (wanted, slot):
            for leaf, value, offset in zip(leaves, values, layout.offsets):
                leaf.copy(value, one, offset)
        for turn in range(2):
            tensors: List[Any] = [None] * len(leaves)
            with torch.no_grad():
                for index in copied:
                    value, leaf = values[index], leaves[index]
                    if value.numel() > 1:
                        value[0].copy_(value[-1])
                    leaf.copy(value, wanted, layout.offsets[index])
                    tensors[index] = bits_of(torch, elements_of(value))
                if stage is None:
                    sizes = [leaf.spec.bytes for leaf in leaves]
                    stage = Stage(torch, stage_plans(tensors, sizes, layout.offsets)[0], tensors)
                stage.fill(tensors)
            stage.bring(slot)
            stage.empty()
            self.assertEqual(bytes(slot.view), bytes(wanted.view), turn)

    def test_bytes_of_the_host_stay(self) -> None:
        """What is copied in one piece covers no byte of a leaf that is not in it."""
        chosen = random.Random(5)
        for _ in range(200):
            tensors: List[Any] = []
            offsets, sizes, at = [], [], 0
            for _ in range(chosen.randrange(1, 12)):
                count = chosen.randrange(0, 4)
                offsets.append(at)
                sizes.append(4 * count)
                kind = chosen.choice(("float32", "int32"))
                tensor = torch.zeros(count, dtype=getattr(torch, kind))
                tensors.append(chosen.choice((tensor, tensor, None)))
                at += 4 * count + chosen.choice((0, 0, 4, 8192))
            covered: List[int] = []
            for plan in stage_plans(tensors, sizes, offsets):
                covered += plan.rows_at
                for one in plan.ranges:
                    for index, (offset, size) in enumerate(zip(offsets, sizes)):
                        apart = offset + size <= one.offset or offset >= one.offset + one.bytes
                        self.assertTrue(index in plan.rows_at or apart or size == 0)
            wanted = [n for n, one in enumerate(tensors) if one is not None and one.numel()]
            self.assertEqual(sorted(covered), wanted)


def is_raw(leaf: Leaf) -> bool:
    """Whether its bytes are not the elements of one tensor."""
    return "shared" in leaf.spec.name


@unittest.skipUnless(has_device, "no device")
class OnDevice(unittest.TestCase):
    def snapshot(self, copies: DeviceCopies, record: Dict[str, Any]) -> List[bytes]:
        taken = WalkCache().capture(places_in(record), None)
        layout = lay_out(taken.leaves)
        plain, slot = Slot(layout.bytes, False), Slot(layout.bytes, True)
        for leaf, value, offset in zip(taken.leaves, taken.values, layout.offsets):
            leaf.copy(value, plain, offset)
            if leaf.on_device is None:
                leaf.copy(value, slot, offset)
        copy = copies.start(taken.leaves, taken.values, layout.offsets, slot)
        # What the program does next comes too late to be seen.
        with torch.no_grad():
            for value in taken.values:
                value.zero_()
        copy.finish()
        sizes = [(at, at + leaf.spec.bytes) for at, leaf in zip(layout.offsets, taken.leaves)]
        return [bytes(one.view[a:b]) for one in (plain, slot) for a, b in sizes]

    def test_staged_and_brought(self) -> None:
        for has_room in (True, False):
            with self.subTest(has_room=has_room):
                copies = DeviceCopies()
                if not has_room:
                    copies._peaks[torch.device("cuda", 0)] = 1 << 60
                both = self.snapshot(copies, state("cuda"))
                half = len(both) // 2
                for number, (plain, copied) in enumerate(zip(both[:half], both[half:])):
                    self.assertEqual(plain, copied, number)

    def test_mixed_precision(self) -> None:
        """Training that goes on from what was restored is the same, scaler and dropout with it."""

        def make() -> Dict[str, Any]:
            torch.manual_seed(1)
            model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(), torch.nn.ReLU())
            model = model.cuda()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
            scaler = torch.cuda.amp.GradScaler(init_scale=2.0**20, growth_interval=2)
            generator = torch.Generator("cuda")
            return {"model": model, "by": optimizer, "scaler": scaler, "draw": generator}

        def train(state: Dict[str, Any]) -> None:
            for _ in range(5):
                data = torch.randn(4, 8, device="cuda", generator=state["draw"])
                state["by"].zero_grad(set_to_none=True)
                with torch.autocast("cuda", torch.float16):
                    loss = state["model"](data).square().sum()
                state["scaler"].scale(loss).backward()
                state["scaler"].step(state["by"])
                state["scaler"].update()

        first, second, saved, again = round_trip(make, train)
        self.assertEqual(hashes(saved), hashes(again))
        self.assertEqual(first["scaler"].get_scale(), second["scaler"].get_scale())
        ends = []
        for state in (first, second):
            torch.manual_seed(2)
            train(state)
            ends.append(hashes(save(state, identify(places_of(state)))))
        self.assertEqual(ends[0], ends[1])


if __name__ == "__main__":
    unittest.main()
