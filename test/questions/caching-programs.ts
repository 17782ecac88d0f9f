/**
 * @file Models as people write them: `forward` keeps what `backward` needs. Whoever evaluates the model once more
 * leaves another input there, which the run sets before it reads it.
 */
interface Row {
  /** What is added behind the print of the loss. */
  readonly added: string;
  /** And before the step loop, and before the epoch loop. */
  readonly before?: string;
  readonly first?: string;
  readonly code: number;
  readonly says?: string;
  readonly marks: readonly string[];
  readonly values?: readonly number[];
  /** They are what the edited program itself logs. */
  readonly truth?: true;
}

export interface Program {
  readonly file: string;
  readonly text: string;
  readonly rows: { readonly [what: string]: Row };
}

export const CACHING_PYTHON: Program = {
  file: "train.py",
  text: `last = None
class Layer:
    def __init__(self):
        self.w = [0.1, 0.3, 0.5]
        self.buffer = [0.0, 0.0, 0.0]
        self.lr, self.seen = 0.01, 0.0
    def forward(self, x):
        global last
        last = x
        self.x = x
        for i in range(3):
            self.buffer[i] = self.w[i] * x
        self.out = list(self.buffer)
        return sum(self.out)
    def remember(self, x):
        self.hint = x
        return self.w[0] * x
    def mean(self, x):
        self.seen = 0.9 * self.seen + 0.1 * x
        return self.w[0] * x
    def backward(self, g):
        by = self.lr * (g + 0.001 * self.seen + 0.001 * self.hint) * (self.x + last)
        self.w = [w - by * a * b for w, a, b in zip(self.w, self.buffer, self.out)]
net = [Layer(), Layer()]
data, test = [(1.0, 2.0), (2.0, 4.0)], [(3.0, 6.0)]
def predict(x):
    for layer in net:
        x = layer.forward(x)
    return x
def evaluate(items):
    return sum((predict(x) - y) ** 2 for x, y in items)
def step(x, y):
    error = predict(x) - y
    for layer in net:
        layer.backward(error)
    return error * error
net[0].remember(1.0), net[1].remember(1.0)
for epoch in range(4):
    for step_ in range(2):
        step(*data[step_])
        net[0].mean(step_)
    print("loss", evaluate(test))
print("end", net[0].w[0])
`,
  rows: {
    "an evaluation": {
      added: '    print("q", evaluate(data))',
      code: 0,
      marks: ["verified"],
      truth: true,
    },
    "one of several statements": {
      added:
        '    total = 0.0\n    for x, y in data:\n        total += predict(x)\n    print("q", total)',
      code: 0,
      marks: ["verified"],
      truth: true,
    },
    "a method that is wrapped": {
      first:
        "calls = []\nforward = net[0].forward\ndef seen(x):\n    y = forward(x)\n    calls.append(y)\n" +
        "    return y\nnet[0].forward = seen",
      added: '    print("q", len(calls) + calls[-1])',
      code: 0,
      marks: ["unchecked"],
      truth: true,
    },
    "a step of the training": {
      added: '    print("q", step(1.0, 2.0))',
      code: 5,
      says: '`print("q", step(1.0, 2.0))` (train.py:43) changes `net`',
      marks: ["diverged"],
    },
    "what a later step reads": {
      added: '    print("q", net[0].remember(epoch))',
      code: 5,
      says: '`print("q", net[0].remember(epoch))` (train.py:43) changes `net`',
      marks: ["diverged"],
    },
    "a mean that goes on": {
      added: '    print("q", net[0].mean(5))',
      code: 5,
      says: '`print("q", net[0].mean(5))` (train.py:43) changes `net`',
      marks: ["diverged"],
    },
  },
};

export const CACHING_JAVASCRIPT: Program = {
  file: "train.mjs",
  text: `let last;
class Layer {
  w = [0.1, 0.3, 0.5];
  buffer = new Float64Array(3);
  lr = 0.01;
  seen = 0;
  hint = 0;
  x;
  out;
  #kept;
  forward(x) {
    last = x;
    this.x = x;
    this.#kept = [x];
    for (let i = 0; i < 3; i++) this.buffer[i] = this.w[i] * x;
    this.out = [...this.buffer];
    return this.out.reduce((a, b) => a + b, 0);
  }
  remember(x) {
    this.hint = x;
    return this.w[0] * x;
  }
  mean(x) {
    this.seen = 0.9 * this.seen + 0.1 * x;
    return this.w[0] * x;
  }
  backward(g) {
    const [x] = this.#kept;
    const by = this.lr * (g + 0.001 * this.seen + 0.001 * this.hint) * (x + this.x + last);
    for (let i = 0; i < 3; i++) this.w[i] -= by * this.buffer[i] * this.out[i];
  }
}
const net = [new Layer(), new Layer()];
const data = [[1, 2], [2, 4]], test = [[3, 6]];
function predict(x) {
  for (const layer of net) x = layer.forward(x);
  return x;
}
function evaluate(items) {
  let sum = 0;
  for (const [x, y] of items) sum += (predict(x) - y) ** 2;
  return sum;
}
function step(x, y) {
  const error = predict(x) - y;
  for (const layer of net) layer.backward(error);
  return error * error;
}
for (let epoch = 0; epoch < 4; epoch++) {
  for (let step_ = 0; step_ < 2; step_++) {
    step(data[step_][0], data[step_][1]);
    net[0].mean(step_);
  }
  console.log("loss", evaluate(test));
}
console.log("end", net[0].w[0]);
`,
  rows: {
    "an evaluation": {
      added: '  console.log("q", evaluate(data));',
      code: 0,
      marks: ["verified"],
      truth: true,
    },
    "one of several statements": {
      added:
        "  let total = 0;\n  for (const [x] of data) total += predict(x);\n" +
        '  console.log("q", total);',
      code: 0,
      marks: ["verified"],
      truth: true,
    },
    "a method that is wrapped": {
      first:
        "const calls = [];\nconst forward = net[0].forward;\n" +
        "net[0].forward = function (x) { const y = forward.call(this, x); calls.push(y); return y; };",
      added: '  console.log("q", calls.length + calls.at(-1));',
      code: 0,
      marks: ["verified"],
      truth: true,
    },
    "a bound method that is wrapped": {
      first:
        "const calls = [];\nconst forward = net[0].forward.bind(net[0]);\n" +
        "net[0].forward = (x) => { const y = forward(x); calls.push(y); return y; };",
      added: '  console.log("q", calls.length + calls.at(-1));',
      code: 0,
      marks: ["verified"],
      truth: true,
    },
    "a step of the training": {
      added: '  console.log("q", step(1, 2));',
      code: 5,
      says: '`console.log("q", step(1, 2))` (train.mjs:55) changes `last`, `net`',
      marks: ["diverged"],
    },
    "what a later step reads": {
      added: '  console.log("q", net[0].remember(epoch));',
      code: 5,
      says: '`console.log("q", net[0].remember(epoch))` (train.mjs:55) changes `net`',
      marks: ["diverged"],
    },
    "a mean that goes on": {
      added: '  console.log("q", net[0].mean(5));',
      code: 5,
      says: '`console.log("q", net[0].mean(5))` (train.mjs:55) changes `net`',
      marks: ["diverged"],
    },
  },
};
