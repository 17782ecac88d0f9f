/** Every past version answers: what a replay across versions gives is what each would have logged. */
import { describe, expect, it, vi } from "vitest";
import type { Plan } from "../../src/format/index.ts";
import type { Version } from "./history.ts";
import { History, truthOf } from "./history.ts";

vi.setConfig({ testTimeout: 300_000 });

/** One program; `hand` is put where a person would have put the statement. */
const first = (hand = ""): string => `import * as al from "afterlog";

const lr = al.arg("lr", 0.1);
const state = al.checkpointing({ w: new Float64Array(3) });
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", al.range(4))) {
    for (let i = 0; i < 3; i++) state.w[i]! += lr * (Math.random() - 0.5);
    al.log("loss", state.w[0]!);
  }
  al.log("accuracy", state.w[1]!);
${hand}}
`;

/** A new argument, and a constant that the update uses. */
const second = (hand = ""): string => `import * as al from "afterlog";

const lr = al.arg("lr", 0.1);
const decay = al.arg("decay", 0.9);
const state = al.checkpointing({ w: new Float64Array(3) });
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", al.range(4))) {
    for (let i = 0; i < 3; i++) state.w[i] = decay * state.w[i]! + lr * (Math.random() - 0.5);
    al.log("loss", state.w[0]!);
  }
  al.log("accuracy", state.w[1]!);
${hand}}
`;

const STATEMENT = '  al.log("norm", Math.hypot(...state.w));\n';

const VERSIONS: readonly Version[] = [
  { files: { "train.ts": first() }, byHand: { "train.ts": first(STATEMENT) } },
  { files: { "train.ts": second() }, byHand: { "train.ts": second(STATEMENT) } },
];

describe("a replay across versions", () => {
  it.each([1, 2])("gives what each would have logged, with -j %i", async (jobs) => {
    const truth = await truthOf(VERSIONS, "norm");
    using history = new History();
    for (const version of VERSIONS) await history.record(version);
    history.put({ "train.ts": second(STATEMENT) });
    const { stdout } = await history.afterlog("plan", "norm", "--json");
    const plan = JSON.parse(stdout) as Plan;
    expect(plan.runs.map(({ scan }) => scan)).toEqual(["outer", "outer"]);
    expect(plan.landings.map(({ versions }) => versions.length)).toEqual([1, 1]);
    const done = await history.afterlog("replay", "norm", "--yes", "-j", String(jobs));
    expect(done.stderr + done.stdout).toMatch(/✔ 6 cells filled/);
    expect(await history.values("norm")).toEqual(truth);
    const again = await history.afterlog("replay", "norm", "--yes");
    expect(again.stderr).toContain("nothing to do: the cells are filled");
  });
});
