import { expect, test } from "vitest";
import { LOOP_RULES } from "../../../../format/index.ts";
import { analyzeFiles } from "../../analyze.ts";
import type { PartEffect } from "./effect-of-part.ts";

const PROGRAM = `import { fit } from "package";
class Model {
  w = [1, 2]; training = true; cache = new Map(); total = 0;
  forward(x) { return x.map((v, i) => v * this.w[i]); }
  eval() { this.training = false; }
  set(name, value) { this[name] = value; }
  count(x) { this.total += x; this.w[0] = x; this.cache.set(x, 1); return this; }
}
const model = new Model();
let total = 0;
const tick = (() => { let n = 0; return () => ++n; })();
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

/** What statements in the loop may do. */
function effectIn(part: string): PartEffect {
  const text = PROGRAM.replace("/*part*/", part);
  const read = (file: string): string | undefined => (file === "train.ts" ? text : undefined);
  const mode = { handsFree: true, loopRules: LOOP_RULES };
  const { units, effectOfPart } = analyzeFiles("train.ts", read, mode);
  const unit = units.get("train.ts")?.unit;
  if (!unit) throw new Error("not walked");
  const start = text.indexOf(part);
  return effectOfPart(unit, { start, end: start + part.length });
}

test.each([
  ["what only computes", "const y = dot(xs[0], xs[1]); console.log(y, Math.max(y, 1));"],
  ["calls that only compute", "for (const x of xs) { const y = dot(x, x); console.log(y); }"],
  ["an object that is made", "const found = { training: true }; console.log(found.training);"],
])("changes nothing: %s", (_, part) => expect(effectIn(part)).toBe("nothing"));

test.each([
  ["a list that is made", "const acc = accuracy(model, xs); console.log(acc.length);"],
  ["a variable of the program", "total = 1; console.log(dot(xs[0], xs[1]));"],
  ["a list of the program", "xs.push([dot(xs[0], xs[1]), 1]);"],
  ["in a function", "model.count(1);"],
  ["a variable in a closure", "tick(); console.log(1);"],
])("switches nothing, but may change: %s", (_, part) => expect(effectIn(part)).toBe("no-flag"));

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
])("may switch: %s", (_, part) => expect(effectIn(part)).toBe("any"));
