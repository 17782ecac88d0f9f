/** The plan of one run, cut for workers. */
import type { LeftOut, PlannedRun } from "../../src/format/index.ts";
import type { AskedRun, Costs } from "../../src/planner/index.ts";
import { planQuestion } from "../../src/planner/index.ts";

interface OneOptions {
  readonly workers: number;
  readonly costs: Costs;
  readonly canary?: boolean;
  readonly fromStart?: boolean;
}

export function planOne(run: AskedRun, options: OneOptions): PlannedRun | LeftOut {
  const question = { names: ["x"], where: null, after: null, statements: [], landings: [] };
  const plan = planQuestion({ ...question, runs: [run], review: [], leftOut: [] }, options);
  return [...plan.runs, ...plan.left_out][0] ?? { run: "", why: "nothing was planned" };
}
