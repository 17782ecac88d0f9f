"""What the analysis of a program costs, counted: it runs in the training process, before the first
loop. In each part of the program everything may be everything: objects keep what was made with
themselves, functions are handed to libraries, attributes lead from one to the next."""

import unittest
from unittest import mock

from afterlog.source.analysis import fixpoint
from afterlog.source.__main__ import answer
from afterlog.source.analysis.facts import position_of
from afterlog.source.model import Model
from afterlog.source.program.program import Program
from afterlog.source.analysis.call_paths import CallPaths

_HEAD = """
import threading, torch
from torch import nn
import afterlog as al
"""

_PART = """
def host_copy@(value):
    if isinstance(value, dict):
        return {key: host_copy@(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(host_copy@(one) for one in value)
    return value.cpu()

class Saver@:
    def __init__(self, folder, work):
        self.folder, self.work, self.under_way = folder, work, None
        self.save = {"thread": self.in_thread, "here": lambda: self.write(self.state())}[folder]

    def state(self):
        return {"model": self.work.model.state_dict()}

    def write(self, state):
        torch.save(state, self.folder)
        self.work.told(self, state)

    def in_thread(self):
        state = host_copy@(self.state())
        self.under_way = threading.Thread(target=self.write, args=(state,))
        self.under_way.start()

    def wait(self):
        under_way, self.under_way = self.under_way, None
        under_way.join()

class Trainer@:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader
        self.optimizer = torch.optim.Adam(model.parameters())
        self.saver = Saver@("out", self)
        self.listeners = [self.told, list, tuple]

    def told(self, saver, state):
        for one in self.listeners:
            one(saver, state)

    def fit(self):
        for epoch in al.loop("epoch@", range(3)):
            for x, y in al.loop("step@", self.loader):
                self.optimizer.zero_grad()
                loss = nn.functional.cross_entropy(self.model(x), y)
                loss.backward()
                self.optimizer.step()
            self.saver.wait()
            self.saver.save()

Trainer@(nn.Linear(2, 2), torch.utils.data.DataLoader([1])).fit()
"""


def analysed(parts: int) -> Model:
    text = _HEAD + "".join(_PART.replace("@", str(one)) for one in range(parts))
    return Model(Program("train.py", {"train.py": text}.get))


class Cost(unittest.TestCase):
    def test_it_grows_with_the_program_and_not_with_the_ways_through_it(self) -> None:
        for parts in (1, 4):
            with self.subTest(parts):
                analysis = analysed(parts).analysis
                functions = len(analysis.program.scopes())
                self.assertLess(analysis.evaluations, 12 * functions)
                self.assertLess(analysis.store.learned, 5 * functions * (5 + parts))

    def test_ways_to_a_place_are_not_all_gone_where_nobody_begins_them(self) -> None:
        names = [f"f{one}" for one in range(9)]
        calls = "".join(f"    {name}(x)\n" for name in names)
        circles = "".join(f"def {name}(x):\n{calls}    al.log('x', x)\n" for name in names)
        for begin, most in (("", 500), ("f0(1)\n", 40_000)):
            with self.subTest(begin):
                text = f"import afterlog as al\n{circles}{begin}"
                model = Model(Program("train.py", {"train.py": text}.get))
                paths = CallPaths(model.analysis)
                for facts in model.analysis.facts.values():
                    for log in facts.logs:
                        found, complete = paths.to(log.scope, position_of(log.call), log.region)
                        self.assertFalse(complete)
                self.assertLess(paths.steps, most)
                ways = [log["certain"] for log in model.to_json()["logs"]]
                self.assertEqual(set(ways), {False})

    def test_it_ends(self) -> None:
        """What could not be analysed in time has no answer, and says so."""
        question = {"ask": "model", "entry": "t.py", "files": {"t.py": "x = 1\n"}, "absent": []}
        for seconds, is_known in ((30, True), (-1, False)):
            with self.subTest(seconds), mock.patch.object(fixpoint, "_SECONDS_MAX", seconds):
                uncertain = answer(question)["uncertain"]
                self.assertEqual(uncertain == [], is_known)
                self.assertEqual("TooLong" in "".join(uncertain), not is_known)

    def test_paths_of_libraries_are_bounded(self) -> None:
        analysis = analysed(2).analysis
        scopes = analysis.program.scopes()
        variables = [var for scope in scopes for var in map(scope.var, scope.bound)]
        tags = [tag for var in variables for tag in analysis.store.tags_of(var)]
        paths = {tag[1] for tag in tags if tag[0] == "lib"}
        self.assertLess(len(paths), 12, sorted(paths))


if __name__ == "__main__":
    unittest.main()
