/**
 * Programs that never heard of Afterlog, recorded as they are and asked at every scan for what they
 * did not print. The values are those of the same program with the statements in it from the start.
 *
 * Usually the kinds of statements are spread over few replays, with one process or two as the
 * commit says; AFTERLOG_HANDSFREE=all asks for each kind alone, with one process and with two.
 */
import { afterAll, describe, expect, test } from "vitest";
import { formatPath } from "../../src/format/index.ts";
import { TestProject } from "../run/harness.ts";
import { seedOfCommit } from "../truth/check-program.ts";
import { ask, byPlace, costOf, edit, SEED } from "../truth/harness.ts";
import type { Cell } from "../truth/reference-sdk.ts";
import { printedPlain } from "./plain-run.ts";
import type { ProbeKind, Program } from "./programs.ts";
import { allPrograms, namesOf, PROBE_KINDS, withProbes } from "./programs.ts";

const PROGRAMS = allPrograms();
const ALL = process.env["AFTERLOG_HANDSFREE"] === "all";
/** The bound: outer and suffix statements of so many programs execute no step again. */
const ENOUGH = 9;

/** Which kinds of statements are asked for together, in how many processes. */
interface Question {
  readonly kinds: readonly ProbeKind[];
  readonly workers: number;
}

interface Outcome extends Question {
  readonly program: string;
  readonly scan: string;
  readonly share: number;
  readonly notes: readonly string[];
}

const outcomes: Outcome[] = [];

describe.each(PROGRAMS)("$name", (program) => {
  test(
    "prints what it prints without Afterlog, and answers what it did not print",
    async () => {
      const probed = withProbes(program, PROBE_KINDS);
      using truth = await recorded(program, probed);
      using asked = await recorded(program, program.files[program.entry] ?? "");
      const cells = cellsOf(truth);
      const names = namesOf(program, PROBE_KINDS);
      expect(byPlace(cellsOf(asked)), "the unchanged program logs the rest of the truth").toEqual(
        byPlace(cells.filter(({ name }) => !names.includes(name))),
      );
      for (const [at, question] of questionsFor(program).entries()) {
        const outcome = await check(asked, program, { ...question, cells, round: at });
        outcomes.push(outcome);
      }
    },
    ALL ? 600_000 : 120_000,
  );
});

/** The program's own output, recorded and not; then its run. */
async function recorded(program: Program, text: string): Promise<TestProject> {
  const files = { ...program.files, [program.entry]: text };
  const project = new TestProject(files);
  const argv = ["run", "--seed", SEED, "--overhead", "inf", program.entry];
  const [{ code, stdout, stderr }, plain] = await Promise.all([
    project.afterlog(...argv),
    printedPlain(files, program.entry, SEED),
  ]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toBe(plain);
  return project;
}

function cellsOf(project: TestProject): Cell[] {
  return project.records.flatMap((record) =>
    record.k === "log"
      ? [
          {
            path: formatPath(record.path),
            name: record.name,
            value: JSON.stringify(record.value),
          },
        ]
      : [],
  );
}

function questionsFor(program: Program): Question[] {
  if (ALL)
    return PROBE_KINDS.flatMap((kind) => [1, 2].map((workers) => ({ kinds: [kind], workers })));
  const turn = seedOfCommit() + PROGRAMS.indexOf(program);
  const workers = (at: number): number => 1 + (Math.abs(turn + at) % 2);
  return [
    { kinds: ["outer"], workers: workers(0) },
    { kinds: ["prefix", "suffix"], workers: workers(1) },
    { kinds: ["inner"], workers: workers(2) },
  ];
}

async function check(
  project: TestProject,
  program: Program,
  { kinds, workers, cells, round }: Question & { readonly cells: Cell[]; readonly round: number },
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
  expect(byPlace(answer.cells), context).toEqual(byPlace(expected));
  expect(
    answer.cells.map((cell) => cell.check),
    context,
  ).not.toContain("diverged");
  return { program: program.name, kinds, workers, ...costOf(answer) };
}

describe("all of them", () => {
  test(`outer and suffix statements of at least ${ENOUGH} programs execute no iteration again`, () => {
    const good = PROGRAMS.filter(({ name }) => {
      const own = outcomes.filter(({ program, kinds }) => {
        return program === name && kinds.some((kind) => kind === "outer" || kind === "suffix");
      });
      return own.length > 0 && own.every(({ share }) => share === 0);
    });
    expect(good.length, good.map(({ name }) => name).join()).toBeGreaterThanOrEqual(ENOUGH);
  });
});

afterAll(() => {
  const lines = outcomes.map(({ program, kinds, workers, scan, share, notes }) => {
    const percent = `${(100 * share).toFixed(1)} %`;
    const columns = [program.padEnd(17), kinds.join("+").padEnd(13), `-j ${workers}`];
    return [...columns, scan.padEnd(6), percent.padStart(7), notes.join("; ")].join("  ").trimEnd();
  });
  console.log(["program, asked, processes, scan, executed again", ...lines].join("\n"));
});
