/**
 * @file What a program of the hunt keeps and draws from, in both languages. State is a `Gadget`, as
 * `test/truth` has them for JavaScript; those of Python stand here, written in the same way: `$` is
 * the number of the piece, `V` a number in [0, 1). What no execution gives twice is a `Source`.
 */
import type { Gadget } from "../truth/gadgets.ts";
import { USUAL } from "../truth/gadgets.ts";
import { RARE } from "../truth/rare-gadgets.ts";

export type Language = "python" | "typescript";

/** `drives`: it has loops of its own, and stands among the steps. */
export type Ingredient = Gadget & { readonly drives?: true };

export type Gadgets = { readonly [kind: string]: Ingredient };

/** A call whose result differs in each execution: a clock, entropy, a fact of the process. */
export interface Source {
  readonly import?: string;
  readonly call: string;
}

const number = (declare: string, update: string, value: string): Gadget => ({
  declare,
  update,
  value,
  read: value,
});

const PYTHON_GADGETS: Gadgets = {
  accumulator: number("total$ = 0.5", "total$ = mix(total$, V)", "total$"),
  swap: number("left$, right$ = 0.1, 0.9", "left$, right$ = right$, mix(left$, V)", "left$"),
  appended: number(
    "hist$ = [0.25]",
    "hist$.append(mix(hist$[-1], V))\nif len(hist$) > 4:\n    del hist$[0]",
    "hist$[-1]",
  ),
  nested: number(
    'cfg$ = {"lr": 0.1, "inner": {"list": [0.3]}}',
    'cfg$["inner"]["list"][0] = mix(cfg$["inner"]["list"][0], V)\ncfg$["lr"] *= 0.9',
    'cfg$["inner"]["list"][0]',
  ),
  aliases: number(
    "xs$ = [0.1, 0.2]\nys$ = xs$",
    "ys$[0] = mix(xs$[0], V)\nif V > 0.7:\n    ys$ = list(xs$)",
    "xs$[0]",
  ),
  searched: {
    module: `def search$(v, x):
    for a in range(2):
        for b in range(3):
            v = mix(v, x + b)
            if v > 0.6:
                return v
        v = mix(v, a)
    return mix(v, 0.5)`,
    ...number("found$ = 0.1", "found$ = search$(found$, V)", "found$"),
  },
  deque: {
    module: "import collections",
    ...number(
      "recent$ = collections.deque([0.1], maxlen=3)",
      "recent$.append(mix(recent$[-1], V))",
      "recent$[-1]",
    ),
  },
  counted: {
    module: "import collections",
    ...number(
      "seen$ = collections.defaultdict(float)",
      "seen$[int(V * 3)] += V\nseen$[9] = mix(seen$[9], V)",
      // To read a key that is not there would make it.
      "seen$.get(9, 0.1)",
    ),
  },
  instance: {
    module: `class Meter$:
    def __init__(self):
        self.v, self.n = 0.3, 0
    def add(self, x):
        self.v = mix(self.v, x)
        self.n += 1
        return self
    @property
    def mean(self):
        return self.v / (self.n + 1)`,
    ...number("meter$ = Meter$()", "meter$.add(V)", "meter$.mean"),
  },
  heir: {
    module: `class Base$:
    shared = [0.2]
    def bump(self, x):
        self.v = mix(getattr(self, "v", 0.1), x)
class Heir$(Base$):
    def bump(self, x):
        super().bump(x)
        self.shared[0] = mix(self.shared[0], self.v)`,
    ...number("heir$ = Heir$()", "heir$.bump(V)", "heir$.shared[0]"),
  },
  record: {
    module:
      "import dataclasses\n@dataclasses.dataclass\nclass Row$:\n    v: float = 0.1\n    n: int = 0",
    ...number(
      "row$ = Row$()",
      "row$ = dataclasses.replace(row$, v=mix(row$.v, V), n=row$.n + 1)",
      "row$.v",
    ),
  },
  closure: {
    module: `def schedule$(base):
    t = 0
    def tick(x):
        nonlocal t, base
        t += 1
        base = mix(base, x + t)
        return base
    return tick`,
    ...number("tick$ = schedule$(0.1)\nrate$ = 0.2", "rate$ = tick$(V)", "rate$"),
  },
  generator: {
    module: "def stream$():\n    i = 0\n    while True:\n        i += 1\n        yield mix(i, 0.5)",
    ...number("gen$ = stream$()\ndrawn$ = 0.1", "drawn$ = mix(next(gen$), V)", "drawn$"),
  },
  drawingGenerator: {
    module: "def noise$():\n    while True:\n        yield random.random()",
    ...number("rng$ = noise$()\nnoisy$ = 0.1", "noisy$ = mix(next(rng$), noisy$)", "noisy$"),
  },
  ownRandom: number(
    "own$ = random.Random(3)\npicked$ = 0.1",
    "picked$ = mix(own$.random(), V)",
    "picked$",
  ),
  globalName: {
    module: "shared$ = 0.1\ndef touch$(x):\n    global shared$\n    shared$ = mix(shared$, x)",
    ...number("", "touch$(V)", "shared$"),
  },
  functionAttribute: {
    module: "def calls$():\n    return calls$.v\ncalls$.v = 0.1",
    ...number("", "calls$.v = mix(calls$(), V)", "calls$()"),
  },
  defaultArgument: {
    module: "def kept$(x, to=[0.1]):\n    to[0] = mix(to[0], x)\n    return to[0]",
    ...number("told$ = 0.3", "told$ = kept$(V)", "told$"),
  },
  memo: {
    module:
      "import functools\n@functools.lru_cache(None)\ndef memo$(k):\n    return mix(k, random.random())",
    ...number("known$ = 0.1", "known$ = mix(memo$(int(V * 3)), known$)", "known$"),
  },
  decorated: {
    module: `def counting$(fn):
    def inner(x):
        inner.n += 1
        return mix(fn(x), inner.n)
    inner.n = 0
    return inner
@counting$
def scaled$(x):
    return x * 0.7`,
    ...number("scale$ = 0.1", "scale$ = scaled$(V)", "scale$"),
  },
  otherFile: {
    module: "import lib$",
    file: [
      "lib$.py",
      "rate = 0.5\ntable = {'n': 0}\ndef decay(v):\n    global rate\n    table['n'] += 1\n    rate = (rate * 7.13 + v + table['n']) % 1\n",
    ],
    ...number("", "lib$.decay(V)", "lib$.rate"),
  },
  file: number(
    'open("notes$.txt", "w").close()\nread$ = 0.1',
    'with open("notes$.txt", "a") as out$:\n    out$.write(f"{V}\\n")\nwith open("notes$.txt") as back$:\n    read$ = mix(len(back$.readlines()), V)',
    "read$",
  ),
  context: {
    module: "import decimal",
    ...number(
      "exact$ = 0.1",
      "decimal.getcontext().prec = 3 + int(V * 9)\nexact$ = float(decimal.Decimal(1) / decimal.Decimal(7)) + exact$ % 0.1",
      "exact$",
    ),
  },
  threads: {
    module: `from concurrent.futures import ThreadPoolExecutor
def work$(x):
    total = 0.0
    for i in range(3):
        total = mix(total, x + i)
    return total`,
    ...number(
      "parts$ = [0.1, 0.2]",
      "with ThreadPoolExecutor(2) as pool$:\n    parts$ = list(pool$.map(work$, [p + V for p in parts$]))",
      "parts$[0]",
    ),
  },
  packageCounter: {
    module: "import threading",
    ...number(
      "made$ = 0.1",
      'made$ = mix(int("".join(c for c in threading.Thread(target=int).name if c.isdigit())), V)',
      "made$",
    ),
  },
  counter: {
    module: "import itertools",
    ...number("ids$ = itertools.count(3)\nid$ = 0.1", "id$ = mix(next(ids$), V)", "id$"),
  },
  tasks: {
    module: `import asyncio
async def fetch$(x):
    for i in range(2):
        await asyncio.sleep(0)
        x = mix(x, i)
    return x
async def both$(x):
    return await asyncio.gather(fetch$(x), fetch$(1 - x))`,
    ...number("pair$ = [0.1, 0.2]", "pair$ = asyncio.run(both$(V))", "pair$[1]"),
  },
};

