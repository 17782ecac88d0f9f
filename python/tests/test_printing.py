"""Calls that print, as the names that their source shows."""

import ast
import unittest
from typing import List, Optional, Tuple

from afterlog.format.console_rule import compile_rule
from afterlog.source.program.printed_calls import Printing

# A call, the names that it shows and patterns of others; None: it is no log statement.
_CALLS: List[Tuple[str, Optional[List[str]], List[str]]] = [
    ("print('loss', x)", ["loss"], []),
    ("print('loss:', x, 'acc:', f(y))", ["loss", "acc"], []),
    ("print(f'epoch {e} loss {x:.4f}')", ["epoch", "loss"], []),
    ("print(f'{e}/{n} loss={x:>{8}.2f} ({t:.1f}s)')", ["loss"], []),
    ("print(f'{split}_loss {x}')", [], [r"^\S*_loss$"]),
    ("print('loss %.3f acc %5.1f%%' % (x, y))", ["loss", "acc"], []),
    ("print('loss %(a)s' % d)", ["loss"], []),
    ("print('loss {:.3f} {{n}} acc {acc}'.format(x, acc=y))", ["loss", "acc"], []),
    ("print('loss ' + str(x) + ' acc ' + str(y))", ["loss", "acc"], []),
    ("print({'loss': x, 'list': [1], **more})", ["loss"], []),
    ("print('val:', dict(loss=x))", ["val.loss"], []),
    ("print(json.dumps({'loss': x, name: y}))", ["loss"], [r"^\S*$"]),
    ("print('loss', x, flush=True, end='', file=sys.stdout)", ["loss"], []),
    ("print('loss', *more)", ["loss"], []),
    ("logging.info('loss %s', x)", ["loss"], []),
    ("logger.info(f'loss {x}')", ["loss"], []),
    ("self._logger.debug('loss %.2f acc %d', x, y)", ["loss", "acc"], []),
    ("logging.getLogger('a').info('loss %s', x)", ["loss"], []),
    ("log.log(logging.INFO, 'loss %s', x)", ["loss"], []),
    ("tqdm.write(f'loss {x}')", ["loss"], []),
    ("print(x)", [], [r"^\S*$"]),
    ("print(n, x.norm())", [], [r"^\S*$"]),
    ("print('took %.1fs' % t)", ["took"], []),
    # No log statements.
    ("print()", None, []),
    ("print('done')", None, []),
    ("print('loss', x, file=sys.stderr)", None, []),
    ("print('loss', x, **how)", None, []),
    ("logger.warning('loss %s', x)", None, []),
    ("math.log('loss', x)", None, []),
    ("console.info('loss %s', x)", None, []),
    ("sys.stdout.write(f'loss {x}')", None, []),
    ("f('loss', x)", None, []),
]


class Calls(unittest.TestCase):
    def test_names(self) -> None:
        for text, names, patterns in _CALLS:
            with self.subTest(text):
                tree = ast.parse(text)
                found = Printing(tree).names_of(tree.body[0].value)
                shown = None if found is None else (found.names, found.patterns)
                self.assertEqual(shown, None if names is None else (names, patterns))

    def test_how_arguments_are_written(self) -> None:
        rows = [
            ("print(x)", ["x"]),
            ("print(n, x\n  .norm())", ["n", "x .norm()"]),
            ("print(f'{x:.3f}')", ["x"]),
            ("print(f'{n} {x}')", ["f'{n} {x}'"]),
            ("logger.info(x / 2)", ["x / 2"]),
            ("print('loss', x)", None),
            ("print(*all)", None),
            ("print({'loss': x, n: x})", None),
        ]
        for text, written in rows:
            with self.subTest(text):
                tree = ast.parse(text)
                self.assertEqual(Printing(tree).written(tree.body[0].value, text), written)

    def test_a_print_of_ones_own(self) -> None:
        for text in (
            "def print(*a): pass",
            "from rich import print",
            "print = log",
            "def f(print): print('loss', x)",
            "import rich as print",
        ):
            with self.subTest(text):
                tree = ast.parse(f"{text}\nprint('loss', x)")
                call = tree.body[-1].value
                self.assertIsNone(Printing(tree).names_of(call))

    def test_a_rule_of_ones_own(self) -> None:
        tree = ast.parse("print(f'it {i} L={x}')")
        rule = compile_rule(r"it (?<iteration>\d+) L=(?<loss>\S+)")
        call = tree.body[0].value
        self.assertEqual(Printing(tree, rule).names_of(call), (["iteration", "loss"], [], False))

    def test_what_may_have_other_names_when_it_runs(self) -> None:
        rows = [
            ("print('val', evaluate())", True),
            ("print('M', {**metrics, 'fifth': x})", True),
            ("print('M', dict(metrics, fifth=x))", True),
            ("print('M', {**metrics})", True),
            ("print(f'loss {x}')", False),
            ("print('M', {'fifth': x})", False),
        ]
        for text, is_open in rows:
            with self.subTest(text):
                tree = ast.parse(text)
                found = Printing(tree).names_of(tree.body[0].value)
                self.assertEqual(found is not None and found.is_open, is_open)


if __name__ == "__main__":
    unittest.main()
