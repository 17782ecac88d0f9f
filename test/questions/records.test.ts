/** `log({ loss, acc })` logs each value by its key, and a key that is added is a question. */
import { expect, test } from "vitest";
import { ask, costOf, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { logged } from "../support/replay.ts";

interface Row {
  readonly file: string;
  readonly text: string;
  /** What is put in the place of another text, to ask. */
  readonly asks: readonly (readonly [before: string, after: string])[];
}

const TYPESCRIPT: Row = {
  file: "train.ts",
  text: `import * as al from "afterlog";

const state = al.checkpointing({ w: 0.5 });
for (const epoch of al.loop("epoch", al.range(4))) {
  for (const step of al.loop("step", al.range(5))) {
    state.w -= 0.1 * (state.w - 3) + step * 1e-3;
  }
  al.log({ loss: (state.w - 3) ** 2, "lr/w": state.w });
  if (al.log({ w: state.w }).w !== state.w) throw new Error("another object came back");
}
`,
  asks: [
    ["{ loss:", "{ thrice: state.w * 3, loss:"],
    ["  if (", "  al.log({ twice: state.w * 2, nested: { w: state.w } });\n  if ("],
  ],
};

const PYTHON: Row = {
  file: "train.py",
  text: `import afterlog as al

with al.checkpointing(w=0.5) as state:
    for epoch in al.loop("epoch", range(4)):
        for step in al.loop("step", range(5)):
            state.w -= 0.1 * (state.w - 3) + step * 1e-3
        al.log({"loss": (state.w - 3) ** 2, "lr/w": state.w})
        assert al.log({"w": state.w})["w"] == state.w
`,
  asks: [
    ['{"loss":', '{"thrice": state.w * 3, "loss":'],
    [
      "        assert",
      '        al.log({"twice": state.w * 2, "nested": {"w": state.w}})\n        assert',
    ],
  ],
};

test.each([TYPESCRIPT, PYTHON])("$file", needs("python"), async ({ file, text, asks }) => {
  const edited = asks.reduce((now, [before, after]) => now.replace(before, after), text);
  using truth = await record({ [file]: edited }, file, "all");
  using project = await record({ [file]: text }, file, "all");
  expect(project.manifest.warnings ?? []).toEqual([]);
  const names = new Set(logged(project.records).map(({ name }) => name));
  expect([...names]).toEqual(["loss", "lr/w", "w"]);
  project.write(file, edited);
  for (const name of ["thrice", "twice", "nested"]) {
    const answer = await ask(project, [name]);
    expect(answer.code, answer.stderr).toBe(0);
    const values = logged(truth.records).filter((one) => one.name === name);
    expect(values).toHaveLength(4);
    expect(answer.cells.map(({ value }) => value)).toEqual(
      values.map(({ value }) => JSON.stringify(value)),
    );
    for (const { check } of answer.cells) expect(check).toBe("verified");
    expect(costOf(answer).share, costOf(answer).notes.join("; ")).toBe(0);
  }
});
