"""Models that come from a library: what loops change, where their loaders stand and what asking
changes must be the same as with a module of the project, however the program got at it."""

import textwrap
import unittest
from typing import Any, Dict, List, Tuple

from afterlog.source.model import Model
from afterlog.source.program.program import Program

_HEAD = """
import afterlog as al
import torch
from torch import nn
class Own(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 2)
    def forward(self, x):
        return self.fc(x)
"""
_TRAINING = """
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
criterion = nn.CrossEntropyLoss()
class Items(torch.utils.data.Dataset):
    def __init__(self, n):
        self.items = torch.randn(n, 4)
    def __getitem__(self, i):
        return self.items[i], i % 2
data = Items(8)
loader = torch.utils.data.DataLoader(data, batch_size=2, shuffle=True)
vx, vy = torch.randn(8, 4), torch.randint(0, 2, (8,))
def evaluate(net):
    net.eval()
    with torch.no_grad():
        return sum((net(x).argmax(1) == y).sum().item() for x, y in loader)
for epoch in al.loop("epoch", range(3)):
    model.train()
    for i, (x, y) in al.loop("step", enumerate(loader)):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        al.log("loss", loss.item())
    al.log("sum", float(sum(p.double().sum() for p in model.parameters())))
    al.log("state", len(model.state_dict()))
    al.log("norm", model.fc.weight.norm().item())
    al.log("call", model(vx).sum().item())
    al.log("part", model.fc(vx).sum().item())
    al.log("right", model.eval()(vx).argmax(1).eq(vy).sum().item())
    al.log("accuracy", evaluate(model))
"""
_OTHERS = {
    "build.py": """
        from torchvision import models
        from torch import nn
        def build_model(cfg):
            model = models.resnet18()
            model.fc = nn.Linear(4, cfg["n"])
            return model
        """,
    "registry.py": """
        from torch import nn
        MODELS = {}
        def register(name):
            def note(kind):
                MODELS[name] = kind
                return kind
            return note
        @register("own")
        class Net(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.fc = nn.Linear(n, 2)
            def forward(self, x):
                return self.fc(x)
        """,
}
_MADE: Dict[str, str] = {
    "a module of the project": "model = Own(4)",
    "a path": "import torchvision\nmodel = torchvision.models.resnet18(num_classes=10)",
    "a module of a library": "from torchvision import models\nmodel = models.resnet18()",
    "a name": "from torchvision.models import resnet18 as make\nmodel = make().to('cpu')",
    "a class method": (
        "from transformers import AutoModelForSequenceClassification as Auto\n"
        "model = Auto.from_pretrained('x')"
    ),
    "a class": (
        "import transformers as t\n"
        "model = t.RobertaForSequenceClassification(t.RobertaConfig(vocab_size=5))"
    ),
    "a class nobody has heard of": "import lib\nmodel = lib.Net(4)",
    "a function": "import timm\nmodel = timm.create_model('x')",
    "a function nobody has heard of": "import lib\nmodel = lib.make('x').cuda()",
    "one of several": "import lib\nmodel, transform = lib.load('x')",
    "a table": (
        "MAKE = {'a': Own, 'b': lambda n: nn.Linear(n, 1)}\nmodel = MAKE[al.arg('m', 'a')](4)"
    ),
    "a table of a library's": (
        "from torchvision import models\nMAKE = {'a': models.resnet18}\n"
        "model = MAKE[al.arg('m', 'a')]()"
    ),
    "an attribute by its name": (
        "from torchvision import models\nmodel = getattr(models, al.arg('m', 'resnet18'))()"
    ),
    "a dictionary of a module": (
        "from torchvision import models\nmodel = models.__dict__[al.arg('m', 'resnet18')]()"
    ),
    "another file": "from build import build_model\nmodel = build_model({'n': 4})",
    "a wrapper": "import lib\nmodel = Own(4)\nmodel = lib.wrap(model)",
    "a method that wraps": (
        "import lib\naccelerator = lib.Accelerator()\nmodel = accelerator.prepare(Own(4))"
    ),
    "a compiler": "model = torch.compile(Own(4))",
    "several devices": "model = nn.DataParallel(Own(4))",
    "a partial": "import functools\nmodel = functools.partial(Own, 4)()",
    "a registry": "from registry import MODELS\nmodel = MODELS['own'](4)",
    "a module by its name": "import importlib\nmodel = importlib.import_module('own').Net(4)",
    "a hub": "model = torch.hub.load('a', 'b')",
    "a class made from one": (
        "import lib\nclass Net(lib.Base):\n    def forward(self, x):\n"
        "        return super().forward(x) * 2\nmodel = Net()"
    ),
    "an object that has it": (
        "import lib\nclass Task:\n    def __init__(self):\n        self.net = lib.make()\n"
        "task = Task(); model = task.net"
    ),
}


