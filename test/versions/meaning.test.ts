/**
 * @file Edits after which a statement would still run in the older version, and log another thing
 * than its name says there: each lands rightly, or a person is asked. Never silently.
 */
import { expect, it } from "vitest";
import { landStatements } from "../../src/languages/index.ts";

interface Case {
  readonly name: string;
  readonly then: string;
  /** The line with `// asked` is landed. */
  readonly now: string;
  /** As it must be written there; without it a person has to look, or it is refused. */
  readonly text?: string;
}

const inLoops = (body: string): string => `import * as al from "afterlog";
const lr = al.arg("lr", 0.1);
for (const epoch of al.loop("epoch", al.range(3))) {
${body}
}
`;

const cases: readonly Case[] = [
  {
    name: "the name is that of the sum in the older version",
    then: inLoops(`  let loss = 0;
  for (const row of al.loop("step", data)) {
    const err = w * row[0] - row[1];
    w -= lr * err;
    loss += err * err;
  }
  al.log("mean", loss / data.length);`),
    now: inLoops(`  let lossSum = 0;
  for (const row of al.loop("step", data)) {
    const err = w * row[0] - row[1];
    const loss = err * err;
    w -= lr * err;
    lossSum += loss;
    al.log("q", loss); // asked
  }
  al.log("mean", lossSum / data.length);`),
  },
  {
    name: "the name is that of a count which is divided only later",
    then: inLoops(`  let acc = 0;
  for (const row of data) acc += predict(row);
  al.log("accuracy", acc / data.length);`),
    now: inLoops(`  let hits = 0;
  for (const row of data) hits += predict(row);
  const acc = hits / data.length;
  al.log("q", acc); // asked
  al.log("accuracy", acc);`),
  },
  {
    name: "the variable of the inner loop was that of the outer one",
    then: `import * as al from "afterlog";
for (const i of al.loop("epoch", al.range(3))) {
  for (const j of al.loop("step", al.range(4))) {
    train(i, j);
  }
}
`,
    now: `import * as al from "afterlog";
for (const e of al.loop("epoch", al.range(3))) {
  for (const i of al.loop("step", al.range(4))) {
    train(e, i);
    al.log("q", i * 2); // asked
  }
}
`,
    text: 'al.log("q", j * 2);',
  },
];

it.each(cases)("$name", ({ then, now, text }) => {
  const line = now.split("\n").findIndex((one) => one.endsWith("// asked"));
  const column = /\S/.exec(now.split("\n")[line] ?? "")?.index ?? 0;
  const { landings } = landStatements({
    now: { file: "train.ts", text: () => now },
    statements: [{ line: line + 1, column: column + 1 }],
    then: { files: ["train.ts"], text: () => then },
  });
  const [landing] = landings;
  if (text === undefined) expect(["review", "cannot"]).toContain(landing?.verdict);
  else expect(landing).toMatchObject({ verdict: "moved", text });
});
