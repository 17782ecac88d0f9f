/** What functions of the file do with what is asked, where the older version has it done by other ones. */
import { beforeAll, expect, test } from "vitest";
import { landed, loop } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

/** The lines before a loop and in it, in the older version and in the newer one. */
interface Part {
  readonly head: readonly string[];
  readonly body: readonly string[];
}
type Row = readonly [then: Part, now: Part];

const py = (value: string): string => `print("q", ${value})  # asked`;
const ts = (value: string): string => `console.log("q", ${value}); // asked`;

const UPDATE = [
  "# Weights",
  "def update(params, lr):",
  "    for p in params:",
  '        p["w"] -= lr * p["g"]',
];
const ZERO = ["def zero(params):", "    for p in params:", '        p["g"] = 0.0'];
const STEP = ["e = error(params, epoch)", "for p in params:", '    p["g"] += e'];
const SGD = [
  "# Weights",
  "class SGD:",
  "    def __init__(self, params):",
  "        self.params = params",
  "    def step(self):",
  "        for p in self.params:",
  "            p.w -= 0.1 * p.grad",
];
const METER = ["# A mean", "class Meter:", "    def add(self, x):", "        self.total += x"];
const REPORT = ["    def report(self):", "        print(self.total)"];
const ADD = [
  "    def add(self, item):",
  "        self.items.append(item)",
  "        n = len(self.items)",
];
const LAYERS = "let rate = 1; const layers = [{ w: 0.1, g: 0 }];";
const APPLY = ["function update() {", "  for (const l of layers) {", "    l.w -= rate * l.g;"];
const ERROR = ["def sq(a, b):", "    d = a - b"];

const asked: Record<string, Row> = {
  "a function also empties what is shown": [
    { head: [...UPDATE, '        p["g"] = 0.0'], body: [...STEP, "update(params, 0.1)"] },
    {
      head: [...UPDATE, ...ZERO],
      body: ["zero(params)", ...STEP, "update(params, 0.1)", py('sum(p["g"] for p in params)')],
    },
  ],
  "a method does": [
    { head: [...SGD, "            p.grad = 0.0"], body: ["grow(params)", "opt.step()"] },
    { head: SGD, body: ["grow(params)", "opt.step()", py("params[0].grad")] },
  ],
  "in TypeScript": [
    {
      head: [LAYERS, ...APPLY, "    l.g = 0;", "  }", "}"],
      body: ["grow(layers);", "update();", "show(layers);"],
    },
    {
      head: [LAYERS, ...APPLY, "  }", "}"],
      body: ["grow(layers);", "update();", ts("layers[0].g"), "show(layers);"],
    },
  ],
  "in an arrow function that was a function expression": [
    {
      head: [
        LAYERS,
        "const update = function (rate = 1) {",
        ...APPLY.slice(1),
        "    l.g = 0;",
        "  }",
        "};",
      ],
      body: ["grow(layers);", "update();", "show(layers);"],
    },
    {
      head: [LAYERS, "const update = (rate = 1) => {", ...APPLY.slice(1), "  }", "};"],
      body: ["grow(layers);", "update();", ts("layers[0].g"), "show(layers);"],
    },
  ],
  "a variable from around it": [
    {
      head: ["# A buffer", "buf = []", "def learn():", "    fit(buf)", "    buf.clear()"],
      body: ["buf.append(epoch)", "learn()"],
    },
    {
      head: ["# A buffer", "buf = []", "def learn():", "    fit(buf)"],
      body: ["buf.append(epoch)", "learn()", py("len(buf)"), "buf.clear()"],
    },
  ],
  "what reports also begins anew": [
    {
      head: [...METER, ...REPORT, "        self.total = 0.0", "meter = Meter()"],
      body: ["meter.add(epoch)", "meter.report()"],
    },
    {
      head: [...METER, ...REPORT, "meter = Meter()"],
      body: ["meter.add(epoch)", "meter.report()", py("meter.total")],
    },
  ],
  "a parameter is handed what another one was": [
    {
      head: ["# Errors", ...ERROR, "    return d * d"],
      body: ["out = w * epoch", "loss = sq(3 * epoch, out)", "w -= loss"],
    },
    {
      head: ["# Errors", ...ERROR, `    ${py("a")}`, "    return d * d"],
      body: ["pred = w * epoch", "goal = 3 * epoch", "loss = sq(pred, goal)", "w -= loss"],
    },
  ],
  "the same, as it is written": [
    {
      head: ["let w = 1;", "function mse(a, b) {", "  const d = a - b;", "  return d * d;", "}"],
      body: ["show(mse(3 * epoch, w * epoch));"],
    },
    {
      head: [
        "let w = 1;",
        "function mse(a, b) {",
        "  const d = a - b;",
        `  ${ts("a")}`,
        "  return d * d;",
        "}",
      ],
      body: ["show(mse(w * epoch, 3 * epoch));"],
    },
  ],
  "of a function that became an arrow function": [
    {
      head: ["let w = 1;", "function mse(a, b) {", "  const d = a - b;", "  return d * d;", "}"],
      body: ["show(mse(3 * epoch, w * epoch));"],
    },
    {
      head: [
        "let w = 1;",
        "const mse = (a, b, k = 1) => {",
        "  const d = a - b;",
        `  ${ts("a")}`,
        "  return d * d;",
        "};",
      ],
      body: ["show(mse(w * epoch, 3 * epoch));"],
    },
  ],
  "methods that say the same, in classes with other names": [
    {
      head: [
        "# Two",
        "class Buffer:",
        ...ADD,
        "        return n",
        "class History:",
        ...ADD,
        "        return n",
      ],
      body: ["rb.add(epoch)", "hist.add(1)"],
    },
    {
      head: [
        "# Two",
        "class Log:",
        ...ADD,
        `        ${py("n")}`,
        "        return n",
        "class Memory:",
        ...ADD,
        "        return n",
      ],
      body: ["memory.add(epoch)", "log.add(1)"],
    },
  ],
  "two functions became one": [
    {
      head: [
        "# Both",
        "def train():",
        "    for x in data:",
        "        e = w * x - 3 * x",
        "        total += e",
        "def test():",
        "    for x in held:",
        "        e = w * x - 3 * x",
        "        total += e",
      ],
      body: ["tr = train()", "te = test()"],
    },
    {
      head: [
        "# Both",
        "def run(rows):",
        "    for x in rows:",
        "        e = w * x - 3 * x",
        `        ${py("e")}`,
        "        total += e",
      ],
      body: ["tr = run(data)", "te = run(held)"],
    },
  ],
};

