/** Trainings that are killed and go on: each item once per epoch, and the numbers of a run that was not. */
import { describe, expect, test } from "vitest";
import type { Record } from "../../src/format/index.ts";
import { logged } from "../support/replay.ts";
import { TestProject } from "../support/project.ts";

const PROGRAM = `
import * as al from "afterlog";
const data = al.dataset(14).shuffle(7).map((x, { random }) => [x, random.next()]).batch(3);
const state = al.checkpointing({ w: new Float64Array(1) });
// What was taken is durable by then.
function die() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500); process.kill(process.pid, "SIGKILL"); }
for AWAIT(const epoch of al.loop("epoch", al.range(3))) {
  for AWAIT(const batch of al.loop("step", data)) {
    for (const [, y] of batch) state.w[0] += y * Math.random();
    al.log("items", batch.map(([x]) => x));
    al.log("loss", state.w[0]);
    if (process.env.KILL_AT === epoch + "," + data.state().sample) die();
  }
  al.log("acc", [state.w[0], data.state()]);
}
al.log("end", [state.w[0], data.state()]);
`;

/** What readers of the log see. */
function read(records: readonly Record[]): ReturnType<typeof logged> {
  let kept: Record[] = [];
  for (const record of records) {
    if (record.k !== "rewind") kept.push(record);
    else kept = kept.filter((before) => "seq" in before && before.seq <= record.seq);
  }
  return logged(kept);
}

async function train(kills: readonly string[], awaits: string): Promise<ReturnType<typeof logged>> {
  using project = new TestProject({ "train.ts": PROGRAM.replaceAll("AWAIT", awaits) });
  const main = (env: NodeJS.ProcessEnv, ...argv: string[]) =>
    project.afterlogWith(env, "run", ...argv, "train.ts");
  const [first, ...others] = kills;
  await main({ KILL_AT: first }, "--overhead", "inf", "--seed", "5");
  for (const kill of others) await main({ KILL_AT: kill }, "--resume", "--overhead", "inf");
  if (first !== undefined) expect((await main({}, "--resume")).code).toBe(0);
  return read(project.records);
}

const truths: { [awaits: string]: ReturnType<typeof train> } = {};

describe("a killed training goes on with the batches that it had not had", () => {
  test.each([
    ["in the middle of an epoch", ["1,6"], ""],
    ["at the last batch but one", ["1,12"], ""],
    ["after the last batch", ["1,14"], ""],
    ["after the first batch", ["2,3"], "await "],
    ["again and again", ["0,3", "0,14", "1,9", "2,12"], "await "],
  ])("%s", async (_, kills, awaits) => {
    const truth = await (truths[awaits] ??= train([], awaits));
    const items = truth.filter(({ name }) => name === "items");
    for (const epoch of [0, 1, 2]) {
      const seen = items.filter(({ path }) => path.startsWith(`epoch=${epoch},`));
      const numbers = seen.flatMap(({ value }) => value as number[]);
      expect(numbers.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 14 }).keys()]);
    }
    expect(await train(kills, awaits)).toEqual(truth);
  });
});
