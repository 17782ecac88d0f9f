/**
 * Programs that never heard of Afterlog, recorded as they are and asked at every scan for what they
 * did not print. The values are those of the same program with the statements in it from the start.
 *
 * Usually every other program, and all statements outside the steps together, those in the steps of
 * every third program, in one process or two as the seed says. `npm run test:long` asks all programs
 * for each kind alone, in one process and in two.
 */
import { afterAll, describe, expect, test } from "vitest";
import type { Record } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { DRAW_SEED, IS_LONG, some } from "../support/draws.ts";
import type { Answer } from "../support/ask.ts";
import { ask, byPlace, costOf, edit, SEED } from "../support/ask.ts";
import type { Cell } from "../truth/reference-sdk.ts";
import { printedPlain } from "./plain-run.ts";
import type { ProbeKind, Program } from "./programs.ts";
import { allPrograms, cellsOf, foundBy, namesOf, PROBE_KINDS, withProbes } from "./programs.ts";

const PROGRAMS = some(allPrograms(), { every: 3 });
const ALL = IS_LONG;
/** The bound: outer and suffix statements of so many programs execute no step again; 9 of 13. */
const ENOUGH = Math.floor((PROGRAMS.length * 9) / 13);

/** Which kinds of statements are asked for together, in how many processes. */
interface Question {
  readonly kinds: readonly ProbeKind[];
  readonly workers: number;
}

interface Outcome extends Question {
  readonly program: string;
  readonly scan: string;
  /** Of all iterations, and of those of the training loops alone: data may be made in loops too. */
  readonly share: number;
  readonly training: number;
  readonly notes: readonly string[];
}

const outcomes: Outcome[] = [];

describe.each(PROGRAMS)("$name", (program) => {
  test(
    "prints what it prints without Afterlog, and answers what it did not print",
    async () => {
      const cells = await truthOf(program);
      using asked = new TestProject(program.files);
      await record(asked, program, "inf");
      const names = namesOf(program, PROBE_KINDS);
      expect(byPlace(cellsOf(asked)), "the unchanged program logs the rest of the truth").toEqual(
        byPlace(cells.filter(({ name }) => !names.includes(name))),
      );
      const { records } = asked;
      for (const [at, question] of questionsFor(program).entries()) {
        const outcome = await check(asked, program, { ...question, cells, records, round: at });
        outcomes.push(outcome);
      }
    },
    ALL ? 600_000 : 120_000,
  );
});

/** The statements are in it from the start: it prints what it prints without Afterlog. */
async function truthOf(program: Program): Promise<Cell[]> {
  const files = { ...program.files, [program.entry]: withProbes(program, PROBE_KINDS) };
  using project = new TestProject(files);
  const [printed, plain] = await Promise.all([
    record(project, program, "0"),
    printedPlain(files, program.entry, SEED),
  ]);
  // A `model.fit` is made epoch by epoch, and so shuffles anew in each (decision 0007): other numbers.
  const isFit = /\.fit\(/.test(files[program.entry] ?? "");
  const words = (text: string): string => (isFit ? text.replaceAll(/\d[\d.e-]*/g, "0") : text);
  expect(words(printed)).toBe(words(plain));
  return cellsOf(project);
}

/** What the program prints. */
async function record(
  project: TestProject,
  { entry }: Program,
  overhead: "0" | "inf",
): Promise<string> {
  const argv = ["run", "--seed", SEED, "--overhead", overhead, entry];
  const { code, stdout, stderr } = await project.afterlog(...argv);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

function questionsFor(program: Program): Question[] {
  if (ALL)
    return PROBE_KINDS.flatMap((kind) => [1, 2].map((workers) => ({ kinds: [kind], workers })));
  const turn = Math.abs(DRAW_SEED + PROGRAMS.indexOf(program));
  const outside: Question = { kinds: ["prefix", "outer", "suffix"], workers: 1 + (turn % 2) };
  return turn % 3 === 0
    ? [outside, { kinds: ["inner"], workers: 1 + ((turn >> 1) % 2) }]
    : [outside];
}

interface Asked extends Question {
  /** The truth, and what the unchanged program recorded. */
  readonly cells: readonly Cell[];
  readonly records: readonly Record[];
  readonly round: number;
}

async function check(
  project: TestProject,
  program: Program,
  { kinds, workers, cells, records, round }: Asked,
): Promise<Outcome> {
  // What a run was asked once it has: each question has names of its own.
  const own = (name: string): string => `${name}_${round}`;
  const names = namesOf(program, kinds);
  const text = names.reduce(
    (source, name) =>
      source.replaceAll(new RegExp(`(?<=["\`} ])${name}(?="|\`| \\$\\{)`, "g"), own(name)),
    withProbes(program, kinds),
  );
  edit(project, { [program.entry]: text });
  const answer = await ask(project, names.map(own), { workers });
  const expected = cells
    .filter(({ name }) => names.includes(name))
    .map((cell) => ({ ...cell, name: own(cell.name) }));
  const context = [answer.stderr, ...answer.events.map((event) => JSON.stringify(event))].join(
    "\n",
  );
  expect(expected.length, `${kinds.join()} has no truth`).toBeGreaterThan(0);
  expect(answer.code, context).toBe(0);
  const found = foundBy(answer);
  expect(byPlace(found), context).toEqual(byPlace(expected));
  expect(new Set(found.map((cell) => cell.check)), context).not.toContain("diverged");
  const training = trainingShare(program, answer, { cells, records });
  return { program: program.name, kinds, workers, ...costOf(answer), training };
}

/** The share of the training's iterations that the plan executes again. */
function trainingShare(
  program: Program,
  { plan }: Answer,
  { cells, records }: Pick<Asked, "cells" | "records">,
): number {
  const [inner = ""] = namesOf(program, ["inner"]);
  const steps = cells.filter(({ name }) => name === inner);
  const outermost = /^[^=]*/.exec(steps[0]?.path ?? "")?.[0];
  const others = records.filter((record) => {
    return record.k === "exit" && record.path.length === 0 && record.loop !== outermost;
  });
  const executed = (plan?.runs[0]?.units ?? []).map(({ iterations, courses }) => {
    const skipped = new Set(
      courses.flatMap((course) => (course.do === "skip" ? course.entry : [])),
    );
    const apart = others.flatMap((record) =>
      record.k === "exit" && !skipped.has(`${record.loop}=end`) ? record.iterations : [],
    );
    return iterations - apart.reduce((sum, count) => sum + count, 0);
  });
  return executed.reduce((sum, count) => sum + count, 0) / steps.length;
}

describe("all of them", () => {
  test(`outer and suffix statements of at least ${ENOUGH} programs execute no step again`, () => {
    const good = PROGRAMS.filter(({ name }) => {
      const own = outcomes.filter(({ program, kinds }) => {
        return program === name && kinds.some((kind) => kind === "outer" || kind === "suffix");
      });
      return own.length > 0 && own.every(({ training }) => training === 0);
    });
    expect(good.length, good.map(({ name }) => name).join()).toBeGreaterThanOrEqual(ENOUGH);
  });
});

afterAll(() => {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(7);
  const lines = outcomes.map(({ program, kinds, workers, scan, share, training, notes }) => {
    const question = [program.padEnd(17), kinds.join("+").padEnd(19), `-j ${workers}`];
    const cost = [scan.padEnd(6), percent(share), percent(training), notes.join("; ")];
    return [...question, ...cost].join("  ").trimEnd();
  });
  const title =
    "program, asked, processes, scan, executed again of all iterations, of the training";
  console.log([title, ...lines].join("\n"));
});
