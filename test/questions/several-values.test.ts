/**
 * Several values of one name at one place of the loops: a function that is called twice in an iteration.
 * Between the restored ends of its loop there is nothing that could be compared: it is said, `why` has all of
 * the values, and where nothing is restored they are `verified`.
 */
import { expect, test } from "vitest";
import { hindsight } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { History } from "../versions/history.ts";
import type { EditedProgram } from "./programs.ts";
import { after, before } from "./programs.ts";

const PROGRAMS: readonly EditedProgram[] = [
  {
    file: "train.py",
    text: `import random
w = 0.1
data = [random.random() for _ in range(6)]
def one_epoch(w, rows, train=True):
    total, n = 0.0, 0
    for x in rows:
        err = w * x - 3 * x
        total += err * err
        n += 1
        if train:
            w -= 0.1 * err * x
    mean = total / n
    print("rmse", mean ** 0.5) #+
    return w, mean
for epoch in range(3):
    w, tr = one_epoch(w, data)
    _, va = one_epoch(w, data[3:], train=False)
    print("loss", tr, va)
`,
  },
  {
    file: "train.ts",
    text: `let w = 0.1;
const data = Array.from({ length: 6 }, () => Math.random());
function oneEpoch(rows: number[], train: boolean): number {
  let total = 0;
  for (const x of rows) {
    const err = w * x - 3 * x;
    total += err * err;
    if (train) w -= 0.1 * err * x;
  }
  const mean = total / rows.length;
  console.log("rmse", Math.sqrt(mean)); //+
  return mean;
}
for (let epoch = 0; epoch < 3; epoch++) {
  const tr = oneEpoch(data, true);
  const va = oneEpoch(data.slice(3), false);
  console.log("loss", tr + va);
}
`,
  },
];

test.each(PROGRAMS)("$file", needs("python"), async (program) => {
  const { file } = program;
  using history = new History();
  await history.record({ files: { [file]: before(program) }, program: file });
  history.put({ [file]: after(program) });
  const [run = ""] = history.names;
  const asked = await history.afterlog("replay", "--yes");
  expect(asked.code, asked.stderr).toBe(0);
  expect(asked.stderr).toContain("some values of `rmse` are unchecked: between what was restored");
  using whole = new History();
  await whole.record({ files: { [file]: after(program) }, program: file });
  const truth = whole.logged("rmse").map(Number);
  const found = await hindsight(history, ["rmse"], run);
  expect(found.map(({ value }) => Number(value))).toEqual(truth);
  const marks = ["unchecked", "verified", "unchecked", "verified", "unchecked", "verified"];
  expect(found.map(({ check }) => check)).toEqual(marks);
  const { stdout } = await history.afterlog("why", run, "rmse", "epoch=0");
  expect(stdout).toContain(`=  ${truth[1]}\n`);
  expect(stdout).toMatch(
    /before it +[\d.]+ {2}unchecked\n +where it was computed, the run has nothing/,
  );
  expect(stdout).toContain(`${truth[0]}  unchecked`);
  const again = await history.afterlog("replay", "--yes", "--from-start");
  expect(again.code, again.stderr).toBe(0);
  const sure = (await hindsight(history, ["rmse"], run)).slice(-6);
  expect(sure.map(({ value }) => Number(value))).toEqual(truth);
  expect(new Set(sure.map(({ check }) => check))).toEqual(new Set(["verified"]));
  const third = await history.afterlog("replay", "--yes", "--from-start");
  expect(third.stderr).toContain("nothing to do");
});
