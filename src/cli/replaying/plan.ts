/** @file `afterlog plan NAME…`: what a replay would do, and for how long. Starts nothing. */
import { makePlan, savePlan } from "../../app/read.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { planText } from "./plan-view.ts";
import { portsOf } from "../command-ports.ts";
import { readQuestion } from "./question.ts";

type PlanOptions = OptionsOf<"plan">;

export async function planCommand(
  context: CliContext,
  words: readonly string[],
  options: PlanOptions,
): Promise<number> {
  const ports = portsOf(context);
  const plan = await makePlan(ports, readQuestion(context, words, options));
  if (options.out !== undefined) savePlan(ports, options.out, plan);
  if (context.json) context.out(`${JSON.stringify(plan, undefined, 2)}\n`);
  else context.out(planText(plan, { width: context.columns, ...context }));
  if (plan.runs.length + plan.review.length + plan.left_out.length === 0) {
    context.err("no run has what is asked for\n");
  }
  if (options.out !== undefined && !context.json) {
    context.err(`execute it:  afterlog replay --plan ${options.out}\n`);
  }
  return 0;
}
