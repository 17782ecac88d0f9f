/**
 * @file One generated program, from its recording to the comparison of every answer with the
 * truth. The questions differ with the number of the program: all in all they cover each kind of
 * statement, one to four processes, ranges of iterations, and three ways of recording.
 */
import { expect } from "vitest";
import { analyzeProgram } from "../../src/languages/index.ts";
import type { TestProject } from "../support/project.ts";
import type { Probe, ProbeKind, Program } from "./generate.ts";
import { render } from "./generate.ts";
import type { Recording } from "../support/ask.ts";
import { ask, byPlace, costOf, edit, record, SEED } from "../support/ask.ts";
import type { Cell } from "./reference-sdk.ts";
import { runFromScratch } from "./reference-sdk.ts";

/** Which statements are asked for together, and in which iterations. */
export interface Question {
  readonly kind: ProbeKind;
  readonly probes: readonly Probe[];
  readonly where:
    | { readonly sql: string; readonly loop: string; readonly in: number[] }
    | undefined;
  readonly workers: number;
}

export interface Outcome {
  readonly kind: ProbeKind;
  readonly scan: string;
  readonly share: number;
  /** Why more is executed than the statement's place asks for. */
  readonly notes: readonly string[];
  readonly limited: boolean;
}

export interface Checked {
  readonly how: Recording;
  readonly outcomes: readonly Outcome[];
}

const RECORDINGS: readonly Recording[] = ["all", "all", "all", "budget", "all", "plain"];

/** Asks a program what its number among the others says. */
export async function checkProgram(made: Program, at: number): Promise<Checked> {
  const how = RECORDINGS[at % RECORDINGS.length] ?? "all";
  const program = how === "plain" ? asModule(made) : made;
  const outcomes = await checkQuestions(program, { how, all: at % 2 === 0 }, questionsOf(made, at));
  return { how, outcomes };
}

/**
 * Records the program, asks, and fails if one number is not the truth. `all`: the statements of
 * all questions stand in the working tree at once.
 */
export async function checkQuestions(
  program: Program,
  { how, all }: { readonly how: Recording; readonly all: boolean },
  questions: readonly Question[],
): Promise<Outcome[]> {
  const names = program.probes.map(({ name }) => name);
  const truth = await runFromScratch(render(program, names), program.entry, SEED);
  using project = await record(render(program, []), program.entry, how);
  expect(recordedCells(project), describeProgram(program, [])).toEqual(
    byPlace(truth.filter(({ name }) => !names.includes(name))),
  );
  if (isFollowed(program)) {
    expect(project.manifest.audit ?? [], describeProgram(program, [])).toEqual([]);
  }
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    outcomes.push(await checkQuestion({ project, program, truth, all }, question));
  }
  return outcomes;
}

async function checkQuestion(
  {
    project,
    program,
    truth,
    all,
  }: { project: TestProject; program: Program; truth: readonly Cell[]; all: boolean },
  { kind, probes, where, workers }: Question,
): Promise<Outcome> {
  const names = probes.map(({ name }) => name);
  const added = all ? program.probes.map(({ name }) => name) : names;
  edit(project, render(program, added));
  const expected = truth.filter(({ name, path }) => {
    return names.includes(name) && (!where || where.in.includes(indexIn(path, where.loop)));
  });
  const answer = await ask(project, names, { where: where?.sql, workers });
  const context = () =>
    [
      `${names.join(" ")} ${where?.sql ?? ""} -j ${workers}`,
      answer.stderr,
      ...answer.events.map((event) => JSON.stringify(event)),
      describeProgram(program, added),
    ].join("\n");
  if (expected.length > 0) expect(answer.code, context()).toBe(0);
  const differing = differences(byPlace(answer.cells), byPlace(expected));
  expect(differing, differing.length > 0 ? context() : "").toEqual([]);
  const diverged = answer.cells.filter(({ check }) => check === "diverged");
  expect(diverged, diverged.length > 0 ? context() : "").toEqual([]);
  return { kind, ...costOf(answer), limited: where !== undefined };
}

