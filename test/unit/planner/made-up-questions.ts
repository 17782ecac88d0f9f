/** Questions to recorded runs that are made up, and where what is asked must be executed. */
import fc from "fast-check";
import type { Box, LeftOut, LoopPath, PlannedRun } from "../../../src/format/index.ts";
import { parsePath } from "../../../src/format/index.ts";
import type { SourceLog } from "../../../src/languages/index.ts";
import type { AskedRun, LoopEntry } from "../../../src/planner/index.ts";
import { allEntries } from "../../../src/planner/index.ts";
import { planOne } from "../../support/plan-one.ts";
import type { Choices, LoopSpec, RecordedRun } from "./recorded-run.ts";
import { COSTS, makeSpecs, matchOf, Recording } from "./recorded-run.ts";
import { pathText } from "./simulate.ts";

export interface Question {
  readonly run: RecordedRun;
  readonly statements: readonly Statement[];
  readonly boxes: readonly Box[];
}

/** A log statement before the `before`-th loop in the body of a loop, or at top level. */
export interface Statement {
  readonly around: readonly LoopSpec[];
  readonly before: number;
}

export function makeQuestion(choices: Choices): Question {
  const specs = makeSpecs(choices);
  const run = new Recording(choices).run(specs);
  const statements = Array.from({ length: choices.integer(1, 2) }, () => {
    const around: LoopSpec[] = [];
    let inner = specs;
    while (inner.length > 0 && choices.chance(65)) {
      const spec = inner[choices.integer(0, inner.length - 1)];
      if (!spec) break;
      around.push(spec);
      inner = [...spec.loops];
    }
    return { around, before: choices.integer(0, inner.length) };
  });
  const boxes = choices.chance(40) ? [] : [makeBox(choices, statements)];
  return { run, statements, boxes };
}

function makeBox(choices: Choices, [statement]: readonly Statement[]): Box {
  const names = (statement?.around ?? []).filter(() => choices.chance(70)).map(({ name }) => name);
  return Object.fromEntries(
    names.map((name) => {
      const first = choices.integer(0, 4);
      return [name, [first, first + choices.integer(0, 2)] as const];
    }),
  );
}

function toLog({ around, before }: Statement, specs: readonly LoopSpec[]): SourceLog {
  const inner = around.at(-1)?.loops ?? specs;
  return {
    file: "p.ts",
    line: 1,
    column: 1,
    name: "x",
    text: "",
    chain: around.map(({ id }) => id),
    certain: true,
    before: inner.slice(before).map(({ id }) => id),
  };
}

/** Where the statement must have run: the first place in the code at which it is certain. */
export function* expectedRuns({
  run,
  statements,
  boxes,
}: Question): Generator<[string, LoopEntry | null]> {
  for (const { around, before } of statements) {
    if (around.length === 0) yield [placeOf(run, run.facts.entries, run.specs, before, ""), null];
    for (const entry of allEntries(run.facts.entries)) {
      const spec = run.specOf.get(entry);
      if (!spec || spec !== around.at(-1)) continue;
      for (let index = 0; index < entry.iterations; index++) {
        const path = [...entry.path, [entry.loop, index] as const];
        if (boxes.length > 0 && !boxes.some((box) => fits(box, path))) continue;
        const text = pathText(entry, index);
        yield [placeOf(run, entry.children.get(index) ?? [], spec.loops, before, text), entry];
      }
    }
  }
}

export function fits(
  box: Box,
  path: readonly (readonly [string, unknown, ...unknown[]])[],
): boolean {
  return path.every(([name, index]) => {
    const [first, last] = box[name] ?? [0, Infinity];
    return Number(index) >= first && Number(index) <= last;
  });
}

/** The statement runs after the recorded loops that stand before it. */
function placeOf(
  run: RecordedRun,
  entries: readonly LoopEntry[],
  specs: readonly LoopSpec[],
  before: number,
  path: string,
): string {
  const earlier = specs.slice(0, before);
  const passed = entries.filter((entry) => earlier.some((spec) => run.specOf.get(entry) === spec));
  return `${path}/${passed.length}`;
}

/** Statements that the run itself did not points need not run. */
export function reached(question: Question): string[] {
  return [...expectedRuns(question)].map(([at]) => at).filter((at) => question.run.found.has(at));
}

export function planOf(
  question: Question,
  workers: number,
  options: { readonly canary?: boolean; readonly fromStart?: boolean } = {},
): PlannedRun | LeftOut {
  return planOne(askedRun(question), { workers, costs: COSTS, ...options });
}

/** As a plan has it. */
export function askedRun({ run, statements, boxes }: Question): AskedRun {
  const placements = statements.map((statement) => toLog(statement, run.specs));
  const asked = boxes.length > 0 ? boxes : ("all" as const);
  return { facts: run.facts, model: run.model, placements, asked, match: matchOf(run.model) };
}

export function isPlanned(planned: object): planned is PlannedRun {
  return "units" in planned;
}

/** Choices that follow from a seed: drawing each from fast-check would take minutes. */
export const generated = fc.nat().map((seed): Choices => {
  let state = seed;
  const integer = (min: number, max: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return min + Math.floor(((state >>> 4) / 2 ** 28) * (max - min + 1));
  };
  return { integer, chance: (percent) => integer(0, 99) < percent };
});

/** Where a statement stands, `l0=1,l1#1=2/3`, as a path. */
export function pathOf(at: string): LoopPath {
  return parsePath(at.split("/")[0] ?? "") ?? [];
}
