/** Loops that were divided or joined since, with a question in them. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { prepareLanguages } from "../../languages/index.ts";
import { editBetween } from "./align.ts";
import { partedLoops } from "./parted-loops.ts";
import { recognitionBetween } from "./recognise.ts";

beforeAll(() => prepareLanguages(["a.py", "a.mjs"]));

/** The older text, the newer one with lines of the question marked `+`, and the line that is named. */
type Row = readonly [then: string, now: string, line: string];

const LOOP = "for e in range(3):\n";
const W = "    w = w * 0.9 + e\n";
const B = "    b = b + w * 2\n";
const LOG = '    print("b", b)\n';
const ask = (what: string): string => `    print("q", ${what}) #+\n`;
const START = "w = 1.0\nb = 0.0\n";

const ROWS: { readonly [about: string]: Row } = {
  "divided, in the second half": [
    START + LOOP + W + B + LOG,
    START + LOOP + W + LOOP + B + LOG + ask("w"),
    "w = w * 0.9 + e",
  ],
  "divided, in the first half": [
    START + LOOP + W + LOG + B,
    START + LOOP + W + LOG + ask("b") + LOOP + B,
    "b = b + w * 2",
  ],
  "divided, what it reads is in its own half": [
    START + LOOP + W + B + LOG,
    START + LOOP + W + LOOP + B + LOG + ask("b"),
    "",
  ],
  "divided, with another name": [
    START + LOOP + W + B + LOG,
    (START + LOOP + W + LOOP + B + LOG + ask("w")).replace(/\bw\b/g, "weight"),
    "weight = weight * 0.9 + e",
  ],
  joined: [
    START + LOOP + W + LOOP + B + LOG,
    START + LOOP + W + B + LOG + ask("w"),
    "w = w * 0.9 + e",
  ],
  "joined, of two that said the same": [
    START + LOOP + W + B + LOOP + W + LOG,
    START + LOOP + W + B + LOG + ask("w"),
    "w = w * 0.9 + e",
  ],
  "joined, and gathered over all": [
    `${START}${LOOP}${W}${B}${LOOP}${W}print("b", b)\n`,
    `${START}t = 0 #+\n${LOOP}${W}    t += w #+\n${B}print("q", t) #+\nprint("b", b)\n`,
    "w = w * 0.9 + e",
  ],
  "a loop that became an outer one": [
    START + LOOP + W + B + LOG,
    `${START}for k in range(2):\n${(LOOP + W + B + LOG + ask("w")).replace(/^/gm, "    ").trimEnd()}\n`,
    "",
  ],
  "a body that became a function, and is called in another loop as well": [
    `m = M()\n${LOOP}    for k in range(2):\n        m.w = m.w * 0.9 + k\n    print("b", m.w)\n`,
    `m = M()\ndef update():\n    for k in range(2):\n        m.w = m.w * 0.9 + k\nfor k in range(2):\n    update()\n${LOOP}    update()\n    print("b", m.w)\n${ask("m.w * 2")}`,
    "",
  ],
  "another loop before it": [
    START + LOOP + W + B + LOG,
    START + "for i in range(2):\n    b = b + 1\n" + LOOP + W + B + LOG + ask("w"),
    "",
  ],
  "a list that is filled": [
    `w = []\nb = 0\n${LOOP}    w.append(e)\n    b = b + len(w)\n${LOG}`,
    `w = []\nb = 0\n${LOOP}    w.append(e)\n${LOOP}    b = b + len(w)\n${LOG}${ask("len(w)")}`,
    "w.append(e)",
  ],
  "an attribute": [
    `m = M()\nb = 0\n${LOOP}    m.w = m.w * 0.9 + e\n    b = b + m.w\n${LOG}`,
    `m = M()\nb = 0\n${LOOP}    m.w = m.w * 0.9 + e\n${LOOP}    b = b + m.w\n${LOG}${ask("m.w * 2")}`,
    "m.w = m.w * 0.9 + e",
  ],
  "an object that is changed by its method": [
    `m = M()\nb = 0\n${LOOP}    m.step(e)\n    b = b + m.w\n${LOG}`,
    `m = M()\nb = 0\n${LOOP}    m.step(e)\n${LOOP}    b = b + m.w\n${LOG}${ask("m.w * 2")}`,
    "m.step(e)",
  ],
  "inner loops": [
    `${START}for k in range(2):\n${indented(LOOP + W + B + LOG)}`,
    `${START}for k in range(2):\n${indented(LOOP + W + LOOP + B + LOG + ask("w"))}`,
    "w = w * 0.9 + e",
  ],
  "outer loops around the same inner ones": [
    `${START}for k in range(2):\n${indented(LOOP + W + LOOP + B + LOG)}`,
    `${START}for k in range(2):\n${indented(LOOP + W)}for k in range(2):\n${indented(LOOP + B + LOG + ask("w"))}`,
    "w = w * 0.9 + e",
  ],
  "divided, with more in a log line of the run": [
    START + LOOP + W + B + LOG,
    `${START + LOOP + W + LOOP + B}    print("b", b, w) #+\n`,
    "w = w * 0.9 + e",
  ],
  "a line of the run with a part of it named, and another loop that changes the same": [
    START + LOOP + W + B + LOG + LOOP + "    b = b + w * 3\n",
    `${START + LOOP + W}    m = w * 2 #+\n    b = b + m #+\n${LOG}${ask("b + m")}${LOOP}    b = b + w * 3\n    k = b\n`,
    "",
  ],
};

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "    ");
}

