"""What printed lines log: the table that TypeScript is tested with too, and Python's own words."""

import json
import os
import random
import unittest
from typing import Any, List, Tuple

from afterlog.format.console_lines import Lines
from afterlog.format.console_rule import (
    Piece,
    Record,
    Scalar,
    Text,
    compile_rule,
    is_name_of_loop,
    printed_names,
    printed_values,
)
from afterlog.format.console_text import HOLE, number_spans

_TABLE = os.path.join(os.path.dirname(__file__), "../../test/fixtures/console-lines.json")


def _value(value: Any) -> Any:
    """What JSON has no word for."""
    if isinstance(value, list):
        return [_value(one) for one in value]
    if isinstance(value, dict) and value.get("$") == "float":
        return float(value["v"])
    return value


def _piece(value: Any) -> Piece:
    if isinstance(value, str):
        return Text(value)
    value = _value(value)
    return Record(list(value.items())) if isinstance(value, dict) else Scalar(value, repr(value))


def _shape(value: Any) -> Piece:
    if isinstance(value, str):
        return Text(value.replace("{}", HOLE))
    return Record([(name, HOLE) for name in value])


def _exact(entries: List[Tuple[str, Any]]) -> List[Tuple[str, str]]:
    """So that minus zero differs from zero, and NaN is itself; 3.0 is 3, as in JSON."""
    return [(name, repr(float(value) if type(value) is int else value)) for name, value in entries]


class LoopNames(unittest.TestCase):
    def test_case_counts_of_a_single_letter(self) -> None:
        for name, loop, is_same in (("Epoch", "epoch", True), ("r", "r", True), ("R", "r", False)):
            self.assertEqual(is_name_of_loop(name, loop), is_same)


class SharedTable(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        with open(_TABLE, encoding="utf-8") as stream:
            cls.table = json.load(stream)

    def _check(self, call: Any, **rule: Any) -> None:
        logged = printed_values([_piece(one) for one in call["args"]], **rule)
        expected = [(name, _value(value)) for name, value in call["logged"]]
        self.assertEqual(_exact(logged), _exact(expected), call["args"])

    def test_calls(self) -> None:
        for call in self.table["calls"]:
            with self.subTest(call["args"]):
                self._check(call)

    def test_shapes(self) -> None:
        for row in self.table["shapes"]:
            with self.subTest(row["shape"]):
                found = printed_names([_shape(one) for one in row["shape"]])
                is_open = row["names"] != [] and "{}" in row["shape"]
                self.assertEqual(found, (row["names"], row["patterns"], is_open))

    def test_calls_that_show_no_name(self) -> None:
        for call in self.table["unnamed"]:
            with self.subTest(call["written"]):
                self._check(call, written=call["written"])

    def test_a_replay_reads_clocks(self) -> None:
        for call in self.table["clocks"]:
            with self.subTest(call["args"]):
                self._check(call, written=call.get("written"), with_clocks=True)

    def test_a_rule_of_ones_own(self) -> None:
        rule = compile_rule(self.table["rule"])
        for call in self.table["ruled"]:
            with self.subTest(call["args"]):
                self._check(call, rule=rule)


class OfPython(unittest.TestCase):
    """Words of the language, and numbers that keep their bits."""

    def test_words(self) -> None:
        rows = [
            ("loss nan acc -inf", [("loss", float("nan")), ("acc", float("-inf"))]),
            ("converged: True", [("converged", True)]),
            ("best None loss 0.5", [("loss", 0.5)]),
            ("info 3", [("info", 3)]),
        ]
        for text, expected in rows:
            with self.subTest(text):
                self.assertEqual(_exact(printed_values([Text(text)])), _exact(expected))

    def test_numbers_in_a_text(self) -> None:
        third = 1 / 3
        rows: List[Tuple[List[Tuple[str, Any]], List[Tuple[str, Any]]]] = [
            ([("loss ", None), ("0.33", third)], [("loss", third)]),
            ([("loss ", None), ("    0.33", third), (" acc ", None), ("1", 1)],
             [("loss", third), ("acc", 1)]),
            ([("acc ", None), ("33.3%", third)], [("acc", third * 100)]),
            ([("loss=", None), ("nan", float("nan"))], [("loss", float("nan"))]),
            ([("\x1b[32mloss\x1b[0m ", None), ("0.33", third)], [("loss", third)]),
            # Part of something that is no number.
            ([("version ", None), ("1", 1), (".", None), ("13", 13), (".1", None)], []),
            ([("n ", None), ("1,234", 1234)], []),
            ([("mask ", None), ("ff", 255)], []),
            ([("took ", None), ("0.33", third), (" s", None)], []),
            ([("x ", None), ("1", 1), (".5", None)], [("x", 1.5)]),
        ]  # fmt: skip
        for parts, expected in rows:
            with self.subTest(parts):
                found = printed_values([Text(*number_spans(parts))])
                self.assertEqual(_exact(found), _exact(expected))

    def test_a_rule_finds_them_too(self) -> None:
        rule = compile_rule(r"L=(?<loss>\S+)(?<rest>x)?")
        piece = Text(*number_spans([("it 3 L=", None), ("0.33", 1 / 3)]))
        self.assertEqual(printed_values([Scalar(7, "7"), piece], rule), [("loss", 1 / 3)])


class LinesOfOneShape(unittest.TestCase):
    """Read once, and never otherwise than each of them would be."""

    WORDS = ["loss", "val", "acc", "is", "of", "top5", "a.b", "x-y", "true", "epoch", "3", "v1.2"]
    MARKS = [" ", ": ", "=", ", ", " | ", " (", ") ", "\n", " - ", " [", "; ", "/", ",", ":", "-"]
    MARKS += [".", "", "->", " of ", "%", "ms", " s", "x", "{", "}", '"', "\x1b[32m"]

    def test_made_up_lines(self) -> None:
        chance = random.Random(7)
        lines, known = Lines(), 0
        for _ in range(3000):
            pieces = [chance.choice([self.WORDS, self.MARKS, None]) for _ in range(9)]
            shape = [None if one is None else chance.choice(one) for one in pieces]
            for _ in range(3):
                parts = [self._number(chance) if one is None else (one, None) for one in shape]
                found = lines.values(parts)
                if found is not None:
                    known += 1
                    text = number_spans(parts)
                    self.assertEqual(_exact(found), _exact(printed_values([Text(*text)])), text)
        # The usual ones are among them.
        self.assertGreater(known, 300)

    def _number(self, chance: random.Random) -> Tuple[str, Any]:
        value = chance.choice([1, -2, 0.5, -0.0, 1e-7, 12345.678, 7.0, float("nan"), float("inf")])
        spec = chance.choice(["", ".2f", ".1e", "+.3f", "8.2f", "<7.1f", ".1%", ","])
        return format(value, spec), value

    def test_usual_lines(self) -> None:
        lines = Lines()
        for before, after in [("loss ", ""), ("epoch: ", "/10"), ("[", "] a"), ("loss=", ", b 1.")]:
            with self.subTest(before + after):
                parts = [(before, None), ("0.33", 1 / 3), (after, None)]
                found = lines.values(parts)
                self.assertIsNotNone(found)
                self.assertEqual(found, printed_values([Text(*number_spans(parts))]))


if __name__ == "__main__":
    unittest.main()
