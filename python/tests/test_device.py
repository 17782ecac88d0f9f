"""What is copied on a device and beside the training is what a plain copy gives."""

import unittest
from typing import Any, Dict, List

from afterlog.materialize.device_copy import DeviceCopies
from afterlog.materialize.slots import Slot, lay_out
from afterlog.state.places import Place
from afterlog.state.memory import StateMemory

try:
    import torch

    has_device = torch.cuda.is_available()
except ImportError:
    has_device = False


def state() -> Dict[str, Any]:
    memory = torch.randn(4096, device="cuda")
    values: Dict[str, Any] = {
        "types": [
            torch.arange(2000, device="cuda").to(getattr(torch, name))
            for name in ("float64", "float32", "float16", "bfloat16", "int64", "uint8", "bool")
        ],
        "tiny": [torch.tensor(n, device="cuda") for n in (1, 2.5, True)],
        "complex": torch.randn(700, dtype=torch.complex64, device="cuda").conj(),
        "lying": torch.randn(8, 16, 9, 9, device="cuda").to(memory_format=torch.channels_last),
        "turned": torch.randn(90, 70, device="cuda").t(),
        "shared": [memory[:3000], memory[1000:], memory.view(64, 64)],
        "host": torch.randn(5000),
        "empty": torch.empty(0, device="cuda"),
        "model": torch.nn.Sequential(*[torch.nn.Linear(30, 40) for _ in range(5)]).cuda(),
    }
    if hasattr(torch, "float8_e4m3fn"):
        values["small"] = torch.randn(6000, device="cuda").to(torch.float8_e4m3fn)
    return values


@unittest.skipUnless(has_device, "no device")
class OnDevice(unittest.TestCase):
    def snapshot(self, copies: DeviceCopies, record: Dict[str, Any]) -> List[bytes]:
        places = [Place(f"d0.{key}", "a", lambda k=key: record[k], print) for key in record]
        taken = StateMemory().capture(places, None)
        layout = lay_out([leaf.spec for leaf in taken.leaves])
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
                both = self.snapshot(copies, state())
                half = len(both) // 2
                for number, (plain, copied) in enumerate(zip(both[:half], both[half:])):
                    self.assertEqual(plain, copied, number)


if __name__ == "__main__":
    unittest.main()
