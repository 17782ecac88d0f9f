/**
 * Python programs that never heard of Afterlog, recorded and asked for what they did not log (Flor
 * §2.2.1). The truth is the same program with the statements in it from the start; no number may
 * differ. Printed for each: the scan used and the share of the iterations that were executed again.
 */
import { describe, expect, test } from "vitest";
import { formatPath } from "../../src/format/index.ts";
import { TestProject } from "../run/harness.ts";
import type { Answer } from "../truth/harness.ts";
import { ask, byPlace, costOf } from "../truth/harness.ts";
import { TORCH } from "./harness.ts";
import type { PlainProgram } from "./hands-free-programs.ts";
import { asked, PLAIN_PROGRAMS, unchanged } from "./hands-free-programs.ts";

function filesOf({ text, files = {} }: PlainProgram, as: (text: string) => string) {
  const all = Object.entries({ ...files, "train.py": text });
  return Object.fromEntries(all.map(([name, one]) => [name, as(one)]));
}

async function record(project: TestProject, { argv = [] }: PlainProgram): Promise<void> {
  const how = ["--python", TORCH ?? "", "--overhead", "inf", "--seed", "7", "--hands-free"];
  const { code, stderr } = await project.afterlog("run", ...how, "train.py", ...argv);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(project.manifest.handsFree).toBe(true);
}

/** Values that a project logged, as those of a replay are compared. */
function logged(project: TestProject) {
  return project.records.flatMap((record) =>
    record.k === "log"
      ? [{ path: formatPath(record.path), name: record.name, value: JSON.stringify(record.value) }]
      : [],
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

function expectTrue(answer: Answer, truth: ReturnType<typeof logged>, names: string[]): void {
  const { scan, share, notes } = costOf(answer);
  const context = `${names.join()} ${scan} ${percent(share)} ${notes.join("; ")} ${answer.stderr}`;
  expect(answer.code, context).toBe(0);
  const found = byPlace(answer.cells);
  expect(Object.keys(found), context).not.toEqual([]);
  const expected = byPlace(truth.filter((cell) => `${cell.name} @ ${cell.path}` in found));
  expect(found, context).toEqual(expected);
  expect(
    answer.cells.map(({ check }) => check),
    context,
  ).not.toContain("diverged");
}

describe.skipIf(TORCH === undefined)("truth", () => {
  test.each(Object.entries(PLAIN_PROGRAMS))("%s", { timeout: 600_000 }, async (name, program) => {
    using project = new TestProject(filesOf(program, unchanged));
    using reference = new TestProject(filesOf(program, asked));
    await Promise.all([record(project, program), record(reference, program)]);
    const truth = logged(reference);
    for (const [file, text] of Object.entries(filesOf(program, asked))) project.write(file, text);
    const outer = await ask(project, ["p_end", "p_epoch"]);
    expectTrue(outer, truth, ["p_end", "p_epoch"]);
    const { scan, share, notes } = costOf(outer);
    const outside = truth.filter((cell) => ["p_end", "p_epoch"].includes(cell.name));
    expect(outer.cells.length).toBe(outside.length);
    if (program.executed) expect(notes.join("; ")).toMatch(program.executed);
    else expect(share, `${name}: ${notes.join("; ")}`).toBe(0);
    const costs = [`${scan} ${percent(share)}`];
    if (program.where !== undefined) {
      const inner = await ask(project, ["p_step"], { where: program.where });
      expectTrue(inner, truth, ["p_step"]);
      costs.push(`inner ${percent(costOf(inner).share)}`);
      expect(costOf(inner).share, costOf(inner).notes.join("; ")).toBeLessThan(0.5);
    }
    console.log(`${name}: ${costs.join(" · ")}`);
  });
});
