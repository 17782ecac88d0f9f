/** @file The training of the hunt, in Python. */
import type { Base } from "./base.ts";
import { indented, moved, replaced } from "./base.ts";

const COUNTED = `    <<steps: for @step in range(3):>>
        <<truth: print("> step")>>
        <<drawn: x = random.random()>>
`;
const GIVEN = `    <<steps: for x in draws(3):>>
        <<truth: print("> step")>>
`;

const body = (steps: string): string => `@net = Net()
<<init>>
for @epoch in range(4):
    <<truth: print("> epoch")>>
    @loss = 0.0
    <<epochStart>>
${steps}        <<apply: @loss += mix(@net.forward(x), x)>>
        <<decayed: @net.k = decay(@net.k, @loss)>>
        <<clip: clip(@net)>>
        <<step>>
    <<truth: print("> out")>>
    @ask_acc = mix(@loss, 0.5)
    @net.bias[1] = mix(@net.bias[1], @ask_acc)
    <<epoch>>
    <<lossLine: print("loss", @loss)>>
    <<epochEnd>>
<<truth: print("> end")>>
<<end>>
print("done", @loss)
`;

export const PYTHON: Base = {
  entries: ["train.py"],
  head: `import math
import random
<<imports>>
def mix(a, b):
    x = a * 12.9898 + b * 78.233 + 0.5
    return x - math.floor(x)
def frac(x):
    return x - math.floor(x)
class Net:
    def __init__(self):
        self.k = 0.3
        self.bias = [0.1, 0.2]
        self.training = True
    <<methods>>
    def named(self):
        return [("k", self.k), ("b", self.bias[0])]
    def train(self, on=True):
        self.training = on
    def eval(self):
        self.train(False)
    def forward(self, x):
        out = x * self.k + self.bias[0]
        <<forward>>
        return out * (0.5 + random.random()) if self.training else out
def clip(net):
    most = max(net.bias)
    net.bias = [mix(b, net.k) for b in net.bias]
    return most
<<rate: rate = 0.9>>
def decay(k, loss):
    slope = mix(k, loss)
    <<decayReturn: return slope * rate>>
def draws(count):
    return [random.random() for _ in range(count)]
def evaluate(net, scale):
    total = 0.0
    for i in range(3):
        total += net.forward(i * scale)
        print("inside", total)
    return total
<<functions>>
random.seed(7)
`,
  bodies: [body(COUNTED), body(GIVEN)],
  shapes: [
    (head, text) => head + text,
    (head, text) => `${head}def main():\n${indented(text, "    ")}main()\n`,
    (head, text) =>
      `${head}class Trainer:\n    def fit(self):\n${indented(text, "        ")}Trainer().fit()\n`,
  ],
  draw: "random.random()",
  updated: (update, value) => `v = ${value}\n${update.replaceAll(/\bV\b/g, "v")}`,
  noise: (n, call) => ({
    declare: `now${n} = 0.5\nhad${n} = []`,
    update: `now${n} = CALL(${n}, ${call})\nhad${n}.append(now${n})\nprint("seen${n}", now${n})`,
    value: `frac(now${n})`,
    read: "",
  }),
  noiseEnd: (n) => `print("had${n}", had${n})`,
  preamble: (had) => `import random as RANDOM
import sys as SYS
HAD = ${had}
class ASIDE:
    def __enter__(self):
        self.state = RANDOM.getstate()
        self.torch = SYS.modules.get("torch")
        self.numpy = SYS.modules.get("numpy")
        self.torch_state = self.torch and self.torch.get_rng_state()
        self.numpy_state = self.numpy and self.numpy.random.get_state()
    def __exit__(self, *_):
        RANDOM.setstate(self.state)
        if self.torch:
            self.torch.set_rng_state(self.torch_state)
        if self.numpy:
            self.numpy.random.set_state(self.numpy_state)
`,
  truthFiles: {},
  given: (n) => `HAD["had${n}"].pop(0)`,
  aside: (part) => `with ASIDE():\n${indented(part, "    ")}`,
  older: (text) => {
    const other = replaced(
      replaced(text, "self.k = 0.3", "self.k = 0.25"),
      "total += net.forward(i * scale)",
      "total += net.forward(i + scale)",
    );
    const spare = other.replace(
      /^( *)model\.bias\[1\] = .*$/m,
      "$&\n$1spare = mix(cost, 0.7)\n$1model.k = mix(model.k, spare)",
    );
    const clip = { from: "def clip(net):", to: "rate = 0.9", before: "def evaluate(" };
    return moved(spare, clip);
  },
  tidy: (text) =>
    replaced(text, "import math\nimport random\n", "import random\nimport math\n")
      .replaceAll(/^(?=def |class |@)/gm, "\n\n")
      .replaceAll(/^( *)print\("(\w+)", (.*)\)$/gm, '$1print(\n$1    "$2",\n$1    $3,\n$1)')
      .replaceAll(/^( *)((?:self|net|model)\.k) = (.*)$/gm, "$1# The slope.\n$1$2 = ($3)"),
};
