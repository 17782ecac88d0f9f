/**
 * @file Edits after which a statement would still run in the older version, and log another thing
 * than its name says there: each lands rightly, or a person is asked. Never silently.
 */
import { expect, it } from "vitest";
import { landStatements } from "../../../src/landing/index.ts";

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
    name: "between two statements that were one nested call",
    then: inLoops(`  let ps = read(epoch);
  ps = select(score(ps));
  al.log("size", ps.length);`),
    now: inLoops(`  let ps = read(epoch);
  ps = score(ps);
  al.log("q", ps[0].value); // asked
  ps = select(ps);
  al.log("size", ps.length);`),
  },
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
  {
    name: "the name of the loop's variable is given to another value",
    then: `import * as al from "afterlog";
for (const i of al.loop("epoch", al.range(3))) {
  const epoch = i + 1;
  train(epoch);
}
`,
    now: `import * as al from "afterlog";
for (const epoch of al.loop("epoch", al.range(3))) {
  train(epoch + 1);
  al.log("q", epoch * 2); // asked
}
`,
  },
  {
    name: "a sum that is no more",
    then: inLoops(`  let loss = 0;
  for (const row of al.loop("step", data)) {
    loss += compute(row);
    update(row);
  }
  al.log("mean", loss / data.length);`),
    now: inLoops(`  const losses = [];
  for (const row of al.loop("step", data)) {
    const loss = compute(row);
    update(row);
    losses.push(loss);
    al.log("q", loss); // asked
  }
  al.log("mean", mean(losses));`),
  },
  {
    name: "a field that was a sum",
    then: inLoops(`  state.loss += compute(state.w);
  al.log("w", state.w);`),
    now: inLoops(`  state.loss = compute(state.w);
  state.lossSum += state.loss;
  al.log("w", state.w);
  al.log("q", state.loss); // asked`),
  },
  {
    name: "a field that was called otherwise",
    then: `import * as al from "afterlog";
class Trainer {
  w = 0.5;
  step(row) {
    this.w -= row;
    al.log("row", row);
  }
}
`,
    now: `import * as al from "afterlog";
class Trainer {
  weight = 0.5;
  step(row) {
    this.weight -= row;
    al.log("row", row);
    al.log("q", this.weight * 2); // asked
  }
}
`,
  },
  {
    name: "names of a list in another order",
    then: inLoops(`  const [loss, acc] = evaluate(model);
  al.log("loss", loss);`),
    now: inLoops(`  const [acc, loss] = evaluate(model);
  al.log("loss", loss);
  al.log("q", acc); // asked`),
  },
  {
    name: "names for other fields",
    then: inLoops(`  const { loss: a, acc: b } = evaluate(model);
  al.log("loss", a);`),
    now: inLoops(`  const { acc: a, loss: b } = evaluate(model);
  al.log("loss", b);
  al.log("q", a); // asked`),
  },
  {
    name: "two names that were exchanged, with their values",
    then: inLoops(`  const a = evaluate(train);
  const b = evaluate(test);
  al.log("gap", a - b);`),
    now: inLoops(`  const b = evaluate(train);
  const a = evaluate(test);
  al.log("gap", b - a);
  al.log("q", a); // asked`),
    text: 'al.log("q", b);',
  },
  {
    name: "parameters in another order",
    then: `import * as al from "afterlog";
function evaluate(rows, model) {
  return model(rows);
}
for (const epoch of al.loop("epoch", al.range(3))) {
  al.log("train", evaluate(train, m));
}
`,
    now: `import * as al from "afterlog";
function evaluate(model, rows) {
  return model(rows);
}
for (const epoch of al.loop("epoch", al.range(3))) {
  al.log("train", evaluate(m, train));
  al.log("q", evaluate(m, test)); // asked
}
`,
  },
  {
    name: "a function that was a number",
    then: `import * as al from "afterlog";
const norm = 2;
for (const epoch of al.loop("epoch", al.range(3))) {
  step(w / norm);
  al.log("w", w);
}
`,
    now: `import * as al from "afterlog";
function norm(v) {
  return Math.abs(v);
}
for (const epoch of al.loop("epoch", al.range(3))) {
  step(w);
  al.log("w", w);
  al.log("q", norm(w)); // asked
}
`,
  },
  {
    name: "before the update here, and what it stands after comes later there",
    then: inLoops(`  w = w - lr * gradient(w);
  const loss = compute(w);
  al.log("loss", loss);`),
    now: inLoops(`  const loss = compute(w);
  al.log("q", w); // asked
  w = w - lr * gradient(w);
  al.log("loss", loss);`),
  },
  {
    name: "one of two functions that are alike, under other names",
    then: `import * as al from "afterlog";
function runTrain(rows) {
  let total = 0;
  for (const row of rows) total += compute(row);
  return total;
}
function runVal(rows) {
  let total = 0;
  for (const row of rows) total += compute(row);
  return total;
}
al.log("a", runTrain(x));
al.log("b", runVal(y));
`,
    now: `import * as al from "afterlog";
function evaluate(rows) {
  let total = 0;
  for (const row of rows) total += compute(row);
  al.log("q", total / rows.length); // asked
  return total;
}
function train(rows) {
  let total = 0;
  for (const row of rows) total += compute(row);
  return total;
}
al.log("a", train(x));
al.log("b", evaluate(y));
`,
  },
  {
    name: "what gives the value is taken for a statement of a branch",
    then: inLoops(`  keep(size + size);
  check(1);
  state.best = loss;
  if (size < 4) {
    size = state.best * 1;
  }`),
    now: inLoops(`  keep(size + size);
  check(1);
  state.best = lossNow;
  al.log("q", state.best - size); // asked`),
    text: 'al.log("q", state.best - size);',
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
