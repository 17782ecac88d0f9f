/**
 * `for i, x in enumerate(al.loop(…))`: nobody can tell an `enumerate` where to go on, so such a loop is
 * skipped, or executed from its first iteration; never entered in the middle, where `i` would be wrong.
 */
import { expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { ask, byPlace, costOf } from "../support/ask.ts";
import { INTERPRETERS } from "../support/python.ts";
import { logged } from "../support/replay.ts";

const TRAIN = `import afterlog as al
w = al.arg("from", 0.0)
for epoch, rate in enumerate(al.loop("epoch", [0.5, 0.25, 0.125])):
    for i, x in enumerate(al.loop("step", range(10, 14)), 1):
        w += rate * x * i
        al.log("loss", w)
        # p_step
        if epoch == 1 and i == 3:
            break
    al.log("last", [epoch, i, al.arg("later", 1)])
    # p_epoch
# p_end
`;

const asked = TRAIN.replaceAll(
  /# (p_\w+)/g,
  (_, name) => `al.log("${name}", [epoch, rate, i, x, w])`,
);

async function recorded(text: string): Promise<TestProject> {
  const project = new TestProject({ "train.py": text });
  const how = ["--python", INTERPRETERS[0] ?? "python3", "--overhead", "inf"];
  const { code, stderr } = await project.afterlog("run", ...how, "train.py", "later=2", "lost=1");
  expect(code, stderr).toBe(0);
  // What is asked for inside a loop is no mistake.
  expect(stderr).not.toContain("argument later");
  expect(stderr).toContain("argument lost is not used by the program");
  return project;
}

test("a loop that enumerate goes through is skipped, never entered in the middle", async () => {
  using project = await recorded(TRAIN);
  using reference = await recorded(asked);
  const truth = logged(reference.records).map((one) => ({
    ...one,
    value: JSON.stringify(one.value),
  }));
  project.write("train.py", asked);
  const questions = [
    { names: ["p_end"], scan: "suffix", executed: 0, path: /^$/ },
    { names: ["p_epoch"], scan: "outer", executed: 0, path: /^epoch=\d$/ },
    { names: ["p_step"], scan: "inner", executed: 2, path: /^epoch=1,step=1$/ },
  ];
  for (const { names, scan, executed, path } of questions) {
    const where = scan === "inner" ? "epoch# = 1 and step# = 1" : undefined;
    const answer = await ask(project, names, { where });
    expect(answer.code, answer.stderr).toBe(0);
    const expected = truth.filter((one) => names.includes(one.name) && path.test(one.path));
    expect(byPlace(answer.cells)).toEqual(byPlace(expected));
    const { iterations, scan: used, notes } = costOf(answer);
    expect(used, notes.join("; ")).toBe(scan);
    expect(iterations, notes.join("; ")).toBe(executed);
  }
});
