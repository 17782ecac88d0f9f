/**
 * Lines of a run that were changed to show more of the same: a result bound to a name, a loop that
 * counts, a part of an expression named before it. The truth is the edited program, executed from the
 * start; of the same iterations where some are asked for.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, edit, hindsight, record } from "../support/ask.ts";
import { IS_LONG, some } from "../support/draws.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { logged } from "../support/replay.ts";
import { History } from "../versions/history.ts";
import { BODIES, OTHER_BODIES } from "./bodies.ts";
import { DECORATED, OTHER_DECORATORS } from "./decorators.ts";
import { NAMED_PARTS } from "./named-parts.ts";
import type { EditedProgram } from "./programs.ts";
import { after, askedNames, before } from "./programs.ts";
import { OTHER_LOOPS, OTHER_WRAPPERS, RENAMED_PROGRAMS, SHAPED_PROGRAMS } from "./shapes.ts";

/** Iterations of the outermost loop that are asked for alone. */
const SOME = [2, 4];

const PROGRAMS = [...SHAPED_PROGRAMS, ...BODIES, ...NAMED_PARTS, ...DECORATED];

describe.each(some(PROGRAMS, { every: 3 }))("$file", needs("python"), (program) => {
  const { file, beside = [] } = program;
  const filesOf = (text: (one: EditedProgram) => string): { [name: string]: string } =>
    Object.fromEntries([program, ...beside].map((one) => [one.file, text(one)]));
  let truth: TestProject;
  let asked: TestProject;

  beforeAll(async () => {
    truth = await record(filesOf(after), file, "all");
    asked = await record(filesOf(before), file, "all");
    edit(asked, filesOf(after));
  });

  afterAll(() => {
    truth[Symbol.dispose]();
    asked[Symbol.dispose]();
  });

  test("all at once", async () => {
    using project = new TestProject();
    project.copyFrom(asked);
    const names = askedNames(program);
    const all = await ask(project, names, { words: [] });
    expect(all.code, all.stderr + all.stdout).toBe(0);
    const of = (logs: readonly Logged[]): { [name: string]: number[][] } =>
      Object.fromEntries(
        names.map((own) => [own, valuesOf(logs.filter((one) => one.name === own))]),
      );
    expect(of(all.cells)).toEqual(of(logged(truth.records)));
    expect([...new Set(all.cells.map(({ check }) => check))]).toEqual(["verified"]);
    expect(all.stdout).not.toMatch(/differs? from yours/);
  });

  test.each(askedNames(program))("%s", async (name) => {
    const own = valuesOf(logged(truth.records).filter((one) => one.name === name));
    expect(own.length).toBeGreaterThan(0);
    using project = new TestProject();
    project.copyFrom(asked);
    const conditions = SOME.map((epoch) => `epoch = ${epoch}`).join(" or ");
    const some = await ask(project, [name], { where: conditions });
    expect(some.code, some.stderr + some.stdout).toBe(0);
    const isSome = ([epoch]: readonly number[]): boolean => SOME.includes(epoch ?? -1);
    expect(valuesOf(some.cells)).toEqual(own.filter(isSome));
    const marks = some.cells.length > 0 ? ["verified"] : [];
    expect([...new Set(some.cells.map(({ check }) => check))]).toEqual(marks);
    if (!IS_LONG) return;
    const all = await ask(asked, [name]);
    expect(all.code, all.stderr + all.stdout).toBe(0);
    expect(valuesOf(all.cells)).toEqual(own);
    expect([...new Set(all.cells.map(({ check }) => check))]).toEqual(["verified"]);
  });
});

/** What an older version calls things. */
const OLDER: readonly (readonly [RegExp, string])[] = [
  [/\bloss\b(?!")/g, "total"],
  [/\bepoch\b/g, "round"],
  [/\bnet\b/g, "model"],
];

describe.each(RENAMED_PROGRAMS)("$file in an older version", needs("python"), (program) => {
  const { file } = program;
  const text = OLDER.reduce((left, [now, then]) => left.replaceAll(now, then), program.text);
  const past = { file, text };
  let truth: History;
  let recorded: History;

  beforeAll(async () => {
    truth = new History();
    await truth.record({ files: { [file]: after(past) }, program: file });
    recorded = new History();
    await recorded.record({ files: { [file]: before(past) }, program: file });
    await recorded.record({ files: { [file]: before(program) }, program: file });
    recorded.put({ [file]: after(program) });
  });

  afterAll(() => {
    truth[Symbol.dispose]();
    recorded[Symbol.dispose]();
  });

  test.each(askedNames(program))("%s", async (name) => {
    using history = new History();
    history.copyFrom(recorded);
    const { code, stdout, stderr } = await history.afterlog("replay", name, "--yes");
    expect(code, stderr + stdout).toBe(0);
    const own = await hindsight(history, [name], recorded.names[0]);
    expect(own.map(({ value }) => Number(value))).toEqual(truth.logged(name).map(Number));
    expect([...new Set(own.map(({ check }) => check))]).toEqual(["verified"]);
  });
});

test.each(some(OTHER_LOOPS, { every: 3 }))(
  "another loop is refused: $file",
  needs("python"),
  async (edited) => {
    const { file } = edited;
    using project = await record({ [file]: before(edited) }, file, "budget");
    edit(project, { [file]: after(edited) });
    const { code, stderr, stdout, cells } = await ask(project, ["q"]);
    expect(code).toBe(1);
    expect(cells).toEqual([]);
    expect(stderr + stdout).toMatch(
      /`i` comes from your `for .*` \(train\.\w+:4\); this run did not have it/,
    );
  },
);

test.each(some(OTHER_WRAPPERS, { every: 3 }))(
  "what may change the run is refused: $text",
  needs("python"),
  async (edited) => {
    const { file } = edited;
    using project = await record({ [file]: before(edited) }, file, "budget");
    edit(project, { [file]: after(edited) });
    const { code, stderr, stdout, cells } = await ask(project, ["q"]);
    expect(code).toBe(1);
    expect(cells).toEqual([]);
    expect(stderr + stdout).toMatch(
      /`(?:with .*|try:| *try \{)` \(train\.\w+:\d\) changes what line \d of the run computes\. A question cannot/,
    );
  },
);

test.each(some([...OTHER_BODIES, ...OTHER_DECORATORS], { every: 3 }))(
  "what is no longer the run is refused: $text",
  needs("python"),
  async (edited) => {
    const { file } = edited;
    using project = await record({ [file]: before(edited) }, file, "budget");
    edit(project, { [file]: after(edited) });
    const { code, cells } = await ask(project, ["q"]);
    expect({ isRefused: code === 1 || code === 5, cells }).toEqual({ isRefused: true, cells: [] });
  },
);

interface Logged {
  readonly name: string;
  readonly path: string;
  readonly value: unknown;
}

/** Values in order, by the indices of the loops: the names are those of the text that ran. */
function valuesOf(logs: readonly Logged[]): number[][] {
  return logs.map(({ path, value }) => [
    ...path.split(",").map((part) => Number(part.split("=")[1])),
    Number(value),
  ]);
}
