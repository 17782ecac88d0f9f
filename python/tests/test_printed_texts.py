"""Texts that a program prints: the same texts and the same errors as without us, and the numbers in
them with all their digits."""

import ast
import io
import logging
import threading
import traceback
import unittest
from typing import Any, Dict, List, Tuple

from afterlog.format.console_rule import printed_values
from afterlog.handsfree.printed import _Printed, lend_texts, printed_piece
from afterlog.handsfree.printed_text_transform import hold_printed_texts
from afterlog.handsfree.printed_texts import PrintedTexts

THIRD = 1 / 3

# What is executed with `x = 1 / 3`, and what it logs.
_LINES: List[Tuple[str, List[Tuple[str, Any]]]] = [
    ("print('loss', x)", [("loss", THIRD)]),
    ("print(f'loss {x:.4f}')", [("loss", THIRD)]),
    ("print(f'loss {x:.4f} acc {100 * x:.1f}%')", [("loss", THIRD), ("acc", 100 * THIRD)]),
    ("print(f'{3}/{10} loss={x:>{8}.{2}f} | best {-x:+.1e}')", [("loss", THIRD), ("best", -THIRD)]),
    ("print(f'acc {x:.1%}')", [("acc", THIRD * 100)]),
    ("print(f'{x=} {x!r}')", [("x", THIRD)]),
    ("print(f'epoch {1 + 1:02d}: ' f'loss {x:.2f}')", [("epoch", 2), ("loss", THIRD)]),
    ("print('loss', f'{x:.2f}', 'acc', f'{x:.3f}')", [("loss", THIRD), ("acc", THIRD)]),
    ("print('loss %.2f acc %5.1f%%' % (x, 100 * x))", [("loss", THIRD), ("acc", 100 * THIRD)]),
    ("print('loss %.2f' % x)", [("loss", THIRD)]),
    ("print('loss %(a).2f of %(b)s' % {'a': x, 'b': 'it'})", [("loss", THIRD)]),
    ("print('loss {:.2f} {name} {0}'.format(x, name='acc'))", None),
    ("print('loss {:.2f} acc {b:.1f}'.format(x, b=2 * x))", [("loss", THIRD), ("acc", 2 * THIRD)]),
    ("print('{1} {0:.2f}'.format(x, 'loss'))", [("loss", THIRD)]),
    ("print({'loss': x, 'n': 3, 'list': [1]})", [("loss", THIRD), ("n", 3)]),
    ("print('means', [1, x])", [("means", [1, THIRD])]),
    # Only what is printed: a text that went through other hands.
    ("text = f'loss {x:.2f}'; print(text)", [("loss", 0.33)]),
    # A function that prints while another text waits, and one that fails.
    ("print(f'a {x:.1f} b {inner(x):.1f}')", [("inner", THIRD), ("a", THIRD), ("b", THIRD)]),
    ("print(f'a {x:.1f} b {failing(x):.1f}')", [("a", THIRD), ("b", THIRD)]),
    ("print(f'n {len([f\"{x}\" for _ in range(3)])}')", [("n", 3)]),
    ("print(f'{[print(f\"i {i}\") for i in range(2)] and x:.1f}')", [("i", 0), ("i", 1)]),
    ("print(f'size {10 ** 6:,} hex {255:x} {None} flag: {True}')", [("flag", True)]),
    # Errors are the program's own.
    ("print(f'loss {None:.4f}')", None),
    ("print('loss %d' % 'x')", None),
    ("print('%s %s' % (1,))", None),
    ("print('loss {1}'.format(x))", None),
    ("print(f'{undefined}')", None),
]

_PRELUDE = """
def inner(x):
    print(f"inner {x:.1f}")
    return x

def failing(x):
    try:
        print(f"a {x:.1f} b {None:.1f}")
    except TypeError:
        return x
"""


def _run(source: str, held: bool) -> Tuple[str, List[Tuple[str, Any]]]:
    """What is printed and raised, and what that logs."""
    tree = ast.parse(source)
    code = compile(hold_printed_texts(tree, source) if held else tree, "<program>", "exec")
    out, logged = io.StringIO(), []

    def print_(*given: Any) -> None:
        out.write(" ".join(map(str, given)) + "\n")
        logged.extend(printed_values([printed_piece(one) for one in given]))

    scope: Dict[str, Any] = {"x": THIRD, "print": print_}
    try:
        exec(code, scope)
    except Exception as error:
        own = error.__traceback__.tb_next if error.__traceback__ else None
        out.write("".join(traceback.format_exception(type(error), error, own)))
    return out.getvalue(), logged


