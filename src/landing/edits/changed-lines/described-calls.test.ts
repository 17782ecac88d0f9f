/** What calls of packages may be given so that more is to be seen, as descriptions of libraries say. */
import { beforeAll, expect, test } from "vitest";
import type { Change } from "../../../../test/support/changed-lines.ts";
import { between } from "../../../../test/support/changed-lines.ts";
import { prepareLanguages } from "../../../languages/index.ts";
import { pieceFor } from "../piece.ts";
import { keepPiece } from "../undo.ts";

beforeAll(() => prepareLanguages(["a.ts"]));

const FIT = "const h = await model.fit(x, y, { epochs: 3 });";
const fit = (callbacks: string, before = ""): string =>
  `${before}const h = await model.fit(x, y, { epochs: 3, callbacks: ${callbacks} });`;

const SAME: readonly Change[] = [
  ["its result asked for", "adam.minimize(f);", "const loss = adam.minimize(f, true);"],
  ["and taken", "adam.minimize(f);", "const loss = adam.minimize(f, true).dataSync()[0];"],
  ["a callback that logs", FIT, fit('{ onEpochEnd: (e, l) => console.log("l", l.loss) }')],
  [
    "a method",
    FIT,
    fit('{ onBatchEnd(b, l) { const h2 = l.loss * 2; if (b > 1) console.log("l", h2); } }'),
  ],
  [
    "one that gathers",
    FIT,
    fit(
      "{ onEpochEnd: (e, l) => { seen.push(l.loss); n += 1; } }",
      "const seen = [];\nlet n = 0;\n",
    ),
  ],
  [
    "a function by its name",
    FIT,
    fit("{ onEpochEnd: show }", "function show(e, l) { console.log(e); }\n"),
  ],
  [
    "one callback more",
    "await model.fit(x, y, { callbacks: { onEpochEnd: f } });",
    'await model.fit(x, y, { callbacks: { onEpochEnd: f, onBatchEnd: (b) => console.log("b", b) } });',
  ],
];

const OWN = "const own = { minimize: (g, more) => g() };\n";
const OTHER: readonly Change[] = [
  ["a result that is used", "const l = adam.minimize(f);", "const l = adam.minimize(f, true);"],
  ["another argument", "adam.minimize(f);", "const l = adam.minimize(f, true, [w]);"],
  ["a function of the program", `${OWN}own.minimize(f);`, `${OWN}const l = own.minimize(f, true);`],
  ["another option", FIT, FIT.replace("epochs: 3", "epochs: 3, shuffle: false")],
  ["a callback that changes the run", FIT, fit("{ onEpochEnd: () => { x = y; } }")],
  ["one that draws", FIT, fit('{ onEpochEnd: () => console.log("r", Math.random()) }')],
  ["one that nobody knows", FIT, fit("{ onEpochEnd: () => { stop(); } }")],
  ["a callback of the run's", FIT, fit("{ onEpochEnd: f }")],
  [
    "that moves on what was added",
    FIT,
    fit('{ onEpochEnd: () => console.log("n", own.next()) }', "const own = [1].values();\n"),
  ],
  [
    "of another package",
    FIT.replaceAll("fit", "learn"),
    fit("{ a: () => 1 }").replace("fit", "learn"),
  ],
];

const AROUND = 'import * as tf from "@tensorflow/tfjs";\nlet x = 1;\nconst f = () => x;\n';

test.each([
  ...SAME.map((one) => [0, ...one] as const),
  ...OTHER.map((one) => [1, ...one] as const),
])("%s %s", (lost, _about, then, now) => {
  const edit = between("a.ts", `${AROUND}${then}\n`, `${AROUND}${now}\n`);
  expect(edit.gaps.flatMap((gap) => gap.lost)).toHaveLength(lost);
  expect(keepPiece(edit, [])).toBeDefined();
});

test("what callbacks gather is known only if the whole run is executed", () => {
  const gathering = fit("{ onEpochEnd: (e, l) => { n += 1; } }", "let n = 0;\n");
  const now = `${AROUND}${gathering}\nconsole.log("n", n);\n`;
  const edit = between("a.ts", `${AROUND}${FIT}\n`, now);
  expect(pieceFor(edit, [now.indexOf("console.log")]).state).toContain("n");
});
