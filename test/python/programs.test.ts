/**
 * Programs of PyTorch, taken to the middle of their training and to its end: what they log there
 * and the state that they come to are those of the record, to the bit.
 */
import { describe, expect, test } from "vitest";
import type { Course } from "../../src/format/index.ts";
import { TestProject } from "../run/harness.ts";
import { logged, replay, TORCH } from "./harness.ts";
import { program, PROGRAMS } from "./programs.ts";

const command = TORCH ?? "";

/** From step 2 of epoch 2 to the end of the training. */
const MIDDLE: Course[] = [
  {
    entry: "epoch=end",
    do: "legs",
    legs: [{ from: 2, to: null, restore: "epoch=1.safetensors", reposition: "index" }],
    after: "run",
  },
  {
    entry: "epoch=2,step=end",
    do: "legs",
    legs: [{ from: 2, to: null, restore: "epoch=2,step=1.safetensors", reposition: "consume" }],
    after: "run",
  },
];

/** Every epoch without its steps, then what follows. */
const OUTER: Course[] = [0, 1, 2, 3].map((epoch) => ({
  entry: `epoch=${epoch},step=end`,
  do: "skip",
  restore: `epoch=${epoch},step=end.safetensors`,
}));

describe.skipIf(TORCH === undefined)("programs", () => {
  test.each(Object.keys(PROGRAMS))("%s", { timeout: 180_000 }, async (name) => {
    using project = new TestProject({ "train.py": program(name) });
    const argv = ["run", "--python", command, "--overhead", "inf", "train.py"];
    const { code, stderr } = await project.afterlog(...argv);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(project.manifest.audit, stderr).toEqual([]);
    const record = logged(project.records);
    for (const courses of [MIDDLE, OUTER]) {
      const replayed = await replay(project, command, "train.py", courses);
      expect(replayed.stderr).toBe("");
      expect(replayed.outcome?.kind).toBe("done");
      const isReached = (path: string): boolean =>
        courses === OUTER
          ? !path.includes("step")
          : path === "" || /^epoch=(?:3|2$|2,step=[23])/.test(path);
      expect(replayed.values).toEqual(record.filter(({ path }) => isReached(path)));
      expect(replayed.states.filter(({ differs }) => differs.length > 0)).toEqual([]);
      expect(replayed.states.length).toBeGreaterThan(courses === OUTER ? 3 : 8);
    }
  });
});
