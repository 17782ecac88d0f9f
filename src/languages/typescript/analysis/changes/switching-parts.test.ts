import { expect, test } from "vitest";
import { LOOP_RULES } from "../../../../format/index.ts";
import { analyzeFiles } from "../../analyze.ts";

const PROGRAM = `import { fit } from "package";
class Model {
  w = [1, 2]; training = true; cache = new Map(); total = 0;
  forward(x) { return x.map((v, i) => v * this.w[i]); }
  eval() { this.training = false; }
  set(name, value) { this[name] = value; }
  count(x) { this.total += x; this.w[0] = x; this.cache.set(x, 1); return this; }
}
const model = new Model();
const xs = [[1, 2], [3, 4]];
const dot = (a, b) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * b[i]; return s; };
function accuracy(m, data) { const out = []; for (const x of data) out.push(dot(m.forward(x), x)); return out; }
function evaluate(m) { m.eval(); return accuracy(m, xs); }
function given(f) { return f(model); }
for (let epoch = 0; epoch < 3; epoch++) {
  model.count(epoch);
  /*part*/
}
evaluate(model);
`;

/** Whether statements in the loop may switch a flag. */
function maySwitchIn(part: string): boolean {
  const text = PROGRAM.replace("/*part*/", part);
  const read = (file: string): string | undefined => (file === "train.ts" ? text : undefined);
  const mode = { handsFree: true, loopRules: LOOP_RULES };
  const { units, maySwitch } = analyzeFiles("train.ts", read, mode);
  const unit = units.get("train.ts")?.unit;
  if (!unit) throw new Error("not walked");
  const start = text.indexOf(part);
  return maySwitch(unit, { start, end: start + part.length });
}

test.each([
  "const acc = accuracy(model, xs); console.log(acc.length);",
  "const y = model.forward(xs[0]); let s = 0; for (const v of y) s += v; console.log(s);",
  "const found = { training: true }; console.log(found.training, dot(xs[0], xs[1]));",
  "const sums = xs.map((x) => dot(x, x)); sums.sort(); console.log(Math.max(...sums));",
])("switches nothing: %s", (part) => expect(maySwitchIn(part)).toBe(false));

test.each([
  ["by itself", "model.training = false; console.log(accuracy(model, xs));"],
  ["in a method", "model.eval(); console.log(accuracy(model, xs));"],
  ["in a function that it calls", "console.log(evaluate(model));"],
  ["by a computed key", 'model.set("training", false);'],
  ["in a package", "console.log(fit(model));"],
  ["in what a function is given", "console.log(given(fit));"],
  ["in a function that is made here", "const f = (m) => m.eval(); f(model);"],
  ["by a key of many", "Object.assign(model, { training: false });"],
  ["in code that waits", "xs.forEach((x) => model.eval());"],
])("may switch: %s", (_, part) => expect(maySwitchIn(part)).toBe(true));
