/** `replay --gpus`: each worker sees the GPU that is its turn, the plan and the result name it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Plan } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { INTERPRETERS, python } from "../support/python.ts";

const PROGRAM = `
import os
import afterlog as al

print("sees", os.environ.get("CUDA_VISIBLE_DEVICES"))
state = al.checkpointing(w=[0.0])
for epoch in al.loop("epoch", range(3)):
    state.w[0] += epoch
    al.log("loss", state.w[0])
`;
const ASKING = `${PROGRAM}    al.log("half", state.w[0] / 2)\n`;
const command = INTERPRETERS[0] ?? "python3";

interface Replays {
  readonly units: readonly { readonly gpu?: string; readonly results: readonly string[] }[];
}

test("workers take the GPUs in turn; without the option nothing is set", async () => {
  using project = new TestProject({ "train.py": PROGRAM });
  const env = { CUDA_VISIBLE_DEVICES: "7" };
  for (const _ of [1, 2]) expect((await python(project, command, ["train.py"], env)).code).toBe(0);
  project.write("train.py", ASKING);
  for (const wrong of ["0,0", "a"]) {
    const { code, stderr } = await project.afterlog("plan", "half", `--gpus=${wrong}`);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("It must name GPUs, each once") as unknown,
    });
  }
  const shown = await project.afterlog("plan", "half", "--gpus", "0,GPU-89f3-a", "-o", "plan.json");
  expect(shown.stdout).toContain("with 2 workers on GPUs 0, GPU-89f3-a");
  const plan = JSON.parse(readFileSync(join(project.folder, "plan.json"), "utf8")) as Plan;
  expect(plan).toMatchObject({ workers: 2, gpus: ["0", "GPU-89f3-a"] });
  const filled = await project.afterlog("replay", "--plan", "plan.json", "--no-canary", "--yes");
  expect(filled).toMatchObject({ code: 0 });

  const state = (replay: string): Replays => {
    const file = join(project.folder, `.afterlog/replays/${replay}/state.json`);
    return JSON.parse(readFileSync(file, "utf8")) as Replays;
  };
  const { units } = state("r1");
  expect(new Set(units.map(({ gpu }) => gpu))).toEqual(new Set(plan.gpus));
  for (const [index, { gpu, results }] of units.entries()) {
    const folder = join(project.folder, ".afterlog");
    const printed = readFileSync(join(folder, `replays/r1/units/${index}/stdout.log`), "utf8");
    expect(printed).toBe(`sees ${gpu}\n`);
    const result = readFileSync(join(folder, `runs/${results[0]}/run.json`), "utf8");
    expect(JSON.parse(result)).toMatchObject({ directive: { gpu } });
  }
  expect((await project.afterlog("why", "@", "half")).stdout).toMatch(/gpu +(?:0|GPU-89f3-a)\n/);

  project.write("train.py", ASKING.replace("/ 2", "/ 3"));
  const again = await project.afterlog("replay", "half", "--no-canary", "--yes");
  expect(again.stdout).not.toContain("GPU");
  expect(state("r2").units.map(({ gpu }) => gpu)).toEqual([undefined, undefined]);
}, 120_000);
