import { expect, test } from "vitest";
import { parseSource } from "../parse.ts";
import { isLight } from "./light-parts.ts";

const light = (text: string): boolean => isLight(parseSource("t.ts", text).program.body);

test.each([
  'const a = net.w[0] ** 2; console.log("norm", Math.sqrt(a))',
  "const worst = Math.max(...errors.map((e) => Math.abs(e)))",
  "const seen = new Set(); for (const x of xs) seen.add(x.label); seen.size",
  "const counts = {}; for (const k of keys) counts[k] = (counts[k] ?? 0) + 1",
  "const square = (x) => x * x; let s = 0; for (let i = 0; i < w.length; i++) s += square(w[i])",
  "const text = xs.map(String).join(); console.log(text.replace(/a/g, 'b'), Math.random())",
  "function mean(v) { return v.reduce((a, b) => a + b, 0) / v.length } console.log(mean(xs))",
  "const sorted = xs.toSorted((a, b) => a - b); const median = sorted.at(sorted.length >> 1)",
])("switches nothing: %s", (text) => expect(light(text)).toBe(true));

test.each([
  ["a function of the program", "const acc = accuracy(model, test)"],
  ["a method of the program", "model.eval(); console.log(model.w)"],
  ["a function that is handed on", "const out = xs.map(predict)"],
  ["the same by its object", "const out = xs.map(model.predict)"],
  ["the same among others", "const out = xs.map(...given)"],
  ["a property of the program", "model.training = false"],
  ["the same by another name", "const m = model; m.training = false"],
  ["the same by a name that has another", "const m = []; const f = (m) => { m.training = false }"],
  ["the same by a pattern", "({ a: model.training } = given)"],
  ["the same by a loop", "for (model.training of [false]) console.log(1)"],
  ["the same by a count", "model.train++"],
  ["the same by a copy", "Object.assign(model, { training: false })"],
  ["one that was deleted", "delete model.training"],
  ["a list of the program", "losses.push(1)"],
  ["a list that another may be in its place", "let made = []; made = losses; made.push(1)"],
  ["a class", "class A { static { model.eval() } }"],
  ["a getter", "const o = { get x() { return model.eval() } }; o.x"],
  ["a text that is a call", "tag`a`"],
  ["something that is awaited", "const x = await y"],
  ["a method by a name that is computed", "model[name]()"],
  ["an object of the program", "new Model()"],
])("may switch something: %s", (_, text) => expect(light(text)).toBe(false));
