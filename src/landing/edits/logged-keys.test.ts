/** Keys that were put into a mapping which the run logs as a whole: they become log calls. */
import { beforeAll, describe, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { prepareLanguages } from "../../languages/index.ts";
import { editBetween } from "./align.ts";
import { keysAsLogs } from "./logged-keys.ts";

beforeAll(() => prepareLanguages(["a.py", "a.js"]));

/** A program with `+`, where `, "k": y` or `, k: y` is put in, and whether that is asked. */
type Row = readonly [about: string, text: string, isAsked: boolean];

const ROWS: { readonly [file: string]: readonly Row[] } = {
  "a.py": [
    ["printed", 'm = {"a": x+}\nprint(m)', true],
    ["as a text", 'm = {"a": x+}\nprint(json.dumps(m))', true],
    ["in a text", 'm = {"a": x+}\nprint(f"it is {m}")', true],
    ["item by item", 'm = {"a": x+}\nfor k, v in m.items():\n    print(k, v)', true],
    ["a part of it", 'm = {"a": x+}\nprint(m["a"])', false],
    ["never", 'm = {"a": x+}\ntrain(**m)', false],
    ["elsewhere", 'for i in x:\n    m = {"a": i+}\nprint(m)', false],
    ["in a function", 'def f(n, m):\n    print(n, m)\nm = {"a": x+}\nf(1, m)', true],
    ["another one in a function", 'def f(n, m):\n    print(n)\nm = {"a": x+}\nf(1, m)', false],
    [
      "in a method",
      'class T:\n    def f(self, m):\n        print(m)\nm = {"a": x+}\nT().f(m)',
      true,
    ],
    ["given back", 'def f():\n    return {"a": x+}\nm = f()\nprint(m)', true],
    ["given back by a name", 'def f():\n    m = {"a": x+}\n    return m\nprint(f())', true],
    ["given back to nobody who logs it", 'def f():\n    return {"a": x+}\nm = f()', false],
    [
      "given back and read",
      'def f():\n    return {"a": x+}\nm = f()\nprint(m)\nuse(m["k"])',
      false,
    ],
  ],
  "a.js": [
    ["printed", "const m = { a: x+ };\nconsole.log(m);", true],
    ["as a text", "const m = { a: x+ };\nconsole.log(JSON.stringify(m));", true],
    [
      "item by item",
      "const m = { a: x+ };\nfor (const [k, v] of Object.entries(m)) console.log(k, v);",
      true,
    ],
    ["a part of it", "const m = { a: x+ };\nconsole.log(m.a);", false],
    [
      "in a function",
      "function f(n, m) {\n  console.log(n, m);\n}\nconst m = { a: x+ };\nf(1, m);",
      true,
    ],
    ["given back", "function f() {\n  return { a: x+ };\n}\nconst m = f();\nconsole.log(m);", true],
  ],
};

describe.each(Object.keys(ROWS))("%s", (file) => {
  test.each(ROWS[file] ?? [])("%s", (_, text, isAsked) => {
    const key = file === "a.py" ? ', "k": y' : ", k: y";
    const [then, now] = ["", key].map((more) => parsed(file, `${text.replace("+", more)}\n`));
    if (!then || !now) throw new Error("it does not parse");
    const asked = keysAsLogs(editBetween(then, now), { handsFree: true }, () => true);
    expect(asked !== undefined, asked).toBe(isAsked);
  });
});
