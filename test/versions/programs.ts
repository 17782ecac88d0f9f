/**
 * @file One training as it changes: a new argument, renamed variables, functions, other loops. Each
 * version with the statements where a person would put them, or without.
 */
import type { Version } from "./history.ts";

/** What is put in; empty: the version as it was recorded. */
interface Put {
  readonly helper: string;
  readonly inner: string;
  readonly outer: string;
  readonly suffix: string;
}

const NOTHING: Put = { helper: "", inner: "", outer: "", suffix: "" };

/** The statements, written for a version that calls its state so. */
function statements(state: string, value: string): Put {
  return {
    helper: `function norm(w: Float64Array): number {
  let sum = 0;
  for (const x of w) sum += x * x;
  return Math.sqrt(sum);
}

`,
    inner: `    al.log("spread", ${value} - ${state}.w[2]!);\n`,
    outer: `  al.log("norm", norm(${state}.w));\n`,
    suffix: `al.log("final", norm(${state}.w) * 2);\n`,
  };
}

const first = ({ helper, inner, outer, suffix }: Put): string => `import * as al from "afterlog";

${helper}const lr = al.arg("lr", 0.1);
const state = al.checkpointing({ w: new Float64Array(3) });
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", al.range(4))) {
    for (let i = 0; i < 3; i++) state.w[i]! += lr * (Math.random() - 0.5);
    const loss = state.w[0]! + step / 10;
    al.log("loss", loss);
${inner}  }
  al.log("accuracy", state.w[1]! * epoch);
${outer}}
al.log("f1", state.w[2]!);
${suffix}`;

const decayed = ({ helper, inner, outer, suffix }: Put): string => `import * as al from "afterlog";

${helper}const lr = al.arg("lr", 0.1);
const decay = al.arg("decay", 0.95);
const state = al.checkpointing({ w: new Float64Array(3) });
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", al.range(4))) {
    for (let i = 0; i < 3; i++) {
      state.w[i] = decay * state.w[i]! + lr * (Math.random() - 0.5);
    }
    const loss = state.w[0]! + step / 10;
    al.log("loss", loss);
${inner}  }
  al.log("accuracy", state.w[1]! * epoch);
${outer}}
al.log("f1", state.w[2]!);
${suffix}`;

const renamed = ({ helper, inner, outer, suffix }: Put): string => `import * as al from "afterlog";

${helper}const rate = al.arg("lr", 0.1);
const decay = al.arg("decay", 0.95);
const net = al.checkpointing({ w: new Float64Array(3) });
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", al.range(4))) {
    for (let i = 0; i < 3; i++) {
      net.w[i] = decay * net.w[i]! + rate * (Math.random() - 0.5);
    }
    const cost = net.w[0]! + step / 10;
    al.log("loss", cost);
${inner}  }
  al.log("accuracy", net.w[1]! * epoch);
${outer}}
al.log("f1", net.w[2]!);
${suffix}`;

const extracted = ({
  helper,
  inner,
  outer,
  suffix,
}: Put): string => `import * as al from "afterlog";

${helper}const rate = al.arg("lr", 0.1);
const decay = al.arg("decay", 0.95);
const net = al.checkpointing({ w: new Float64Array(3) });

function update(): void {
  for (let i = 0; i < 3; i++) {
    net.w[i] = decay * net.w[i]! + rate * (Math.random() - 0.5);
  }
}

function score(): number {
  return net.w[1]!;
}

for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", al.range(4))) {
    update();
    const cost = net.w[0]! + step / 10;
    al.log("loss", cost);
${inner}  }
  al.log("accuracy", score() * epoch);
${outer}}
al.log("f1", net.w[2]!);
${suffix}`;

const rounds = ({ helper, inner, outer, suffix }: Put): string => `import * as al from "afterlog";

${helper}const rate = al.arg("lr", 0.1);
const decay = al.arg("decay", 0.95);
const net = al.checkpointing({ w: new Float64Array(3) });

function update(): void {
  for (let i = 0; i < 3; i++) {
    net.w[i] = decay * net.w[i]! + rate * (Math.random() - 0.5);
  }
}

function score(): number {
  return net.w[1]!;
}

for (const round of al.loop("round", al.range(2))) {
  update();
  al.log("warmed", net.w[0]! * round);
}
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const batch of al.loop("batch", [3, 1, 2])) {
    update();
    const cost = net.w[0]! + batch / 10;
    al.log("loss", cost);
${inner}  }
  al.log("accuracy", score() * epoch);
${outer}}
al.log("f1", net.w[2]!);
${suffix}`;

const PROGRAMS: readonly [text: (put: Put) => string, state: string, value: string][] = [
  [first, "state", "loss"],
  [decayed, "state", "loss"],
  [renamed, "net", "cost"],
  [extracted, "net", "cost"],
  [rounds, "net", "cost"],
];

/** The versions, oldest first. */
export const VERSIONS: readonly Version[] = PROGRAMS.map(([text, state, value]) => ({
  files: { "train.ts": text(NOTHING) },
  byHand: { "train.ts": text(statements(state, value)) },
}));

/** The newest version with the statements: what the user has in the working tree. */
export const NEWEST: string = rounds(statements("net", "cost"));