/** At most a few statements of each kind; some of them in a range of iterations only. */
function questionsOf({ probes }: Program, at: number): Question[] {
  const kinds: ProbeKind[][] = [
    ["suffix", "outer", "inner"],
    ["outer", "between", "inner"],
    ["suffix", "outer", "mixed"],
    ["prefix", "outer", "function"],
    ["inner", "outer", "suffix"],
  ];
  return (kinds[at % kinds.length] ?? []).flatMap((kind, n) => {
    const some = probes.filter((probe) => probe.kind === kind);
    if (some.length === 0) return [];
    const [first] = rotated(some, at);
    const limited = (at + n) % 3 === 2 && first !== undefined && first.loops.length > 0;
    const chosen = limited ? [first] : rotated(some, at).slice(0, 3);
    const where = limited ? rangeFor(first, at + n) : undefined;
    return [{ kind, probes: chosen, where, workers: 1 + ((at + n) % 4) }];
  });
}

/** By index: what a loop goes through may be anything. */
function rangeFor({ loops }: Probe, n: number): Question["where"] {
  const loop = loops[n % loops.length] ?? "";
  const ranges: [string, number[]][] = [
    [`${loop}# = 1`, [1]],
    [`${loop}# between 1 and 2`, [1, 2]],
    [`${loop}# in (0, 2)`, [0, 2]],
    [`${loop}# < 1`, [0]],
  ];
  const [sql, indices] = ranges[Math.floor(n / 3) % ranges.length] ?? ["", []];
  return { sql, loop, in: indices };
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const at = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

/** The index of a loop in a path; -1 if it is not in it. */
function indexIn(path: string, loop: string): number {
  const found = path.split(",").find((element) => /^[^#=]*/.exec(element)?.[0] === loop);
  return found === undefined ? -1 : Number(found.split("=")[1]);
}

function recordedCells(project: TestProject): { [place: string]: string[] } {
  const text = (path: readonly (readonly [string, unknown, number?])[]): string =>
    path
      .map(([name, index, entry]) => `${name}${entry ? `#${entry}` : ""}=${String(index)}`)
      .join(",");
  return byPlace(
    project.records.flatMap((record) =>
      record.k === "log"
        ? [{ path: text(record.path), name: record.name, value: JSON.stringify(record.value) }]
        : [],
    ),
  );
}

/** Places whose values differ, with both. */
function differences(
  found: { [place: string]: string[] },
  expected: { [place: string]: string[] },
): string[] {
  const places = [...new Set([...Object.keys(found), ...Object.keys(expected)])];
  return places
    .map((place) => [place, JSON.stringify(found[place]), JSON.stringify(expected[place])] as const)
    .filter(([, mine, truth]) => mine !== truth)
    .map(([place, mine, truth]) => `${place}\n    found ${mine}\n    truth ${truth}`);
}

/** Plain `node` runs no TypeScript. */
function asModule(program: Program): Program {
  const texts = Object.entries(program.files);
  const files = texts.map(([name, text]) => [name.replace(/\.ts$/, ".mjs"), text] as const);
  return {
    ...program,
    entry: program.entry.replace(/\.ts$/, ".mjs"),
    files: Object.fromEntries(files),
  };
}

export function describeProgram(program: Program, added: readonly string[]): string {
  return Object.entries(render(program, added))
    .map(([name, text]) => `--- ${name}\n${text}`)
    .join("\n");
}

/** Whether the analysis says that it knows all that a program changes: no audit may contradict it. */
function isFollowed(program: Program): boolean {
  const files = render(program, []);
  const { uncertain, loops } = analyzeProgram(program.entry, (file) => files[file]);
  const isReached = loops.every(({ changes }) =>
    changes.every(({ access }) => access !== "out-of-reach"),
  );
  return uncertain.length === 0 && isReached;
}
