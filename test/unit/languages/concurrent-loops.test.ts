/** Which loops may be entered by calls that run at the same time: those are no loops of the run. */
import { expect, test } from "vitest";
import { analyzeProgram } from "../../../src/languages/index.ts";

const LOAD =
  "async function load(a) { await a; for (const x of a) console.log('x', x); return a; }";
const TRAIN =
  "async function train(a) { for (const e of a) { await e; console.log('e', e); } return 1; }";

/** Names of the loops that are recorded. */
function loopsOf(text: string): string {
  const read = (file: string): string | undefined => (file === "p.mjs" ? text : undefined);
  const model = analyzeProgram("p.mjs", read, { handsFree: true });
  return model.loops.map(({ name }) => name).join(" ");
}

test.each<[string, string, string]>([
  ["awaited one after the other", `${LOAD} await load([1]); await load([2]);`, "x"],
  ["Promise.all", `${LOAD} await Promise.all([load([1]), load([2])]);`, ""],
  ["one of them alone", `${LOAD} ${TRAIN} await Promise.all([load([1])]); await train([1]);`, "e"],
  ["map", `${LOAD} await Promise.all([[1], [2]].map((a) => load(a)));`, ""],
  [
    "map of async functions",
    `${LOAD} await Promise.all([1].map(async (a) => { await load(a); }));`,
    "",
  ],
  ["kept", `${LOAD} const p = load([1]); const q = load([2]); await p; await q;`, ""],
  [
    "kept in a list",
    `${LOAD} const all = []; for (const i of [1]) all.push(load([i])); await all[0];`,
    "i",
  ],
  [
    "then",
    `${LOAD} const f = (a) => { for (const y of a) console.log('y', y); }; await Promise.all([load([1]).then(f)]);`,
    "",
  ],
  [
    "then, awaited",
    `const f = (a) => { for (const y of a) console.log('y', y); }; await Promise.resolve([1]).then(f);`,
    "y",
  ],
  ["catch, awaited", `${LOAD} await load([1]).catch(() => 0);`, "x"],
  ["or nothing", `${LOAD} const a = process.argv; await (a ? load(a) : null);`, "x"],
  ["returned", `${LOAD} const again = (a) => load(a); await again([1]);`, "x"],
  [
    "a helper",
    `const f = (a) => { for (const y of a) console.log('y', y); }; const g = async (a) => { await a; f(a); }; await Promise.all([g([1]), g([2])]);`,
    "",
  ],
  [
    "nothing is waited for in it",
    `async function f(a) { for (const y of a) console.log('y', y); } f([1]); await 1;`,
    "y",
  ],
  ["main", `${TRAIN} async function main() { await train([1]); } main();`, "e"],
  [
    "main, with what comes then",
    `${TRAIN} train([1]).then(() => { for (const y of [1]) console.log('y', y); }).catch(console.error);`,
    "e y",
  ],
  [
    "main, without a name",
    `${TRAIN} (async () => { for (const y of [1]) { await train([y]); } })();`,
    "e y",
  ],
  [
    "main and a load",
    `${LOAD} ${TRAIN} async function main() { await Promise.all([load([1]), load([2])]); await train([1]); } main();`,
    "e",
  ],
  [
    "main and what is started before",
    `${LOAD} ${TRAIN} async function main() { const p = load([1]); await train([1]); await p; } main();`,
    "e",
  ],
  [
    "main, and a signal",
    `${TRAIN} process.on("SIGINT", () => { for (const y of [1]) console.log('y', y); }); train([1]);`,
    "e",
  ],
  ["two that are started", `${LOAD} ${TRAIN} load([1]); train([1]);`, ""],
  [
    "started where the file waits",
    `${TRAIN} train([1]); await 1; for (const y of [1]) console.log('y', y);`,
    "y",
  ],
  ["a timer", `setTimeout(() => { for (const y of [1]) console.log('y', y); }, 1);`, "y"],
  [
    "a timer beside the program",
    `setTimeout(() => { for (const y of [1]) console.log('y', y); }, 1); for (const z of [1]) { await z; console.log('z', z); }`,
    "z",
  ],
])("%s", (_, text, expected) => {
  expect(loopsOf(text)).toBe(expected);
});

test.each<[string, boolean, string]>([
  ["knows nothing of us", true, "for (const x of a)"],
  ["names its loops", false, 'for (const x of al.loop("x", a))'],
])("which call a value is of cannot be told, in a program that %s", (_, handsFree, head) => {
  const text = `import * as al from "afterlog";
    async function load(a) { await a; ${head} al.log("x", x); return a; }
    const all = await Promise.all([load([1]), load([2])]);
    ${head.replace(/ a\b|a\)/, (a) => a.replace("a", "all"))} al.log("y", x);`;
  const read = (file: string): string | undefined => (file === "p.mjs" ? text : undefined);
  const { logs, loops } = analyzeProgram("p.mjs", read, { handsFree });
  expect(logs.map(({ causes = [] }) => causes)).toEqual([
    ["which of several calls comes first"],
    [],
  ]);
  expect(loops.map(({ concurrent = false }) => concurrent)).toEqual(
    handsFree ? [false] : [true, false],
  );
});
