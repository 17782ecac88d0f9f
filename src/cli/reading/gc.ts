/**
 * @file `afterlog gc [RUN…] --policy P`: removes checkpoints that the policy does not keep. It never
 * guesses: without a policy there is nothing to do; it says first what would become slower.
 */
import type { PlannedGc } from "../../app/index.ts";
import { executeGc, gcReport, planGc, POLICY_HELP } from "../../app/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { gcSentence, gcText } from "./gc-view.ts";
import { portsOf } from "../command-ports.ts";
import { NEEDS_CONFIRMATION } from "../replaying/watch-replay.ts";

type GcOptions = OptionsOf<"gc">;

/** Exit code when something could not be removed. */
const SOME_FAILED = 3;

export async function gcCommand(
  context: CliContext,
  references: readonly string[],
  options: GcOptions,
): Promise<number> {
  if (options.policy === undefined) {
    throw new AfterlogError("AL001", "nothing to do without a policy; gc never guesses", {
      notes: ["see first what would go:  afterlog gc --policy peak:accuracy --dry-run"],
      help: POLICY_HELP,
    });
  }
  const ports = portsOf(context);
  const planned = await planGc(ports, { runs: references, policy: options.policy });
  const dryRun = options.dryRun === true;
  const json = (gc: PlannedGc): string => `${JSON.stringify(gcReport(gc, { dryRun }))}\n`;
  const { columns: width, color } = context;
  const { plans } = planned;
  if (!context.json) context.out(gcText(planned, { width, color }));
  if (dryRun || plans.length === 0) {
    if (context.json) context.out(json(planned));
    else context.out(plans.length === 0 ? "nothing to remove\n" : `${gcSentence(plans, false)}\n`);
    return 0;
  }
  const answer = await confirm(context, planned, options);
  if (answer !== "yes") {
    if (answer === "no") context.err("nothing was removed\n");
    return answer === "no" ? 0 : NEEDS_CONFIRMATION;
  }
  const done = executeGc(ports, planned);
  if (context.json) context.out(json(done));
  else {
    for (const { run, why } of done.failed) context.err(`not removed  ${run}: ${why}\n`);
    if (done.plans.length > 0) context.out(`${gcSentence(done.plans, true)}\n`);
  }
  return done.failed.length === 0 ? 0 : SOME_FAILED;
}

async function confirm(
  context: CliContext,
  { plans }: PlannedGc,
  { yes }: GcOptions,
): Promise<"yes" | "no" | "unasked"> {
  if (yes === true) return "yes";
  if (context.prompt === undefined || context.json) {
    context.err("this needs a yes: there is no terminal to ask on\n  help: add --yes\n");
    return "unasked";
  }
  const answer = await context.prompt(`? ${gcSentence(plans, false)}. Remove? [y/N] › `);
  return /^y/i.test(answer.trim()) ? "yes" : "no";
}
