/** Statements of several names, each from the source that it is taken from. */
import { expect, test } from "vitest";
import { analyzeProgram } from "../../languages/index.ts";
import type { KeptDecision } from "./landing-decisions.ts";
import { Decisions, landedId, textHash } from "./landing-decisions.ts";
import type { LandingTask } from "./land-names.ts";
import { landNames } from "./land-names.ts";
import type { Origin } from "./origins.ts";
import { findStatements } from "./working-tree.ts";

const FILE = "train.ts";

const program = (first: string, second: string): string => `import * as al from "afterlog";
for (const epoch of al.loop("epoch", al.range(3))) {
  const loss = fit(epoch);
${first}  al.log("loss", loss);
${second}  save(epoch);
}
`;

function origin(text: string, name: string, rest: Pick<Origin, "version" | "written">): Origin {
  const read = (file: string): string | undefined => (file === FILE ? text : undefined);
  const model = analyzeProgram(FILE, read);
  return { program: FILE, model, logs: findStatements(model, name), text: read, ...rest };
}

const STEP = `  al.log("step", 2 * loss);\n`;
const TAIL = `  al.log("tail", loss);\n`;

const read = (file: string): string | undefined => (file === FILE ? program("", "") : undefined);

const TASK: Omit<LandingTask, "wishes"> = {
  nearer: () => undefined,
  mode: { handsFree: false },
  hasCertain: false,
  files: [FILE],
  before: read,
  base: read,
  placed: [],
  decisions: new Decisions([]),
};

test("a name that needs a look waits, if another one of the version is certain", () => {
  const text = `${program("", TAIL)}function report(by) {\n${TAIL}}\n`;
  const wishes = new Map([["tail", [origin(text, "tail", { version: null })]]]);
  const verdicts = [false, true].map((hasCertain) => {
    const { names, probes } = landNames({ ...TASK, wishes, hasCertain });
    return { verdict: names[0]?.verdict, probes: probes.length };
  });
  expect(verdicts).toEqual([
    { verdict: "review", probes: 1 },
    { verdict: "cannot", probes: 0 },
  ]);
});

test("what was accepted alone is accepted beside others", () => {
  // Another `gain`, of the module.
  const then = program("", "").replace("for", "const gain = 7;\nfor");
  const now = program(STEP, `  const gain = fit(loss);\n  al.log("tail", gain);\n`);
  const old = (file: string): string | undefined => (file === FILE ? then : undefined);
  const task = { ...TASK, before: old, base: old };
  const wish = (name: string): [string, Origin[]] => [name, [origin(now, name, { version: null })]];
  const [alone] = landNames({ ...task, wishes: new Map([wish("tail")]) }).names;
  const [landing] = alone?.landings ?? [];
  if (!landing) throw new Error("it did not land");
  const decision: KeptDecision = {
    v: 1,
    name: "tail",
    statement: alone?.statements[0] ?? "",
    file: FILE,
    sha256: textHash(then),
    choice: { kind: "accept", landed: landedId(landing) },
    when: "",
  };
  const verdicts = [[], [decision]].map((decided) => {
    const wishes = new Map([wish("step"), wish("tail")]);
    const { names } = landNames({ ...task, wishes, decisions: new Decisions(decided) });
    return names.map(({ name, verdict }) => `${name} ${verdict}`);
  });
  expect(alone?.verdict).toBe("review");
  expect(verdicts).toEqual([
    ["step exact", "tail cannot"],
    ["step exact", "tail moved"],
  ]);
});

test.each([
  ["that first", ["step", "tail"]],
  ["that last", ["tail", "step"]],
])("one stands in a version, another comes by way of it: %s", (_, order) => {
  const version = "c0ffee0";
  const elsewhere = `import * as al from "afterlog";
export function report(that) {
  al.log("step", that);
}
`;
  const wishes = new Map([
    ["step", [origin(elsewhere, "step", { version: null })]],
    ["tail", [origin(program("", TAIL), "tail", { version })]],
  ]);
  const written = (): string => "as it is now";
  const nearer = origin(program(STEP, TAIL), "step", { version, written });
  const { names, overlays } = landNames({
    ...TASK,
    wishes: new Map(order.map((name) => [name, wishes.get(name) ?? []])),
    nearer: (name) => (name === "step" ? nearer : undefined),
  });
  const texts = names.map(({ name, landings }) => [name, landings.map(({ text }) => text)]);
  expect(Object.fromEntries(texts)).toEqual({ step: [STEP.trim()], tail: [TAIL.trim()] });
  expect(overlays).toEqual([{ file: FILE, text: expect.stringContaining(STEP.trim()) }]);
});
