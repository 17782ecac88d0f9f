/** One option of the command line more: the same program, if nothing of the run would notice. */
import { beforeAll, expect, test } from "vitest";
import { between } from "../../../../test/support/changed-lines.ts";
import { prepareLanguages } from "../../../languages/index.ts";
import { keepPiece } from "../undo.ts";

beforeAll(() => prepareLanguages(["a.ts"]));

const IMPORT = 'import { parseArgs } from "node:util";\n';
const PARSED = "const { values } = parseArgs({ options: {} });\nend(values.lr);\n";

/** What becomes of a program without options if it has one: how many of its lines are lost. */
function lostIn(program: string): number {
  const now = program.replace("options: {", 'options: { every: { type: "string", default: "2" }');
  const edit = between("a.ts", program, now);
  expect(keepPiece(edit, [])).toBeDefined();
  return edit.gaps.flatMap((gap) => gap.lost).length;
}

test.each([
  ["taken apart", PARSED],
  ["twice", PARSED.replace("{ values }", "{ values: { lr }, positionals }")],
  ["by its name", "const values = parseArgs({ options: {} }).values;\nend(values.lr);\n"],
  ["by the module", PARSED.replace("parseArgs(", "util.parseArgs(")],
])("the same program: %s", (_, program) => {
  const isWhole = program.includes("util.");
  expect(lostIn((isWhole ? 'import * as util from "node:util";\n' : IMPORT) + program)).toBe(0);
});

test.each([
  ["all values are looked at", IMPORT + PARSED.replace("values.lr", "values")],
  ["their names are", IMPORT + PARSED.replace("values.lr", "Object.keys(values)")],
  ["the run reads it", IMPORT + PARSED.replace("values.lr", "values.every")],
  ["others are taken as they come", IMPORT + PARSED.replace("options", "strict: false, options")],
  ["another parser", PARSED.replace(/^/, 'import { parseArgs } from "other";\n')],
  ["what it gives goes elsewhere", `${IMPORT}const all = parseArgs({ options: {} });\nend(all);\n`],
])("another program: %s", (_, program) => {
  expect(lostIn(program)).toBe(1);
});
