/**
 * Edits as public histories have them, asked of a run that did not have them: the truth is the edited
 * program, executed from the start.
 */
import { afterAll, assert, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../support/ask.ts";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import type { LoggedValue } from "../support/replay.ts";
import { logged } from "../support/replay.ts";
import { CLASSIFY } from "./public-edits/classify.ts";
import type { EditedInPublic, PublicEdit } from "./public-edits/edit.ts";
import { edited } from "./public-edits/edit.ts";

const PROGRAMS: readonly EditedInPublic[] = [CLASSIFY];

describe.each(PROGRAMS)("$file", (program) => {
  const { file } = program;
  let run: TestProject;

  beforeAll(async () => {
    run = await record({ [file]: program.program }, file, "all");
  });

  afterAll(() => run[Symbol.dispose]());

  test.each(Object.entries(program.edits))("%s", needs(...program.needs), async (_, row) => {
    using project = new TestProject();
    project.copyFrom(run);
    edit(project, { [file]: edited(program.program, row.diff), ...row.files });
    const answer = await ask(project, row.asks);
    const said = answer.stdout + answer.stderr;
    const { expected } = row;
    if (typeof expected === "object") {
      expect(answer.code, said).not.toBe(0);
      expect(said).toContain(expected.refused);
    }
    const isRefused = typeof expected === "object" || expected === "no question";
    if (isRefused) expect(answer.cells, said).toEqual([]);
    else if (expected === "open" && answer.cells.length === 0) expect(answer.code).not.toBe(0);
    else await expectTruth(program, row, answer);
  });
});

/** Marks that answers of a kind may have. */
const MARKS = {
  answered: ["verified", "restored"],
  unchecked: ["unchecked"],
  clock: ["unchecked"],
  lasting: ["diverged"],
  open: ["verified", "restored", "unchecked"],
} as const;

async function expectTruth(
  { file, program }: EditedInPublic,
  { diff, asks, files, truth = diff, expected }: PublicEdit,
  { code, cells, stdout, stderr }: Answer,
): Promise<void> {
  assert(typeof expected === "string" && expected !== "no question");
  expect(code === 0, stdout + stderr).toBe(expected !== "lasting");
  using whole = await record({ [file]: edited(program, truth), ...files }, file, "budget");
  const own = logged(whole.records).filter(({ name }) => asks.includes(name));
  expect(own.length).toBeGreaterThan(0);
  const isTime = expected === "clock";
  // A question that changes the run is stopped where that shows.
  const count = expected === "lasting" ? cells.length : own.length;
  expect(valuesOf(cells, isTime), stdout).toEqual(valuesOf(own.slice(0, count), isTime));
  const marks = [...new Set(cells.map(({ check }) => check))];
  expect(MARKS[expected]).toEqual(expect.arrayContaining(marks));
}

/** Values in order, by the outermost loop: the inner ones may have other names in the edited text. */
function valuesOf(logs: readonly LoggedValue[], isTime: boolean): string[] {
  return logs.map(({ path, value }) => {
    return `${path.split(",")[0]} ${isTime ? "" : Number(value)}`;
  });
}