/** A model that is trained, and its data in another order in each pass: in one program of ten. */
const TORCH_MODEL: Gadget = {
  module: `import torch
from torch import nn
torch.manual_seed(5)
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 4)
        self.norm = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(4, 1)
    def forward(self, x):
        return self.out(self.drop(torch.tanh(self.norm(self.layer(x)))))`,
  ...number(
    `modelT = Model()
optT = torch.optim.Adam(modelT.parameters(), lr=0.01)
dataT = torch.utils.data.TensorDataset(torch.linspace(-1, 1, 12).reshape(-1, 1))
loaderT = torch.utils.data.DataLoader(dataT, batch_size=4, shuffle=True)`,
    `for (batchT,) in loaderT:
    errorT = ((modelT(batchT) - batchT * V) ** 2).mean()
    optT.zero_grad()
    errorT.backward()
    <<clipT: nn.utils.clip_grad_norm_(modelT.parameters(), 0.5)>>
    optT.step()`,
    "frac(modelT.out.weight[0, 0].item())",
  ),
};

const NUMPY: Gadgets = {
  numpyGlobal: {
    module: "import numpy as np",
    ...number(
      "np.random.seed(3)\nvec$ = np.zeros(3)",
      "vec$ = vec$ * 0.5 + np.random.rand(3) * V",
      "frac(float(vec$[0]))",
    ),
  },
  numpyGenerator: {
    module: "import numpy as np",
    ...number(
      "rng$ = np.random.default_rng(5)\npick$ = 0.1",
      "pick$ = mix(float(rng$.random()), V)",
      "pick$",
    ),
  },
  numpyView: {
    module: "import numpy as np",
    ...number(
      "buf$ = np.full(4, 0.2)\nview$ = buf$[1:3]",
      "view$ += V\nview$ %= 1",
      "float(buf$[1])",
    ),
  },
};

