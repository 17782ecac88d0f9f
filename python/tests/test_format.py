"""Values, paths, manifests and checkpoint headers: what is written is read back."""

import ast
import datetime
import hashlib
import json
import math
import os
import unittest
from typing import Any, List

from afterlog.format.errors import AfterlogError
from afterlog.format.header_template import HeaderTemplate
from afterlog.format.manifest import manifest_from_json, manifest_to_json
from afterlog.format.paths import checkpoint_file_name, format_path
from afterlog.format.safetensors import (
    CRC_CHUNK_BYTES,
    STRUCTURE_NAME,
    HeldTensor,
    TensorEntry,
    TensorSpec,
    compact_json,
    decode_header,
    held_text,
)
from afterlog.format.values import value_from_json, value_to_json
from afterlog.record.arguments import ABSENT, ProgramArguments

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "afterlog")

# What both languages read of a word of the command line.
_ARGUMENTS = os.path.join(os.path.dirname(__file__), "../../test/fixtures/arguments.json")


class Values(unittest.TestCase):
    def test_texts(self) -> None:
        at = datetime.datetime(2026, 11, 15, 9, 30, tzinfo=datetime.timezone.utc)
        values: List[Any] = [
            None, True, False, 0, -1, 2**53, 2**70, 0.1, -0.0, 1e300, 5e-324,
            "é\n\u2028", "\ud800", [1, [2.5, "x"]], {"a": {"b": 1}}, {"$": 1},
            {1: "a", (2, 3): "b"}, {1, 2}, at, b"\0\xff",
        ]  # fmt: skip
        for value in values:
            text = value_to_json(value)
            with self.subTest(text):
                again = value_from_json(json.loads(text))
                self.assertEqual(again, value)
                self.assertEqual(str(again), str(value))
                text.encode()

    def test_not_finite(self) -> None:
        self.assertEqual(value_to_json(math.inf), '{"$":"float","v":"Infinity"}')
        self.assertEqual(value_to_json(-math.inf), '{"$":"float","v":"-Infinity"}')
        self.assertTrue(math.isnan(value_from_json(json.loads(value_to_json(math.nan)))))

    def test_what_cannot_be_written_is_described(self) -> None:
        circular: list = []
        circular.append(circular)
        self.assertIn("circular", value_to_json(circular))
        self.assertEqual(json.loads(value_to_json(len))["$"], "unsupported")

        class Bad(dict):
            def items(self):
                raise RuntimeError("broken")

        self.assertIn("broken", value_to_json(Bad(a=1)))


class Paths(unittest.TestCase):
    def test_texts(self) -> None:
        for path, text in (
            ([], ""),
            ([["epoch", 3], ["step", 17]], "epoch=3,step=17"),
            ([["epoch", 6], ["step", "end"]], "epoch=6,step=end"),
            ([["step", 4, 1]], "step#1=4"),
            ([["é=,#", 0]], "%C3%A9%3D%2C%23=0"),
        ):
            with self.subTest(text):
                self.assertEqual(format_path(path), text)

    def test_file_names(self) -> None:
        self.assertEqual(checkpoint_file_name([["epoch", 3]], 0), "epoch=3.safetensors")
        self.assertEqual(checkpoint_file_name([["epoch", 3]], 2), "epoch=3~2.safetensors")
        self.assertLess(len(checkpoint_file_name([["x" * 300, 3]], 0)), 60)


