/**
 * A log call whose name sounds like a clock is a question like any other: what it reads decides what
 * its values promise. The truth is the edited program with other names, executed from the start.
 */
import { describe, expect, test } from "vitest";
import { ask, byPlace, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { logged } from "../support/replay.ts";
import type { EditedProgram } from "./programs.ts";
import { after, before } from "./programs.ts";

const PROGRAMS: readonly EditedProgram[] = [
  {
    file: "train.py",
    text: `import time
w = 0.5
for epoch in range(3):
    for step in range(4):
        w -= 0.1 * (w * step - 1)
    print("loss", w * w, "time", time.time())
    print(f"gap {w}s" if epoch == 1 else f"gap {w}")
    print("told", "7 of" + " all" * 99 if epoch == 1 else "little")
    print("eta", w * 2) #+
    print(f"epoch {epoch} ran in {w * 3:.2f}s, fps {w * 4:.1f}") #+
    print({"now": w * 5, "seen.ms": w * 6}) #+
    print(w * 7, "what all of this took now") #+
    print("elapsed", time.time() - epoch) #+
`,
  },
  {
    file: "train.ts",
    text: `let w = 0.5;
for (let epoch = 0; epoch < 3; epoch++) {
  for (let step = 0; step < 4; step++) {
    w -= 0.1 * (w * step - 1);
  }
  console.log("loss", w * w, "time", Date.now());
  console.log(epoch === 1 ? \`gap \${w}s\` : \`gap \${w}\`);
  console.log("told", epoch === 1 ? "7 of" + " all".repeat(99) : "little");
  console.log("eta", w * 2); //+
  console.log(\`epoch \${epoch} ran in \${w * 3}s, fps \${w * 4}\`); //+
  console.log({ now: w * 5, "seen.ms": w * 6 }); //+
  console.log(w * 7, "what all of this took now"); //+
  console.log("elapsed", Date.now() - epoch); //+
}
`,
  },
];

/** What each is called in the truth. */
const PLAIN = { eta: "rate", ran_in: "ran_by", fps: "flow", now: "here", "seen.ms": "seen.mass" };

describe.each(PROGRAMS)("$file", needs("python"), (program) => {
  const { file } = program;

  test("what the user wrote is answered, and a clock is still one", async () => {
    using project = await record({ [file]: before(program) }, file, "all");
    edit(project, { [file]: after(program) });
    const names = [...Object.keys(PLAIN), "w * 7"];
    const answer = await ask(project, [...names, "elapsed"], { words: [] });
    expect(answer.code, answer.stderr + answer.stdout).toBe(0);
    const marks = new Set(answer.cells.map(({ name, check }) => `${name} ${check}`));
    const verified = names.map((name) => `${name} verified`);
    expect([...marks].toSorted()).toEqual([...verified, "elapsed unchecked"].toSorted());

    const plain = Object.entries({ ...PLAIN, "ran in": "ran by", "s, ": ", ", took: "is" });
    const text = plain.reduce(
      (whole, [clock, name]) => whole.replaceAll(new RegExp(`(?<!\\.)\\b${clock}`, "g"), name),
      after(program),
    );
    using whole = await record({ [file]: text }, file, "budget");
    const clocks = new Map(Object.entries(PLAIN).map(([clock, name]) => [name, clock]));
    const truth = logged(whole.records).flatMap((cell) => {
      const name = clocks.get(cell.name) ?? cell.name;
      return names.includes(name) ? [{ ...cell, name, value: JSON.stringify(cell.value) }] : [];
    });
    expect(byPlace(answer.cells.filter(({ name }) => name !== "elapsed"))).toEqual(byPlace(truth));
  });

  test.each(["gap", "told"])(
    "of %s the run keeps some values, and the others differ by nothing",
    async (name) => {
      using project = await record({ [file]: before(program) }, file, "all");
      const own = logged(project.records).filter((one) => one.name === name);
      expect(own.map(({ path }) => path)).toEqual(["epoch=0", "epoch=2"]);
      edit(project, { [file]: after(program) });
      const answer = await ask(project, ["eta"], { words: [] });
      expect(answer.code, answer.stderr + answer.stdout).toBe(0);
      expect(answer.cells.map(({ check }) => check)).toEqual(Array(3).fill("verified"));
    },
  );

  test("the run's own is asked by its name", async () => {
    using project = await record({ [file]: before(program) }, file, "all");
    const answer = await ask(project, ["time"]);
    expect(answer.cells.map(({ path }) => path)).toEqual(["epoch=0", "epoch=1", "epoch=2"]);
  });
});
