/**
 * What if the analysis overlooks a change? One name at a time is taken out of what one loop changes,
 * in the recording and in the replay alike. Every time an answer is another one than the truth, the
 * audit of the recording or the deferred check of the replay must have said so.
 *
 * Usually a few names, and where the audit has spoken only the first is asked as well; the long
 * tests take more, and ask them all. AFTERLOG_MUTATION_OUT=FILE writes the outcomes there, for
 * `npm run bench -- handsfree`.
 */
import { writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { analyzeProgram } from "../../src/languages/index.ts";
import { TestProject } from "../support/project.ts";
import { count, DRAW_SEED, IS_LONG } from "../support/draws.ts";
import type { Answer } from "../support/ask.ts";
import { ask, byPlace, edit, SEED } from "../support/ask.ts";
import type { Cell } from "../truth/reference-sdk.ts";
import type { Program } from "./programs.ts";
import { allPrograms, cellsOf, foundBy, namesOf, PROBE_KINDS, withProbes } from "./programs.ts";

const OUT = process.env["AFTERLOG_MUTATION_OUT"];
const COUNT = count(3, { long: 40 });

/** A name that is to be overlooked in one loop. */
interface Mutant {
  readonly program: Program;
  /** What the seam in the analysis takes: `train.ts#2 train.ts:0:ema`. */
  readonly overlook: string;
}

interface Outcome {
  readonly program: string;
  readonly overlook: string;
  /** Who noticed; `equal`: nobody, and every answer is the truth. */
  readonly outcome: "audit" | "check" | "equal" | "missed";
}

const outcomes: Outcome[] = [];
const truths = new Map<Program, Promise<Cell[]>>();

test.each(chosen(allPrograms().flatMap(mutantsOf)))(
  "$program.name without $overlook",
  async ({ program, overlook }) => {
    using project = new TestProject(program.files);
    const env = { AFTERLOG_OVERLOOK: overlook };
    await execute(project, program, env);
    const { audit = [] } = project.manifest;
    const known = { program: program.name, overlook };
    if (audit.length > 0 && !IS_LONG && outcomes.length > 0) {
      outcomes.push({ ...known, outcome: "audit" });
      return;
    }
    const answer = await askAll(project, program, env);
    const said = outcomeOf(answer, await truthOf(program));
    const outcome = said !== "missed" && audit.length > 0 ? "audit" : said;
    outcomes.push({ ...known, outcome });
    const context = answer.events.map((event) => JSON.stringify(event)).join("\n");
    expect(outcome, context).not.toBe("missed");
  },
  300_000,
);

/** Every name of every loop that a checkpoint would hold. */
function mutantsOf(program: Program): Mutant[] {
  const { loops } = analyzeProgram(program.entry, (file) => program.files[file], {
    handsFree: true,
  });
  return loops.flatMap(({ file, ordinal, changes }) =>
    changes
      .filter(({ access }) => access !== "out-of-reach")
      .map(({ key }) => ({ program, overlook: `${file}#${ordinal} ${key}` })),
  );
}

/** Usually some of those that start quickly. */
function chosen(mutants: Mutant[]): Mutant[] {
  if (COUNT >= mutants.length) return mutants;
  const quick = !IS_LONG ? mutants.filter(startsQuickly) : mutants;
  const from = Math.abs(DRAW_SEED);
  return Array.from({ length: COUNT }, (_, n) => {
    return quick[(from + Math.floor((n * quick.length) / COUNT)) % quick.length];
  }).filter((mutant) => mutant !== undefined);
}

function startsQuickly({ program: { entry, files } }: Mutant): boolean {
  return !/tfjs|jax/.test(files[entry] ?? "");
}

function truthOf(program: Program): Promise<Cell[]> {
  const known = truths.get(program) ?? recordTruth(program);
  truths.set(program, known);
  return known;
}

async function recordTruth(program: Program): Promise<Cell[]> {
  const text = withProbes(program, PROBE_KINDS);
  using project = new TestProject({ ...program.files, [program.entry]: text });
  await execute(project, program, {});
  const names = namesOf(program, PROBE_KINDS);
  return cellsOf(project).filter(({ name }) => names.includes(name));
}

async function execute(
  project: TestProject,
  { entry }: Program,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const argv = ["run", "--seed", SEED, "--overhead", "inf", entry];
  const { code, stderr } = await project.afterlogWith(env, ...argv);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
}

function askAll(project: TestProject, program: Program, env: NodeJS.ProcessEnv): Promise<Answer> {
  edit(project, { [program.entry]: withProbes(program, PROBE_KINDS) });
  return ask(project, namesOf(program, PROBE_KINDS), { env });
}

/** Nothing that is not the truth may look as if it were right, and somebody must have been told. */
function outcomeOf(answer: Answer, truth: readonly Cell[]): Outcome["outcome"] {
  const cells = foundBy(answer);
  const right = byPlace(truth);
  const wrong = cells.filter(({ name, path, value }) => {
    return !(right[`${name} @ ${path}`] ?? []).includes(value);
  });
  const told = answer.code !== 0 || cells.some(({ check }) => check === "diverged");
  if (wrong.length === 0)
    return cells.length === truth.length ? "equal" : told ? "check" : "missed";
  const looksRight = wrong.some(({ check }) => check === "verified" || check === "close");
  return told && !looksRight ? "check" : "missed";
}

afterAll(() => {
  const count = (outcome: Outcome["outcome"]): number =>
    outcomes.filter((one) => one.outcome === outcome).length;
  const changed = outcomes.length - count("equal");
  const caught = changed - count("missed");
  const lines = outcomes.map(({ program, overlook, outcome }) =>
    [outcome.padEnd(6), program.padEnd(17), overlook].join("  "),
  );
  console.log(
    [
      ...lines,
      `${outcomes.length} names overlooked: ${count("equal")} changed no answer; of the other ` +
        `${changed}, ${caught} were caught (audit ${count("audit")}, check ${count("check")})`,
    ].join("\n"),
  );
  if (OUT !== undefined) writeFileSync(OUT, JSON.stringify(outcomes));
});
