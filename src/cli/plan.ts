/** @file `afterlog plan NAME…`: what a replay would do, and for how long. Starts nothing. */
import { resolve } from "node:path";
import { makePlan } from "../app/read.ts";
import { replaceFile } from "../store/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { planText } from "./plan-view.ts";
import { portsOf } from "./ports.ts";
import { readQuestion } from "./question.ts";

type PlanOptions = OptionsOf<"plan">;

export async function planCommand(
  context: CliContext,
  words: readonly string[],
  options: PlanOptions,
): Promise<number> {
  const plan = await makePlan(portsOf(context), readQuestion(context, words, options));
  const json = `${JSON.stringify(plan, undefined, 2)}\n`;
  if (options.out !== undefined) replaceFile(resolve(context.cwd, options.out), json);
  if (context.json) context.out(json);
  else context.out(planText(plan, { width: context.columns, color: context.color }));
  if (options.out !== undefined && !context.json) {
    context.err(`execute it:  afterlog replay --plan ${options.out}\n`);
  }
  return 0;
}