/** A model whose training drives its own loops, over samples in another order in each epoch. */
const TFJS_MODEL: Gadget = {
  module: 'import * as tf from "@tensorflow/tfjs";',
  ...number(
    `await tf.setBackend("cpu");
const modelT = tf.sequential({ layers: [tf.layers.dense({ units: 1, inputShape: [1] })] });
modelT.compile({ optimizer: tf.train.sgd(0.1), loss: "meanSquaredError" });
modelT.setWeights([tf.tensor2d([[0.3]]), tf.tensor1d([0.1])]);
const samplesT = tf.tensor2d([[0.1], [0.4], [0.7], [0.9]]); let fittedT = 0.1;`,
    `const targets = samplesT.mul(V); await modelT.fit(samplesT, targets, { epochs: 3, batchSize: 1, verbose: 0 }); fittedT = frac(Math.abs(modelT.getWeights()[0].dataSync()[0] * 7));`,
    "fittedT",
  ),
};

export type Package = "numpy" | "torch" | "tfjs";

/** Of the packages that not every machine has, those of which a program has one for certain. */
export const PACKAGED: { readonly [which in Package]: Gadgets } = {
  numpy: NUMPY,
  torch: { torch: { ...TORCH_MODEL, drives: true } },
  tfjs: { tfjs: { ...TFJS_MODEL, drives: true } },
};

/** `al.` is what the programs of the hunt do not import. */
const usesSdk = ({ declare, update }: Gadget): boolean => /\bal\./.test(declare + update);

const TYPESCRIPT_GADGETS: Gadgets = {
  ...Object.fromEntries(Object.entries({ ...USUAL, ...RARE }).filter(([, one]) => !usesSdk(one))),
  searched: {
    module: `function search$(v, x) {
  for (let a = 0; a < 2; a++) {
    for (let b = 0; b < 3; b++) {
      v = mix(v, x + b);
      if (v > 0.6) return v;
    }
    v = mix(v, a);
  }
  return mix(v, 0.5);
}`,
    ...number("let found$ = 0.1;", "found$ = search$(found$, V);", "found$"),
  },
  uniqueId: {
    module: 'import lodash$ from "lodash";',
    ...number("let id$ = 0.1;", "id$ = mix(Number(lodash$.uniqueId()), V);", "id$"),
  },
  tally: {
    module: 'import tally$ from "tally";',
    ...number("let tallied$ = 0.1;", "tallied$ = mix(tally$(V), V);", "tallied$"),
  },
  loadedTogether: {
    module:
      "async function load$(x) { for (let i = 0; i < 3; i++) { if (x > 0.5) await null; x = mix(x, i); } return x; }",
    ...number(
      "let loaded$ = [0.1, 0.2];",
      "loaded$ = await Promise.all([load$(V), load$(1 - V)]);",
      "mix(loaded$[0], loaded$[1])",
    ),
    awaits: true,
  },
  raced: {
    module: `import { readFile as read$ } from "node:fs/promises";
async function race$(x) {
  await (x > 0.5 ? read$("package.json") : new Promise((done) => setTimeout(done, 1)));
  for (let i = 0; i < 3; i++) x = mix(x, i);
  return x;
}`,
    file: ["package.json", '{ "private": true }\n'],
    ...number(
      "let raced$ = [0.1, 0.2];",
      "raced$ = await Promise.all([race$(V), race$(1 - V)]);",
      "mix(raced$[0], raced$[1])",
    ),
    awaits: true,
  },
  file: {
    module: 'import * as files$ from "node:fs";',
    ...number(
      'files$.writeFileSync("notes$.txt", ""); let read$ = 0.1;',
      'files$.appendFileSync("notes$.txt", `${V}\\n`); read$ = mix(files$.readFileSync("notes$.txt", "utf8").split("\\n").length, V);',
      "read$",
    ),
  },
};

