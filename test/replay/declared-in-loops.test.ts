/** What is declared in a loop's body ends with its iteration; a replay compares it before it does. */
import { expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { PACKAGES } from "../support/python.ts";
import { TestProject } from "../support/project.ts";

const TYPESCRIPT = `import * as al from "afterlog";
let total = 0;
for (const epoch of al.loop("epoch", al.range(3))) {
  const state = al.checkpointing({ w: new Float64Array([epoch, 1]) });
  for (const step of al.loop("step", al.range(2))) state.w[1] += step + Math.random();
  total += state.w[1];
  al.log("w", state.w[1]);
}
al.log("end", total);
`;
const PYTHON = `import random
import afterlog as al
total = 0.0
for epoch in al.loop("epoch", range(3)):
    w = [epoch, 1.0]
    al.checkpointing(w=w)
    for step in al.loop("step", range(2)):
        w[1] += step + random.random()
    total += w[1]
    al.log("w", w[1])
al.log("end", total)
`;

test.each([
  ["train.mts", TYPESCRIPT],
  ["train.py", PYTHON],
])("%s", needs("python"), async (program, text) => {
  using project = new TestProject({ [program]: text });
  const env = { PYTHONPATH: PACKAGES };
  const run = await project.afterlogWith(env, "run", "--overhead", "inf", program);
  expect(run.code, run.stderr).toBe(0);
  const checked = await project.afterlogWith(env, "check", "--json");
  expect(checked.code, checked.stdout + checked.stderr).toBe(0);
});
