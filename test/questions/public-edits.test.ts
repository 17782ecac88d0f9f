/**
 * Edits as public histories have them, asked of a run that did not have them: the truth is the edited
 * program, executed from the start.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../support/ask.ts";
import { ask, edit, SEED } from "../support/ask.ts";
import { torchInterpreter } from "../support/interpreters.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import type { LoggedValue } from "../support/replay.ts";
import { logged } from "../support/replay.ts";
import { CHARS } from "./public-edits/chars.ts";
import { CLASSIFY } from "./public-edits/classify.ts";
import type { EditedInPublic, PublicEdit } from "./public-edits/edit.ts";
import { edited } from "./public-edits/edit.ts";
import { HOUSING } from "./public-edits/housing.ts";
import { NETWORK } from "./public-edits/network.ts";
import { REWARDS } from "./public-edits/rewards.ts";

const PROGRAMS: readonly EditedInPublic[] = [CLASSIFY, REWARDS, CHARS, HOUSING, NETWORK];

/** Rows that are asked together, of a working tree that has them all. */
interface Group {
  readonly id: string;
  readonly rows: readonly (readonly [id: string, edit: PublicEdit])[];
}

function groupsOf({ edits }: EditedInPublic): Group[] {
  const groups = new Map<string, [string, PublicEdit][]>();
  for (const [id, edit] of Object.entries(edits)) {
    const key = edit.together ?? `alone: ${id}`;
    groups.set(key, [...(groups.get(key) ?? []), [id, edit]]);
  }
  return [...groups].map(([id, rows]) => ({ id, rows }));
}

test("there are at least 60, half of them of two or more parts", () => {
  const all = PROGRAMS.flatMap(({ edits }) => Object.values(edits));
  expect(all.length).toBeGreaterThanOrEqual(60);
  const several = all.filter(({ diff }) => partsOf(diff) > 1);
  expect(several.length).toBeGreaterThanOrEqual(all.length / 2);
});

/** Added lines with lines of the run between them, and changed lines. */
function partsOf(diff: string): number {
  return diff.split("\n").filter((line, at, lines) => {
    return line.startsWith("+") && !lines[at - 1]?.startsWith("+");
  }).length;
}

describe.each(PROGRAMS)("$file", needs("python"), (program) => {
  const { file } = program;
  let run: TestProject;
  const possible = needs(...program.needs);

  beforeAll(async () => {
    if (possible.skip !== true) run = await recorded(program, {});
  });

  afterAll(() => run?.[Symbol.dispose]());

  describe.each(groupsOf(program))("$id", possible, ({ rows }) => {
    const edits = rows.map(([, edit]) => edit);
    const files = Object.assign({}, ...edits.map((edit) => edit.files ?? {})) as Files;
    let answer: Answer;
    let truth: readonly LoggedValue[];

    beforeAll(async () => {
      using project = new TestProject();
      project.copyFrom(run);
      edit(project, {
        [file]: edited(program.program, ...edits.map(({ diff }) => diff)),
        ...files,
      });
      answer = await ask(
        project,
        edits.flatMap(({ asks }) => asks),
      );
      const isAnswered = edits.some(({ expected }) => typeof expected === "string");
      if (!isAnswered) return;
      using whole = await recorded(program, files, ...edits.map((one) => one.truth ?? one.diff));
      truth = logged(whole.records);
    });

    test.each(rows)("%s", (_, { asks, expected }) => {
      const said = answer.stdout + answer.stderr;
      const cells = answer.cells.filter(({ name }) => asks.includes(name));
      if (typeof expected === "object") expect(said).toContain(expected.refused);
      if (typeof expected === "object" || expected === "no question") {
        expect(answer.code, said).not.toBe(0);
        expect(cells, said).toEqual([]);
        return;
      }
      if (expected === "open" && cells.length === 0) return;
      if (edits.every((one) => one.expected !== "open")) expect(answer.code, said).toBe(0);
      const own = truth.filter(({ name }) => asks.includes(name));
      expect(own.length).toBeGreaterThan(0);
      const isTime = expected === "clock";
      const how = { isTime, cells };
      expect(valuesOf(cells, how), said).toEqual(valuesOf(own, how));
      const marks = [...new Set(cells.map(({ check }) => check))];
      expect(MARKS[expected]).toEqual(expect.arrayContaining(marks));
    });
  });
});

type Files = { readonly [name: string]: string };

/** A run of a program with edits in it. */
async function recorded(
  { file, program, needs: needed }: EditedInPublic,
  files: Files,
  ...diffs: readonly string[]
): Promise<TestProject> {
  const project = new TestProject({ [file]: edited(program, ...diffs), ...files });
  const interpreter = needed.includes("torch") ? ["--python", torchInterpreter() ?? ""] : [];
  const argv = ["run", "--seed", SEED, "--overhead", "inf", ...interpreter, file];
  const { code, stderr } = await project.afterlog(...argv);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return project;
}

/** Marks that answers of a kind may have. */
const MARKS = {
  answered: ["verified", "restored"],
  unchecked: ["unchecked"],
  clock: ["unchecked"],
  open: ["verified", "restored", "unchecked"],
} as const;

/**
 * Values in order, by the outermost loop: the inner ones may have other names in the edited text, and
 * an added loop is none of the run.
 */
function valuesOf(
  logs: readonly LoggedValue[],
  { isTime, cells }: { readonly isTime: boolean; readonly cells: readonly LoggedValue[] },
): string[] {
  return logs.map(({ path, value }, at) => {
    const outermost = cells[at]?.path === "" ? "" : path.split(",")[0];
    return `${outermost} ${isTime ? "" : Number(value)}`;
  });
}
