/**
 * The digits in PyTorch as a new user meets them: recorded, then asked for what was not logged, as
 * the tour of docs/python.md has it.
 */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TORCH } from "../support/python.ts";
import { MAIN, ROOT, TestProject } from "../support/project.ts";
import { needs } from "../support/needs.ts";

const PROGRAM = "examples/digits-pytorch/train.py";
const STEPS = 49;

test("learns, and answers later", needs("torch"), async () => {
  using project = new TestProject({ ".gitignore": "node_modules\n" });
  for (const folder of ["digits/data", "digits-pytorch"]) {
    cpSync(join(ROOT, "examples", folder), join(project.folder, "examples", folder), {
      recursive: true,
    });
  }
  const argv = [MAIN, "run", "--python", TORCH ?? "", PROGRAM, "epochs=6"];
  const { code, stdout, stderr } = await project.start(argv).finished;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(project.manifest).toMatchObject({ status: "done", off: [], warnings: [] });
  const losses = project.logged("loss").map(Number);
  expect(losses).toHaveLength(6 * STEPS);
  expect(losses[0]).toBeGreaterThan(1.5);
  const accuracies = project.logged("accuracy").map(Number);
  expect(accuracies.at(-1)).toBeGreaterThan(0.95);
  expect(stdout).toContain(`epoch 6/6  accuracy ${accuracies.at(-1)?.toFixed(4)}`);

  const text = readFileSync(join(project.folder, PROGRAM), "utf8");
  const added = `        al.log("norm", model[0].weight.norm().item())\n        schedule.step()\n`;
  expect(text.split("        schedule.step()\n")).toHaveLength(2);
  project.write(PROGRAM, text.replace("        schedule.step()\n", added));
  const filled = await project.afterlog("replay", "norm", "--yes");
  expect({ code: filled.code, stderr: filled.stderr }).toMatchObject({ code: 0 });
  expect(filled.stdout).toMatch(/6 cells filled/);
  expect(filled.stdout).toMatch(/marks: 6 verified/);
  const { length } = text.trimEnd().split("\n");
  expect(length).toBeLessThanOrEqual(100);
});