/** The same program in JavaScript. */
function javascript(text: string): string {
  const out: string[] = [];
  const open: number[] = [];
  const close = (to: number): void => {
    while ((open.at(-1) ?? -1) >= to) out.push(`${" ".repeat(open.pop() ?? 0)}}`);
  };
  const known = new Set<string>();
  for (const line of text.trimEnd().split("\n")) {
    const depth = line.search(/\S/);
    close(depth);
    const head = /for (\w) in range\((\d)\):/.exec(line);
    if (head) {
      out.push(
        `${" ".repeat(depth)}for (let ${head[1]} = 0; ${head[1]} < ${head[2]}; ${head[1]}++) {`,
      );
      open.push(depth);
      continue;
    }
    if (line.startsWith("def ")) {
      out.push("function update() {");
      open.push(depth);
      continue;
    }
    const own = line
      .trim()
      .replace(/print/, "console.log")
      .replace(/append/, "push")
      .replace(/len\((\w+)\)/g, "$1.length")
      .replace(/= M\(\)/, "= new M()")
      .replace(/( #\+)?$/, (mark) => (mark === "" ? ";" : "; //+"));
    const name = /^(\w+) =/.exec(own)?.[1];
    const isNew = name !== undefined && depth === 0 && !known.has(name);
    if (isNew) known.add(name);
    out.push(`${" ".repeat(depth)}${isNew ? "let " : ""}${own}`);
  }
  close(0);
  return `${out.join("\n")}\n`;
}

const BOTH = Object.entries(ROWS).flatMap(([about, [then, now, found]]) => [
  [`${about} (Python)`, "a.py", then, now, found] as const,
  [`${about} (JavaScript)`, "a.mjs", javascript(then), javascript(now), found] as const,
]);

test.each(BOTH)("%s", (_, file, before, after, found) => {
  const marks = [...after.matchAll(/^.*(?:#|\/\/)\+$/gm)];
  const starts = new Set(marks.map(({ index, 0: line }) => index + line.search(/\S/)));
  const [then, now] = [parsed(file, before), parsed(file, after)];
  if (!then || !now) throw new Error("it does not parse");
  const edit = editBetween(then, now, recognitionBetween(then, now, { handsFree: true }));
  const said = partedLoops(new Map([[file, edit]]), new Map([[file, starts]]));
  const lines = said.map(({ line }) => after.split("\n")[line - 1]?.trim().replace(/;$/, ""));
  const written = found.replace("append", file === "a.py" ? "append" : "push");
  expect(lines).toEqual(found === "" ? [] : [written]);
});