export const GADGETS: { readonly [language in Language]: Gadgets } = {
  python: PYTHON_GADGETS,
  typescript: TYPESCRIPT_GADGETS,
};

/** What checkpoints hold: a program that keeps nothing else can be asked without executing all of it. */
export const HELD: { readonly [language in Language]: readonly string[] } = {
  python: [
    ..."accumulator swap appended nested aliases searched deque instance record".split(" "),
    ..."ownRandom globalName otherFile file counter".split(" "),
  ],
  typescript: [...Object.keys(USUAL), "searched", "file"].filter((kind) => {
    return kind in TYPESCRIPT_GADGETS;
  }),
};

/** Of all kinds those that are easily missed: state of packages and files, what runs beside. */
export const HARD: { readonly [language in Language]: readonly string[] } = {
  python: ["packageCounter", "threads", "tasks", "file", "drawingGenerator", "memo"],
  typescript: ["uniqueId", "tally", "loadedTogether", "raced", "file", "drawingGenerator"],
};

export const SOURCES: { readonly [language in Language]: readonly Source[] } = {
  python: [
    { import: "import time", call: "time.time()" },
    { import: "import time", call: "time.perf_counter()" },
    { import: "import datetime", call: "datetime.datetime.now().timestamp()" },
    { import: "import os", call: "int.from_bytes(os.urandom(2), 'big') / 65536" },
    { import: "import uuid", call: "uuid.uuid4().int % 9973 / 9973" },
    { import: "import secrets", call: "secrets.randbelow(9973) / 9973" },
    { import: "import os", call: "os.getpid() / 7919" },
    { call: "id(object()) / 7919" },
  ],
  typescript: [
    { call: "Date.now() / 997" },
    { call: "performance.now()" },
    { call: "Number(process.hrtime.bigint() % 9973n) / 9973" },
    { import: 'import { randomInt } from "node:crypto";', call: "randomInt(9973) / 9973" },
    { call: "Number.parseInt(crypto.randomUUID().slice(0, 6), 16) / 2 ** 24" },
    { call: "crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32" },
    { call: "process.pid / 7919" },
  ],
};

/** What differs each time, and nobody can know it: it is seen when it is compared. */
export const UNKNOWN: { readonly [language in Language]: Source } = {
  python: { call: 'float(open("/proc/uptime").read().split()[0])' },
  typescript: {
    import: 'import { readFileSync as look } from "node:fs";',
    call: 'Number.parseFloat(look("/proc/uptime", "utf8"))',
  },
};

/**
 * Packages that keep something: one that is known by its name, so that its state is easily missed, and
 * one that nobody knows.
 */
export const PACKAGES: { readonly [name: string]: string } = {
  "node_modules/lodash/package.json":
    '{ "name": "lodash", "version": "4.17.21", "main": "lodash.js" }',
  "node_modules/lodash/lodash.js":
    "let counter = 0;\nmodule.exports = { uniqueId: () => String(++counter) };\n",
  "node_modules/tally/package.json": '{ "name": "tally", "version": "1.0.0", "main": "tally.js" }',
  "node_modules/tally/tally.js":
    "const seen = [];\nmodule.exports = (value) => seen.push(value) + seen[0];\n",
};