class TextPass(unittest.TestCase):
    def setUp(self) -> None:
        lend_texts()

    def test_lines(self) -> None:
        for line, expected in _LINES:
            with self.subTest(line):
                source = f"{_PRELUDE}\n{line}\n"
                alone, _ = _run(source, held=False)
                printed, logged = _run(source, held=True)
                self.assertEqual(printed, alone)
                if expected is not None:
                    self.assertEqual(repr(logged), repr(expected))

    def test_places_stay(self) -> None:
        source = 'print(f"a {x}",\n      "b %s" % x, "{}".format(\n  x))\n'
        tree = ast.parse(source)
        places = [(node.lineno, node.col_offset) for node in ast.walk(tree) if _is_print(node)]
        held = hold_printed_texts(ast.parse(source), source)
        after = [(node.lineno, node.col_offset) for node in ast.walk(held) if _is_print(node)]
        self.assertEqual(after, places)

    def test_leftovers_are_bounded(self) -> None:
        texts = PrintedTexts()
        for index in range(10_000):
            texts.hold(1, index, index)
            texts.joined(index, "a ", "1", "")
        self.assertLess(len(texts._waiting), 100)
        self.assertLess(len(texts._made), 100)


def _is_print(node: ast.AST) -> bool:
    called = getattr(node, "func", None)
    return isinstance(called, ast.Name) and called.id == "print"


class _Session:
    """What a run is asked for when something is printed."""

    frame = None
    replaying = False

    def __init__(self) -> None:
        self.logged: List[Tuple[str, Any]] = []
        self.off: List[str] = []

    def spend(self, ms: float) -> None:
        pass

    def log(self, name: str, value: Any, caller: Any, is_kept: bool) -> None:
        if name == "fault":
            raise OSError("the disk is full")
        self.logged.append((name, value))

    def turn_off(self, feature: str, why: str) -> None:
        self.off.append(why)


class Printed(unittest.TestCase):
    def setUp(self) -> None:
        self.session, self.out = _Session(), io.StringIO()
        self.printed = _Printed(lambda: self.session, None)
        show = lambda *given, **how: print(*given, **{"file": self.out, **how})
        self.print = self.printed.printing(show)

    def test_only_what_goes_to_the_output(self) -> None:
        self.print("loss", 1)
        self.print("acc", 2, file=io.StringIO())
        self.assertEqual(self.session.logged, [("loss", 1)])

    def test_not_what_another_thread_prints(self) -> None:
        other = threading.Thread(target=self.print, args=("loss", 1))
        other.start()
        other.join()
        self.assertEqual((self.session.logged, self.out.getvalue()), ([], "loss 1\n"))

    def test_a_failure_of_ours_is_none_of_the_program(self) -> None:
        self.print("fault", 1)
        self.assertEqual(self.session.off, ["OSError: the disk is full"])
        self.assertEqual(self.out.getvalue(), "fault 1\n")

    def test_a_handler_that_prints_says_it_once(self) -> None:
        class Handler(logging.Handler):
            def emit(handler, record: Any) -> None:
                self.print(handler.format(record))

        logger = logging.Logger("own", logging.INFO)
        logger.addHandler(Handler())
        handle = self.printed.handling(logging.Logger.handle)
        logger.handle = lambda record: handle(logger, record)
        logger.info("loss %.1f", THIRD)
        logger.debug("acc %s", 1)
        logger.warning("bad %s", 1)
        self.assertEqual(self.session.logged, [("loss", THIRD)])
        self.assertEqual(self.out.getvalue(), "loss 0.3\nbad 1\n")


class OfTensors(unittest.TestCase):
    def test_one_element(self) -> None:
        try:
            import numpy
            import torch
        except ImportError:
            self.skipTest("needs torch and numpy")
        lend_texts()
        lines = [
            "print('loss', x)",
            "print(f'loss {x}')",
            "print(f'loss {x!r}')",
            "print('loss %s' % x)",
            "print('loss %s' % (x,))",
            "print('loss {}'.format(x))",
            "print({'loss': x})",
        ]
        third = torch.tensor(THIRD)
        values = [third, torch.tensor([THIRD]), torch.nn.Parameter(third)]
        values += [numpy.float64(THIRD), numpy.float32(THIRD), numpy.array([THIRD])]
        for value in values:
            for line in lines:
                with self.subTest(line=line, kind=type(value).__name__):
                    code = compile(hold_printed_texts(ast.parse(line), line), "<program>", "exec")
                    logged: List[Any] = []

                    def print_(*given: Any) -> None:
                        logged.extend(printed_values([printed_piece(one) for one in given]))

                    exec(code, {"x": value, "print": print_})
                    self.assertEqual(logged, [("loss", value.item())])
        many = printed_values([printed_piece("w"), printed_piece(torch.ones(3))])
        self.assertEqual([name for name, _ in many], ["w"])


if __name__ == "__main__":
    unittest.main()
