/** Lines of a script or of functions that were made a class since: what is asked of `self` there is asked of its variables. */
import { beforeAll, expect, test } from "vitest";
import { landed } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

const SCRIPT = `# train
model = Net()
optimizer = SGD(model.parameters())
best = 0.0
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
    acc = evaluate(model, held)
    if acc > best:
        best = acc
    print(epoch, acc)
`;

const FUNCTIONS = `# train
def train(model, optimizer, loader):
    for x, y in loader:
        optimizer.zero_grad()
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()

net = Net()
opt = SGD(net.parameters())
for epoch in range(3):
    train(net, opt, loader)
    print(epoch)
`;

/** The class, with a line in its loop over batches, and one at the end of an epoch. */
const trainer = (step: string, end = ""): string => `# train
class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer
        self.best = 0.0

    def train(self, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            out = self.model(x)
            loss = criterion(out, y)
            loss.backward()
            self.optimizer.step()
${step === "" ? "" : `            ${step}\n`}
    def fit(self, loader, held):
        for epoch in range(3):
            self.train(loader)
            acc = self.evaluate(held)
            if acc > self.best:
                self.best = acc
${end === "" ? "" : `            ${end}\n`}            print(epoch, acc)

trainer = Trainer(Net(), SGD(net.parameters()))
trainer.fit(loader, held)
`;

const TS_SCRIPT = `// train
const model = new Net();
let rate = 0.1;
for (let epoch = 0; epoch < 3; epoch++) {
  for (const [x, y] of rows) {
    const out = model.run(x);
    const err = out - y;
    model.learn(rate * err);
  }
  console.log(epoch);
}
`;

const tsTrainer = (step: string): string => `// train
class Trainer {
  model: Net;
  rate = 0.1;
  constructor(model: Net) {
    this.model = model;
  }
  train(rows: number[][]) {
    for (let epoch = 0; epoch < 3; epoch++) {
      for (const [x, y] of rows) {
        const out = this.model.run(x);
        const err = out - y;
        this.model.learn(this.rate * err);
        ${step}
      }
      console.log(epoch);
    }
  }
}
new Trainer(new Net()).train(rows);
`;

const answered: Record<string, readonly [then: string, now: string, text: string]> = {
  "an attribute of self in a script": [
    SCRIPT,
    trainer('print("w", self.model.w.norm())  # asked'),
    'print("w", model.w.norm())',
  ],
  "two of them": [
    SCRIPT,
    trainer('print("w", self.model.w, self.optimizer.rate)  # asked'),
    'print("w", model.w, optimizer.rate)',
  ],
  "in a function that takes it": [
    FUNCTIONS,
    trainer('print("w", self.model.w.norm())  # asked'),
    'print("w", model.w.norm())',
  ],
  "an attribute that is given in the loop": [
    SCRIPT,
    trainer("", 'print("gap", self.best - acc)  # asked'),
    'print("gap", best - acc)',
  ],
  "of this, in TypeScript": [
    TS_SCRIPT,
    tsTrainer('console.log("w", this.model.w, this.rate); // asked'),
    'console.log("w", model.w, rate);',
  ],
  "by another name": [
    SCRIPT.replaceAll(/\bmodel\b/g, "net"),
    trainer('print("w", self.model.w.norm())  # asked').replace(
      "self.optimizer.step()",
      "self.model.clip(1.0)\n            self.optimizer.step()",
    ),
    'print("w", net.w.norm())',
  ],
};

test.each(Object.entries(answered))("is asked of the variable: %s", (_, [then, now, text]) => {
  const landing = landed({ then, now });
  expect(landing.text ?? landing.reason).toBe(text);
});

const refused: Record<string, readonly [then: string, now: string]> = {
  "that version has no such variable": [
    SCRIPT,
    trainer('print("clip", self.clip)  # asked').replace(
      "self.best = 0.0",
      "self.best = 0.0\n        self.clip = 1.0",
    ),
  ],
  "what sets it": [SCRIPT, trainer("", 'self.best = print("q", acc)  # asked')],
  "the object as a whole": [SCRIPT, trainer('print("me", vars(self))  # asked')],
};

test.each(Object.entries(refused))("is refused: %s", (_, [then, now]) => {
  expect(landed({ then, now }).verdict).toBe("cannot");
});

const asked: Record<string, readonly [then: string, now: string]> = {
  "it sums up in one version only": [
    SCRIPT.replace("best = acc\n", "best += acc\n"),
    trainer("", 'print("best", self.best)  # asked'),
  ],
  "only the word is the same": [
    SCRIPT.replace("out = model(x)", "out = forward(x)"),
    trainer('print("w", self.model.w.norm())  # asked').replace(
      "out = self.model(x)",
      "out = run(x)",
    ),
  ],
};

test.each(Object.entries(asked))("somebody is asked: %s", (_, [then, now]) => {
  expect(landed({ then, now }).verdict).toBe("review");
});