def model_of(text: str) -> Model:
    files = {name: textwrap.dedent(other) for name, other in _OTHERS.items()}
    files["train.py"] = _HEAD + textwrap.dedent(text)
    return Model(Program("train.py", files.get))


def loops_of(model: Model) -> List[Tuple[str, str]]:
    return [(loop["name"], loop["iterator"]) for loop in model.to_json()["loops"]]


def changing(model: Model) -> List[Any]:
    """Log statements that change something."""
    return [log["name"] for log in model.to_json()["logs"] if log.get("changes")]


class Foreign(unittest.TestCase):
    def test_however_it_was_made(self) -> None:
        for name, made in _MADE.items():
            with self.subTest(name):
                model = model_of(made + _TRAINING)
                self.assertEqual(model.uncertain, [])
                self.assertEqual(loops_of(model), [("epoch", "index"), ("step", "independent")])
                self.assertEqual(changing(model), [])
                for loop, changes in model.changes.items():
                    names = {one.name: one for one in changes if one.needed}
                    self.assertLessEqual({"model", "optimizer"}, set(names))
                    self.assertEqual({one.access for one in names.values()}, {"name"})
                    self.assertNotIn("vx", names)

    def test_what_is_still_assumed_of_it(self) -> None:
        """It may change itself, and what it is given but for tensors. One row: a statement of the
        loop, and the names that it changes."""
        before = "import lib\nmodel = lib.make(); model.parameters()\ncache = lib.Cache()\n"
        before += "x, xs, bag = torch.ones(4), [torch.ones(4)], [lib.Cache()]\n"
        for statement, names in (
            ("model(x)", ["model"]),
            ("model(xs)", ["model"]),
            ("model(x, cache=cache)", ["cache", "model"]),
            ("model(*bag)", ["bag", "model"]),
            ("model.eval()", ["model"]),
            ("model.encode(x)", ["model"]),
            ("model.attach(cache)", ["cache", "model"]),
            ("model.head(x)", ["model"]),
            ("y = model(x); y.mul_(2)", ["model", "x"]),
            ("lib.work(x)", ["x"]),
        ):
            with self.subTest(statement):
                loop = f"for i in al.loop('step', range(3)):\n    {statement}\n"
                found = model_of(before + loop).changes[0]
                self.assertEqual(sorted(one.name for one in found if one.needed), names)

    def test_what_asking_it_changes(self) -> None:
        before = "import lib\nmodel = lib.make(); model.parameters(); x = torch.ones(4)\n"
        for asked, changes in (
            ("model(x).loss.item()", []),
            ("model.encoder(x).sum().item()", []),
            ("model.generate(x).shape[0]", []),
            ("model.update(x)", ["asked"]),
            ("model.freeze()", ["asked"]),
            ("model.load_state_dict({})", ["asked"]),
        ):
            with self.subTest(asked):
                self.assertEqual(changing(model_of(f"{before}al.log('asked', {asked})\n")), changes)

    def test_what_a_tokenizer_gives(self) -> None:
        """It is new, and handed to a model it stays as it is."""
        before = "from transformers import AutoModel, AutoTokenizer\n"
        before += "model = AutoModel.from_pretrained('x')\n"
        before += "words = AutoTokenizer.from_pretrained('x')\n"
        before += "given = words(['a'], return_tensors='pt')\n"
        loop = "for i in al.loop('step', range(3)):\n    loss = model(**words(['b'])).loss\n"
        loop += "    loss.backward()\nal.log('asked', model(**given).logits.sum().item())\n"
        found = model_of(before + loop)
        self.assertEqual(changing(found), [])
        self.assertEqual([one.name for one in found.changes[0] if one.needed], ["model"])

    def test_a_method_of_the_project_tells_nothing(self) -> None:
        """A class of its own with `parameters` may be anything."""
        own = "class Odd:\n    def parameters(self): return []\n"
        loop = "for i in al.loop('step', range(3)):\n    model(x)\n"
        before = "import lib\nmodel = lib.make(); model.parameters(); x = torch.ones(4)\n"
        names = [one.name for one in model_of(own + before + loop).changes[0] if one.needed]
        self.assertEqual(names, ["model", "x"])

    def test_batches_share_nothing_with_their_dataset(self) -> None:
        """Only if PyTorch itself puts them together."""
        for arguments, items, iterator in (
            ("d, 2", "l", "independent"),
            ("d, batch_size=2, num_workers=2", "enumerate(l)", "independent"),
            ("d, 2", "zip(l, d)", "dependent"),
            ("d, 2", "zip(l, l)", "dependent"),
            ("d, batch_size=None", "l", "dependent"),
            ("d, None", "l", "dependent"),
            ("d, 2, collate_fn=lib.collate", "l", "dependent"),
            ("d, 2, False, None, None, 0, lib.collate", "l", "dependent"),
            ("d, **lib.options()", "l", "dependent"),
            ("*lib.options()", "l", "dependent"),
        ):
            with self.subTest(f"{arguments} {items}"):
                loader = "import lib\nd = torch.utils.data.TensorDataset(torch.ones(4))\n"
                loader += f"l = torch.utils.data.DataLoader({arguments})\n"
                loop = f"for a in al.loop('step', {items}):\n    lib.work(a)\n"
                self.assertEqual(loops_of(model_of(loader + loop)), [("step", iterator)])

    def test_batches_that_a_function_of_the_program_makes_anew_share_nothing_either(self) -> None:
        for function, is_changed in {
            "stacks": False,
            "passes": True,
            "picks": True,
            "views": True,
            "wraps": True,
            "holds": True,
            "lies": True,
            "lies_set": True,
            "stacks if lib else passes": True,
        }.items():
            with self.subTest(function):
                given = f"d, 2, collate_fn={function}"
                loader = f"import lib\nd = [(torch.ones(1), 2.0)]\n{_COLLATING}"
                loader += f"l = torch.utils.data.DataLoader({given})\n"
                loop = "for a in al.loop('step', l):\n    lib.work(a)\n"
                changes = model_of(loader + loop).changes[0]
                names = [one.name for one in changes if one.needed and not one.iterated]
                self.assertEqual("d" in names, is_changed)


# Functions that put batches together.
_COLLATING = """
class Batch:
    def __init__(self, x): self.x = x
def stacks(batch):
    xs, n = [], 0
    for x, y in batch:
        xs.append(float(y))
        n += 1
    return torch.tensor(xs), torch.tensor([n]), n
def passes(batch):
    return batch
def picks(batch):
    xs = [x for x, y in batch]
    return torch.tensor(1), xs
def views(batch):
    return batch[0][0].view(-1)
def wraps(batch):
    return Batch(batch)
def holds(batch):
    x = torch.zeros(1)
    x.src = batch[0][0]
    return x
def lies(batch):
    x = torch.zeros(1)
    x.data = batch[0][0]
    return x
def lies_set(batch):
    x = torch.zeros(1)
    x.set_(batch[0][0])
    return x
"""


if __name__ == "__main__":
    unittest.main()