class Files(unittest.TestCase):
    def test_manifest(self) -> None:
        manifest = {"format": 1, "run": "é", "sources": {"a.py": "0" * 64}}
        text = manifest_to_json(manifest)
        self.assertEqual(manifest_from_json(text, "run.json"), manifest)
        with self.assertRaisesRegex(Exception, "AL040"):
            manifest_from_json(text.replace("é", "e"), "run.json")
        with self.assertRaisesRegex(Exception, "AL041"):
            manifest_from_json(manifest_to_json({"format": 2}), "run.json")

    def test_header(self) -> None:
        """What is kept of a header, filled in, says what it was given."""
        specs = [
            (TensorSpec("w", "F32", (3, 1000), 12000), 0),
            (TensorSpec('b"\\é\n', "I8", (3,), 3), 12288),
            (TensorSpec("none", "F32", (0,), 0), 12291),
        ]
        sums = ["0a0b0c0d", "00000001", "", "00000002"]
        structure = TensorSpec(STRUCTURE_NAME, "U8", (5,), 5)
        held = HeldTensor(TensorSpec("h", "U8", (2,), 2), 'x"', "0000000300000004")
        metadata = f'{{"format":1,"held":[{held_text(held)}]}}'
        form = HeaderTemplate(specs, 16384, [held.spec])
        for _ in range(2):
            raw = form.header(metadata, structure, sums)
            self.assertEqual(len(raw) % 4096, 0)
            self.assertEqual(form.data_start(metadata, structure), len(raw))
            header = decode_header(raw[8:], "x", len(raw) + 16384 + 4096)
            placed = [*specs, (structure, 16384)]
            entries = [TensorEntry(*one, digits) for one, digits in zip(placed, sums)]
            self.assertEqual(list(header.tensors.values()), entries)
            self.assertEqual(header.held, {"h": held})
        self.assertEqual(CRC_CHUNK_BYTES, 4 << 20)
        with self.assertRaisesRegex(Exception, "AL040"):
            decode_header(raw[8:], "x", len(raw) + 16383 + 4096)

    def test_hash_of_a_state(self) -> None:
        """Lines in the order of UTF-16, whichever file holds the tensor."""
        names = ["b", "a\U0001f600", "a\ufffd", 'a"']
        specs = [TensorSpec(name, "U8", (2,), 2) for name in names]
        sums = [f"{at:08x}" for at in range(4)]
        form = HeaderTemplate([(specs[0], 0), (specs[1], 2)], 4096, specs[2:])
        order = (3, 1, 2, 0)
        lines = [compact_json([names[at], "U8", [2], sums[at]]) for at in order]
        text = "\n".join(["{}", *lines]).encode()
        self.assertEqual(form.state_hash(b"{}", sums), hashlib.sha256(text).hexdigest())
        nothing = HeaderTemplate([], 0, []).state_hash(b"{}", [])
        self.assertEqual(nothing, hashlib.sha256(b"{}\n").hexdigest())


class Arguments(unittest.TestCase):
    def test_types_follow_the_default(self) -> None:
        words = ["lr=0.01", "--epochs", "5", "--fast", "--name=x y", "dims=[1,2]", "batch-size=32"]
        given = ProgramArguments(words)
        self.assertEqual(given.take("lr", 1.0), 0.01)
        self.assertEqual(given.take("epochs", 20), 5)
        self.assertIs(given.take("fast", False), True)
        self.assertEqual(given.take("name", ""), "x y")
        self.assertEqual(given.take("dims", (3,)), (1, 2))
        self.assertEqual(given.take("batch_size", 8), 32)
        self.assertIs(given.take("other", 1), ABSENT)
        self.assertEqual(given.unused(), [])

    def test_the_table_of_both_languages(self) -> None:
        with open(_ARGUMENTS, encoding="utf-8") as stream:
            table = json.load(stream)
        for row in table:
            word, name = row["word"], row["word"].partition("=")[0]
            with self.subTest(word, default=row["default"]):
                if "refused" not in row:
                    found = ProgramArguments([word]).take(name, row["default"])
                    self.assertEqual(found, row["value"])
                    continue
                with self.assertRaises(AfterlogError) as refused:
                    ProgramArguments([word]).take(name, row["default"])
                said = f"argument {word} is not {row['refused']}"
                self.assertEqual(
                    [refused.exception.code, refused.exception.message], ["AL005", said]
                )

    def test_a_default_that_is_not_finite(self) -> None:
        self.assertEqual(ProgramArguments(["clip=inf"]).take("clip", math.inf), math.inf)
        with self.assertRaisesRegex(AfterlogError, "clip=abc is not a number"):
            ProgramArguments(["clip=abc"]).take("clip", math.inf)

    def test_what_nobody_asked_for(self) -> None:
        given = ProgramArguments(["epoch=3"])
        given.take("epochs", 1)
        self.assertEqual([tuple(one) for one in given.unused()], [("epoch", "epochs")])

    def test_what_somebody_will_ask_for(self) -> None:
        given = ProgramArguments(["warm-up=3", "decai=1"])
        given.take("epochs", 1)
        found = [tuple(one) for one in given.unused({"warm_up", "decay"})]
        self.assertEqual(found, [("decai", "decay")])

    def test_wrong_type(self) -> None:
        for word, default in (("n=x", 1), ("n=maybe", True), ("n={", [])):
            with self.subTest(word), self.assertRaisesRegex(Exception, "AL005"):
                ProgramArguments([word]).take("n", default)


class Syntax(unittest.TestCase):
    def test_python_3_9_reads_it(self) -> None:
        for folder, _, files in os.walk(_PACKAGE):
            for name in files:
                if name.endswith(".py"):
                    with open(os.path.join(folder, name), encoding="utf-8") as stream:
                        ast.parse(stream.read(), name, feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
