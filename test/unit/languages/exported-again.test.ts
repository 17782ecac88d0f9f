/** What a file exports of others is what they have: a loop that calls it changes what it is given. */
import { expect, test } from "vitest";
import { analyzeProgram } from "../../../src/languages/index.ts";

const FILES: { readonly [file: string]: string } = {
  "a.ts": "export function bump(x: { n: number }) { x.n++; }",
  "d.ts": "export default function bump(x: { n: number }) { x.n++; }",
  "c.cjs": "module.exports = { bump(x) { x.n++; } };",
  "cfg.json": '{ "deep": { "n": 0 } }',
};

/** Names that a loop changes which makes a call, other than its own. */
function check(imports: string, index: string, call: string): string[] {
  const text = `${imports}\nconst box = { n: 0 };\nfor (let i = 0; i < 3; i++) { ${call}; console.log("n", box.n); }\n`;
  const files = { ...FILES, "index.ts": index, "t.ts": text };
  const read = (file: string): string | undefined => files[file as keyof typeof files];
  const { loops, uncertain } = analyzeProgram("t.ts", read, { handsFree: true });
  if (uncertain.length > 0) return [...uncertain];
  return loops
    .flatMap(({ changes }) => changes.map(({ name }) => name))
    .filter((one) => one !== "i");
}

const BUMP = 'import { bump } from "./index";';
const NS = 'import { ns } from "./index";';
const ALL = 'import * as ns from "./index";';

test.each([
  [BUMP, 'export { bump } from "./a";', "bump(box)"],
  [BUMP, 'export { default as bump } from "./d";', "bump(box)"],
  [BUMP, 'export { bump } from "./c.cjs";', "bump(box)"],
  [BUMP, 'export * from "./c.cjs";', "bump(box)"],
  [BUMP, 'export { bump } from "pkg";', "bump(box)"],
  [BUMP, 'import { bump } from "pkg"; export { bump };', "bump(box)"],
  [BUMP, 'import bump from "pkg"; export { bump };', "bump(box)"],
  [BUMP, 'export * from "pkg";', "bump(box)"],
  [NS, 'export * as ns from "./a";', "ns.bump(box)"],
  [NS, 'import * as ns from "./a"; export { ns };', "ns.bump(box)"],
  [NS, 'export * as ns from "pkg";', "ns.bump(box)"],
  [NS, 'export { default as ns } from "./c.cjs";', "ns.bump(box)"],
  [NS, 'import ns from "./c.cjs"; export { ns };', "ns.bump(box)"],
  [ALL, 'export * from "pkg";', "ns.bump(box)"],
  [ALL, 'export * as ns from "./a";', "ns.ns.bump(box)"],
  ['import bump from "./index";', 'import { bump } from "pkg"; export default bump;', "bump(box)"],
  ['const { bump } = await import("./index");', 'export { bump } from "pkg";', "bump(box)"],
  ['const { bump } = require("./index");', 'export { bump } from "pkg";', "bump(box)"],
])("%s of %s: %s", (imports, index, call) => {
  expect(check(imports, index, call)).toContain("box");
});

test.each([
  ['import cfg from "./cfg.json";', "", "cfg.deep.n++", ["cfg"]],
  ['import { deep } from "./cfg.json";', "", "deep.n++", ["deep"]],
  [
    'import { cfg } from "./index";',
    'export { default as cfg } from "./cfg.json";',
    "cfg.deep.n++",
    ["index.ts: ./cfg.json has no variable"],
  ],
  ['import * as cfg from "./cfg.json";', "", "cfg.deep.n++", ["t.ts: ./cfg.json has no variable"]],
  [
    'import { cfg } from "./index";',
    'import cfg from "./cfg.json"; export { cfg };',
    "cfg.deep.n++",
    ["cfg"],
  ],
  ['const cfg = require("./cfg");', "", "cfg.deep.n++", ["cfg"]],
  ["", "", "Object.prototype.toString.call(box)", []],
  ["", "", 'Object.prototype.hasOwnProperty.call(box, "n")', []],
])("%s of %s: %s changes %j", (imports, index, call, expected) => {
  expect(check(imports, index, call)).toEqual(expected);
});
