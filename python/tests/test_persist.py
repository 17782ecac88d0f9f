"""Checkpoints of made-up states, one after the other: what is kept from one to the next makes no
difference to what is written, nor does it who compares and takes checksums."""

import hashlib
import os
import random
import tempfile
import unittest
from typing import Any, Dict, List, Tuple

from afterlog.format.safetensors import TensorSpec, compact_json
from afterlog.materialize.graph_text import GraphTexts, place_hashes
from afterlog.materialize.persist import Job, Persister
from afterlog.materialize.slots import SHARED_BYTES_MIN, Layout, Leaf, Slot, lay_out
from afterlog.store.checkpoint_reader import open_checkpoint
from afterlog.store.checkpoint_writer import checksums
from afterlog.store.layout import RunPaths

_NAMES = ("w", "é", "\U0001f600", "\ufffd", 'q"\\')
_TYPES = (("F64", 8), ("F32", 4), ("BF16", 2), ("U8", 1))
_COUNTS = (0, 1, 3, 100, 1024, 5000, 70_000)


def _copy(_: Any, __: Slot, ___: int) -> None:
    raise AssertionError("the test fills slots itself")


class Program:
    """States that take turns, of which a part changes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.states = [self._leaves(count) for count in (25, 9, 0)]
        self.layouts = [lay_out(leaves) for leaves in self.states]
        self.nodes = [self._nodes(leaves) for leaves in self.states]
        self.data: Dict[TensorSpec, bytes] = {}

    def _leaves(self, count: int) -> List[Leaf]:
        found = []
        for number in range(count):
            dtype, width = self.random.choice(_TYPES)
            # One of them has several checksums.
            size = (9 << 20) // width if number == 7 else self.random.choice(_COUNTS)
            name = f"{_NAMES[number % len(_NAMES)]}.{number}"
            found.append(Leaf(TensorSpec(name, dtype, (size,), size * width), number, _copy))
        return found

    def _nodes(self, leaves: List[Leaf]) -> List[Dict[str, Any]]:
        nodes: List[Dict[str, Any]] = [{"t": "tensor", "tensor": leaf.spec.name} for leaf in leaves]
        entries = [[f"k{number}", ["ref", number]] for number in range(len(nodes))]
        nodes.append({"t": "dict", "entries": entries})
        nodes.append({"t": "list", "items": [["ref", len(nodes) - 1], 1, ["ref", len(nodes)]]})
        return nodes

    def graph(self, at: int) -> Dict[str, Any]:
        """Sometimes a node is another one, there is one more, or one refers to others."""
        nodes = self.nodes[at] = list(self.nodes[at])
        items = len(self.states[at]) + 1
        held = nodes[items]["items"]
        if self.random.random() < 0.4:
            held = [*held[:3], self.random.random()]
            nodes[items] = {**nodes[items], "items": held}
        if self.random.random() < 0.2:
            nodes[items] = {**nodes[items], "items": [*held[1:], ["ref", 0]]}
        if self.random.random() < 0.2:
            # Some are equal, and say something else.
            seen = [self.random.random(), 1, 1.0, True, 0.0, -0.0, ["a", "".join(["a", "b"])]]
            nodes[0] = {**nodes[0], "seen": self.random.choice(seen)}
        if self.states[at] and self.random.random() < 0.1:
            # Another tensor, or none.
            named = {"t": "tensor", "tensor": self.random.choice(self.states[at]).spec.name}
            nodes[0] = self.random.choice([named, {"t": "list", "items": []}])
        if self.random.random() < 0.1:
            nodes.append({"t": "list", "items": []})
        first = ["ref", items] if self.random.random() < 0.9 else ["ref", 0]
        places = [{"key": "a", "value": first}, {"key": "é", "value": [1, self.random.random()]}]
        return {"places": [*places, {"key": "gone", "absent": "why"}], "nodes": nodes}

    def fill(self, at: int, slot: Slot) -> Layout:
        if self.random.random() < 0.2:
            self.layouts[at] = lay_out(self.states[at])
        layout = self.layouts[at]
        for spec, offset in zip(layout.signature, layout.offsets):
            known = self.data.get(spec)
            if known is None:
                bits = self.random.getrandbits(8 * spec.bytes + 8)
                known = bits.to_bytes(spec.bytes + 1, "big")[1:]
            elif spec.bytes and self.random.random() < 0.3:
                # At its beginning, or at its end alone.
                head = self.random.random() < 0.5
                new = bytes([self.random.getrandbits(8)])
                known = new + known[1:] if head else known[:-1] + new
            self.data[spec] = known
            slot.view[offset : offset + spec.bytes] = known
        return layout


def _state_hash(graph: Dict[str, Any], sums: Dict[TensorSpec, str]) -> str:
    lines = [compact_json([*spec[:2], list(spec.shape), digits]) for spec, digits in sums.items()]
    lines.sort(key=lambda line: line.encode("utf-16-be"))
    text = compact_json(graph) + "\n" + "\n".join(lines)
    return hashlib.sha256(text.encode()).hexdigest()


class Graphs(unittest.TestCase):
    def test_texts_that_are_kept_are_those_made_anew(self) -> None:
        for seed in range(20):
            program, texts = Program(seed), GraphTexts()
            sums = {leaf.spec.name: f"{at:08x}" for at, leaf in enumerate(program.states[0])}
            at = 0
            for _ in range(30):
                if program.random.random() < 0.1:
                    at = program.random.randrange(len(program.states))
                graph = program.graph(at)
                text = texts.of(graph)
                self.assertEqual(text.json().decode(), compact_json(graph))
                self.assertEqual(text.place_hashes(sums), place_hashes(graph, sums))
                sums[program.random.choice(list(sums))] = f"{program.random.getrandbits(32):08x}"


class Persisting(unittest.TestCase):
    def checkpoints(self, seed: int, beside: bool) -> List[Tuple[str, str]]:
        """Each is what it is to be; the hashes of the files and their names."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = Program(seed)
        size = SHARED_BYTES_MIN if beside else max(layout.bytes for layout in program.layouts)
        free = [Slot(size, False), Slot(size, False)]
        paths = RunPaths(folder.name)
        persister = Persister("run", paths, lambda _: None, lambda _: None)
        self.addCleanup(persister.close)
        if beside:
            persister.get_ready()
        found = []
        for seq in range(25):
            at = program.random.randrange(len(program.states))
            slot = free.pop()
            layout, graph = program.fill(at, slot), program.graph(at)
            path, file = [["epoch", seq]], f"epoch={seq}.safetensors"
            job = Job(
                "iteration", path, seq, file, [], [], [], 0, graph, [None], layout, 0, {"wait": 0.0}
            )
            record = persister.persist(job, slot, free.append)
            data = {spec: program.data[spec] for spec in layout.signature}
            self.check(folder.name, record, graph, data)
            with open(os.path.join(paths.checkpoints, file), "rb") as stream:
                found.append((hashlib.sha256(stream.read()).hexdigest(), file))
        return found

    def check(
        self, folder: str, record: Dict[str, Any], graph: Any, data: Dict[TensorSpec, bytes]
    ) -> None:
        sums = {spec: checksums(memoryview(one)) for spec, one in data.items()}
        by_name = {spec.name: digits for spec, digits in sums.items()}
        self.assertEqual(record["places"], place_hashes(graph, by_name))
        self.assertEqual(record["stateHash"], _state_hash(graph, sums))
        self.assertEqual(record["stateBytes"], sum(map(len, data.values())))
        with open_checkpoint(folder, record) as reader:
            for spec, one in data.items():
                self.assertEqual(bytes(reader.tensor(spec.name)), one)
                self.assertEqual(reader.spec(spec.name).spec, spec)
            structure = reader.structure()
            self.assertEqual({name: structure[name] for name in graph}, graph)

    def test_whoever_does_it(self) -> None:
        for seed in range(2):
            with self.subTest(seed):
                self.assertEqual(self.checkpoints(seed, True), self.checkpoints(seed, False))


if __name__ == "__main__":
    unittest.main()
