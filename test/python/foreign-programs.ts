/**
 * Trainings of models that come from a library, and a package that has them: real modules, in sources
 * that the analysis does not read. A comment `# ask NAME: VALUE` says which statement is put in its
 * place later; `pure` gives what the value is if nothing is changed by asking.
 */

export const PACKAGE = `
import collections
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a, self.norm, self.relu = nn.Linear(n, n), nn.BatchNorm1d(n), nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(x + self.norm(self.a(x)))

class Net(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.stem, self.blocks = nn.Linear(4, 8), nn.Sequential(Block(8), Block(8))
        self.drop, self.fc = nn.Dropout(0.1), nn.Linear(8, classes)

    def forward(self, x):
        return self.fc(self.drop(self.blocks(self.stem(x))))

class Output(collections.OrderedDict):
    __getattr__ = collections.OrderedDict.__getitem__

class ForClassification(nn.Module):
    @classmethod
    def from_pretrained(cls, name, num_labels):
        made = cls()
        made.net = Net(num_labels)
        return made

    def forward(self, inputs=None, labels=None):
        logits = self.net(inputs)
        return Output(logits=logits, loss=nn.functional.cross_entropy(logits, labels))

class Wrapped(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *given):
        return self.module(*given)

class Accelerator:
    def prepare(self, *given):
        return [Wrapped(one) if isinstance(one, nn.Module) else one for one in given]

    def backward(self, loss):
        loss.backward()

class Scaling(nn.Module):
    """Works on what it is given, in place."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x.mul_(0.9))

def make(name):
    return Net()
`;

const HEAD = `
import copy, sys
sys.path.append("site-packages")
import torch
from torch import nn
torch.set_num_threads(1)
`;

const DATA = `
class Items(torch.utils.data.Dataset):
    def __init__(self, n):
        self.items = torch.randn(n, 4)

    def __getitem__(self, i):
        return self.items[i], i % 2

    def __len__(self):
        return len(self.items)

loader = torch.utils.data.DataLoader(Items(24), batch_size=6, shuffle=True)
vx, vy = torch.randn(8, 4), torch.randint(0, 2, (8,))
`;

const SUM = "float(sum(p.double().sum() for p in model.parameters()))";
const STATE = "sum(float(v.double().abs().sum()) for v in model.state_dict().values())";

export interface ForeignProgram {
  readonly text: string;
  readonly handsFree: boolean;
  readonly where: string;
}

export const FOREIGN_PROGRAMS: { readonly [name: string]: ForeignProgram } = {
  "a model that was loaded by a class, and an object that it gives": {
    text: `${HEAD}import afterlog as al
from lib import ForClassification
${DATA}
model = ForClassification.from_pretrained("base", num_labels=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
al.checkpointing(model=model, optimizer=optimizer)
for epoch in al.loop("epoch", range(4)):
    model.train()
    for inputs, labels in al.loop("step", loader):
        outputs = model(inputs=inputs, labels=labels)
        loss = outputs.loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        al.log("loss", loss.item())
        # ask p_step: [${SUM}, float(inputs.sum()), loss.item()]
    al.log("last", loss.item())
    # ask p_epoch: [${SUM}, ${STATE}, model.net.fc.weight.norm().item()]
    # ask pure p_call: [model(vx, vy).logits.sum().item()]
# ask p_end: [${SUM}, epoch]
`,
    handsFree: false,
    where: "epoch = 2 and step = 2",
  },
  "a function of a library by its name, unchanged": {
    text: `${HEAD}import lib
${DATA}
def evaluate(net):
    net.eval()
    with torch.no_grad():
        return sum((net(x).argmax(1) == y).sum().item() for x, y in loader)

def main(arch="make"):
    model = getattr(lib, arch)("small").to("cpu")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(4):
        model.train()
        for step, (x, y) in enumerate(loader):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            # ask p_step: [${SUM}, float(x.sum()), loss.item()]
        print("loss", loss.item())
        # ask p_epoch: [${SUM}, ${STATE}, model.fc.weight.norm().item()]
        # ask pure p_call: [model(vx).sum().item(), model.blocks[0](model.stem(vx)).sum().item()]
        # ask pure p_right: [evaluate(model)]
    # ask p_end: [${SUM}, epoch]

main()
`,
    handsFree: true,
    where: "epoch = 2 and step = 2",
  },
  "a registry, a wrapper that gives several, a fold for each half": {
    text: `${HEAD}import afterlog as al
import lib
${DATA}
MODELS = {}
def register(kind):
    MODELS[kind.__name__] = kind
    return kind

@register
class Own(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 2)

    def forward(self, x):
        return self.fc(x)

accelerator = lib.Accelerator()
for fold in al.loop("fold", range(2)):
    model = MODELS[al.arg("model", "Own")](4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    model, optimizer = accelerator.prepare(model, optimizer)
    for epoch in al.loop("epoch", range(3)):
        for step, (x, y) in al.loop("step", enumerate(loader)):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
            al.log("loss", loss.item())
            # ask p_step: [${SUM}, float(x.sum()), loss.item()]
        # ask p_epoch: [${SUM}, ${STATE}, model.module.fc.weight.norm().item()]
        # ask pure p_call: [model(vx).sum().item()]
    al.log("last", loss.item())
# ask p_end: [${SUM}, epoch]
`,
    handsFree: false,
    where: "fold = 1 and epoch = 1 and step = 2",
  },
};

/** A model of a library that does what is assumed that none does. */
export const SCALING = `${HEAD}import afterlog as al
import lib
batches = [torch.randn(6, 4) for _ in range(4)]
model = lib.Scaling()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in al.loop("epoch", range(3)):
    for x in al.loop("step", batches):
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        al.log("loss", loss.item())
    # ask p_epoch: [${SUM}, float(batches[0].sum())]
`;

const ASKED = /^( *)# ask (pure )?(\w+): (.*)$/gm;

/** The program without what will be asked. */
export function unasked(text: string): string {
  return text.replaceAll(ASKED, "");
}

/** With it, as a person would add it. */
export function asked(text: string): string {
  return withSdk(
    text.replaceAll(ASKED, (_, indent, _pure, name, value) => {
      return `${indent}al.log("${name}", ${value})`;
    }),
  );
}

/** With it from the start, in such a way that asking changes nothing. */
export function truthful(text: string): string {
  return withSdk(
    text.replaceAll(ASKED, (_, indent, pure, name, value) => {
      if (pure === undefined) return `${indent}al.log("${name}", ${value})`;
      const copied = `(lambda model: ${value})(copy.deepcopy(model))`;
      return `${indent}with torch.random.fork_rng(): al.log("${name}", ${copied})`;
    }),
  );
}

function withSdk(text: string): string {
  return text.includes("import afterlog") ? text : `import afterlog as al\n${text}`;
}
