/** Statements of several names, each from the source that it is taken from. */
import { expect, test } from "vitest";
import { analyzeProgram } from "../../languages/index.ts";
import type { KeptDecision } from "./landing-decisions.ts";
import { Decisions, landedId, textHash } from "./landing-decisions.ts";
import type { Piece } from "./pieces.ts";
import { pieceIn } from "./pieces.ts";
import type { AskedName, TargetVersion } from "./place.ts";
import { place } from "./place.ts";

const FILE = "train.ts";

const program = (first: string, second: string): string => `import * as al from "afterlog";
for (const epoch of al.loop("epoch", al.range(3))) {
  const loss = fit(epoch);
${first}  al.log("loss", loss);
${second}  save(epoch);
}
`;

function piece(text: string, name: string, version: string | null = null): Piece {
  const read = (file: string): string | undefined => (file === FILE ? text : undefined);
  const model = analyzeProgram(FILE, read);
  const found = pieceIn({ program: FILE, version, model, text: read }, name);
  if (!found) throw new Error(`nothing logs ${name}`);
  return found;
}

const only = (own: Piece): AskedName => ({ name: own.name, pieces: [own] });

const STEP = `  al.log("step", 2 * loss);\n`;
const TAIL = `  al.log("tail", loss);\n`;

const read = (file: string): string | undefined => (file === FILE ? program("", "") : undefined);

const TARGET: TargetVersion = {
  mode: { handsFree: false },
  hasCertain: false,
  program: FILE,
  files: [FILE],
  sources: [FILE],
  before: read,
  overlays: [],
  decisions: new Decisions([]),
};

test("a name that needs a look waits, if another one of the version is certain", () => {
  const text = `${program("", TAIL)}function report(by) {\n${TAIL}}\n`;
  const verdicts = [false, true].map((hasCertain) => {
    const { names, probes } = place({ ...TARGET, hasCertain }, [only(piece(text, "tail"))]);
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
  const before = (file: string): string | undefined => (file === FILE ? then : undefined);
  const target = { ...TARGET, before };
  const [step, tail] = [only(piece(now, "step")), only(piece(now, "tail"))];
  const [alone] = place(target, [tail]).names;
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
    const { names } = place({ ...target, decisions: new Decisions(decided) }, [step, tail]);
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
] as const)("one stands in a version, another comes by way of it: %s", (_, order) => {
  const version = "c0ffee0";
  const elsewhere = `import * as al from "afterlog";
export function report(that) {
  al.log("step", that);
}
`;
  const asked = {
    step: {
      name: "step",
      pieces: [piece(elsewhere, "step")],
      nearer: { ...piece(program(STEP, TAIL), "step", version), leftOut: [] },
    },
    tail: only(piece(program("", TAIL), "tail", version)),
  };
  const { names, overlays } = place(
    TARGET,
    order.map((name) => asked[name]),
  );
  const texts = names.map(({ name, landings }) => [name, landings.map(({ text }) => text)]);
  expect(Object.fromEntries(texts)).toEqual({ step: [STEP.trim()], tail: [TAIL.trim()] });
  expect(overlays).toEqual([{ file: FILE, text: expect.stringContaining(STEP.trim()) }]);
});
