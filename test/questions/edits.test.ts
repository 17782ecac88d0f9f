/**
 * What people add to a program to see more, asked of a run that did not have it: evaluation mode and
 * back, a print in a loop, a list that is gathered, a helper, a condition, `try`. The truth is the
 * edited program, executed from the start; where it would have left the loop, the question ends and
 * the run continues.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import type { TestProject } from "../support/project.ts";
import { logged } from "../support/replay.ts";
import { after, askedNames, before, EDITED_PROGRAMS, INTERVENTIONS } from "./programs.ts";

/** Of the programs. */
const EPOCHS = 5;

describe.each(EDITED_PROGRAMS)("$file", needs("python"), (program) => {
  const { file } = program;
  let truth: TestProject;
  let asked: TestProject;

  beforeAll(async () => {
    truth = await record({ [file]: after(program) }, file, "all");
    asked = await record({ [file]: before(program) }, file, "all");
    edit(asked, { [file]: after(program) });
  });

  afterAll(() => {
    truth[Symbol.dispose]();
    asked[Symbol.dispose]();
  });

  test.each(askedNames(program))("%s", async (name) => {
    const { code, stdout, stderr, cells } = await ask(asked, [name]);
    expect(code, stderr + stdout).toBe(0);
    const own = logged(truth.records).filter((one) => one.name === name);
    expect(valuesOf(cells)).toEqual(valuesOf(own));
    // Behind the last loop no state is compared any more.
    const marks = name === "ask_seen" ? ["unchecked"] : ["verified"];
    expect([...new Set(cells.map(({ check }) => check))]).toEqual(own.length > 0 ? marks : []);
  });

  test("what is filled is not asked for again, alone or together", async () => {
    const logs = logged(truth.records);
    const isLogged = (name: string): boolean =>
      logs.filter((one) => one.name === name).length === EPOCHS;
    const names = askedNames(program).filter(isLogged);
    const { code, stderr, stdout, plan } = await ask(asked, names);
    expect(code, stderr).toBe(0);
    expect(plan?.runs ?? [], stdout).toEqual([]);
  });
});

test.each(INTERVENTIONS)(
  "what the run would have felt is refused %#",
  needs("python"),
  async (edited) => {
    const { file } = edited;
    using project = await record({ [file]: before(edited) }, file, "budget");
    edit(project, { [file]: after(edited) });
    const { code, stderr, stdout } = await ask(project, ["q"]);
    expect(code).toBe(1);
    expect(stderr + stdout).toContain("changes what line 4 of the run computes");
  },
);

/** Values in order, by loops of the run: one that was added is not one of them. */
function valuesOf(logs: readonly { readonly path: string; readonly value: unknown }[]): string[] {
  return logs.map(({ path, value }) => {
    const loops = path.split(",").filter((part) => /^(?:epoch|step)=/.test(part));
    return `${loops.join()} ${Number(value)}`;
  });
}
