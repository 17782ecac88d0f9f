/**
 * Calls that show no name: they log the names that they have when they run, else how their values are
 * written. Asked without a name, of a run of the same version and of an older one with other names. The
 * truth is the edited program, executed from the start. So do objects behind a label, which is what they are
 * asked by.
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
w = {"0.weight": 0.1, "fc.bias": 0.2}
for epoch in range(4):
    loss = 0.0
    for step in range(10):
        x = random.random()
        err = w["0.weight"] * x + w["fc.bias"] - 2 * x
        loss += err * err
        w["0.weight"] -= 0.1 * err * x
        w["fc.bias"] -= 0.1 * err
    print("loss", loss)
    print(loss / 10) #+
    print(epoch, loss * 3) #+
    print(f"{loss * 2:.1f}") #+
    line = f"half {loss / 2}" #+
    print(line) #+
    row = f"third {loss / 3}" #+
    print(row) #+
    for name in w: #+
        print(name, w[name]) #+
`,
  },
  {
    file: "train.ts",
    text: `const w: Record<string, number> = { "0.weight": 0.1, "fc.bias": 0.2 };
for (let epoch = 0; epoch < 4; epoch++) {
  let loss = 0;
  for (let step = 0; step < 10; step++) {
    const x = Math.random();
    const err = w["0.weight"]! * x + w["fc.bias"]! - 2 * x;
    loss += err * err;
    w["0.weight"]! -= 0.1 * err * x;
    w["fc.bias"]! -= 0.1 * err;
  }
  console.log("loss", loss);
  console.log(loss / 10 as number); //+
  console.log(epoch, loss * 3); //+
  console.log(\`\${loss * 2}\`); //+
  const line = \`half \${loss / 2}\`; //+
  console.log(line); //+
  const row = { third: loss / 3 }; //+
  console.table([row]); //+
  for (const name in w) console.log(name, w[name]); //+
}
`,
  },
];

const NAMES = ["loss / 10", "loss * 3", "loss * 2", "half", "third", "0.weight", "fc.bias"];

test.each(PROGRAMS)("$file", needs("python"), async (program) => {
  const { file } = program;
  using history = new History();
  const older = before(program).replaceAll(/\bloss\b(?!")/g, "total");
  await history.record({ files: { [file]: older }, program: file });
  await history.record({ files: { [file]: before(program) }, program: file });
  history.put({ [file]: after(program) });
  const asked = await history.afterlog("replay", "--yes");
  expect(asked.code, asked.stderr + asked.stdout).toBe(0);
  using whole = new History();
  await whole.record({ files: { [file]: after(program) }, program: file });
  for (const name of NAMES) {
    const truth = whole.logged(name).map(Number);
    expect(truth.length, name).toBe(4);
    for (const run of history.names) {
      const own = await hindsight(history, [name], run);
      expect(
        own.map(({ value }) => Number(value)),
        `${name} of ${run}`,
      ).toEqual(truth);
      expect([...new Set(own.map(({ check }) => check))], name).toEqual(["verified"]);
    }
  }
  const again = await history.afterlog("replay", "--yes");
  expect(again.stderr).toContain("nothing to do");
});

test.each(PROGRAMS)(
  "$file, by a name that only a run can tell",
  needs("python"),
  async (program) => {
    const { file } = program;
    using history = new History();
    await history.record({ files: { [file]: before(program) }, program: file });
    history.put({ [file]: after(program) });
    const { code, stderr } = await history.afterlog("replay", "fc.bias", "--yes");
    expect(code, stderr).toBe(0);
    const [run] = history.names;
    const marks = (await hindsight(history, ["fc.bias"], run)).map(({ check }) => check);
    expect(marks).toEqual(["verified", "verified", "verified", "verified"]);
    expect(await hindsight(history, ["0.weight", "loss / 10"], run)).toEqual([]);
  },
);

/** The run logs `loss` itself: that column stays the run's. */
const LABELLED: readonly EditedProgram[] = [
  {
    file: "train.py",
    text: `import json, random
w = 0.1
for epoch in range(3):
    loss = 0.0
    for step in range(5):
        x = random.random()
        loss += (w * x - 2 * x) ** 2
        w -= 0.1 * (w * x - 2 * x) * x
    print("loss", loss)
    m = {"deep": w / 3, "loss": w} #+
    val = lambda: {"err": 1 - w, "tag": "a"} #+
    print("val", val()) #+
    print("stats", json.dumps(m)) #+
    print("M:", {**{"sixth": w / 6}, "fifth": loss / 5}) #+
    print("N", {**{"seventh": w / 7}}) #+
    print("pairs", [(1, w)]) #+
`,
  },
  {
    file: "train.ts",
    text: `let w = 0.1;
for (let epoch = 0; epoch < 3; epoch++) {
  let loss = 0;
  for (let step = 0; step < 5; step++) {
    const x = Math.random();
    loss += (w * x - 2 * x) ** 2;
    w -= 0.1 * (w * x - 2 * x) * x;
  }
  console.log("loss", loss);
  const m = { deep: w / 3, loss: w }; //+
  const val = (): object => ({ err: 1 - w, tag: "a" }); //+
  console.log("val", val()); //+
  console.log("stats", JSON.stringify(m)); //+
  console.log("M:", { ...{ sixth: w / 6 }, fifth: loss / 5 }); //+
  console.log("N", { ...{ seventh: w / 7 } }); //+
  console.log("pairs", [[1, w]]); //+
}
`,
  },
];
const PAIRS: { readonly [file: string]: string } = {
  "train.py": "`pairs` at train.py:16 was reached, and had no value there: a list of tuples; print",
  "train.ts": "`pairs` at train.ts:16 was reached, and had no value there: a list of lists; print",
};
const HELD = ["err", "tag", "deep", "M.sixth", "M.fifth", "seventh"];

test.each(LABELLED)("$file, objects behind a label", needs("python"), async (program) => {
  const { file } = program;
  using history = new History();
  await history.record({ files: { [file]: before(program) }, program: file });
  history.put({ [file]: after(program) });
  const [run] = history.names;
  const one = await history.afterlog("replay", "val", "--yes");
  expect(one.code, one.stderr).toBe(0);
  expect(one.stdout).toContain("afterlog frame err tag");
  expect(await hindsight(history, ["deep", "seventh"], run)).toEqual([]);
  const all = await history.afterlog("replay", "--yes");
  expect(all.code, all.stderr + all.stdout).toBe(0);
  expect(all.stderr).toContain(PAIRS[file]);
  using whole = new History();
  await whole.record({ files: { [file]: after(program) }, program: file });
  for (const name of HELD) {
    // That of the newest replay counts.
    const own = (await hindsight(history, [name], run)).slice(-3);
    expect(
      own.map(({ value }) => value),
      name,
    ).toEqual(whole.logged(name).map((value) => JSON.stringify(value)));
    expect(
      own.map(({ check }) => check),
      name,
    ).toEqual(["verified", "verified", "verified"]);
  }
  expect(await hindsight(history, ["loss"], run)).toEqual([]);
});
