/**
 * An import in a program that had none: what is put in must not make a module of a file that the run
 * loaded as CommonJS. Asked of the newest version, and of an older one with other names.
 */
import { expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";

/** What it is loaded as is logged too, and compared. */
const program = (name: string, added: string, print: string): string => `${added}
let ${name} = 0;
for (let epoch = 0; epoch < 4; epoch++) {
  ${name} += epoch * 2;
  console.log("w", ${name});
${print}
}
console.log("kind", typeof module);
`;

const PRINT = '  console.log("q", basename("/a/" + x));';
const IMPORT = 'import { basename } from "node:path";';

test.each([
  ["train.js", undefined],
  ["train.js", "module"],
  ["train.ts", undefined],
])("%s, of a package whose type is %s", async (file, type) => {
  const manifest = JSON.stringify(type === undefined ? {} : { type });
  const files = { "package.json": manifest, [file]: program("weight", "", "") };
  using project = await record(files, file, "all");
  edit(project, { [file]: program("weight", IMPORT, PRINT.replace("x", "weight")) });
  const same = await ask(project, ["q"]);
  expect(same.code, same.stderr + same.stdout).toBe(0);
  const values = [0, 2, 6, 12];
  expect(same.cells.map(({ value }) => Number(value))).toEqual(values);
  expect(new Set(same.cells.map(({ check }) => check))).toEqual(new Set(["verified"]));

  using older = await record(files, file, "all");
  edit(older, { [file]: program("x", IMPORT, PRINT) });
  const landed = await ask(older, ["q"]);
  expect(landed.code, landed.stderr + landed.stdout).toBe(0);
  expect(landed.cells.map(({ value }) => Number(value))).toEqual(values);
});

test("what only a module may say is refused with that reason", async () => {
  const files = { "train.js": program("x", "", "") };
  using project = await record(files, "train.js", "all");
  edit(project, { "train.js": program("x", "", '  console.log("q", await x);') });
  const { code, stdout, stderr } = await ask(project, ["q"]);
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain("CommonJS");
});
