/**
 * State of a run that no variable leads to plainly: what functions, and objects of the platform, keep to
 * themselves. A loop changes it, and a question is put where that loop is skipped. The truth is the program
 * with the question in it from the start: what is promised must be right.
 */
import { describe, expect, test } from "vitest";
import { ask, byPlace, costOf } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";
import { logged } from "../support/replay.ts";

interface Program {
  readonly file: string;
  /** `ASK` stands where the question is put. */
  readonly text: string;
  readonly question: string;
  /** Iterations of innermost loops that are executed for it; without it: none. */
  readonly executed?: number;
}

/** What comes back with a checkpoint. */
const RESTORED: { readonly [name: string]: Program } = {
  "Python: what only functions hold": {
    file: "train.py",
    text: `import functools

class Counter:
    def __init__(self):
        self.n = 0
    def bump(self):
        self.n += 1
        return self.n

def add(box, v, kept=None):
    box.append(v)
    if kept is not None:
        kept["last"] = v

bump, append = Counter().bump, [].append
partial = functools.partial(add, [], kept={})
hooks = {"on": Counter().bump}
w = 1.0
for epoch in range(3):
    for step in range(4):
        w += step * 0.5
        bump()
        append(w)
        partial(w)
        hooks["on"]()
    print("w", w)
    # ASK
`,
    question:
      'print("ask", [bump.__self__.n, append.__self__[-1], partial.args[0][-1], ' +
      'partial.keywords["kept"]["last"], hooks["on"].__self__.n])',
  },
  "JavaScript: variables of methods that are not under way": {
    file: "train.mjs",
    text: `class Row {
  constructor(v) { this.v = v; }
  map(f) { for (let i = 0; i < this.v.length; i++) this.v[i] = f(this.v[i], i); return this; }
  add(o) { return this.map((v, i) => v + o.v[i]); }
}
class Net {
  constructor() { this.w = new Row([0.5, 0.25]); }
  ask(x) { const h = new Row([0, 0]).map((_, i) => x[i]); h.add(this.w); return h.v; }
  fit(x) { this.w.add(new Row([0, 0]).map((_, i) => 0.1 * this.ask(x)[i])); }
}
const net = new Net();
for (let epoch = 0; epoch < 3; epoch++) {
  for (let step = 0; step < 4; step++) net.fit([epoch, step]);
  // ASK
  console.log("out", net.ask([1, 0])[0]);
}
`,
    // What stands behind the loop of a method is executed with it: two loops of two in every epoch.
    executed: 12,
    question: 'const all = net.ask([1, 1]);\n  console.log("ask", [...all, ...net.w.v]);',
  },
  "JavaScript: what only bound functions hold": {
    file: "t.mjs",
    text: `function bump() { return ++this.n; }
function look() { return this.n; }
function bound(s) { return [bump.bind(s), look.bind(s)]; }
const [up, seen] = bound({ n: 0 });
const made = (box) => ({ on: ((b, v) => b.push(v)).bind(null, box), last: ((b) => b.at(-1)).bind(null, box) });
const hooks = made([]);
let w = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  for (let step = 0; step < 4; step++) {
    w += step * 0.5;
    up();
    hooks.on(w);
  }
  console.log("w", w);
  // ASK
}
`,
    question: 'console.log("ask", [seen(), hooks.last()]);',
  },
};

async function recorded({ file, text }: Program): Promise<TestProject> {
  const project = new TestProject({ [file]: text });
  const { code, stderr } = await project.afterlog("run", "--overhead", "inf", file);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return project;
}

describe("state that hides", () => {
  test.each(Object.entries(RESTORED))("%s", { timeout: 120_000 }, async (_, program) => {
    const text = program.text.replace(/(?:#|\/\/) ASK/, program.question);
    using truth = await recorded({ ...program, text });
    using project = await recorded(program);
    project.write(program.file, text);
    const answer = await ask(project, ["ask"]);
    const { iterations, notes } = costOf(answer);
    const context = `${answer.stderr} ${notes.join("; ")}`;
    const expected = logged(truth.records)
      .filter(({ name }) => name === "ask")
      .map((one) => ({ ...one, value: JSON.stringify(one.value) }));
    expect(expected).toHaveLength(3);
    expect(byPlace(answer.cells), context).toEqual(byPlace(expected));
    expect(new Set(answer.cells.map(({ check }) => check)), context).toEqual(new Set(["verified"]));
    expect(iterations, context).toBe(program.executed ?? 0);
  });
});