test.each(Object.entries(asked))("somebody is asked: %s", (_, [then, now]) => {
  expect(landing(then, now).verdict).toBe("review");
});

const answered: Record<string, Row> = {
  "a function that sets it in both": [
    { head: [...UPDATE, '        p["g"] = 0.0'], body: [...STEP, "update(params, 0.1)"] },
    {
      head: [...UPDATE, '        p["g"] = 0.5'],
      body: [...STEP, py('sum(p["g"] for p in params)'), "update(params, 0.1)"],
    },
  ],
  "a function that sets something else besides": [
    { head: [...UPDATE, '        p["n"] = 0.0'], body: [...STEP, "update(params, 0.1)"] },
    { head: UPDATE, body: [...STEP, "update(params, 0.1)", py('sum(p["g"] for p in params)')] },
  ],
  "a parameter that is handed the same under another name": [
    {
      head: ["# Errors", ...ERROR, "    return d * d"],
      body: ["out = w * epoch", "goal = 3 * epoch", "loss = sq(out, goal)", "w -= loss"],
    },
    {
      head: ["# Errors", ...ERROR, `    ${py("a")}`, "    return d * d"],
      body: ["pred = w * epoch", "goal = 3 * epoch", "loss = sq(pred, goal)", "w -= loss"],
    },
  ],
  "a parameter that stands in another place, and is handed the same there": [
    {
      head: ["# Errors", "def sq(scale, a, b):", "    d = a - b", "    return scale * d * d"],
      body: ["pred = w * epoch", "goal = 3 * epoch", "loss = sq(goal, pred, goal)", "w -= loss"],
    },
    {
      head: ["# Errors", ...ERROR, `    ${py("b")}`, "    return d * d"],
      body: ["pred = w * epoch", "goal = 3 * epoch", "loss = sq(pred, goal)", "w -= loss"],
    },
  ],
  "a method that no other class has": [
    { head: ["# One", "class Buffer:", ...ADD, "        return n"], body: ["rb.add(epoch)"] },
    {
      head: ["# One", "class Memory:", ...ADD, `        ${py("n")}`, "        return n"],
      body: ["rb.add(epoch)"],
    },
  ],
  "a function that is called otherwise now": [
    {
      head: ["# Train", "def train():", "    for x in data:", "        e = w * x - 3 * x"],
      body: ["tr = train()"],
    },
    {
      head: [
        "# Train",
        "def train_epoch():",
        "    for x in data:",
        "        e = w * x - 3 * x",
        `        ${py("e")}`,
      ],
      body: ["tr = train_epoch()"],
    },
  ],
};

test.each(Object.entries(answered))("nobody is asked: %s", (_, [then, now]) => {
  const { verdict, warnings } = landing(then, now);
  expect(["exact", "moved"], JSON.stringify(warnings)).toContain(verdict);
});

function landing(then: Part, now: Part): ReturnType<typeof landed> {
  const text = ({ head, body }: Part): string => loop(head.join("\n"), ...body);
  return landed({ then: text(then), now: text(now) });
}
